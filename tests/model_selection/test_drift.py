"""Drift by counts: the same however rows are cut, zero for equal rows, and as its formula says."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from whybox.errors import InputError
from whybox.model_selection.drift import (
    added,
    count_bins,
    decile_edges,
    range_edges,
    reference_distribution,
    shift,
)

NUMBERS = st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0, 7.0, float("nan")])
TABLES = st.integers(1, 40).flatmap(lambda n: arrays(np.float64, (n, 2), elements=NUMBERS))
COUNTS = st.lists(st.integers(0, 50), min_size=3, max_size=8)


def counted_plainly(X, edges):
    """One value after the other."""
    found = []
    for column, cuts in zip(X.T, edges, strict=True):
        bins = [0] * (len(cuts) + 2)
        for value in column:
            if math.isnan(value):
                bins[-1] += 1
            else:
                bins[sum(value > cut for cut in cuts)] += 1
        found.append(bins)
    return found


@given(TABLES, TABLES)
def test_counts_are_those_of_a_plain_loop_and_add_up(X, more):
    edges = decile_edges(X)
    assert count_bins(X, edges) == counted_plainly(X, edges)
    parts = [{"bins": count_bins(rows, edges)} for rows in (X, more)]
    assert added(parts, "bins") == count_bins(np.concatenate([X, more]), edges)


@given(TABLES)
def test_the_training_rows_have_not_drifted_from_themselves(X):
    known = reference_distribution(X)
    for counts in known["counts"]:
        found = shift(counts, counts)
        assert (found.psi, found.ks) == (0.0, 0.0)
    assert [sum(counts) for counts in known["counts"]] == [len(X)] * 2


@given(COUNTS.flatmap(lambda a: st.tuples(st.just(a), st.permutations(a))))
def test_figures_are_what_their_formulas_say(pair):
    before, now = pair
    if not sum(before):
        assert shift(before, now) is None
        return
    p = [n / sum(before) for n in before]
    q = [n / sum(now) for n in now]
    floored = [(max(a, 1e-4), max(b, 1e-4)) for a, b in zip(p, q, strict=True)]
    index = sum((b - a) * math.log(b / a) for a, b in floored)
    distance = max(abs(sum(q[:k]) - sum(p[:k])) for k in range(len(p)))
    found = shift(before, now)
    assert found.psi == pytest.approx(index, abs=1e-12)
    assert found.ks == pytest.approx(distance, abs=1e-12)


def test_the_distance_is_scipys_at_the_edges():
    from scipy.stats import ks_2samp

    random = np.random.default_rng(0)
    a, b = random.normal(size=500), random.normal(0.5, size=400)
    edges = [np.unique(np.concatenate([a, b])).tolist()]
    found = shift(*(count_bins(x[:, None], edges)[0] for x in (a, b)))
    assert found.ks == pytest.approx(ks_2samp(a, b).statistic)


def test_a_constant_or_missing_feature_has_few_bins():
    X = np.array([[3.0, np.nan]] * 5)
    assert reference_distribution(X) == {"edges": [[3.0], []], "counts": [[5, 0, 0], [0, 5]]}
    assert range_edges([3.0, None], [3.0, None]) == [[3.0], []]


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(InputError, match="2 bins and 3 bins"):
        shift([1, 2], [1, 2, 3])
    with pytest.raises(InputError, match="at least one row"):
        reference_distribution(np.zeros((0, 2)))
