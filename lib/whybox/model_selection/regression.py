"""Real-valued outcomes: folds, a model on a fold, figures, and the peers of S3DRegressor."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from whybox.errors import InputError
from whybox.model_selection.folds import FoldResult, FoldTask, rows_of
from whybox.model_selection.intervals import Interval, drawn_weights, percentiles
from whybox.model_selection.registry import make_regressor
from whybox.model_selection.splitters import Fold, Splitter

__all__ = [
    "OUTCOME_METRICS",
    "outcome_figures",
    "regression_folds",
    "resampled_outcomes",
    "run_outcome_fold",
    "scaled_ridge",
    "summarise_outcomes",
]

OUTCOME_METRICS = ("r2", "mae", "rmse")


def outcome_figures(truth: np.ndarray, answer: np.ndarray) -> dict[str, float | None]:
    """Judge predicted numbers.

    Parameters
    ----------
    truth, answer : float64 arrays of shape (n_rows,)

    Returns
    -------
    dict
        ``r2`` (1 - SSE / SST about the mean of these rows; None if they are all equal), ``mae``
        and ``rmse`` in the outcome's units.

    Examples
    --------
    >>> outcome_figures(np.array([0.0, 2.0]), np.array([0.0, 1.0]))["r2"]
    0.5
    """
    errors = truth - answer
    squares = math.fsum((errors * errors).tolist())
    spread = math.fsum(((truth - truth.mean()) ** 2).tolist())
    return {
        "r2": 1 - squares / spread if spread > 0 else None,
        "mae": math.fsum(np.abs(errors).tolist()) / len(truth),
        "rmse": math.sqrt(squares / len(truth)),
    }


def resampled_outcomes(
    truth: np.ndarray,
    answer: np.ndarray,
    people: np.ndarray | None = None,
    *,
    n_draws: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> dict[str, Interval | None]:
    """Give figures with intervals by the percentile bootstrap, people drawn with replacement.

    Parameters
    ----------
    truth, answer : float64 arrays of shape (n_rows,)
        At least one row.
    people : array of shape (n_rows,), optional
        Whose row it is; by default each row is somebody's own.
    n_draws : int, default 1000
    seed : int, default 0
    level : float, default 0.95

    Returns
    -------
    dict of str to Interval or None
        By `OUTCOME_METRICS`; None where a figure is not defined.

    Examples
    --------
    >>> truth = np.arange(20.0)
    >>> resampled_outcomes(truth, truth + 1, n_draws=50)["mae"]
    Interval(value=1.0, low=1.0, high=1.0)
    """
    errors, middle = np.abs(truth - answer), truth - truth.mean()
    drawn: dict[str, list[float | None]] = {name: [] for name in OUTCOME_METRICS}
    for weight in drawn_weights(people, len(truth), n_draws, seed):
        total = weight.sum()
        squares = float(np.sum(weight * errors * errors))
        mean = np.sum(weight * middle) / total
        spread = float(np.sum(weight * (middle - mean) ** 2))
        drawn["r2"].append(1 - squares / spread if spread > 0 else None)
        drawn["mae"].append(float(np.sum(weight * errors) / total))
        drawn["rmse"].append(math.sqrt(squares / total))
    found = outcome_figures(truth, answer)
    return {name: percentiles(found[name], drawn[name], level) for name in OUTCOME_METRICS}


def run_outcome_fold(task: FoldTask, X: Any, y: np.ndarray) -> FoldResult:
    """Fit on the fold's train rows, predict its test rows, on one thread.

    Parameters
    ----------
    task : FoldTask
        ``model`` as `make_regressor` knows it; classes, positive and threshold are not used.
    X : array or DataFrame of shape (n_rows, n_features)
    y : float64 array of shape (n_rows,)

    Returns
    -------
    FoldResult
        Without probabilities; metrics from `outcome_figures`.

    Examples
    --------
    >>> fold = Fold(0, np.array([0, 1]), np.array([2, 3]))
    >>> result = run_outcome_fold(FoldTask("mean", fold, ()), np.zeros((4, 1)), np.arange(4.0))
    >>> result.y_pred.tolist(), result.metrics["mae"]
    ([0.5, 0.5], 2.0)
    """
    fold = task.fold
    model = make_regressor(task.model, task.seed, **task.params)
    with threadpool_limits(1):
        started = time.perf_counter()
        model.fit(rows_of(X, fold.train), y[fold.train])
        fitted = time.perf_counter()
        answer = np.asarray(model.predict(rows_of(X, fold.test)), dtype=np.float64)
        done = time.perf_counter()
    return FoldResult(
        model=task.model,
        fold=fold.number,
        test=fold.test,
        n_train=len(fold.train),
        y_pred=answer,
        proba=None,
        metrics=outcome_figures(y[fold.test], answer),
        fit_seconds=fitted - started,
        predict_seconds=done - fitted,
    )


def regression_folds(splitter: Splitter, y: np.ndarray, groups: Any = None) -> tuple[Fold, ...]:
    """Split rows of real outcomes, which there is nothing to stratify by.

    Parameters
    ----------
    splitter : Splitter
        How many folds, how large, with which seed.
    y : array of shape (n_rows,)
    groups : array of shape (n_rows,), optional
        Rows of one group stay on one side of each fold.

    Returns
    -------
    tuple of Fold

    Raises
    ------
    InputError
        If there are too few rows (two a fold) or groups (one a fold).

    Examples
    --------
    >>> [fold.test.tolist() for fold in regression_folds(Splitter(2), np.arange(4.0))]
    [[2, 3], [0, 1]]
    """
    from sklearn.model_selection import GroupKFold, GroupShuffleSplit, KFold, ShuffleSplit

    n_folds, share, seed = splitter.n_folds, splitter.test_share, splitter.seed
    if n_folds == 0:
        return ()
    n_units = len(y) // 2 if groups is None else len(np.unique(np.asarray(groups)))
    if n_units < (n_folds if share is None else 2):
        raise InputError(
            f"{n_folds} folds of {len(y)} rows",
            where="--cv",
            remedy="ask for fewer folds: two rows a fold, and a group a fold at least",
        )
    kind: Any
    if share is None:
        kind = KFold if groups is None else GroupKFold
        parts = kind(n_folds, shuffle=True, random_state=seed)
    else:
        kind = ShuffleSplit if groups is None else GroupShuffleSplit
        parts = kind(n_folds, test_size=share, random_state=seed)
    splits = parts.split(np.zeros(len(y)), groups=groups)
    return tuple(
        Fold(number, np.sort(train), np.sort(test)) for number, (train, test) in enumerate(splits)
    )


def summarise_outcomes(results: Sequence[FoldResult]) -> list[dict[str, Any]]:
    """Make one row a model, as `whybox.model_selection.summarise` does for classes.

    Parameters
    ----------
    results : sequence of FoldResult

    Returns
    -------
    list of dict
        ``model``, ``n_folds``, and for each of `OUTCOME_METRICS` its mean and sd (with n - 1) over
        the folds where it is defined; None where there are too few.

    Examples
    --------
    >>> fold = Fold(0, np.array([0, 1]), np.array([2, 3]))
    >>> result = run_outcome_fold(FoldTask("mean", fold, ()), np.zeros((4, 1)), np.arange(4.0))
    >>> summarise_outcomes([result])[0]["mae_mean"]
    2.0
    """
    table = []
    for model in dict.fromkeys(result.model for result in results):
        folds = [result for result in results if result.model == model]
        row: dict[str, Any] = {"model": model, "n_folds": len(folds)}
        for name in OUTCOME_METRICS:
            known = [r.metrics[name] for r in folds if r.metrics[name] is not None]
            row[f"{name}_mean"] = math.fsum(known) / len(known) if known else None
            row[f"{name}_sd"] = float(np.std(known, ddof=1)) if len(known) > 1 else None
        table.append(row)
    return table


def scaled_ridge(**params: Any) -> Any:
    """Make a ridge regression on standardised features, missing values at the median.

    Parameters
    ----------
    **params
        Of scikit-learn's ``Ridge``.

    Returns
    -------
    Pipeline
        Steps ``impute``, ``scale``, ``ridge``.

    Examples
    --------
    >>> scaled_ridge(alpha=2.0).named_steps["ridge"].alpha
    2.0
    """
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import StandardScaler

    return Pipeline(
        [
            ("impute", SimpleImputer(strategy="median", keep_empty_features=True)),
            ("scale", StandardScaler()),
            ("ridge", Ridge(**params)),
        ]
    )
