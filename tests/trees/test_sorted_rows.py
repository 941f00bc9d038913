"""The sorted matrix."""

from __future__ import annotations

import numpy as np
from hypothesis import given

import strategies
from whybox.trees import SortedRows


@given(strategies.training_sets())
def test_codes_rank_the_values_and_missing_ones_come_last(drawn):
    X = drawn[0]
    rows = SortedRows.of(X)
    for v in range(X.shape[1]):
        column, codes = X[:, v], rows.codes[v]
        known = ~np.isnan(column)
        distinct = rows.distinct[rows.first[v] : rows.first[v + 1]]
        np.testing.assert_array_equal(distinct[codes[known]], column[known])
        assert (np.diff(codes[rows.order[v]]) >= 0).all()
        assert sorted(rows.order[v].tolist()) == list(range(len(X)))
        assert (codes[~known] == rows.missing[v]).all()
        assert (rows.missing[v] >= 0) == (~known).any()
        assert distinct.dtype == X.dtype


@given(strategies.training_sets())
def test_filtering_equals_sorting_the_kept_rows(drawn):
    X, _, w, _ = drawn
    kept = np.flatnonzero(w > 0)
    filtered = SortedRows.of(X).keep(w > 0)
    np.testing.assert_array_equal(filtered.order, kept[SortedRows.of(X[kept]).order])
