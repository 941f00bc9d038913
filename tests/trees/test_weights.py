"""Weights on the grid."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from whybox.errors import InputError
from whybox.trees.weights import as_weights, on_grid, relative, round_weights

WEIGHTS = hnp.arrays(
    np.float64, st.integers(1, 30), elements=st.floats(1e-300, 1e300) | st.just(0.0)
).filter(np.any)
BOOSTS = hnp.arrays(np.float64, 12, elements=st.floats(1e-90, 1e20))


@given(WEIGHTS)
def test_sums_are_exact_in_any_order_and_only_zero_is_zero(w):
    grid = on_grid(relative(w))
    steps = grid * 2.0**51
    assert (steps == np.rint(steps)).all()
    assert ((grid > 0) == (w > 0)).all()
    assert 0.49 < grid.sum() < 2
    assert grid.cumsum()[-1] == grid[::-1].cumsum()[-1]


@given(
    hnp.arrays(np.int64, 20, elements=st.integers(0, 1000)).filter(np.any), st.integers(-300, 290)
)
def test_whole_numbers_keep_their_ratios_under_any_factor(w, power):
    counts = w // np.gcd.reduce(w)
    least = counts[counts > 0].min()
    if least == 1:
        np.testing.assert_array_equal(relative(w * 10.0**power), counts)


def test_one_number_stands_for_all_rows():
    assert as_weights(2, 3).tolist() == [2.0, 2.0, 2.0]


def test_text_is_no_weight():
    with pytest.raises(InputError, match="class_prior is not numeric"):
        as_weights(["a"], 1, "class_prior")


@given(BOOSTS, hnp.arrays(np.int64, 12, elements=st.integers(1, 9)))
def test_a_row_weighs_what_its_copies_weigh_together(boost, copies):
    _, weight = round_weights(copies.astype(float), boost)
    _, each = round_weights(np.ones(copies.sum()), boost.repeat(copies))
    together = np.add.reduceat(each, np.append(0, np.cumsum(copies)[:-1]))
    np.testing.assert_array_equal(weight, together)


@given(BOOSTS, hnp.arrays(np.float64, 12, elements=st.floats(1e-40, 1e40)))
def test_no_row_is_lost_and_sums_are_exact(boost, sample_weight):
    scaled, weight = round_weights(relative(sample_weight), boost)
    steps = weight * 2.0**51
    assert (scaled >= 2.0**-51).all()
    assert (steps >= 1).all()
    assert (steps == np.rint(steps)).all()
    assert weight.sum() < 2
    assert weight.sum() == weight[::-1].cumsum()[-1]
