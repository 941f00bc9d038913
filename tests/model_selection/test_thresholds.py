"""Thresholds by brute force over every cut."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybox.errors import InputError
from whybox.model_selection import choose_threshold
from whybox.model_selection.thresholds import candidates


@st.composite
def scored(draw):
    """Scores with ties, and both classes."""
    rows = draw(st.lists(st.tuples(st.integers(0, 12), st.booleans()), min_size=2, max_size=40))
    scores = np.array([score / 12 for score, _ in rows])
    positive = np.array([flag for _, flag in rows])
    positive[:2] = [True, False]
    return scores, positive


def _cuts(scores, positive):
    """Every set of rows that some threshold flags, as (flagged, hits, false alarms), slowly."""
    for cut in [np.inf, *sorted(set(scores), reverse=True)]:
        flagged = scores >= cut
        yield int(flagged.sum()), int((flagged & positive).sum()), int((flagged & ~positive).sum())


@given(scored())
def test_candidates_flag_what_every_cut_flags(case):
    scores, positive = case
    thresholds, hits, alarms = candidates(scores, positive)
    assert np.all(np.diff(thresholds) < 0)
    assert [(h + a, h, a) for h, a in zip(hits, alarms, strict=True)] == list(_cuts(*case))
    for threshold, hit, alarm in zip(thresholds, hits, alarms, strict=True):
        flagged = scores >= threshold
        assert (np.sum(flagged & positive), np.sum(flagged & ~positive)) == (hit, alarm)


def test_neighbouring_floats_are_told_apart():
    low = 0.3
    high = np.nextafter(low, 1)
    thresholds, *_ = candidates(np.array([low, high]), np.array([False, True]))
    assert thresholds[1] == high


@given(scored())
def test_youden_is_the_best_of_all_cuts_and_of_equals_flags_the_fewest(case):
    scores, positive = case
    p, n = positive.sum(), (~positive).sum()
    best = max(h * n - a * p for _, h, a in _cuts(*case))
    fewest = min(f for f, h, a in _cuts(*case) if h * n - a * p == best)
    assert choose_threshold("youden", scores, positive).n_flagged == fewest


@given(scored(), st.integers(0, 50))
def test_capacity_flags_as_many_as_it_may_and_never_more(case, capacity):
    got = choose_threshold(f"capacity:{capacity}", *case)
    assert got.n_flagged == max(f for f, _, _ in _cuts(*case) if f <= capacity)


@given(scored(), st.sampled_from(["5/1", "1/1", "1/20", "0.3/0.1", "7/3"]))
def test_cost_is_the_least_of_all_cuts_and_of_equals_flags_the_fewest(case, costs):
    scores, positive = case
    miss, alarm = (round(10 * float(cost)) for cost in costs.split("/"))
    total = {f: miss * (positive.sum() - h) + alarm * a for f, h, a in _cuts(*case)}
    fewest = min(f for f, cost in total.items() if cost == min(total.values()))
    assert choose_threshold(f"cost:{costs}", scores, positive).n_flagged == fewest


def test_a_number_is_taken_as_it_is():
    got = choose_threshold(0.25, np.array([0.1, 0.25, 0.5]), np.array([True, False, True]))
    assert (got.value, got.n_flagged, got.spec) == (0.25, 2, "0.25")


def test_costs_in_the_same_proportion_choose_the_same():
    rng = np.random.default_rng(0)
    scores, positive = rng.random(200), rng.random(200) < 0.3
    values = {
        choose_threshold(f"cost:{costs}", scores, positive).value
        for costs in ("5/1", "10/2", "2.5/0.5")
    }
    assert len(values) == 1


@pytest.mark.parametrize(
    "spec", ["", "1.5", "-0.1", "nan", "half", "youden:1", "capacity", "capacity:-1", "capacity:x",
             "cost:5", "cost:5/0", "cost:-1/2", "cost:a/b", "cost:1/2/3", "cost:1e12/1", "best:3"],
)  # fmt: skip
def test_what_says_no_threshold_is_refused(spec):
    with pytest.raises(InputError, match="says no threshold"):
        choose_threshold(spec, np.array([0.1, 0.9]), np.array([False, True]))


@pytest.mark.parametrize(
    ("scores", "positive"),
    [([], []), ([0.1], [True, False]), ([0.1, np.nan], [True, False]), ([0.1, 0.2], [True, True])],
)
def test_rows_to_choose_on_are_needed(scores, positive):
    with pytest.raises(InputError, match="youden"):
        choose_threshold("youden", np.array(scores), np.array(positive))
