"""Judging predictions of few distinct rows by how often each occurs: exact, whatever their number.

Nine columns of zeros and ones make 512 rows at most. A classifier is asked once for each, and all
figures follow from how many documents of either class have it, in whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["FIGURES", "RowCounts", "judge"]

FIGURES = ("accuracy", "precision", "recall", "f1", "auc_of_labels", "auc")
"""What `judge` gives, in this order."""


@dataclass(frozen=True, eq=False)
class RowCounts:
    """How many documents have each distinct row.

    Parameters
    ----------
    positive, negative : int64 (distinct,)

    Examples
    --------
    >>> RowCounts.of([0, 0, 1], [True, False, False], 2).negative.tolist()
    [1, 1]
    """

    positive: NDArray[np.int64]
    negative: NDArray[np.int64]

    @classmethod
    def of(cls, where: ArrayLike, positive: ArrayLike, n_distinct: int) -> RowCounts:
        """Count documents.

        Parameters
        ----------
        where : int (documents,)
            The distinct row of each.
        positive : bool (documents,)
            Whether each is of the positive class.
        n_distinct : int

        Returns
        -------
        RowCounts
        """
        rows, truth = np.asarray(where, np.int64), np.asarray(positive, bool)
        return cls(*(np.bincount(rows[some], minlength=n_distinct) for some in (truth, ~truth)))


def judge(counts: RowCounts, predicted: ArrayLike, scores: ArrayLike) -> dict[str, float]:
    """Judge one prediction a distinct row.

    Parameters
    ----------
    counts : RowCounts
        Of documents of both classes.
    predicted : bool (distinct,)
        Whether a row is predicted positive.
    scores : float64 (distinct,)
        The higher, the more positive.

    Returns
    -------
    dict of str to float
        `FIGURES`: precision, recall and F1 of the positive class, 0 where no document is predicted
        positive; the area under the ROC curve of the labels, as if they were scores, which is the
        mean of both recalls, and that of the scores.

    Examples
    --------
    >>> counts = RowCounts(np.array([3, 1]), np.array([1, 3]))
    >>> figures = judge(counts, [True, False], [0.9, 0.2])
    >>> figures["accuracy"], figures["auc"], judge(counts, [False, False], [0, 0])["precision"]
    (0.75, 0.75, 0.0)
    """
    chosen = np.asarray(predicted, bool)
    n_positive, n_negative = int(counts.positive.sum()), int(counts.negative.sum())
    tp, fp = int(counts.positive[chosen].sum()), int(counts.negative[chosen].sum())
    tn = n_negative - fp
    return {
        "accuracy": (tp + tn) / (n_positive + n_negative),
        "precision": tp / (tp + fp) if tp + fp else 0.0,
        "recall": tp / n_positive,
        "f1": 2 * tp / (tp + fp + n_positive),
        "auc_of_labels": (tp * n_negative + tn * n_positive) / (2 * n_positive * n_negative),
        "auc": _area(counts, np.asarray(scores, np.float64)),
    }


def _area(counts: RowCounts, scores: NDArray[np.float64]) -> float:
    """Share of pairs of a positive and a negative that are in order, ties for a half."""
    levels, level_of = np.unique(scores, return_inverse=True)
    positive, negative = (np.zeros(len(levels), np.int64) for _ in range(2))
    np.add.at(positive, level_of, counts.positive)
    np.add.at(negative, level_of, counts.negative)
    below = np.cumsum(negative) - negative
    pairs = zip(positive.tolist(), below.tolist(), negative.tolist(), strict=True)
    twice = sum(p * (2 * lower + equal) for p, lower, equal in pairs)  # may exceed 64 bits
    return float(twice / (2 * int(positive.sum()) * int(negative.sum())))
