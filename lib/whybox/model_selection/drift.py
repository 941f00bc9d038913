"""Drift: how far one set of rows lies from another, feature by feature, by counts in fixed bins.

Bins are cut at the deciles of the training rows (fewer where values repeat), with one more for what
is missing.  Counts of rows add up over parts, so that a distribution is the same however the rows
were cut.  Two figures are taken of two distributions: the population stability index and the
largest distance between the cumulative shares at the bins' edges, which the Kolmogorov-Smirnov
distance of the values themselves is never below.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from whybox.errors import InputError

__all__ = [
    "SCORE_EDGES",
    "Shift",
    "count_bins",
    "decile_edges",
    "range_edges",
    "reference_distribution",
    "shift",
]

SCORE_EDGES = np.arange(1, 20) / 20
"""Probabilities are counted in twentieths."""

_LEAST_SHARE = 1e-4
_DECILES = np.arange(1, 10) / 10


@dataclass(frozen=True)
class Shift:
    """How far a distribution has moved.

    Attributes
    ----------
    psi : float
        Population stability index, 0 or more; by a common rule of thumb .1 is worth a look and .25
        a change.
    ks : float
        Largest distance of the cumulative shares, 0 to 1.

    Examples
    --------
    >>> Shift(0.0, 0.0).psi
    0.0
    """

    psi: float
    ks: float


def decile_edges(X: ArrayLike) -> list[list[float]]:
    """Cut each feature at its deciles.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
        NaN is missing.

    Returns
    -------
    list of list of float
        Ascending, for each feature at most nine: fewer where deciles coincide, none where every
        value is missing. Each is a value that a row has.

    Examples
    --------
    >>> decile_edges([[float(n)] for n in range(11)])
    [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]]
    """
    columns = np.asarray(X, dtype=np.float64).T
    known = [column[~np.isnan(column)] for column in columns]
    return [
        np.unique(np.quantile(values, _DECILES, method="inverted_cdf")).tolist()
        if len(values)
        else []
        for values in known
    ]


def range_edges(low: Sequence[float | None], high: Sequence[float | None]) -> list[list[float]]:
    """Cut each feature's range into ten equal pieces, where no deciles are known.

    Parameters
    ----------
    low, high : sequence of float or None
        None where every value was missing.

    Returns
    -------
    list of list of float

    Examples
    --------
    >>> range_edges([0.0, None, 2.0], [10.0, None, 2.0])
    [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0], [], [2.0]]
    """
    return [
        [] if a is None or b is None else np.unique(a + (b - a) * np.arange(1, 10) / 10).tolist()
        for a, b in zip(low, high, strict=True)
    ]


def count_bins(X: ArrayLike, edges: Sequence[Sequence[float]]) -> list[list[int]]:
    """Count rows in bins; counts of disjoint rows may be added up.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
    edges : sequence of sequence of float
        Ascending, for each feature; a value that equals an edge is below it.

    Returns
    -------
    list of list of int
        For each feature one more than it has edges, then the missing.

    Examples
    --------
    >>> count_bins([[1.0], [2.0], [float("nan")]], [[1.0]])
    [[1, 1, 1]]
    """
    columns = np.asarray(X, dtype=np.float64).T
    counts = []
    for column, cuts in zip(columns, edges, strict=True):
        places = np.searchsorted(np.asarray(cuts, dtype=np.float64), column, side="left")
        places[np.isnan(column)] = len(cuts) + 1
        counts.append(np.bincount(places, minlength=len(cuts) + 2).tolist())
    return counts


def reference_distribution(X: ArrayLike) -> dict[str, Any]:
    """Note how the training rows are distributed, for the model's card.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
        At least one row.

    Returns
    -------
    dict
        JSON values: ``edges``, as `decile_edges` cuts, and ``counts``, as `count_bins` counts.

    Raises
    ------
    InputError
        If there is no row.

    Examples
    --------
    >>> reference_distribution([[1.0], [1.0], [2.0]])
    {'edges': [[1.0, 2.0]], 'counts': [[2, 1, 0, 0]]}
    """
    values = np.asarray(X, dtype=np.float64)
    if values.ndim != 2 or not len(values):
        raise InputError(f"rows of shape {values.shape}; expected at least one row")
    edges = decile_edges(values)
    return {"edges": edges, "counts": count_bins(values, edges)}


def shift(before: Sequence[int], now: Sequence[int]) -> Shift | None:
    """Compare two distributions over the same bins.

    Parameters
    ----------
    before, now : sequence of int
        Counts by bin.

    Returns
    -------
    Shift or None
        None if either is of no rows. A share below .0001 counts as .0001 in the index.

    Raises
    ------
    InputError
        If the bins are not the same.

    Examples
    --------
    >>> shift([50, 50], [50, 50])
    Shift(psi=0.0, ks=0.0)
    >>> shift([50, 50], [25, 75])
    Shift(psi=0.2746..., ks=0.25)
    """
    if len(before) != len(now):
        raise InputError(f"{len(before)} bins and {len(now)} bins cannot be compared")
    if not sum(before) or not sum(now):
        return None
    p, q = (_shares(counts) for counts in (before, now))
    a, b = np.maximum(p, _LEAST_SHARE), np.maximum(q, _LEAST_SHARE)
    index = float(((b - a) * np.log(b / a)).sum())
    return Shift(index, float(np.abs(np.cumsum(q - p)[:-1]).max(initial=0.0)))


def _shares(counts: Sequence[int]) -> NDArray[np.float64]:
    values = np.asarray(counts, dtype=np.float64)
    return np.asarray(values / values.sum())


def added(parts: Sequence[Mapping[str, Any]], name: str) -> list[list[int]]:
    """Add up the counts of parts."""
    totals: list[list[int]] = []
    for part in parts:
        counts = part[name]
        totals = (
            [list(map(sum, zip(*pair, strict=True))) for pair in zip(totals, counts, strict=True)]
            if totals
            else [list(row) for row in counts]
        )
    return totals
