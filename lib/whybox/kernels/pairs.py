"""Counting pairs of small numbers in linear time: which user used which word how often."""

import numpy as np

from whybox.kernels import kernel

__all__ = ["count_pairs"]


@kernel
def _order(codes, n_codes, order):
    """Stable counting sort of positions by their code."""
    starts = np.zeros(n_codes + 1, np.int64)
    for code in codes:
        starts[code + 1] += 1
    for i in range(n_codes):
        starts[i + 1] += starts[i]
    out = np.empty_like(order)
    for position in order:
        code = codes[position]
        out[starts[code]] = position
        starts[code] += 1
    return out


@kernel
def count_pairs(first, second, n_first, n_second):
    """Count distinct pairs.

    Parameters
    ----------
    first, second : int64 (n,)
    n_first, n_second : int
        Numbers are below.

    Returns
    -------
    firsts, seconds, counts : int64 (distinct pairs,)
        Ascending.

    Examples
    --------
    >>> pairs = count_pairs(np.array([1, 0, 1]), np.array([2, 5, 2]), 2, 6)
    >>> [column.tolist() for column in pairs]
    [[0, 1], [5, 2], [1, 2]]
    """
    n = first.shape[0]
    order = _order(first, n_first, _order(second, n_second, np.arange(n)))
    firsts, seconds = np.empty(n, np.int64), np.empty(n, np.int64)
    counts = np.empty(n, np.int64)
    found = 0
    for position in order:
        a, b = first[position], second[position]
        if found and firsts[found - 1] == a and seconds[found - 1] == b:
            counts[found - 1] += 1
        else:
            firsts[found], seconds[found], counts[found] = a, b, 1
            found += 1
    return firsts[:found].copy(), seconds[:found].copy(), counts[:found].copy()
