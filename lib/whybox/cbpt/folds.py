"""Inner folds drawn anew each round from a seed and the rows' contents.

A row's place is decided by a hash of its values and label, mixed with the round's seed. So the
folds do not depend on the order of the rows, and copies of a row stay together: no fold is judged
by a row its tree was grown on, and a weight of 3 equals three copies throughout a fit. The rows
are dealt out class by class (stratified), so that no class is missing outside a fold while it has
two distinct rows. That costs nothing and gains no accuracy either: over 15 test folds, breast
cancer .968 (plain folds .969), wine .963 (.957), digits .969 (.970), all within one standard error.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from whybox.trees.tree import Array

__all__ = ["FoldDealer"]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


def _mix(state: Array) -> Array:
    """Scramble 64 bits, one to one (the finaliser of SplitMix64, Steele et al. 2014)."""
    state = state + _GOLDEN
    state = (state ^ (state >> np.uint64(30))) * _FIRST
    state = (state ^ (state >> np.uint64(27))) * _SECOND
    return np.asarray(state ^ (state >> np.uint64(31)))


@dataclass(frozen=True, eq=False)
class FoldDealer:
    """Deals the distinct rows of a training set out to folds.

    Parameters
    ----------
    hashes : uint64 (distinct rows,)
    labels : int64 (distinct rows,)
    place : int64 (rows,)
        Which distinct row a row is a copy of.

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [1.0], [2.0]]), np.array([0, 1, 1, 0])
    >>> folds = FoldDealer.of(X, y).deal(seed=3, n_folds=2)
    >>> bool(folds[1] == folds[2]), sorted(set(folds.tolist()))
    (True, [0, 1])
    """

    hashes: Array
    labels: Array
    place: Array

    @classmethod
    def of(cls, X: Array, labels: Array) -> FoldDealer:
        """Hash the rows of a matrix with their labels."""
        state = _mix(labels.astype(np.uint64))
        for v in range(X.shape[1]):
            column = X[:, v].astype(np.float64) + 0.0  # -0.0 equals 0.0
            column[np.isnan(column)] = np.nan  # one of the many NaNs
            state = _mix(state ^ column.view(np.uint64))
        hashes, first, place = np.unique(state, return_index=True, return_inverse=True)
        return cls(hashes, labels[first], place)

    def n_folds(self, wanted: int) -> int:
        """Give as many folds as wanted, or as there are distinct rows if those are fewer."""
        return min(wanted, len(self.hashes))

    def deal(self, seed: int, n_folds: int) -> Array:
        """Draw the fold of every row, int64 (rows,)."""
        keys = _mix(self.hashes ^ _mix(np.array([seed], np.uint64)))
        dealt = np.empty(len(keys), np.int64)
        dealt[np.lexsort((keys, self.labels))] = np.arange(len(keys)) % n_folds
        return dealt[self.place]
