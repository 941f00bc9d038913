"""Landing and summing against a plain walk."""

from __future__ import annotations

import hypothesis.strategies
import numpy as np
from hypothesis import given

import naive
import strategies
from whybox.kernels.forest import leaf_sums, leaf_sums_of_many
from whybox.trees import grow_tree, land, sum_leaves


@given(strategies.training_sets())
def test_rows_land_where_a_plain_walk_takes_them(drawn):
    X, y, w, n_classes = drawn
    tree = grow_tree(X, y, w, n_classes)
    assert land(tree, X).tolist() == naive.land(tree, X)


@given(strategies.training_sets())
def test_sums_over_trees_are_sums_of_leaf_values(drawn):
    X, y, w, n_classes = drawn
    trees = [grow_tree(X, y, w, n_classes, max_depth=depth) for depth in (0, 1, None)]
    sums = sum_leaves(trees, X, [tree.value for tree in trees])
    expected = np.zeros((len(X), n_classes))
    for tree in trees:
        expected += tree.value[naive.land(tree, X)]
    np.testing.assert_array_equal(sums, expected)


@given(strategies.training_sets(), hypothesis.strategies.integers(1, 300))
def test_dealing_rows_together_gives_the_bits_of_a_walk(drawn, n_rows):
    X, y, w, n_classes = drawn
    trees = [grow_tree(X, y, w, n_classes, max_depth=depth) for depth in (None, 0, 2)]
    rows = np.resize(X, (n_rows, X.shape[1]))
    nodes = tuple(
        np.concatenate(arrays) for arrays in zip(*(t.routing for t in trees), strict=True)
    )
    roots = np.cumsum([0, *(tree.n_nodes for tree in trees[:-1])])
    values = np.concatenate([tree.value / 3 for tree in trees])
    walked = leaf_sums(rows, nodes, roots, values)
    np.testing.assert_array_equal(leaf_sums_of_many(rows, nodes, roots, values), walked)


def test_rows_of_many_blocks_are_each_summed_once():
    X = np.arange(10_000, dtype=np.float64)[:, None] % 7
    tree = grow_tree(X[:7], np.arange(7) % 2, np.ones(7), 2)
    sums = sum_leaves([tree] * 3, X, [tree.value] * 3)
    np.testing.assert_array_equal(sums, 3 * tree.value[land(tree, X)])
