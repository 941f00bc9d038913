"""Outcomes as whole numbers: exact sums, means rounded once."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybox.errors import InputError
from whybox.s3d.outcome import LIMBS, OutcomeSummary, OutcomeUnits

REALS = st.one_of(
    st.integers(-5, 5).map(float),
    st.floats(-1e3, 1e3).filter(lambda v: v == 0 or abs(v) > 1e-4),
)


def units_of(y, w, n_classes=0):
    return OutcomeUnits.of(OutcomeSummary.of(y, w), n_classes)


def limb_total(units, y, w):
    whole = units.whole_weight(w) if units.copies else None
    factor = np.ones(len(y), np.int64) if whole is None else whole
    return np.array([[int((limb * factor).sum()) for limb in units.limbs(y, w)]])


@given(st.lists(st.tuples(REALS, st.integers(1, 5)), min_size=1, max_size=30), st.booleans())
def test_a_mean_is_the_exact_one_rounded_once(pairs, weighted):
    y = np.array([a for a, _ in pairs])
    w = np.array([float(b) for _, b in pairs]) if weighted else None
    units = units_of(y, w)
    n = len(y) if w is None else int(w.sum())
    counts = [1 if w is None else int(v) for v in (y if w is None else w)]
    exact = sum((Fraction(v) * c for v, c in zip(y, counts, strict=True)), Fraction(0)) / n
    assert units.means(np.array([n]), limb_total(units, y, w))[0] == float(exact)


@given(st.lists(st.tuples(REALS, st.floats(0.01, 9)), min_size=1, max_size=30))
def test_real_weights_give_a_mean_to_full_precision(pairs):
    y, w = np.array(pairs).T
    w[0] = 0.3
    units = units_of(y, w)
    n = np.array([int(units.whole_weight(w).sum())])
    mean = units.means(n, limb_total(units, y, w))[0]
    assert mean == pytest.approx(np.average(y, weights=w), rel=1e-9, abs=1e-9)


@given(st.lists(REALS, min_size=2, max_size=30), st.sampled_from([None, 2.0, 0.37]))
def test_the_sum_of_squares_is_the_plain_one(values, weight):
    y = np.array(values)
    w = None if weight is None else np.full(len(y), weight)
    units = units_of(y, w)
    rows = units.rows(y, w)
    n = len(y) if w is None else int(rows.weight.sum())
    total = units.sum_of_squares(n, [int(rows.value.sum())], units.square_sum(y, w))
    plain = (weight or 1.0) * np.square(y - y.mean()).sum()
    spread = max(y.max() - y.min(), 1e-300)
    found = np.ldexp(total, units.square_exponent)
    assert found == pytest.approx(plain, rel=1e-9, abs=1e-9 * spread**2)


def test_three_numbers_hold_every_bit_of_a_double():
    y = np.array([1.0, 2.0**-30 + 2.0**-80, 0.1])
    units = units_of(y, None)
    back = sum(
        Fraction(int(limb[1])) / Fraction(2) ** ((k + 1) * units.bits - units.top)
        for k, limb in enumerate(units.limbs(y, None))
    )
    assert LIMBS == 3
    assert back == Fraction(y[1])


def test_whole_outcomes_stay_whole_numbers():
    y = np.array([3.0, 9.0, -2.0])
    units = units_of(y, None)
    assert units.exponent == 0
    assert (units.rows(y, None).value + units.offset).tolist() == y.tolist()


def test_sums_cannot_overflow():
    y = np.array([1e300, -1e300, 7.0])
    units = units_of(y, None)
    assert abs(units.rows(y, None).value).max() * 3 < 2**62
    with pytest.raises(InputError, match="too wide"):
        units_of(np.array([1e308, -1e308]), np.array([2.5, 1.0]))
