"""Columns as codes: lossless while there are few values, else bins of equal depth."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from whybox.s3d.columns import (
    Coding,
    ColumnSummary,
    LocalCodes,
    equi_depth_edges,
    make_coding,
    merge_weighted_values,
)

VALUES = st.one_of(st.integers(-5, 5).map(float), st.just(math.nan), st.floats(-9, 9))
PARTS = st.lists(st.lists(VALUES, min_size=1, max_size=20), min_size=1, max_size=4)


@given(PARTS)
def test_codes_of_partitions_are_ranks_among_all_values(parts):
    columns = [np.array(part) for part in parts]
    locals_ = [LocalCodes.of(column, "x") for column in columns]
    summary = locals_[0].summary(columns[0])
    for local, column in zip(locals_[1:], columns[1:], strict=True):
        summary = summary.merge(local.summary(column))
    coding = make_coding(summary, dict, None, np.zeros(0))
    values = sorted({v for part in parts for v in part if not math.isnan(v)})
    assert coding.edges.tolist() == values
    assert coding.missing == any(math.isnan(v) for part in parts for v in part)
    for local, column, part in zip(locals_, columns, parts, strict=True):
        expected = [len(values) if math.isnan(v) else values.index(v) for v in part]
        assert coding.codes(column).tolist() == expected
        assert local.recoded(coding, column).tolist() == expected


@given(st.lists(st.integers(1, 9), min_size=1, max_size=30), st.integers(1, 12))
def test_bins_are_as_deep_as_whole_ties_allow(weights, n_bins):
    values = np.arange(len(weights)) * 1.5
    edges = equi_depth_edges(values, np.array(weights), n_bins)
    reached, total = np.cumsum(weights), sum(weights)
    expected = {
        next(v for v, r in zip(values, reached, strict=True) if r * n_bins >= k * total)
        for k in range(1, n_bins + 1)
    }
    assert edges.tolist() == sorted(expected)
    assert edges[-1] == values[-1]
    inside = np.diff(np.concatenate([[0], reached[np.searchsorted(values, edges)]]))
    for weight, low, high in zip(inside, [-math.inf, *edges[:-1]], edges, strict=True):
        held = [w for v, w in zip(values, weights, strict=True) if low < v <= high]
        assert weight - held[-1] < total / n_bins  # but for the tie at its end


@given(PARTS, st.booleans())
def test_weighted_values_add_up(parts, weighted):
    columns = [np.array(part) for part in parts]
    weights = [np.arange(1, len(c) + 1) if weighted else None for c in columns]
    for none in (False, True):  # from the codes, and from the column itself
        pairs = [
            (
                LocalCodes(None, np.zeros(0, np.uint16)) if none else LocalCodes.of(c, "x")
            ).weighted_values(c, w)
            for c, w in zip(columns, weights, strict=True)
        ]
        merged = pairs[0]
        for pair in pairs[1:]:
            merged = merge_weighted_values(merged, pair)
        total: dict[float, int] = {}
        for part in parts:
            for i, v in enumerate(part):
                if not math.isnan(v):
                    total[v + 0.0] = total.get(v + 0.0, 0) + (i + 1 if weighted else 1)
        assert dict(zip(merged[0].tolist(), merged[1].tolist(), strict=True)) == total


def test_cuts_of_the_user_end_a_bin():
    values, weights = np.arange(100.0), np.ones(100, int)
    summary = ColumnSummary(values, False)
    coding = make_coding(summary, lambda: (values, weights), 4, np.array([10.5, -7.0, 900.0]))
    assert coding.edges.tolist() == [10, 24, 49, 74, 99]
    assert not coding.lossless


def test_values_between_edges_take_the_next_edge_up():
    coding = Coding(np.array([1.0, 5.0]), 0.0, False, False)
    assert coding.codes(np.array([0.0, 1.0, 1.1, 5.0, np.nan])).tolist() == [0, 0, 1, 1, 2]
