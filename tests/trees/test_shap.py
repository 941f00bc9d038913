"""Shapley values of weighted trees: the definition, shap's own figures, and the paper's example."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_shap as naive
from whybox.errors import InputError
from whybox.trees.shap import (
    ensemble_base_values,
    ensemble_shap_interactions,
    ensemble_shap_values,
    node_covers,
)

N_FEATURES = 5


def predict(tree, x):
    node = 0
    while tree.children_left[node] >= 0:
        left = naive.goes_left(tree, node, x)
        node = tree.children_left[node] if left else tree.children_right[node]
    return tree.unweighted_share[node]


def random_trees(n_trees, depth, n_features, n_classes=2, seed=0):
    """Grow lopsided nested trees at random: one deep arm, short branches off it."""
    rng = np.random.default_rng(seed)

    def leaf():
        return rng.integers(1, 20, n_classes).tolist()

    def arm(left):
        if left == 0:
            return leaf()
        split = (int(rng.integers(n_features)), float(rng.normal()), bool(rng.integers(2)))
        twig = (int(rng.integers(n_features)), float(rng.normal()), False, leaf(), leaf())
        parts = [arm(left - 1), twig]
        return (*split, *(parts if rng.integers(2) else parts[::-1]))

    return [naive.flatten(arm(depth)) for _ in range(n_trees)]


def shap_oracle(trees, weights, dtype):
    import shap

    parts = np.asarray(weights) / np.sum(weights)
    model = [
        {
            "children_left": tree.children_left,
            "children_right": tree.children_right,
            "children_default": np.where(
                tree.missing_go_left, tree.children_left, tree.children_right
            ),
            "features": tree.feature,
            "thresholds": tree.threshold,
            "values": part * tree.unweighted_share,
            "node_sample_weight": tree.n_node_samples.astype(float),
        }
        for tree, part in zip(trees, parts, strict=True)
    ]
    return shap.TreeExplainer(
        {"trees": model, "input_dtype": dtype}, feature_perturbation="tree_path_dependent"
    )


@given(
    st.lists(naive.nested_trees(N_FEATURES, 2), min_size=1, max_size=3), naive.matrices(N_FEATURES)
)
def test_values_and_interactions_are_the_definition(nested, X):
    trees = [naive.flatten(part) for part in nested]
    weights = np.arange(1.0, len(trees) + 1)
    covers = [tree.n_node_samples for tree in trees]
    values = naive.ensemble(naive.values, trees, covers, weights, X)
    pairs = naive.ensemble(naive.interactions, trees, covers, weights, X)
    np.testing.assert_allclose(ensemble_shap_values(trees, weights, X), values, atol=1e-12)
    np.testing.assert_allclose(ensemble_shap_interactions(trees, weights, X), pairs, atol=1e-12)


@settings(max_examples=25)
@given(naive.nested_trees(8, 3, max_leaves=20), naive.matrices(8, max_rows=1))
def test_eight_features_and_three_classes_are_the_definition_and_sum_to_zero(nested, X):
    tree = naive.flatten(nested)
    got = ensemble_shap_values([tree], [3.0], X)
    expected = naive.ensemble(naive.values, [tree], [tree.n_node_samples], [1.0], X)
    np.testing.assert_allclose(got, expected, atol=1e-12)
    np.testing.assert_allclose(got.sum(axis=2), 0.0, atol=1e-12)
    pairs = naive.ensemble(naive.interactions, [tree], [tree.n_node_samples], [1.0], X)
    np.testing.assert_allclose(ensemble_shap_interactions([tree], [3.0], X), pairs, atol=1e-12)


@given(
    naive.nested_trees(N_FEATURES, 2, leaf_weights=st.floats(0.01, 9.0)), naive.matrices(N_FEATURES)
)
def test_sample_weights_shape_the_covers_so_that_the_base_is_the_weighted_prevalence(nested, X):
    tree = naive.flatten(nested, weight_of_a_row=4.0)
    cover = node_covers(tree)
    leaves = tree.children_left < 0
    mixture = cover[leaves] @ tree.unweighted_share[leaves]
    np.testing.assert_allclose(mixture, tree.unweighted_share[0], atol=1e-12)
    values = ensemble_shap_values([tree], [1.0], X)
    expected = naive.ensemble(naive.values, [tree], [cover], [1.0], X)
    np.testing.assert_allclose(values, expected, atol=1e-12)
    sums = ensemble_base_values([tree], [1.0]) + values.sum(axis=1)
    np.testing.assert_allclose(sums, [predict(tree, x) for x in X], atol=1e-12)


def test_counts_of_rows_decide_where_the_shares_of_children_are_equal():
    nested = (0, 0.0, False, (1, 0.0, False, [4, 0], [0, 4]), [1, 1])
    tree = naive.flatten(nested)
    np.testing.assert_allclose(node_covers(tree), [1.0, 0.8, 0.4, 0.4, 0.2])
    X = np.array([[-1.0, -1.0], [1.0, 1.0]])
    expected = naive.ensemble(naive.values, [tree], [tree.n_node_samples], [1.0], X)
    np.testing.assert_allclose(ensemble_shap_values([tree], [1.0], X), expected, atol=1e-15)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_values_agree_with_shap_on_float_types_and_missing_values(dtype):
    trees = random_trees(20, 14, 12, seed=3)
    weights = np.random.default_rng(4).uniform(0.1, 2.0, len(trees))
    X = np.random.default_rng(5).normal(size=(200, 12)).astype(dtype)
    X[::7, 3] = np.nan
    oracle = shap_oracle(trees, weights, dtype)
    expected = oracle.shap_values(X, check_additivity=False)
    np.testing.assert_allclose(ensemble_shap_values(trees, weights, X), expected, atol=1e-9)
    pairs = ensemble_shap_interactions(trees, weights, X[:20])
    np.testing.assert_allclose(pairs, oracle.shap_interaction_values(X[:20]), atol=1e-9)
    np.testing.assert_allclose(
        ensemble_base_values(trees, weights), oracle.expected_value, atol=1e-12
    )


@pytest.mark.parametrize(("depth", "n_features"), [(45, 60), (45, 3), (60, 30)])
def test_deep_trees_stay_exact(depth, n_features):
    trees = random_trees(4, depth, n_features, seed=depth)
    X = np.random.default_rng(6).normal(size=(70, n_features))
    values = ensemble_shap_values(trees, np.ones(4), X)
    shares = np.mean([[predict(tree, x) for x in X] for tree in trees], axis=0)
    base = ensemble_base_values(trees, np.ones(4))
    np.testing.assert_allclose(base + values.sum(axis=1), shares, atol=1e-9)
    pairs = ensemble_shap_interactions(trees, np.ones(4), X)
    np.testing.assert_array_equal(pairs, pairs.transpose(0, 2, 1, 3))
    np.testing.assert_allclose(pairs.sum(axis=2), values, atol=1e-9)


def test_supplementary_d_worked_example():
    """50 rows, instance [1, 0, 1]: 0.037, -0.204 and 0 around 1/2, which give 1/3."""
    low = (1, -0.5, False, [17, 0], [2, 1])  # nodes 1 to 3: 20 rows
    high = (0, 0.5, False, [4, 0], [2, 24])  # nodes 4 to 6: 30 rows; node 6 is 24 of 26
    tree = naive.flatten((1, 0.2, False, low, high))
    assert tree.n_node_samples.tolist() == [50, 20, 17, 3, 30, 4, 26]
    (values,) = ensemble_shap_values([tree], [0.7], np.array([[1.0, 0.0, 1.0]]))[..., 1]
    exact = ((0.4 * 0.05 + 0.6 * 24 / 26) - 0.5) / 2  # 1's gain comes in half of the orders
    np.testing.assert_allclose(values, [exact, 1 / 3 - 0.5 - exact, 0.0], atol=1e-15)
    assert values.round(4).tolist() == [0.0369, -0.2036, 0.0]
    assert ensemble_base_values([tree], [0.7]).tolist() == [0.5, 0.5]


def test_a_rows_values_do_not_depend_on_its_neighbours():
    trees = random_trees(5, 8, 6, seed=1)
    X = np.random.default_rng(2).normal(size=(150, 6))
    whole = ensemble_shap_values(trees, np.ones(5), X)
    for rows in (slice(0, 1), slice(63, 65), slice(149, None)):
        assert ensemble_shap_values(trees, np.ones(5), X[rows]).tobytes() == whole[rows].tobytes()
    many = np.tile(X, (8, 1))  # more than a chunk
    pairs = ensemble_shap_interactions(trees, np.ones(5), many)
    assert pairs[1150:].tobytes() == pairs[100:150].tobytes()
    assert (
        ensemble_shap_interactions(trees, np.ones(5), X[64:]).tobytes() == pairs[64:150].tobytes()
    )


def test_two_classes_mirror_each_other_to_the_bit():
    values = ensemble_shap_values(random_trees(3, 9, 4), [1, 2, 3], np.eye(4))
    np.testing.assert_array_equal(values[..., 0], -values[..., 1])


def test_single_leaves_and_no_rows_explain_nothing():
    stump = naive.flatten([3, 1])
    assert not ensemble_shap_values([stump], [1.0], np.ones((2, 3))).any()
    assert ensemble_base_values([stump], [1.0]).tolist() == [0.75, 0.25]
    trees = random_trees(1, 3, 2)
    assert ensemble_shap_values(trees, [1.0], np.empty((0, 2))).shape == (0, 2, 2)
    assert ensemble_shap_interactions(trees, [1.0], np.empty((0, 2))).shape == (0, 2, 2, 2)


@pytest.mark.parametrize(
    ("weights", "X", "message"),
    [
        ([1.0], np.ones((1, 1)), "asks for feature"),
        ([1.0], np.ones((1, 3), dtype=int), "expected float32 or float64"),
        ([1.0, 2.0], np.ones((1, 3)), "2,.* for 1 trees"),
        ([-1.0], np.ones((1, 3)), "for 1 trees"),
        ([0.0], np.ones((1, 3)), "for 1 trees"),
    ],
)
def test_what_does_not_fit_is_refused(weights, X, message):
    tree = naive.flatten((2, 0.0, False, [1, 0], [0, 1]))
    with pytest.raises(InputError, match=message):
        ensemble_shap_values([tree], weights, X)


def test_a_node_without_rows_is_refused():
    tree = naive.flatten((2, 0.0, False, [1, 0], [0, 1]))
    tree.n_node_samples[1] = 0
    with pytest.raises(InputError, match="node 1 of a tree holds no training rows"):
        node_covers(tree)
