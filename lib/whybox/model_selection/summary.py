"""From folds to a table: means, spreads, pooled predictions and paired differences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from whybox.errors import InputError
from whybox.model_selection.folds import FoldResult
from whybox.model_selection.metrics import METRICS

__all__ = [
    "Pooled",
    "corrected_interval",
    "corrected_t_test",
    "paired_differences",
    "pool",
    "summarise",
]


@dataclass(frozen=True, eq=False)
class Pooled:
    """One model's predictions for rows that it had not seen, of all folds together.

    Attributes
    ----------
    rows : int64 array of shape (n,)
        Row indices, ascending; K folds hold each row once, repeated shuffles any number of times.
    y_pred : array of shape (n,)
    proba : float64 array of shape (n, n_classes), or None

    Examples
    --------
    >>> Pooled(np.array([0]), np.array(["y"]), None).rows
    array([0])
    """

    rows: np.ndarray
    y_pred: np.ndarray
    proba: np.ndarray | None


def summarise(results: Sequence[FoldResult]) -> list[dict[str, Any]]:
    """Make one row a model.

    Parameters
    ----------
    results : sequence of FoldResult
        In any order.

    Returns
    -------
    list of dict
        Models in the order of their first result; ``model``, ``n_folds``, and for each of
        `METRICS`, ``fit_seconds`` and ``predict_seconds`` a ``..._mean`` and a ``..._sd`` (with
        n - 1) over the folds where it is defined; None where that is no fold (sd: fewer than two).

    Raises
    ------
    InputError
        If a model has one fold twice.

    Examples
    --------
    >>> def result(fold, accuracy):
    ...     metrics = dict.fromkeys(METRICS) | {"accuracy": accuracy}
    ...     return FoldResult("m", fold, np.array([fold]), 1, np.array([0]), None, metrics, 1.0, 0.0)
    >>> row = summarise([result(0, 0.5), result(1, 0.75)])[0]
    >>> row["accuracy_mean"], round(row["accuracy_sd"], 4), row["auc_mean"]
    (0.625, 0.1768, None)
    """
    table = []
    for model in dict.fromkeys(result.model for result in results):
        folds = _of_model(results, model)
        row: dict[str, Any] = {"model": model, "n_folds": len(folds)}
        for name in METRICS:
            row |= _moments(name, [result.metrics[name] for result in folds])
        row |= _moments("fit_seconds", [result.fit_seconds for result in folds])
        row |= _moments("predict_seconds", [result.predict_seconds for result in folds])
        table.append(row)
    return table


def pool(results: Sequence[FoldResult], model: str) -> Pooled:
    """Put a model's out-of-fold predictions together.

    Parameters
    ----------
    results : sequence of FoldResult
        Of any models, in any order.
    model : str

    Returns
    -------
    Pooled
        Sorted by row, then by fold.

    Raises
    ------
    InputError
        If there is no result of this model.

    Examples
    --------
    >>> def result(fold, row):
    ...     return FoldResult("m", fold, np.array([row]), 1, np.array(["y"]), None, {}, 1.0, 0.0)
    >>> pool([result(0, 7), result(1, 3)], "m").rows
    array([3, 7])
    """
    folds = _of_model(results, model)
    if not folds:
        raise InputError(f"there is no result of the model {model!r}")
    rows = np.concatenate([result.test for result in folds])
    order = np.argsort(rows, kind="stable")
    probabilities = [result.proba for result in folds if result.proba is not None]
    complete = len(probabilities) == len(folds)
    return Pooled(
        rows[order],
        np.concatenate([result.y_pred for result in folds])[order],
        np.concatenate(probabilities)[order] if complete else None,
    )


def paired_differences(
    results: Sequence[FoldResult], reference: str, metric: str = "accuracy"
) -> list[dict[str, Any]]:
    """Compare each model with one of them, fold by fold.

    Parameters
    ----------
    results : sequence of FoldResult
        Every model on the same folds.
    reference : str
        The model that the others are held against.
    metric : str, default "accuracy"

    Returns
    -------
    list of dict
        One a model other than `reference`: ``model``, ``reference``, ``metric``, ``n_folds``
        (where both are defined), ``difference`` (mean of model - reference), ``t`` and ``p`` of
        `corrected_t_test`.

    Raises
    ------
    InputError
        If a model was not run on the reference's folds, or the metric is unknown.

    Examples
    --------
    >>> def result(model, fold, accuracy):
    ...     metrics = {"accuracy": accuracy}
    ...     return FoldResult(model, fold, np.array([fold]), 1, np.array([0]), None, metrics, 1.0, 0.0)
    >>> both = [result("a", 0, 0.5), result("a", 1, 0.5), result("b", 0, 1.0), result("b", 1, 0.5)]
    >>> paired_differences(both, "a")[0]["difference"]
    0.25
    """
    if metric not in METRICS:
        raise InputError(f"{metric!r} is none of {', '.join(METRICS)}")
    base = _of_model(results, reference)
    rows = []
    for model in dict.fromkeys(result.model for result in results):
        if model == reference:
            continue
        folds = _of_model(results, model)
        _check_same_folds(base, folds)
        pairs = [
            (b.metrics[metric] - a.metrics[metric], len(a.test) / a.n_train)
            for a, b in zip(base, folds, strict=True)
            if a.metrics[metric] is not None and b.metrics[metric] is not None
        ]
        differences = [difference for difference, _ in pairs]
        ratio = math.fsum(ratio for _, ratio in pairs) / len(pairs) if pairs else 0.0
        t, p = corrected_t_test(differences, ratio)
        mean = math.fsum(differences) / len(pairs) if pairs else None
        found = {"n_folds": len(pairs), "difference": mean, "t": t, "p": p}
        rows.append({"model": model, "reference": reference, "metric": metric, **found})
    return rows


def corrected_t_test(
    differences: Sequence[float], test_to_train: float
) -> tuple[float | None, float | None]:
    """Test whether paired differences over folds that share training rows are zero on average.

    Parameters
    ----------
    differences : sequence of float
        One a fold.
    test_to_train : float
        Test rows / train rows of a fold: 0.25 for 5 folds.

    Returns
    -------
    t, p : float or None
        The statistic and its two-sided p value with n - 1 degrees of freedom. None with fewer
        than two folds, or where the differences are equal in all folds but not zero.

    Notes
    -----
    t = mean / sqrt((1 / n + test_to_train) * variance): Nadeau and Bengio, "Inference for the
    generalization error" (2003). The plain t-test takes overlapping training sets for independent
    ones and finds differences where there are none.

    Examples
    --------
    >>> t, p = corrected_t_test([0.01, 0.02, 0.03, 0.02, 0.02], 0.25)
    >>> round(t, 4), round(p, 4)
    (4.2164, 0.0135)
    """
    from scipy.stats import t as student

    n = len(differences)
    if n < 2:
        return None, None
    mean = math.fsum(differences) / n
    variance = math.fsum((difference - mean) ** 2 for difference in differences) / (n - 1)
    if max(differences) - min(differences) < 1e-12:  # equal but for rounding
        return (0.0, 1.0) if abs(mean) < 1e-12 else (None, None)
    t = mean / math.sqrt((1 / n + test_to_train) * variance)
    return t, float(2 * student.sf(abs(t), n - 1))


def corrected_interval(
    values: Sequence[float], test_to_train: float, level: float = 0.95
) -> tuple[float, float] | None:
    """Give the interval of a mean over folds that share training rows.

    Parameters
    ----------
    values : sequence of float
        One a fold.
    test_to_train : float
        As for `corrected_t_test`, whose variance it takes (Nadeau and Bengio, 2003).
    level : float, default 0.95

    Returns
    -------
    low, high : float, or None
        None with fewer than two folds.

    Examples
    --------
    >>> low, high = corrected_interval([0.8, 0.9, 0.85], 0.5)
    >>> round(low, 3), round(high, 3)
    (0.654, 1.046)
    """
    from scipy.stats import t as student

    n = len(values)
    if n < 2:
        return None
    mean = math.fsum(values) / n
    variance = math.fsum((value - mean) ** 2 for value in values) / (n - 1)
    reach = float(student.ppf((1 + level) / 2, n - 1))
    reach *= math.sqrt((1 / n + test_to_train) * variance)
    return mean - reach, mean + reach


def _of_model(results: Sequence[FoldResult], model: str) -> list[FoldResult]:
    """One model's results by fold."""
    folds = sorted((r for r in results if r.model == model), key=lambda result: result.fold)
    if len({result.fold for result in folds}) < len(folds):
        raise InputError(f"the model {model!r} has one fold twice")
    return folds


def _check_same_folds(one: Sequence[FoldResult], other: Sequence[FoldResult]) -> None:
    """Refuse to pair what was not run on the same rows."""
    same = len(one) == len(other) and all(
        a.fold == b.fold and np.array_equal(a.test, b.test) for a, b in zip(one, other, strict=True)
    )
    if not one or not same:
        name = other[0].model if other else "?"
        raise InputError(
            f"{name!r} was not run on the same folds as what it is compared with",
            remedy="give all models the same splitter and seed",
        )


def _moments(name: str, values: Sequence[float | None]) -> dict[str, float | None]:
    """Mean and standard deviation of what is defined."""
    known = [value for value in values if value is not None]
    mean = math.fsum(known) / len(known) if known else None
    sd = None
    if mean is not None and len(known) > 1:
        sd = math.sqrt(math.fsum((value - mean) ** 2 for value in known) / (len(known) - 1))
    return {f"{name}_mean": mean, f"{name}_sd": sd}
