"""Sensitivity and specificity carried over to another base rate."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybox.errors import InputError
from whybox.model_selection.intervals import Interval
from whybox.model_selection.prevalence import predictive_values, predictive_values_between

SHARES = st.floats(0.01, 0.99)


@given(SHARES, SHARES, st.floats(0.001, 0.999))
def test_values_are_those_of_a_large_population_counted_out(sensitivity, specificity, rate):
    hits, missed = rate * sensitivity, rate * (1 - sensitivity)
    kept, alarms = (1 - rate) * specificity, (1 - rate) * (1 - specificity)
    found = predictive_values(sensitivity, specificity, rate)
    assert found.positive == pytest.approx(hits / (hits + alarms))
    assert found.negative == pytest.approx(kept / (kept + missed))
    assert found.flagged == pytest.approx(hits + alarms)


def test_at_5_percent_prevalence_88_percent_give_28_percent_precision():
    assert round(predictive_values(0.88, 0.88, 0.05).positive, 2) == 0.28


def test_nothing_flagged_has_no_precision():
    found = predictive_values(0.0, 1.0, 0.2)
    assert found.positive is None
    assert found.negative == pytest.approx(0.8)


@pytest.mark.parametrize("rate", [0, 1, np.nan])
def test_what_is_no_base_rate_is_refused(rate):
    with pytest.raises(InputError, match="base rate"):
        predictive_values(0.9, 0.9, rate)


@given(SHARES, SHARES, st.floats(0.001, 0.999), st.floats(0, 0.01))
def test_intervals_hold_their_values(sensitivity, specificity, rate, half):
    ends = [Interval(s, max(s - half, 0), min(s + half, 1)) for s in (sensitivity, specificity)]
    for found in predictive_values_between(*ends, rate):
        assert found.low - 1e-12 <= found.value <= found.high + 1e-12
