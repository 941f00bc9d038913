"""Trees from checked arguments: against scikit-learn, and what weights and types do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

import strategies
from whybox.errors import InputError
from whybox.trees import grow_tree, land

FIELDS = ("children_left", "children_right", "feature", "threshold", "missing_go_left")


def assert_same_routing(a, b):
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


def untied(seed, n_classes):
    """Rows whose best splits do not tie: small trees on many rows."""
    X, y = make_classification(
        1500, 10, n_informative=6, n_redundant=0, n_classes=n_classes, flip_y=0.1,
        class_sep=0.7, random_state=seed,
    )  # fmt: skip
    return X.astype(np.float32), y, np.random.RandomState(seed).uniform(0.1, 3, len(y))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_equal_to_scikit_learn_without_ties(seed, n_classes):
    X, y, w = untied(seed, n_classes)
    ours = grow_tree(X, y, w, n_classes, max_depth=3)
    theirs = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y, sample_weight=w).tree_
    for name in ("children_left", "children_right", "feature", "threshold", "n_node_samples"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    np.testing.assert_allclose(ours.value, theirs.value[:, 0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        ours.weighted_n_node_samples, theirs.weighted_n_node_samples, rtol=1e-12
    )


def test_full_growth_of_a_single_feature_equals_scikit_learn():
    X = np.random.RandomState(3).normal(size=(300, 1)).astype(np.float32)
    y = (np.sin(4 * X[:, 0]) > 0).astype(int)
    w = np.random.RandomState(4).randint(1, 4, 300)  # real ones: theirs re-splits pure nodes
    ours, theirs = grow_tree(X, y, w, 2), DecisionTreeClassifier().fit(X, y, sample_weight=w).tree_
    np.testing.assert_array_equal(ours.feature, theirs.feature)
    np.testing.assert_array_equal(ours.threshold, theirs.threshold)


@given(strategies.training_sets())
def test_whole_weights_equal_repeated_rows(drawn):
    X, y, w, n_classes = drawn
    weighted = grow_tree(X, y, w, n_classes)
    repeated = grow_tree(np.repeat(X, w, axis=0), np.repeat(y, w), None, n_classes)
    assert_same_routing(weighted, repeated)
    np.testing.assert_array_equal(weighted.value, repeated.value)
    np.testing.assert_array_equal(weighted.unweighted_share, repeated.unweighted_share)
    np.testing.assert_allclose(
        weighted.weighted_n_node_samples, repeated.n_node_samples, rtol=1e-15
    )


@given(strategies.training_sets())
def test_a_constant_factor_on_the_weights_changes_nothing(drawn):
    X, y, w, n_classes = drawn
    plain = grow_tree(X, y, w, n_classes)
    for factor in (1e-6, 1e6, 1e-300, 1e300, 3.7):
        scaled = grow_tree(X, y, w * factor, n_classes)
        assert_same_routing(plain, scaled)
        np.testing.assert_array_equal(plain.value, scaled.value)


@given(strategies.training_sets())
def test_the_order_of_the_rows_changes_nothing(drawn):
    X, y, w, n_classes = drawn
    back = slice(None, None, -1)
    assert_same_routing(
        grow_tree(X, y, w, n_classes), grow_tree(X[back], y[back], w[back], n_classes)
    )


@given(strategies.training_sets())
def test_rows_of_zero_weight_shape_nothing_but_are_counted(drawn):
    X, y, w, n_classes = drawn
    tree = grow_tree(X, y, w, n_classes)
    assert_same_routing(tree, grow_tree(X[w > 0], y[w > 0], w[w > 0], n_classes))
    leaves = land(tree, X)
    assert tree.n_node_samples[0] == len(X)
    for leaf in np.flatnonzero(tree.children_left < 0):
        assert tree.n_node_samples[leaf] == np.count_nonzero(leaves == leaf)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_thresholds_separate_neighbouring_numbers_of_the_type(dtype):
    for low in (0.0, 1.0, 1e-45, -1.0, 3e38, 5e-324):
        a = dtype(low)
        b = np.nextafter(a, dtype(np.inf))
        X = np.array([[a], [b]])
        tree = grow_tree(X, np.array([0, 1]), None, 2)
        assert a <= tree.threshold[0] < b
        assert a <= dtype(tree.threshold[0]) < b
        assert land(tree, X).tolist() == [1, 2]


def test_missing_values_go_where_they_belong():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [np.nan]])
    assert grow_tree(X, np.array([0, 0, 1, 1, 0]), None, 2).missing_go_left[0]
    assert not grow_tree(X, np.array([0, 0, 1, 1, 1]), None, 2).missing_go_left[0]


def test_missing_values_alone_are_cut_off_from_all_finite_ones():
    X = np.array([[0.0], [5.0], [np.nan]])
    tree = grow_tree(X, np.array([0, 0, 1]), None, 2)
    huge = np.array([[np.finfo(float).max], [np.nan]])
    assert tree.n_nodes == 3
    assert np.isfinite(tree.threshold).all()
    assert land(tree, huge).tolist() == [1, 2]


def test_a_missing_value_never_seen_goes_to_the_heavier_child():
    X, y = np.array([[0.0], [1.0]]), np.array([0, 1])
    assert grow_tree(X, y, [2, 1], 2).missing_go_left[0]
    assert not grow_tree(X, y, [1, 2], 2).missing_go_left[0]


def test_a_node_of_hardly_any_impurity_is_a_leaf():
    X, y = np.array([[0.0], [1.0]]), np.array([0, 1])
    assert grow_tree(X, y, [1.0, 1e-13], 2).n_nodes == 1
    assert grow_tree(X, y, [1.0, 1e-11], 2).n_nodes == 3


@pytest.mark.parametrize(
    ("X", "y", "w", "said"),
    [
        ([[1.0, 2.0], [0.0, np.inf]], [0, 1], None, "column 1"),
        ([[1.0], [2.0]], [0, 2], None, "y holds"),
        ([[1.0], [2.0]], [0.5, 1], None, "y has"),
        ([[1.0], [2.0]], [0, 1, 1], None, "y has"),
        ([[1.0], [2.0]], [0, 1], [1, -1], "sample_weight holds -1.0 at row 1"),
        ([[1.0], [2.0]], [0, 1], [1, np.nan], "sample_weight holds nan at row 1"),
        ([[1.0], [2.0]], [0, 1], [0, 0], "sample_weight is zero"),
        ([[1.0], [2.0]], [0, 1], [1], "sample_weight has shape"),
        ([1.0, 2.0], [0, 1], None, "X has shape"),
        ([["a"], ["b"]], [0, 1], None, "X is not numeric"),
    ],
)
def test_bad_arguments_are_named(X, y, w, said):
    with pytest.raises(InputError, match=said):
        grow_tree(X, y, w, 2)
