"""Pruning kernels against their plain twins."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import naive
import strategies
from whybox.kernels.prune import kept_nodes, node_depths, sum_up, weakest_links


@given(strategies.preorder_trees(), st.data())
def test_links_collapse_as_in_the_plain_search(tree, data):
    left, right = tree
    costs = st.integers(0, 8).map(lambda k: k / 8)  # coarse, so that there are ties
    cost = np.array([data.draw(costs) for _ in left])
    steps, alphas, sizes = weakest_links(left, right, cost, np.zeros(len(left), bool))
    expected = naive.weakest_links(left.tolist(), right.tolist(), cost.tolist())
    assert (steps.tolist(), alphas.tolist(), sizes.tolist()) == expected


def test_equal_links_collapse_one_a_step_the_lower_node_first():
    left = np.array([1, 2, -1, -1, 5, -1, -1])
    right = np.array([4, 3, -1, -1, 6, -1, -1])
    cost = np.array([0.5, 0.25, 0, 0, 0.25, 0, 0])
    steps, alphas, sizes = weakest_links(left, right, cost, np.zeros(7, bool))
    # the root's link is (0.5 - 0) / 3, the least; it takes all others with it
    assert steps.tolist() == [1, 12, 0, 0, 12, 0, 0]
    cost[0] = 0.75  # now all three links are 0.25, and the root is the lowest
    assert weakest_links(left, right, cost, np.zeros(7, bool))[0].tolist() == [
        1,
        12,
        0,
        0,
        12,
        0,
        0,
    ]
    cost[0] = 1.0
    steps, alphas, sizes = weakest_links(left, right, cost, np.zeros(7, bool))
    assert steps.tolist() == [3, 1, 0, 0, 2, 0, 0]
    assert alphas.tolist() == [0, 0.25, 0.25, 0.5]
    assert sizes.tolist() == [4, 3, 2, 1]


def test_a_pure_inner_node_is_a_leaf_from_the_start():
    left, right = np.array([1, -1, 3, -1, -1]), np.array([2, -1, 4, -1, -1])
    pure = np.array([False, False, True, False, False])
    steps, _, sizes = weakest_links(left, right, np.array([0.5, 0, 0, 0, 0]), pure)
    assert steps.tolist() == [1, 0, 0, 0, 0]
    assert sizes.tolist() == [2, 1]


@given(strategies.preorder_trees(), st.integers(0, 6))
def test_kept_nodes_are_those_that_a_walk_reaches(tree, now):
    left, right = tree
    steps, _, _ = weakest_links(
        left, right, np.linspace(1, 0, len(left)), np.zeros(len(left), bool)
    )
    expected = [0] * len(left)

    def walk(t):
        expected[t] = 2 if left[t] < 0 or steps[t] <= now else 1
        if expected[t] == 1:
            walk(left[t])
            walk(right[t])

    walk(0)
    assert kept_nodes(left, right, steps, now).tolist() == expected


@given(strategies.preorder_trees())
def test_depths_and_sums_follow_the_children(tree):
    left, right = tree
    depth = node_depths(left, right)
    counts = (left < 0).astype(float)[:, None]
    sum_up(left, right, counts)
    assert depth[0] == 0
    assert counts[0, 0] == np.count_nonzero(left < 0)
    for t in np.flatnonzero(left >= 0):
        assert depth[left[t]] == depth[right[t]] == depth[t] + 1
        assert counts[t, 0] == counts[left[t], 0] + counts[right[t], 0]
