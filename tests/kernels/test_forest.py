"""Landing and summing against a plain walk."""

from __future__ import annotations

import numpy as np
from hypothesis import given

import naive
import strategies
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
