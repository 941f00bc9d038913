"""Sequences of subtrees against recorded ones, scikit-learn's, and plain evaluation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

import naive
import strategies
from whybox.errors import InputError
from whybox.trees import Tree, grow_tree, land, prune_sequence, prune_tree, subtree_errors

RECORDED = Path(__file__).parents[1] / "data" / "cbpt"


def recorded_tree(recorded):
    n = len(recorded["left"])
    return Tree(
        recorded["left"].astype(np.int32),
        recorded["right"].astype(np.int32),
        recorded["feat"].astype(np.int32),
        recorded["thr"],
        np.zeros(n, bool),
        recorded["n"],
        recorded["wfrac"],
        recorded["value"],
        recorded["value"],
    )


@pytest.mark.parametrize("cost", ["cart", "gini_sum"])
@pytest.mark.parametrize("name", ["bc", "wine", "digits"])
def test_sequence_and_errors_equal_the_recorded_ones(name, cost):
    with np.load(RECORDED / f"prune_{name}.npz") as recorded:
        tree = recorded_tree(recorded)
        steps, alphas, n_leaves = prune_sequence(tree, cost)
        np.testing.assert_array_equal(steps, recorded[f"{cost}_step"])
        np.testing.assert_array_equal(n_leaves, recorded[f"{cost}_nleaves"])
        np.testing.assert_allclose(alphas, recorded[f"{cost}_alphas"], rtol=0, atol=1e-14)
        errors = subtree_errors(tree, steps, recorded["X"], recorded["y"], recorded["w"])
        np.testing.assert_allclose(errors, recorded[f"{cost}_err_train"], rtol=0, atol=1e-13)


def test_cart_alphas_equal_scikit_learns():
    X, y = load_breast_cancer(return_X_y=True)
    X, w = X.astype(np.float32), np.random.RandomState(0).uniform(0.5, 2, len(y))
    theirs = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y, sample_weight=w)
    path = theirs.cost_complexity_pruning_path(X, y, sample_weight=w)
    grown, shares = theirs.tree_, theirs.tree_.value[:, 0]
    same = Tree(
        grown.children_left.astype(np.int32),
        grown.children_right.astype(np.int32),
        grown.feature.astype(np.int32),
        grown.threshold,
        grown.missing_go_to_left.astype(bool),
        grown.n_node_samples,
        grown.weighted_n_node_samples,
        shares,
        shares,
    )
    np.testing.assert_allclose(prune_sequence(same)[1], path.ccp_alphas, rtol=0, atol=1e-12)


@given(strategies.training_sets(), st.sampled_from(["cart", "gini_sum"]))
def test_errors_equal_those_of_predicting_with_every_subtree(drawn, cost):
    X, y, w, n_classes = drawn
    tree = grow_tree(X, y, w, n_classes)
    steps, alphas, _ = prune_sequence(tree, cost)
    errors = subtree_errors(tree, steps, X[::-1], y, w)
    expected = naive.subtree_errors(tree, steps, len(alphas), X[::-1], y, w)
    np.testing.assert_allclose(errors, expected, rtol=0, atol=1e-14)


@given(strategies.training_sets())
def test_whole_weights_equal_repeated_rows(drawn):
    X, y, w, n_classes = drawn
    XX, yy = np.repeat(X, w, axis=0), np.repeat(y, w)
    weighted, repeated = grow_tree(X, y, w, n_classes), grow_tree(XX, yy, None, n_classes)
    for a, b in zip(prune_sequence(weighted), prune_sequence(repeated), strict=True):
        np.testing.assert_array_equal(a, b)
    steps = prune_sequence(weighted)[0]
    np.testing.assert_array_equal(
        subtree_errors(weighted, steps, X, y, w), subtree_errors(repeated, steps, XX, yy)
    )


@given(strategies.training_sets())
def test_a_subtree_cut_out_predicts_as_the_sequence_says(drawn):
    X, y, w, n_classes = drawn
    tree = grow_tree(X, y, w, n_classes)
    steps, alphas, n_leaves = prune_sequence(tree)
    for now in range(len(alphas)):
        pruned = prune_tree(tree, steps, now)
        assert pruned.n_leaves == n_leaves[now]
        assert pruned.n_nodes == 2 * pruned.n_leaves - 1
        answers = pruned.majority[land(pruned, X)].tolist()
        assert answers == [naive.prediction_at(tree, steps, now, row) for row in X]


def test_the_root_is_the_end_and_alphas_never_fall():
    X, y = load_breast_cancer(return_X_y=True)
    steps, alphas, n_leaves = prune_sequence(grow_tree(X, y, None, 2))
    assert alphas[0] == 0
    assert (np.diff(alphas) >= 0).all()
    assert n_leaves[-1] == 1
    assert steps[0] == len(alphas) - 1


def test_an_unknown_cost_is_refused():
    tree = grow_tree([[0.0], [1.0]], [0, 1], None, 2)
    with pytest.raises(InputError, match="'entropy', expected one of cart, gini_sum"):
        prune_sequence(tree, "entropy")
