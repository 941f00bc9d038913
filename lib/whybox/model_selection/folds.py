"""One model on one fold: a pure function that any executor can run."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from whybox.model_selection.metrics import evaluate
from whybox.model_selection.registry import make_model
from whybox.model_selection.splitters import Fold

__all__ = ["FoldResult", "FoldTask", "beside", "fit_fold", "fit_model", "rows_of", "run_fold"]


@dataclass(frozen=True, eq=False)
class FoldTask:
    """What to fit, and on which rows.

    Attributes
    ----------
    model : str
        A name that `make_model` knows.
    fold : Fold
        Row indices.
    classes : tuple
        All labels of the target, sorted: the columns of the probabilities.
    seed : int
    params : mapping
        The model's parameters, where they differ from the defaults.
    positive : label, optional
    threshold : float, default 0.5
        Of the decisions that sensitivity, specificity and precision judge.

    Examples
    --------
    >>> FoldTask("majority", Fold(0, np.array([1]), np.array([0])), ("n", "y")).seed
    0
    """

    model: str
    fold: Fold
    classes: tuple[Any, ...]
    seed: int = 0
    params: Mapping[str, Any] = field(default_factory=dict)
    positive: Any = None
    threshold: float = 0.5


@dataclass(frozen=True, eq=False)
class FoldResult:
    """What a model said of rows that it had not seen.

    Attributes
    ----------
    model : str
    fold : int
    test : int64 array of shape (n_test,)
        Row indices.
    n_train : int
    y_pred : array of shape (n_test,)
    proba : float64 array of shape (n_test, n_classes), or None
        None if the model gives no probabilities.
    metrics : dict
        From `evaluate`.
    fit_seconds, predict_seconds : float
        Wall time: the only figures that differ between two runs.

    Examples
    --------
    >>> FoldResult("m", 0, np.array([3]), 9, np.array(["y"]), None, {}, 0.1, 0.0).n_train
    9
    """

    model: str
    fold: int
    test: np.ndarray
    n_train: int
    y_pred: np.ndarray
    proba: np.ndarray | None
    metrics: dict[str, Any]
    fit_seconds: float
    predict_seconds: float


def run_fold(
    task: FoldTask,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    columns: np.ndarray | None = None,
) -> FoldResult:
    """Fit on the fold's train rows, predict its test rows.

    BLAS and OpenMP get one thread meanwhile: folds are what runs side by side, and the last bits
    of a sum must not depend on the machine's cores.

    Parameters
    ----------
    task : FoldTask
    X : array or DataFrame of shape (n_rows, n_features)
        All rows; the fold's are taken from it, its float type kept.
    y : array of shape (n_rows,)
    sample_weight : array of shape (n_rows,), optional
        Used in the fit; the metrics count each row once.
    columns : array of shape (n_rows, n_more), optional
        More features of all rows, fitted on this fold's train rows.

    Returns
    -------
    FoldResult

    Raises
    ------
    InputError
        If the model is unknown or not installed, or the rows are refused.

    Examples
    --------
    >>> fold = Fold(0, np.array([0, 1, 2]), np.array([3, 4]))
    >>> task = FoldTask("majority", fold, ("no", "yes"))
    >>> result = run_fold(task, np.zeros((5, 1)), np.array(["no", "no", "yes", "no", "yes"]))
    >>> result.y_pred.tolist(), result.metrics["accuracy"]
    (['no', 'no'], 0.5)
    """
    return fit_fold(task, beside(X, columns), y, sample_weight)[1]


def fit_fold(task: FoldTask, X: Any, y: Any, sample_weight: Any = None) -> tuple[Any, FoldResult]:
    """Do as `run_fold`, and give the fitted model too.

    Parameters
    ----------
    task, X, y, sample_weight
        As for `run_fold`.

    Returns
    -------
    classifier, FoldResult

    Raises
    ------
    InputError
        As `run_fold`.

    Examples
    --------
    >>> task = FoldTask("majority", Fold(0, np.array([0, 1]), np.array([2])), ("no", "yes"))
    >>> model, _ = fit_fold(task, np.zeros((3, 1)), np.array(["no", "yes", "no"]))
    >>> model.prevalence_
    array([0.5, 0.5])
    """
    y, fold = np.asarray(y), task.fold
    weight = None if sample_weight is None else np.asarray(sample_weight)[fold.train]
    model = make_model(task.model, task.seed, **task.params)
    with threadpool_limits(1):
        started = time.perf_counter()
        fit_model(model, rows_of(X, fold.train), y[fold.train], weight)
        fitted = time.perf_counter()
        unseen = rows_of(X, fold.test)
        y_pred = np.asarray(model.predict(unseen))
        proba = _probabilities(model, unseen, task.classes)
        done = time.perf_counter()
    metrics = evaluate(
        y[fold.test], y_pred, proba, task.classes, task.positive, threshold=task.threshold
    )
    return model, FoldResult(
        model=task.model,
        fold=fold.number,
        test=fold.test,
        n_train=len(fold.train),
        y_pred=y_pred,
        proba=proba,
        metrics=metrics,
        fit_seconds=fitted - started,
        predict_seconds=done - fitted,
    )


def fit_model(model: Any, X: Any, y: np.ndarray, sample_weight: np.ndarray | None = None) -> Any:
    """Fit a model, its weights handed to the last step if it is a pipeline.

    Parameters
    ----------
    model : classifier or Pipeline
    X : array or DataFrame of shape (n_rows, n_features)
    y : array of shape (n_rows,)
    sample_weight : array of shape (n_rows,), optional

    Returns
    -------
    the model, fitted

    Examples
    --------
    >>> fit_model(make_model("majority", 0), [[0], [0]], np.array(["a", "b"]), [1, 3]).prevalence_
    array([0.25, 0.75])
    """
    if sample_weight is None:
        return model.fit(X, y)
    steps = getattr(model, "steps", None)
    prefix = f"{steps[-1][0]}__" if steps else ""
    return model.fit(X, y, **{f"{prefix}sample_weight": sample_weight})


def beside(X: Any, columns: np.ndarray | None) -> Any:
    """Put more columns beside a matrix.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
    columns : array of shape (n_rows, n_more), or None

    Returns
    -------
    array of shape (n_rows, n_features + n_more)
        X itself if there are no more columns.

    Examples
    --------
    >>> beside(np.array([[1.0], [2.0]]), np.array([[3.0], [4.0]])).tolist()
    [[1.0, 3.0], [2.0, 4.0]]
    """
    return X if columns is None else np.hstack([X, columns])


def rows_of(X: Any, rows: np.ndarray) -> Any:
    """Take rows of an array or a data frame.

    Parameters
    ----------
    X : array or DataFrame of shape (n_rows, n_features)
    rows : int array

    Returns
    -------
    the same kind as X

    Examples
    --------
    >>> rows_of(np.array([[1], [2], [3]]), np.array([2, 0])).ravel()
    array([3, 1])
    """
    return X.iloc[rows] if hasattr(X, "iloc") else np.asarray(X)[rows]


def _probabilities(model: Any, X: Any, classes: tuple[Any, ...]) -> np.ndarray | None:
    """Probabilities with a column for each class, also for one that the model has not seen."""
    if not hasattr(model, "predict_proba"):
        return None
    given = np.asarray(model.predict_proba(X), dtype=np.float64)
    columns = {label: column for column, label in enumerate(model.classes_.tolist())}
    proba = np.zeros((len(given), len(classes)))
    for position, label in enumerate(classes):
        if label in columns:
            proba[:, position] = given[:, columns[label]]
    return proba
