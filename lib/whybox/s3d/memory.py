"""How much memory a fit takes beyond the rows themselves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from whybox.s3d.statistics import DENSE_PLACES

__all__ = ["estimate_memory", "estimate_worker_memory"]

_BINS = 8
_COPIES = 3  # of a part as floats: in Arrow's pool, as the DataFrame, as checked
_LEFT = 1.75  # of the part before, where there is one: what pool and scheduler have not let go


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


def estimate_worker_memory(
    part_rows: int, n_parts: int, n_features: int, *, real: bool = False
) -> int:
    """Estimate what a fit adds to a worker process that keeps some parts of the rows.

    Reading is what takes most, as long as statistics are small: a part costs three to five times
    its size as floats for a while, and a few bytes a feature and row from then on. A feature of
    nearly as many pairs of value and block as there are rows adds 24 bytes a row of up to eight
    parts while these are merged, and of all rows in the process that the fit is called from:
    ``max_bins`` bounds that.

    Parameters
    ----------
    part_rows : int
        Rows of the largest part. `whybox.graph.s3d.fit_on_parquet` makes parts of whole row
        groups, of a million rows if there are as many.
    n_parts : int
        Parts on the worker: all parts over the number of workers, rounded up.
    n_features : int
    real : bool, default=False
        Whether outcomes are real.

    Returns
    -------
    int
        Bytes, for rows of weight 1 and numeric columns.

    Examples
    --------
    >>> [estimate_worker_memory(1_000_000, n, 20) // 2**20 for n in (1, 2, 4)]
    [508, 825, 926]
    """
    outcomes = 16 if real else 9  # as read and in fixed point; or class numbers and a byte
    kept = n_parts * part_rows * (2 * n_features + 4 + outcomes)  # codes, cells
    copies = _COPIES + (_LEFT if n_parts > 1 else 0)
    return int(kept + copies * 8 * n_features * part_rows)
