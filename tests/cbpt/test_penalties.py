"""Penalties: their ranges, what gets more, degenerate cases."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybox.cbpt.penalties import (
    PenaltyRules,
    depth_penalty,
    hardness,
    impurity_penalty,
    node_penalties,
)
from whybox.trees import grow_tree

DEPTHS = st.lists(st.integers(0, 20), min_size=1, max_size=20)


@given(DEPTHS, st.floats(0, 3), st.floats(1, 2))
def test_depth_penalties_span_floor_to_floor_plus_scale(depths, scale, floor):
    penalties = depth_penalty(np.array(depths), scale, floor)
    if len(set(depths)) == 1:
        assert (penalties == 1).all()
    else:
        assert penalties.min() == floor
        assert penalties.max() == pytest.approx(floor + scale)
        assert (np.diff(penalties[np.argsort(depths, kind="stable")]) >= 0).all()


@given(DEPTHS)
def test_impurity_penalties_have_the_range_of_depth_penalties(depths):
    deep = depth_penalty(np.array(depths), 0.5, 1.0)
    pure = impurity_penalty(np.arange(len(depths), dtype=float), deep)
    assert pure.min() == deep.min()
    assert pure.max() == deep.max()


def test_small_and_pure_nodes_are_hard():
    classes = np.array([[1.0, 0.0], [0.75, 0.25], [1.0, 0.0]])
    hard = hardness(np.array([0.1, 0.1, 0.5]), classes)
    assert hard.tolist() == [0.9 * 0.5, 0.9 * (0.5 - 0.375), 0.5 * 0.5]


def test_entropy_takes_empty_classes():
    hard = hardness(np.array([0.0, 0.0]), np.array([[1.0, 0.0], [0.5, 0.5]]), "entropy")
    assert hard.tolist() == [0.5, 0.5 - math.log(2)]


@pytest.mark.parametrize(
    ("penalty", "ones"),
    [("none", (True, True)), ("depth", (False, True)), ("both", (False, False))],
)
def test_a_penalty_switched_off_is_one(penalty, ones):
    X, y = np.arange(6.0)[:, None], np.array([0, 1, 0, 0, 1, 1])
    tree = grow_tree(X, y, None, 2, max_depth=2)
    share = tree.n_node_samples / 6
    got = node_penalties(tree, share, PenaltyRules(penalty))
    assert tuple(bool((p == 1).all()) for p in got) == ones
