"""The weights of a round."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from whybox.cbpt.weights import effective_size, round_weights
from whybox.trees.weights import relative

BOOSTS = hnp.arrays(np.float64, 12, elements=st.floats(1e-90, 1e20))


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


def test_equal_rows_are_worth_their_number():
    assert effective_size(np.full(7, 0.125)) == 7
    assert effective_size(np.array([1.0, 2.0**-51])) < 1.001
