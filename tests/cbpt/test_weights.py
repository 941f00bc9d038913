"""What the weights of a round are worth."""

from __future__ import annotations

import numpy as np

from whybox.cbpt.weights import effective_size


def test_equal_rows_are_worth_their_number():
    assert effective_size(np.full(7, 0.125)) == 7
    assert effective_size(np.array([1.0, 2.0**-51])) < 1.001
