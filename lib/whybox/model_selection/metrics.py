"""Figures for predicted classes and probabilities; what is undefined is None, with its reason.

Written with numpy alone, so that scikit-learn stays an independent check.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from whybox.errors import InputError

__all__ = [
    "LOSSES",
    "METRICS",
    "calibration_error",
    "evaluate",
    "precision_at_base_rate",
    "ranked_auc",
]

METRICS = (
    "accuracy",
    "f1_macro",
    "f1_positive",
    "auc",
    "brier",
    "log_loss",
    "calibration_error",
    "sensitivity",
    "specificity",
    "precision",
    "disagreements",
)
LOSSES = ("brier", "log_loss", "calibration_error", "disagreements")  # the less the better
_NO_PROBABILITIES = "the model gives no probabilities"
_NO_POSITIVE = "no positive class was named, and there are more than two"


def evaluate(
    y_true: Any,
    y_pred: Any,
    proba: Any,
    classes: Sequence[Any],
    positive: Any = None,
    *,
    threshold: float = 0.5,
) -> dict[str, Any]:
    """Judge one set of predictions.

    Parameters
    ----------
    y_true, y_pred : arrays of shape (n_rows,)
        Labels; accuracy and F1 are of these.
    proba : array of shape (n_rows, n_classes) or None
        Probabilities, columns as `classes`.
    classes : sequence
        All labels, sorted.
    positive : label, optional
        Default: the second of two classes. Of more than two, none: figures that need one are None.
    threshold : float, default 0.5
        A row is decided positive where its probability is at least this: sensitivity,
        specificity and precision are of these decisions.

    Returns
    -------
    dict
        ``n_rows``, one float or None for each of `METRICS`, and ``undefined``: a reason for each
        None. ``auc`` is binary, or the macro mean of one class against the rest. ``brier`` is the
        mean squared error of the positive's probability, or of more than two classes the mean sum
        over them. ``disagreements`` is the share of rows whose class by `y_pred` and by decision
        differ in being positive.

    Raises
    ------
    InputError
        If shapes do not fit, a label is not in `classes`, or probabilities are none.

    Examples
    --------
    >>> scores = np.array([0.9, 0.4, 0.6, 0.1])
    >>> figures = evaluate(list("yynn"), list("ynyn"), np.c_[1 - scores, scores], ["n", "y"])
    >>> figures["accuracy"], figures["auc"], figures["sensitivity"], figures["undefined"]
    (0.5, 0.75, 0.5, {})
    """
    labels = np.asarray(classes)
    truth, predicted = _codes(y_true, labels, "y_true"), _codes(y_pred, labels, "y_pred")
    if len(truth) != len(predicted):
        raise InputError(f"{len(truth)} labels but {len(predicted)} predictions")
    probabilities = None if proba is None else _check_proba(proba, len(truth), len(labels))
    if positive is None and len(labels) == 2:
        positive = labels[1]
    code = None if positive is None else int(_codes([positive], labels, "positive")[0])
    found: dict[str, float | str] = {
        **_of_classes(truth, predicted, len(labels), code),
        **_of_probabilities(truth, probabilities, code),
        **_of_decisions(truth, predicted, probabilities, code, threshold),
    }
    reasons = {name: value for name, value in found.items() if isinstance(value, str)}
    figures = {name: None if name in reasons else float(found[name]) for name in METRICS}
    return {"n_rows": len(truth), **figures, "undefined": reasons}


def precision_at_base_rate(
    sensitivity: float | None, specificity: float | None, base_rate: float
) -> float | None:
    """Say what precision becomes where the positive class is rarer than in the sample.

    Parameters
    ----------
    sensitivity, specificity : float or None
        Of the decisions; they do not depend on how frequent the class is.
    base_rate : float
        Share of positives where the model will be used, in (0, 1).

    Returns
    -------
    float or None
        Bayes' rule; None if either figure is, or if nothing would be flagged.

    Raises
    ------
    InputError
        If `base_rate` is not in (0, 1).

    Examples
    --------
    >>> round(precision_at_base_rate(0.88, 0.88, 0.05), 2)  # not 0.88
    0.28
    """
    if not 0 < base_rate < 1:
        raise InputError(f"the base rate is {base_rate}; expected a share between 0 and 1")
    if sensitivity is None or specificity is None:
        return None
    true = sensitivity * base_rate
    flagged = true + (1 - specificity) * (1 - base_rate)
    return true / flagged if flagged > 0 else None


def ranked_auc(scores: np.ndarray, positive: np.ndarray) -> float | None:
    """Give the chance that a positive row scores above a negative one, ties counting half.

    Parameters
    ----------
    scores : float array of shape (n_rows,)
    positive : bool array of shape (n_rows,)

    Returns
    -------
    float or None
        None if either side is empty.

    Examples
    --------
    >>> ranked_auc(np.array([0.1, 0.5, 0.5, 0.9]), np.array([False, False, True, True]))
    0.875
    """
    n_positive, n_negative = int(positive.sum()), int((~positive).sum())
    if not n_positive or not n_negative:
        return None
    values, codes = np.unique(scores, return_inverse=True)
    at_positive = np.bincount(codes[positive], minlength=len(values))
    at_negative = np.bincount(codes[~positive], minlength=len(values))
    below = np.cumsum(at_negative) - at_negative
    twice_wins = int(np.sum(at_positive * (2 * below + at_negative)))  # integers: exact
    return twice_wins / (2 * n_positive * n_negative)


def calibration_error(scores: np.ndarray, happened: np.ndarray, n_bins: int = 10) -> float:
    """Give the mean distance of stated probability and observed share (expected calibration error).

    Parameters
    ----------
    scores : float array of shape (n_rows,)
        Stated probabilities.
    happened : bool array of shape (n_rows,)
    n_bins : int, default 10
        Bins of equal width over [0, 1], closed on the left, the last on both sides.

    Returns
    -------
    float
        Mean over the rows of the absolute difference in their bin.

    Examples
    --------
    >>> calibration_error(np.array([0.25, 0.25, 0.75]), np.array([False, True, True]))
    0.25
    """
    bins = np.minimum((scores * n_bins).astype(np.int64), n_bins - 1)
    stated = np.bincount(bins, scores, n_bins)
    observed = np.bincount(bins, happened, n_bins)
    return float(np.abs(stated - observed).sum() / len(scores))


def _codes(labels: Any, classes: np.ndarray, name: str) -> np.ndarray:
    """Positions of labels in the classes."""
    known = {label: code for code, label in enumerate(classes.tolist())}
    values = np.asarray(labels).tolist()
    unknown = sum(value not in known for value in values)
    if unknown or not values:
        raise InputError(
            f"{unknown} of {len(values)} labels are none of the classes"
            if values
            else "there are no rows to judge",
            where=name,
        )
    return np.array([known[value] for value in values], dtype=np.int64)


def _check_proba(proba: Any, n_rows: int, n_classes: int) -> np.ndarray:
    """Hold probabilities against what they must be."""
    array = np.asarray(proba, dtype=np.float64)
    if array.shape != (n_rows, n_classes):
        raise InputError(
            f"probabilities of shape {array.shape}, expected {(n_rows, n_classes)}", where="proba"
        )
    # A peer that works in float32 is off by 1e-7 a class.
    if not (np.all(array >= 0) and np.all(np.abs(array.sum(axis=1) - 1) < 1e-5)):
        raise InputError("probabilities below 0, or rows that do not sum to 1", where="proba")
    return np.minimum(array, 1.0)


def _of_classes(
    truth: np.ndarray, predicted: np.ndarray, n_classes: int, code: int | None
) -> dict[str, float | str]:
    """Accuracy and F1; a class neither there nor predicted has F1 0, as in scikit-learn."""
    hits = np.bincount(truth[truth == predicted], minlength=n_classes)
    sizes = np.bincount(truth, minlength=n_classes) + np.bincount(predicted, minlength=n_classes)
    f1 = 2 * hits / np.maximum(sizes, 1)
    return {
        "accuracy": hits.sum() / len(truth),
        "f1_macro": f1.mean(),
        "f1_positive": _NO_POSITIVE if code is None else f1[code],
    }


def _of_probabilities(
    truth: np.ndarray, proba: np.ndarray | None, code: int | None
) -> dict[str, float | str]:
    """AUC, Brier score, log loss, calibration."""
    if proba is None:
        return dict.fromkeys(("auc", "brier", "log_loss", "calibration_error"), _NO_PROBABILITIES)
    n_rows, n_classes = proba.shape
    hot = np.eye(n_classes, dtype=bool)[truth]
    if n_classes == 2:
        column = 1 if code is None else code
        aucs = [ranked_auc(proba[:, column], hot[:, column])]
        scores, happened = proba[:, column], hot[:, column]
    else:
        aucs = [ranked_auc(proba[:, c], hot[:, c]) for c in range(n_classes)]
        best = proba.argmax(axis=1)
        scores, happened = proba[np.arange(n_rows), best], best == truth
    known = [auc for auc in aucs if auc is not None]
    tiny = np.finfo(np.float64).eps
    squares = ((proba - hot) ** 2).sum(axis=1).mean()
    return {
        "auc": float(np.mean(known)) if len(known) == len(aucs) else "a class has no rows here",
        "brier": squares / 2 if n_classes == 2 else squares,
        "log_loss": -np.log(np.clip(proba[np.arange(n_rows), truth], tiny, 1)).mean(),
        "calibration_error": calibration_error(scores, happened),
    }


def _of_decisions(
    truth: np.ndarray,
    predicted: np.ndarray,
    proba: np.ndarray | None,
    code: int | None,
    threshold: float,
) -> dict[str, float | str]:
    """Sensitivity, specificity and precision of probability >= threshold."""
    names = ("sensitivity", "specificity", "precision", "disagreements")
    if proba is None or code is None:
        return dict.fromkeys(names, _NO_PROBABILITIES if proba is None else _NO_POSITIVE)
    positive, flagged = truth == code, proba[:, code] >= threshold
    hits, n_positive, n_flagged = (int(x.sum()) for x in (positive & flagged, positive, flagged))
    n_negative = len(truth) - n_positive
    return {
        "sensitivity": hits / n_positive if n_positive else "there are no positive rows",
        "specificity": 1 - (n_flagged - hits) / n_negative
        if n_negative
        else "there are no negative rows",
        "precision": hits / n_flagged if n_flagged else "no row reaches the threshold",
        "disagreements": np.mean(flagged != (predicted == code)),
    }
