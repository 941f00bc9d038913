from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from whybox.kernels.pairs import count_pairs


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 6))))
def test_pairs_are_counted_as_a_counter_counts_them(pairs):
    first, second = (np.array([pair[i] for pair in pairs], np.int64) for i in (0, 1))
    found = count_pairs(first, second, 4, 7)
    rows = zip(*(column.tolist() for column in found), strict=True)
    assert list(rows) == [(*pair, n) for pair, n in sorted(Counter(pairs).items())]
