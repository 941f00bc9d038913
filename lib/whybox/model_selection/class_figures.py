"""Figures of three classes or more, with intervals: of all classes together, and of each.

Figures of decisions follow from the table of true against decided classes alone, so a draw of
people is a table, and all draws are judged at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from whybox.errors import InputError
from whybox.model_selection.intervals import Interval, drawn_weights, percentiles, wilson
from whybox.model_selection.metrics import ranked_auc

__all__ = [
    "EACH",
    "TOGETHER",
    "ClassFigures",
    "figures_of_counts",
    "judge_classes",
    "ranked_classes",
    "top_label_bins",
]

TOGETHER = (
    "accuracy",
    "balanced_accuracy",
    "f1_macro",
    "f1_weighted",
    "kappa",
    "mcc",
    "brier",
    "calibration_error",
)
"""What is told of all classes together."""

EACH = ("precision", "recall", "f1")
"""What is told of each class."""

N_BINS = 10


@dataclass(frozen=True)
class ClassFigures:
    """How well decisions and probabilities of several classes do.

    Attributes
    ----------
    together : dict of str to Interval or None
        By `TOGETHER`.
    each : dict of str to list of Interval or None
        By `EACH`, a class after the other.

    Examples
    --------
    >>> ClassFigures({"accuracy": Interval(0.5, 0.4, 0.6)}, {}).together["accuracy"].low
    0.4
    """

    together: Mapping[str, Interval | None]
    each: Mapping[str, list[Interval | None]]


def figures_of_counts(counts: np.ndarray) -> dict[str, np.ndarray]:
    """Judge tables of true against decided classes.

    Parameters
    ----------
    counts : array of shape (..., n_classes, n_classes)
        Rows are true classes.

    Returns
    -------
    dict of str to float64 array
        ``accuracy``, ``balanced_accuracy`` (the mean recall of the classes that are there),
        ``f1_macro``, ``f1_weighted`` (by how often a class is true), ``kappa`` (Cohen, 1960; NaN
        where chance alone agrees), ``mcc`` (Gorodkin, 2004; 0 where it is not defined) of shape
        (...,); ``precision``, ``recall`` (NaN of a class that is not there) and ``f1`` of shape
        (..., n_classes). A precision of no decision and an F1 of no hit are 0, as in scikit-learn.

    Examples
    --------
    >>> found = figures_of_counts(np.array([[3, 1, 0], [0, 2, 0], [0, 0, 4]]))
    >>> found["accuracy"].item(), found["recall"].tolist()
    (0.9, [0.75, 1.0, 1.0])
    """
    cells = np.asarray(counts, dtype=np.float64)
    hits = np.diagonal(cells, axis1=-2, axis2=-1)
    true, decided = cells.sum(axis=-1), cells.sum(axis=-2)
    total, right = true.sum(axis=-1), hits.sum(axis=-1)
    f1 = 2 * hits / np.maximum(true + decided, 1)
    recall = hits / np.where(true > 0, true, np.nan)
    chance = (true * decided).sum(axis=-1)
    spread = (total**2 - (true**2).sum(axis=-1)) * (total**2 - (decided**2).sum(axis=-1))
    known = np.maximum((true > 0).sum(axis=-1), 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        kappa = (total * right - chance) / (total**2 - chance)
    return {
        "accuracy": right / total,
        "balanced_accuracy": np.nansum(recall, axis=-1) / known,
        "f1_macro": f1.mean(axis=-1),
        "f1_weighted": (f1 * true).sum(axis=-1) / total,
        "kappa": np.where(total**2 > chance, kappa, np.nan),
        "mcc": (total * right - chance) / np.sqrt(np.where(spread > 0, spread, np.inf)),
        "precision": hits / np.maximum(decided, 1),
        "recall": recall,
        "f1": f1,
    }


def judge_classes(
    truth: np.ndarray,
    decided: np.ndarray,
    proba: np.ndarray,
    people: np.ndarray | None = None,
    *,
    n_draws: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> ClassFigures:
    """Judge decisions and probabilities, with intervals by people drawn with replacement.

    Parameters
    ----------
    truth, decided : int array of shape (n_rows,)
        Columns of `proba`.
    proba : float64 array of shape (n_rows, n_classes)
    people : array of shape (n_rows,), optional
        Whose row it is; by default each row is somebody's own.
    n_draws : int, default 1000
    seed : int, default 0
    level : float, default 0.95

    Returns
    -------
    ClassFigures
        The Brier score is the mean sum of squares over the classes (0 to 2); the calibration error
        is of the likeliest class's probability, in ten bins. Precision and recall have Wilson's
        interval among people, None where there are none; the other figures that of the draws.

    Raises
    ------
    InputError
        If there are no rows, or lengths differ.

    Examples
    --------
    >>> truth = np.arange(60) % 3
    >>> found = judge_classes(truth, np.where(np.arange(60) < 6, 0, truth), np.eye(3)[truth])
    >>> found.together["accuracy"].value, found.each["precision"][1].value
    (0.9333333333333333, 1.0)
    """
    lengths = {len(truth), len(decided), len(proba), len(truth if people is None else people)}
    if lengths == {0} or len(lengths) > 1:
        raise InputError(f"rows of lengths {sorted(lengths)}, expected some, and equally many")
    k = proba.shape[1]
    cells, losses = truth * k + decided, _losses(truth, proba)
    bins, distances = _top_label(truth, proba)
    counts, brier, error = [], [], []
    for weight in (np.ones(len(truth)), *drawn_weights(people, len(truth), n_draws, seed)):
        total = weight.sum()
        counts.append(np.bincount(cells, weight, k * k).reshape(k, k))
        brier.append(float(np.sum(weight * losses) / total))
        error.append(float(np.abs(np.bincount(bins, weight * distances, N_BINS)).sum() / total))
    figures: dict[str, Any] = figures_of_counts(np.array(counts))
    figures |= {"brier": np.array(brier), "calibration_error": np.array(error)}

    def interval(values: np.ndarray) -> Interval | None:
        value, *drawn = values.tolist()
        return percentiles(value, drawn, level)

    return ClassFigures(
        {name: interval(figures[name]) for name in TOGETHER},
        {
            "precision": _shares(figures["precision"][0], decided, people, level),
            "recall": _shares(figures["recall"][0], truth, people, level),
            "f1": [interval(figures["f1"][:, at]) for at in range(k)],
        },
    )


def _shares(
    values: np.ndarray, side: np.ndarray, people: np.ndarray | None, level: float
) -> list[Interval | None]:
    """Shares of the rows on one side of the table, with Wilson's interval among their people."""
    who = np.arange(len(side)) if people is None else people
    counts = [len(np.unique(who[side == at])) for at in range(len(values))]
    return [
        wilson(min(value, 1.0), n, level) if n else None
        for value, n in zip(values.tolist(), counts, strict=True)
    ]


def ranked_classes(
    truth: np.ndarray, proba: np.ndarray
) -> tuple[list[float | None], list[float | None]]:
    """Judge how each class's probability ranks its rows before all others.

    Parameters
    ----------
    truth : int array of shape (n_rows,)
    proba : float64 array of shape (n_rows, n_classes)

    Returns
    -------
    areas, precisions : list of float or None
        Area under the ROC curve and average precision, one class against the rest; None of a class
        that has no rows, or all.

    Examples
    --------
    >>> ranked_classes(np.array([0, 1, 2]), np.eye(3))
    ([1.0, 1.0, 1.0], [1.0, 1.0, 1.0])
    """
    from sklearn.metrics import average_precision_score

    areas: list[float | None] = []
    precisions: list[float | None] = []
    for at in range(proba.shape[1]):
        here = truth == at
        areas.append(ranked_auc(proba[:, at], here))
        two = areas[-1] is not None
        precisions.append(float(average_precision_score(here, proba[:, at])) if two else None)
    return areas, precisions


def top_label_bins(truth: np.ndarray, proba: np.ndarray) -> list[tuple[float, float, int]]:
    """Hold the likeliest class's probability against how often it is the right one.

    Parameters
    ----------
    truth : int array of shape (n_rows,)
    proba : float64 array of shape (n_rows, n_classes)

    Returns
    -------
    list of (stated, observed, n_rows)
        Means of the tenths of the scale that have rows.

    Examples
    --------
    >>> top_label_bins(np.array([0, 1]), np.array([[0.75, 0.25], [0.75, 0.25]]))
    [(0.75, 0.5, 2)]
    """
    bins, distances = _top_label(truth, proba)
    stated, counts = proba.max(axis=1), np.bincount(bins, minlength=N_BINS)
    sums = np.bincount(bins, stated, N_BINS), np.bincount(bins, stated - distances, N_BINS)
    return [
        (float(sums[0][at] / counts[at]), float(sums[1][at] / counts[at]), int(counts[at]))
        for at in np.flatnonzero(counts)
    ]


def _losses(truth: np.ndarray, proba: np.ndarray) -> np.ndarray:
    """Squares of each row, summed over the classes."""
    return np.asarray(((proba - np.eye(proba.shape[1])[truth]) ** 2).sum(axis=1))


def _top_label(truth: np.ndarray, proba: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The bin of each row's largest probability, and that probability less whether it is right."""
    stated = proba.max(axis=1)
    bins = np.minimum((stated * N_BINS).astype(np.int64), N_BINS - 1)
    return bins, stated - (proba.argmax(axis=1) == truth)
