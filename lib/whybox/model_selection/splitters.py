"""Folds: stratified, shuffled by a seed, and never with one group on both sides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from whybox.errors import InputError

__all__ = ["Fold", "Splitter", "make_splitter"]

_TRIES = 20  # shuffles of the groups before a fold without some class is given up


@dataclass(frozen=True, eq=False)
class Fold:
    """One split of the rows.

    Attributes
    ----------
    number : int
        0 for the first.
    train, test : int64 arrays
        Row indices, ascending, without a row in common.

    Examples
    --------
    >>> Fold(0, np.array([1, 2]), np.array([0])).test
    array([0])
    """

    number: int
    train: np.ndarray
    test: np.ndarray


@dataclass(frozen=True)
class Splitter:
    """How to split; made by `make_splitter`.

    Attributes
    ----------
    n_folds : int
        0 for no folds at all.
    test_share : float or None
        Share of the rows in each test fold of repeated shuffles; None for K folds.
    seed : int

    Examples
    --------
    >>> [fold.test.tolist() for fold in Splitter(2).split(["a", "a", "b", "b"])]
    [[1, 2], [0, 3]]
    """

    n_folds: int
    test_share: float | None = None
    seed: int = 0

    def split(self, y: Any, groups: Any = None) -> tuple[Fold, ...]:
        """Make the folds.

        Parameters
        ----------
        y : array of shape (n_rows,)
            The classes, to keep their shares alike in all folds.
        groups : array of shape (n_rows,), optional
            Rows of one group (a person, a subject) stay on one side of each split.

        Returns
        -------
        tuple of Fold
            Every class is on both sides of each fold. Equal arguments give equal folds.

        Raises
        ------
        InputError
            If a class has too few rows or groups.
        """
        if self.n_folds == 0:
            return ()
        y = np.asarray(y)
        groups = None if groups is None else np.asarray(groups)
        if groups is not None and groups.shape != y.shape:
            raise InputError(f"{len(groups)} groups for {len(y)} rows", where="--group")
        self._check_counts(y, groups)
        if self.test_share is None:
            tests = _k_folds(y, groups, self.n_folds, self.seed)
        else:
            tests = [
                _shuffled_test(y, groups, self.test_share, (self.seed, number))
                for number in range(self.n_folds)
            ]
        rows = np.arange(len(y))
        folds = tuple(
            Fold(number, np.setdiff1d(rows, test, assume_unique=True), np.sort(test))
            for number, test in enumerate(tests)
        )
        _check_classes(folds, y)
        return folds

    def _check_counts(self, y: np.ndarray, groups: np.ndarray | None) -> None:
        """Refuse a class that cannot be on both sides of each fold."""
        needed = self.n_folds if self.test_share is None else 2
        classes, codes = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            raise InputError(
                f"the target has {len(classes)} class in {len(y)} rows; at least 2 are needed",
                where="--target",
            )
        units = np.arange(len(y)) if groups is None else np.unique(groups, return_inverse=True)[1]
        name = "rows" if groups is None else "groups"
        for code, label in enumerate(classes):
            count = len(np.unique(units[codes == code]))
            if count < needed:
                raise InputError(
                    f"class {str(label)!r} has {count} {name}, fewer than the {needed} that the "
                    "folds need",
                    where="--cv",
                    remedy="ask for fewer folds, leave the class out with --classes, or use --cv 0",
                )


def make_splitter(spec: str | int, *, seed: int = 0) -> Splitter:
    """Read how to split.

    Parameters
    ----------
    spec : str or int
        ``"5"``: that many folds, each row in one test fold. ``"shuffle:5:0.25"``: that many
        independent splits with that share of the rows in the test fold. ``"0"``: no folds.
    seed : int, default 0
        The only source of chance.

    Returns
    -------
    Splitter

    Raises
    ------
    InputError
        If `spec` is none of these.

    Examples
    --------
    >>> make_splitter("shuffle:3:0.25", seed=7)
    Splitter(n_folds=3, test_share=0.25, seed=7)
    >>> make_splitter("0").split(["a", "b"])
    ()
    """
    parts = str(spec).split(":")
    try:
        if len(parts) == 1 and (int(parts[0]) == 0 or int(parts[0]) >= 2):
            return Splitter(int(parts[0]), None, seed)
        if len(parts) == 3 and parts[0] == "shuffle":
            n_folds, share = int(parts[1]), float(parts[2])
            if n_folds >= 1 and 0 < share < 1:
                return Splitter(n_folds, share, seed)
    except ValueError:
        pass
    raise InputError(
        f"{spec!r} says no way to split",
        where="--cv",
        remedy="use a number of folds (2 or more), shuffle:TIMES:SHARE such as shuffle:5:0.25, "
        "or 0 for no folds",
    )


def _k_folds(y: np.ndarray, groups: np.ndarray | None, n_folds: int, seed: int) -> list[np.ndarray]:
    """Test rows of K stratified folds, by scikit-learn."""
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    splitter = kind(n_folds, shuffle=True, random_state=seed)
    return [np.asarray(test) for _, test in splitter.split(np.zeros(len(y)), y, groups)]


def _shuffled_test(
    y: np.ndarray, groups: np.ndarray | None, share: float, seed: tuple[int, int]
) -> np.ndarray:
    """Test rows of one stratified shuffle."""
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
    codes = np.unique(y, return_inverse=True)[1]
    if groups is None:
        classes = [
            rng.permutation(np.flatnonzero(codes == code)) for code in range(codes.max() + 1)
        ]
        sizes = [int(np.clip(np.rint(share * len(c)), 1, len(c) - 1)) for c in classes]
        return np.concatenate([rows[:size] for rows, size in zip(classes, sizes, strict=True)])
    units = np.unique(groups, return_inverse=True)[1]
    counts = np.zeros((units.max() + 1, codes.max() + 1))
    np.add.at(counts, (units, codes), 1)
    for _ in range(_TRIES):
        chosen = _choose_groups(counts, share, rng.permutation(len(counts)))
        in_test = counts[chosen].sum(axis=0)
        if np.all((in_test > 0) & (in_test < counts.sum(axis=0))):
            break
    return np.flatnonzero(chosen[units])


def _choose_groups(counts: np.ndarray, share: float, order: np.ndarray) -> np.ndarray:
    """Take each group, in the order given, that brings the classes nearer to their share.

    `counts` is of shape (groups, classes). Distances are squared shares of each class, so that a
    rare class counts as much as a frequent one.
    """
    total = counts.sum(axis=0)
    target = np.maximum(share * total, 0.75)  # at least one row of a tiny class, if it has two
    chosen = np.zeros(len(counts), dtype=bool)
    missing = target.copy()
    for group in order:
        after = missing - counts[group]
        if np.sum((after / total) ** 2) < np.sum((missing / total) ** 2):
            chosen[group] = True
            missing = after
    return chosen


def _check_classes(folds: tuple[Fold, ...], y: np.ndarray) -> None:
    """Refuse folds where groups keep a class off one side."""
    n_classes = len(np.unique(y))
    for fold in folds:
        for side, rows in (("train", fold.train), ("test", fold.test)):
            found = np.unique(y[rows])
            if len(found) < n_classes:
                raise InputError(
                    f"the {side} rows of fold {fold.number + 1} hold {len(found)} of the "
                    f"{n_classes} classes: the groups cannot be spread evenly",
                    where="--cv, --group",
                    remedy="ask for fewer folds or another --seed, or group by something finer",
                )
