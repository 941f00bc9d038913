"""Rows sorted by every feature once a fit, for all trees of all rounds and folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from whybox.errors import InputError
from whybox.trees.tree import Array

__all__ = ["SortedRows", "as_matrix"]

_FEW = 256  # distinct values that fit a byte


def as_matrix(X: object, names: Sequence[str] | None = None) -> Array:
    """Check a matrix of features; float32 and float64 keep their type, others become float64.

    Parameters
    ----------
    X : array-like (rows, features)
        NaN is a missing value; infinities are refused.
    names : sequence of str, optional
        Column names for the message.

    Returns
    -------
    float32 or float64 (rows, features)
        C-contiguous.

    Raises
    ------
    InputError
        Not two-dimensional, not numeric, no row or column, or infinite.

    Examples
    --------
    >>> as_matrix([[1, 2]]).dtype
    dtype('float64')
    """
    matrix = np.asarray(X)
    if matrix.dtype not in (np.float32, np.float64):
        try:
            matrix = matrix.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise InputError("X is not numeric", remedy="encode text columns first") from error
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise InputError(
            f"X has shape {matrix.shape}, expected (rows, features), at least one of each"
        )
    infinite = np.isinf(matrix).any(axis=0)
    if infinite.any():
        column = int(infinite.argmax())
        name = f"column {names[column]!r}" if names is not None else f"column {column}"
        raise InputError(
            f"X holds an infinite value in {name}, expected finite values or NaN for missing ones",
            remedy="clip the column or mark the values as missing",
        )
    return np.ascontiguousarray(matrix)


@dataclass(frozen=True, eq=False)
class SortedRows:
    """A matrix with the order of its rows by each feature.

    Parameters
    ----------
    order : uint32 (features, n)
        Ids of the rows to grow on by ascending value, missing values last.
    codes : int32 (features, rows)
        Rank of each value among the feature's distinct ones; missing values come after all.
    missing : int32 (features,)
        The code of a missing value, -1 where there is none.
    distinct : float (values,)
        Each feature's distinct values, ascending, in the matrix's type, one feature after another.
    first : int64 (features + 1,)
        Where each feature's distinct values begin and the last one's end.
    first_bin : int64 (features + 1,)
        The same with missing values counted as one more value.
    bins : uint8 (rows, features) or None
        The codes row by row; None if a feature has more than 256.

    Examples
    --------
    >>> rows = SortedRows.of(np.array([[0.5], [np.nan], [0.25], [0.5]]))
    >>> rows.order.tolist(), rows.codes.tolist(), rows.missing.tolist()
    ([[2, 0, 3, 1]], [[1, 2, 0, 1]], [2])
    >>> rows.keep(np.array([True, True, False, False])).order.tolist()
    [[0, 1]]
    """

    order: Array
    codes: Array
    missing: Array
    distinct: Array
    first: Array
    first_bin: Array
    bins: Array | None

    @classmethod
    def of(cls, X: Array) -> SortedRows:
        """Sort the rows of a matrix (as ``as_matrix`` gives it) by each of its columns."""
        n_rows, n_features = X.shape
        order = np.empty((n_features, n_rows), np.uint32)
        codes = np.empty((n_features, n_rows), np.int32)
        missing = np.full(n_features, -1, np.int32)
        distinct = []
        for v in range(n_features):
            by_value = np.argsort(X[:, v], kind="stable")
            known = X[by_value[: n_rows - np.count_nonzero(np.isnan(X[:, v]))], v]
            new = np.ones(len(known), bool)
            new[1:] = known[1:] != known[:-1]
            distinct.append(known[new])
            order[v] = by_value
            codes[v, by_value[: len(known)]] = np.cumsum(new) - 1
            if len(known) < n_rows:
                missing[v] = len(distinct[v])
                codes[v, by_value[len(known) :]] = missing[v]
        first = np.cumsum([0] + [len(values) for values in distinct])
        first_bin = first + np.cumsum(np.append(0, missing >= 0))
        few = np.diff(first_bin).max() <= _FEW
        bins = np.ascontiguousarray(codes.T, np.uint8) if few else None
        return cls(order, codes, missing, np.concatenate(distinct), first, first_bin, bins)

    def keep(self, mask: Array) -> SortedRows:
        """Give the rows to grow on that the mask (bool, one an original row) keeps."""
        from whybox.kernels.grow import filter_order

        return replace(self, order=filter_order(self.order, mask.astype(np.uint8)))

    def thresholds(self, feature: Array, low: Array, high: Array) -> Array:
        """Give the thresholds between pairs of codes, float64 (cuts,).

        Each is the midpoint; where that (or the midpoint rounded to the matrix's type) would not
        separate the two values, it is the lower one. Between known and missing values it is the
        type's largest value.
        """
        kind, start = self.distinct.dtype, self.first[feature]
        beyond = start + high == self.first[feature + 1]
        below = self.distinct[start + low].astype(np.float64)
        above_typed = self.distinct[np.where(beyond, start + low, start + high)]
        above = above_typed.astype(np.float64)
        middle = below / 2 + above / 2
        separates = (below <= middle) & (middle < above) & (middle.astype(kind) < above_typed)
        known = np.where(separates, middle, below)
        return np.asarray(np.where(beyond, np.finfo(kind).max, known))
