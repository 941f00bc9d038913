"""Columns as codes: a column's values become ranks among its distinct values, or equi-depth bins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from whybox.errors import InputError
from whybox.kernels.s3d_rows import MAX_CODES, encode, recode
from whybox.trees.tree import Array

__all__ = [
    "DEFAULT_BINS",
    "Coding",
    "ColumnSummary",
    "LocalCodes",
    "equi_depth_edges",
    "make_coding",
    "merge_weighted_values",
    "refuse_infinite",
]

DEFAULT_BINS = 4096
_OVERFLOW = 2


@dataclass(frozen=True)
class Coding:
    """How a column's values become codes.

    Code c stands for the values in (edges[c - 1], edges[c]]; the code after the last one stands
    for missing values.

    Parameters
    ----------
    edges : float64 (codes,)
        Ascending; observed values. Empty if every value is missing.
    lowest : float
        The least value; NaN if every value is missing.
    missing : bool
        Whether values are missing.
    lossless : bool
        Whether each distinct value has its own code.

    Examples
    --------
    >>> Coding(np.array([1.0, 4.0]), 1.0, False, True).codes(np.array([4.0, 1.0, np.nan]))
    array([1, 0, 2], dtype=uint16)
    """

    edges: Array
    lowest: float
    missing: bool
    lossless: bool

    @property
    def n_codes(self) -> int:
        """Codes of values; the missing one comes after them."""
        return len(self.edges)

    def codes(self, column: Array) -> Array:
        """Look up the code of each value; NaN sorts last and so gets the code after the last."""
        found = np.searchsorted(self.edges, column.astype(np.float64, copy=False), side="left")
        return found.astype(np.uint16)


@dataclass(frozen=True)
class LocalCodes:
    """Codes of one partition's column by its own distinct values.

    Parameters
    ----------
    values : float64 (distinct,) or None
        Ascending, without NaN; None if there are more than 65,535.
    codes : uint16 (rows,)
        Indices into values, their number for a missing value; meaningless without values.

    Examples
    --------
    >>> LocalCodes.of(np.array([7.0, np.nan, 3.0]), "age").codes.tolist()
    [1, 2, 0]
    """

    values: Array | None
    codes: Array

    @classmethod
    def of(cls, column: Array, name: str) -> LocalCodes:
        """Encode a column; an InputError names it if a value is infinite."""
        floats = np.ascontiguousarray(column, dtype=np.float64)
        codes = np.empty(len(floats), np.uint16)
        bits, state = encode(floats.view(np.int64), codes)
        if state == _OVERFLOW:
            refuse_infinite(floats, name)
            return cls(None, codes[:0])
        if state:
            refuse_infinite(floats, name)
        seen = bits.view(np.float64)
        order = np.argsort(seen, kind="stable")  # NaN last
        rank = np.empty(len(seen), np.uint16)
        rank[order] = np.arange(len(seen))
        recode(codes, rank)
        values = seen[order]
        return cls(values[: len(values) - int(np.isnan(values[-1:]).sum())], codes)

    def recoded(self, coding: Coding, column: Array) -> Array:
        """Give the codes by a coding that is common to all partitions."""
        if self.values is None:
            return coding.codes(column)
        if coding.lossless and len(self.values) == coding.n_codes:
            return self.codes
        new = np.append(coding.codes(self.values), np.uint16(coding.n_codes))
        recode(self.codes, new)
        return self.codes

    def summary(self, column: Array) -> ColumnSummary:
        """Say what all partitions must know; the column is read only if it has too many values."""
        if self.values is None:
            return ColumnSummary(None, bool(np.isnan(column).any()))
        return ColumnSummary(self.values, bool((self.codes == len(self.values)).any()))

    def weighted_values(self, column: Array, weight: Array | None) -> WeightedValues:
        """Give the distinct values and the weight of each; NaN is left out."""
        if self.values is not None:
            rows = self.codes < len(self.values)
            return self.values, _add(self.codes[rows], _some(weight, rows), len(self.values))
        rows = ~np.isnan(column)
        column = column[rows].astype(np.float64, copy=False)
        if weight is None:
            return np.unique(column, return_counts=True)
        values, which = np.unique(column, return_inverse=True)
        return values, _add(which, weight[rows], len(values))


@dataclass(frozen=True)
class ColumnSummary:
    """What must be known of a column in all partitions before it is encoded.

    Parameters
    ----------
    values : float64 (distinct,) or None
        Ascending, without NaN; None if there are more than 65,535.
    missing : bool
        Whether values are missing.

    Examples
    --------
    >>> a, b = ColumnSummary(np.array([1.0, 3.0]), False), ColumnSummary(np.array([2.0]), True)
    >>> a.merge(b)
    ColumnSummary(values=array([1., 2., 3.]), missing=True)
    """

    values: Array | None
    missing: bool

    def merge(self, other: ColumnSummary) -> ColumnSummary:
        """Summarise the rows of both."""
        missing = self.missing or other.missing
        if self.values is None or other.values is None:
            return ColumnSummary(None, missing)
        values = np.union1d(self.values, other.values)
        return ColumnSummary(values if len(values) <= MAX_CODES else None, missing)


WeightedValues = tuple[Array, Array]
"""Distinct values, ascending, and the weight (int64) of each."""


def make_coding(
    summary: ColumnSummary,
    weighted_values: Callable[[], WeightedValues],
    max_bins: int | None,
    cuts: Array,
) -> Coding:
    """Make the coding of a column.

    Parameters
    ----------
    summary : ColumnSummary
        Of all rows.
    weighted_values : callable
        Gives the distinct values of all rows with their weights; called only if they are to be
        binned.
    max_bins : int or None
        None: lossless up to 65,535 distinct values, then 4,096 equi-depth bins.
    cuts : float64 (cuts,)
        Values at which a code must end.

    Returns
    -------
    Coding

    Examples
    --------
    >>> values, weights = np.array([1.0, 2.0, 3.0]), np.array([1, 2, 1])
    >>> make_coding(ColumnSummary(values, False), lambda: (values, weights), 2, np.zeros(0)).edges
    array([2., 3.])
    """
    values = summary.values
    if values is not None and len(values) <= (max_bins or MAX_CODES):
        lowest = float(values[0]) if len(values) else np.nan
        return Coding(values, lowest, summary.missing, lossless=True)
    values, weights = weighted_values()
    edges = equi_depth_edges(values, weights, max_bins or DEFAULT_BINS)
    at = np.searchsorted(values, cuts, side="right") - 1
    edges = np.union1d(edges, values[at[at >= 0]])
    return Coding(edges, float(values[0]), summary.missing, lossless=False)


def merge_weighted_values(a: WeightedValues, b: WeightedValues) -> WeightedValues:
    """Add the weights of two partitions.

    Examples
    --------
    >>> one = np.array([1.0, 2.0]), np.array([1, 5])
    >>> merge_weighted_values(one, (np.array([2.0]), np.array([3])))
    (array([1., 2.]), array([1, 8]))
    """
    values, which = np.unique(np.concatenate([a[0], b[0]]), return_inverse=True)
    return values, _add(which, np.concatenate([a[1], b[1]]), len(values))


def equi_depth_edges(values: Array, weight: Array, n_bins: int) -> Array:
    """Give the upper ends of bins of equal weight; equal values are never parted.

    Edge k is the least value up to which the weight reaches k parts in ``n_bins`` of the whole.

    Parameters
    ----------
    values : float64 (distinct,)
        Ascending.
    weight : int64 (distinct,)
    n_bins : int

    Returns
    -------
    float64 (at most n_bins,)
        The last one is the largest value.

    Examples
    --------
    >>> equi_depth_edges(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1, 1, 1, 5]), 4)
    array([2., 4.])
    """
    reached = np.cumsum(weight)
    whole = int(reached[-1])
    targets = np.array([-(-k * whole // n_bins) for k in range(1, n_bins + 1)])
    return values[np.unique(np.searchsorted(reached, targets, side="left"))]


def refuse_infinite(column: Array, name: str) -> None:
    """Raise an InputError if a value is infinite.

    Examples
    --------
    >>> refuse_infinite(np.array([1.0, -np.inf]), "column 3")
    Traceback (most recent call last):
    whybox.errors.InputError: X holds an infinite value, expected finite ones or NaN (column 3...
    """
    infinite = np.isinf(column)
    if infinite.any():
        raise InputError(
            "X holds an infinite value, expected finite ones or NaN",
            where=f"{name}, row {int(infinite.argmax())}",
            remedy="clip the column or make the value missing",
        )


def _some(weight: Array | None, rows: Array) -> Array | None:
    return None if weight is None else weight[rows]


def _add(which: Array, weight: Array | None, size: int) -> Array:
    """Add up whole weights by index."""
    if weight is None:
        return np.bincount(which, minlength=size)
    sums = np.zeros(size, np.int64)
    np.add.at(sums, which, weight)
    return sums
