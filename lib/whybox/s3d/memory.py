"""How much memory a fit takes beyond the rows themselves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from whybox.s3d.statistics import DENSE_PLACES

__all__ = ["estimate_memory"]

_BINS = 8


def estimate_memory(
    n_rows: int, n_distinct: int | Sequence[int], max_features: int, *, real: bool = False
) -> int:
    """Estimate a fit's memory beyond its input, for rows of weight 1 in one process.

    Parameters
    ----------
    n_rows : int
    n_distinct : int or sequence of int
        Distinct values of each feature (an int: of a single one).
    max_features : int
        Features to choose: each is taken to be cut into eight bins.
    real : bool, default=False
        Whether outcomes are real.

    Returns
    -------
    int
        Bytes.

    Examples
    --------
    >>> estimate_memory(1_000_000, [100] * 20, 5) // 2**20
    75
    """
    distinct = np.minimum(np.atleast_1d(n_distinct), n_rows)
    outcomes = 8 if real else 9  # fixed point; or class numbers and a byte
    kept = n_rows * (2 * len(distinct) + 4 + outcomes)  # codes, cells
    blocks = np.prod(np.sort(np.minimum(distinct, _BINS))[::-1][:max_features].astype(float))
    places = min(float(distinct.max()) * min(blocks, n_rows), 2.0**62)
    entries = min(n_rows, places) * (4 + 8 + 8)
    scattered = n_rows * (4 + 8 * real) if places > DENSE_PLACES else 0
    searching = entries + scattered + 16 * min(places, DENSE_PLACES)
    encoding = 8 * n_rows  # one column as floats
    return int(kept + max(searching, encoding))
