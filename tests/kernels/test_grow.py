"""The grower against the plain one: the same trees to the last bit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import strategies
from whybox.kernels.grow import filter_order
from whybox.trees import SortedRows, grow_sorted, on_grid


def assert_same_tree(tree, root):
    nodes = list(root.preorder())
    assert tree.n_nodes == len(nodes)
    assert tree.feature.tolist() == [node.feature for node in nodes]
    assert tree.threshold.tolist() == [node.threshold for node in nodes]
    assert tree.missing_go_left.tolist() == [node.missing_left for node in nodes]
    assert tree.n_node_samples.tolist() == [len(node.rows) for node in nodes]
    shares = np.array([node.totals / node.totals.sum() for node in nodes])
    np.testing.assert_array_equal(tree.value, shares)


@given(
    strategies.training_sets(),
    st.sampled_from([None, 0, 1, 2]),
    st.sampled_from([2, 3, 8, 256]),
    st.booleans(),
)
def test_trees_equal_those_of_the_plain_grower(drawn, max_depth, crown_rows, few_values):
    X, y, w, n_classes = drawn
    weight = on_grid(w.astype(float))
    rows = SortedRows.of(X).keep(weight > 0)
    rows = rows if few_values else replace(rows, bins=None)
    tree = grow_sorted(rows, y, weight, n_classes, max_depth=max_depth, crown_rows=crown_rows)
    assert_same_tree(tree, naive.grow(X, y, weight, n_classes, max_depth))


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("few_values", [False, True])
def test_trees_equal_on_continuous_values_and_weights_of_all_sizes(n_classes, dtype, few_values):
    random = np.random.RandomState(n_classes)
    X = random.normal(size=(60, 3)).astype(dtype)
    X[random.rand(60, 3) < 0.1] = np.nan
    y = random.randint(0, n_classes, 60)
    weight = on_grid(10.0 ** random.uniform(-9, 0, 60))
    rows = SortedRows.of(X)
    tree = grow_sorted(rows if few_values else replace(rows, bins=None), y, weight, n_classes)
    assert_same_tree(tree, naive.grow(X, y, weight, n_classes))


@given(st.integers(1, 5), st.integers(0, 2**12 - 1))
def test_filtering_keeps_the_order(n_features, bits):
    random = np.random.RandomState(bits)
    order = np.array([random.permutation(12) for _ in range(n_features)], np.uint32)
    keep = np.array([bits >> i & 1 for i in range(12)], np.uint8)
    expected = [[i for i in row if keep[i]] for row in order.tolist()]
    assert filter_order(order, keep).tolist() == expected
