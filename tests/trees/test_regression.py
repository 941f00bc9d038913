"""Regression trees: against scikit-learn, and what weights and the order of rows do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_regression
from sklearn.tree import DecisionTreeRegressor

import strategies
from whybox.trees.regression import RegressionRows
from whybox.trees.weights import relative

ARRAYS = ("children_left", "children_right", "feature", "threshold", "missing_go_left", "value")


def responses(n_trees, n_rows, seed):
    random = np.random.RandomState(seed)
    factor = random.choice([0.25, 0.1, 1e-3, 4e-16], (n_trees, n_rows))
    return factor, random.choice([-4.0, -1.25, 0.0, 1.1, 4.0], (n_trees, n_rows))


def assert_same(a, b):
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


@pytest.mark.parametrize(("max_depth", "max_leaf_nodes"), [(3, 64), (None, 12), (6, 9)])
@pytest.mark.parametrize("seed", [0, 1])
def test_equal_to_scikit_learn_without_ties(seed, max_depth, max_leaf_nodes):
    X, z = make_regression(800, 6, noise=20.0, random_state=seed)
    X, z = X.astype(np.float32).astype(np.float64), np.vstack([z, np.sin(z)]) / 100
    factor = np.random.RandomState(seed).uniform(0.01, 0.25, z.shape)
    limits = {"max_depth": max_depth, "max_leaf_nodes": max_leaf_nodes}
    forest = RegressionRows.of(X, np.ones(800)).grow(factor, z, **limits)
    for k, start in enumerate(forest.roots):
        tree = DecisionTreeRegressor(random_state=0, **limits).fit(X, z[k], factor[k]).tree_
        here = slice(start, start + tree.node_count)
        for name in ("children_left", "children_right", "feature", "n_node_samples", "threshold"):
            np.testing.assert_array_equal(getattr(forest, name)[here], getattr(tree, name))
        np.testing.assert_allclose(forest.value[here], tree.value[:, 0, 0], rtol=1e-9, atol=1e-9)


@given(strategies.training_sets(), st.integers(0, 99))
def test_whole_weights_equal_repeated_rows(drawn, seed):
    X, _, w, _ = drawn
    X, w = X[w > 0].astype(np.float64), w[w > 0]
    factor, z = responses(2, len(X), seed)
    weighted = RegressionRows.of(X, w.astype(float)).grow(factor, z, max_leaf_nodes=5)
    copies = RegressionRows.of(X.repeat(w, axis=0), np.ones(w.sum()))
    assert_same(
        weighted, copies.grow(factor.repeat(w, axis=1), z.repeat(w, axis=1), max_leaf_nodes=5)
    )


@given(strategies.training_sets(), st.integers(0, 99), st.booleans())
def test_the_order_of_the_rows_changes_nothing(drawn, seed, whole):
    X = drawn[0].astype(np.float64)
    factor, z = responses(2, len(X), seed)
    random = np.random.RandomState(seed)
    base = relative(random.randint(1, 5, len(X)) if whole else random.uniform(0.1, 1, len(X)))
    back = np.arange(len(X))[::-1]
    forest = RegressionRows.of(X, base).grow(factor, z, max_depth=4)
    other = RegressionRows.of(X[back], base[back]).grow(factor[:, back], z[:, back], max_depth=4)
    assert_same(forest, other)


@given(st.integers(0, 999), st.floats(0.5, 1e6), st.booleans())
def test_sums_are_exact_and_no_row_is_lost(seed, bound, whole):
    random = np.random.RandomState(seed)
    base = relative(random.randint(1, 9, 40) if whole else random.uniform(1e-9, 1, 40))
    factor = 10.0 ** random.uniform(-16, 0, (3, 40))
    z = random.uniform(-bound, bound, (3, 40))
    weight, moment = RegressionRows.of(np.zeros((40, 1)), base).weigh(factor, z)
    for numbers in (weight, moment):
        assert (numbers == np.rint(numbers)).all()
        assert (np.abs(numbers).sum(axis=1) < 2.0**53).all()
    assert (weight >= 1).all()
    np.testing.assert_allclose(moment / weight / 32, z, rtol=0, atol=1 / 64)


def test_equal_responses_are_one_leaf_whatever_they_weigh():
    factor = np.array([[0.25, 1e-9, 4e-16, 0.1]])
    rows = RegressionRows.of(np.arange(4.0)[:, None], np.ones(4))
    forest = rows.grow(factor, np.full((1, 4), 1.3))
    assert forest.value == pytest.approx([1.3], rel=1e-9)


def test_a_split_that_gains_nothing_yet_is_made():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    z = np.array([[1.0, -1.0, -1.0, 1.0]])
    forest = RegressionRows.of(X, np.ones(4)).grow(np.ones((1, 4)), z)
    np.testing.assert_array_equal(forest.predict(X)[:, 0], z[0])


def test_rows_left_out_shape_nothing():
    random = np.random.RandomState(0)
    X, z, keep = random.normal(size=(50, 2)), random.normal(size=(1, 50)), random.rand(50) < 0.7
    factor = np.ones((1, 50))  # the same unit for all
    some = RegressionRows.of(X, np.ones(50)).grow(factor, z, keep=keep[None])
    kept = RegressionRows.of(X[keep], np.ones(keep.sum())).grow(factor[:, keep], z[:, keep])
    for name in ("feature", "threshold", "n_node_samples"):
        np.testing.assert_array_equal(getattr(some, name), getattr(kept, name))


def test_missing_values_go_where_their_responses_are():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [np.nan]])
    rows = RegressionRows.of(X, np.ones(5))
    z = np.array([[0.0, 0.0, 1.0, 1.0, 0.0], [0.0, 0.0, 1.0, 1.0, 1.0]])
    forest = rows.grow(np.ones((2, 5)), z)
    assert forest.missing_go_left[forest.roots].tolist() == [True, False]
    np.testing.assert_array_equal(forest.predict(X), z.T)
