"""Large nodes split by histograms: the same trees as from sorted lists, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import strategies
from whybox.kernels.crown import Ranks, grow_crown, segments
from whybox.trees import SortedRows, grow_sorted, on_grid

NEVER = 10**9


def crown_of(X, y, weight, n_classes, least, max_depth=-1):
    rows = SortedRows.of(X).keep(weight > 0)
    ranks = Ranks(rows.order, rows.codes, rows.missing, rows.bins, rows.first_bin)
    return rows, grow_crown(ranks, y, weight, n_classes, max_depth, least)


def many_rows(n_classes, n_values, missing, seed, n_rows=1500):
    random = np.random.RandomState(seed)
    X = random.randint(0, n_values, (n_rows, 5)).astype(np.float32)
    y = (X[:, 0] + X[:, 1] + random.normal(0, n_values / 4, n_rows)) * n_classes / (2 * n_values)
    X[random.rand(n_rows, 5) < missing] = np.nan
    weight = on_grid(10.0 ** random.uniform(-9, 0, n_rows))
    return X, y.clip(0, n_classes - 1).astype(np.int64), weight


@pytest.mark.parametrize("n_classes", [2, 6])
@pytest.mark.parametrize("n_values", [2, 20, 255])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_histograms_change_no_bit_of_the_tree(n_classes, n_values, missing):
    X, y, weight = many_rows(n_classes, n_values, missing, seed=n_values)
    rows = SortedRows.of(X)
    plain = grow_sorted(rows, y, weight, n_classes, crown_rows=NEVER)
    assert plain.n_nodes > 40
    for crown_rows in (2, 60, 256):
        tree = grow_sorted(rows, y, weight, n_classes, crown_rows=crown_rows)
        for name, array in vars(plain).items():
            np.testing.assert_array_equal(getattr(tree, name), array, err_msg=name)


@pytest.mark.parametrize("least", [20, 100, 400])
def test_large_nodes_are_split_and_no_others(least):
    X, y, weight = many_rows(3, 40, 0.1, seed=1)
    _, crown = crown_of(X, y, weight, 3, least)
    size, inner = crown.end - crown.start, crown.left >= 0
    assert inner[0]
    assert size[inner].min() >= least
    shares = crown.class_weight / crown.class_weight.sum(axis=1, keepdims=True)
    pure = 1 - np.square(shares).sum(axis=1) < 1e-12
    assert (inner | pure)[size >= least].all()  # the values separate these rows


def test_a_chain_of_nodes_that_lose_a_row_each_fits_the_stack():
    n = 64
    X, y = np.arange(float(n))[:, None], np.arange(n) % 2
    weight = on_grid(2.0 ** -(np.arange(n) / 2))  # the heaviest row is always the next to go
    rows = SortedRows.of(X)
    tree = grow_sorted(rows, y, weight, 2, crown_rows=2)
    plain = grow_sorted(rows, y, weight, 2, crown_rows=NEVER)
    assert tree.max_depth > n // 2
    np.testing.assert_array_equal(tree.threshold, plain.threshold)


def test_more_than_256_values_of_any_feature_need_sorted_lists():
    X = np.arange(300.0)[:, None] % np.array([256, 257])
    assert SortedRows.of(X[:, :1]).bins is not None
    assert SortedRows.of(X).bins is None
    X[0, 0] = np.nan  # one more value
    assert SortedRows.of(X[:, :1]).bins is None


@given(strategies.training_sets())
def test_segments_hold_each_leafs_rows_in_order(drawn):
    X, y, w, n_classes = drawn
    rows, crown = crown_of(X, y, on_grid(w.astype(float)), n_classes, 3)
    sorted_rows = segments(rows.order, crown)
    for node in np.flatnonzero(crown.left < 0):
        part = sorted_rows[:, crown.start[node] : crown.end[node]]
        for v, ids in enumerate(part):
            assert (crown.leaf[ids] == node).all()
            assert ids.tolist() == [i for i in rows.order[v] if crown.leaf[i] == node]
