"""Counting anew, and importances."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

import naive
import strategies
from whybox.trees import Tree, grow_tree, land, recount
from whybox.trees.predict import importances


@given(strategies.training_sets())
def test_counts_and_shares_are_those_of_the_rows_below_a_node(drawn):
    X, y, w, n_classes = drawn
    tree = grow_tree(X, y, w, n_classes)
    base = (w > 0) * np.arange(1.0, len(w) + 1)
    counted = recount(tree, land(tree, X), y, base)
    below = [[] for _ in range(tree.n_nodes)]
    parent = {
        int(c): t
        for t in range(tree.n_nodes)
        for c in (tree.children_left[t], tree.children_right[t])
    }
    for i, leaf in enumerate(naive.land(tree, X)):
        while leaf is not None:
            below[leaf].append(i)
            leaf = parent.get(leaf)
    assert counted.n_node_samples.tolist() == [len(rows) for rows in below]
    for t, rows in enumerate(below):
        totals = naive.class_totals(rows, y, base, n_classes)
        np.testing.assert_allclose(counted.unweighted_share[t], totals / totals.sum(), rtol=1e-14)


def test_importances_equal_scikit_learns():
    X, y = load_breast_cancer(return_X_y=True)
    w = np.random.RandomState(0).uniform(0.5, 2, len(y))
    model = DecisionTreeClassifier(max_depth=5, random_state=0).fit(X, y, sample_weight=w)
    theirs, shares = model.tree_, model.tree_.value[:, 0]
    same = Tree(
        theirs.children_left,
        theirs.children_right,
        theirs.feature,
        theirs.threshold,
        theirs.missing_go_to_left.astype(bool),
        theirs.n_node_samples,
        theirs.weighted_n_node_samples,
        shares,
        shares,
    )
    ours = importances(same, X.shape[1])
    np.testing.assert_allclose(ours / ours.sum(), model.feature_importances_, rtol=0, atol=1e-14)
    assert same.max_depth == model.get_depth()
    assert same.n_leaves == model.get_n_leaves()
