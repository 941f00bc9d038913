"""Tuning of decompositions on a session: the rows are sent once, a penalty and a fold is a task."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from whybox.errors import InputError
from whybox.graph.session import Session
from whybox.model_selection.folds import FoldResult, FoldTask
from whybox.model_selection.s3d_tuning import (
    PENALTIES,
    RULES,
    Choice,
    choose_from_surface,
    staged_scores,
    tuning_folds,
    tuning_surface,
)
from whybox.model_selection.splitters import Fold

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Tuned", "TunedFold", "nested_tuning", "run_folds", "tune", "tune_parts"]

Model = TypeVar("Model")


class Tuned(NamedTuple):
    """What tuning chose on some rows, and the surface it chose from.

    Examples
    --------
    >>> Tuned(Choice(0.001, 2), None).choice.n_features
    2
    """

    choice: Choice
    surface: pd.DataFrame


class TunedFold(NamedTuple):
    """What tuning chose on the train rows of a fold, and how that does on its test rows.

    Examples
    --------
    >>> TunedFold(Choice(0.001, 2), 0.8, None).score
    0.8
    """

    choice: Choice
    score: float
    surface: pd.DataFrame


def tune(
    session: Session,
    estimator: Model,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    penalties: Sequence[float] = PENALTIES,
    n_folds: int = 4,
    seed: int = 0,
    groups: Any = None,
    rule: str = "best",
) -> Model:
    """Choose penalty and number of features by cross-validation, and fit all rows with them.

    Parameters
    ----------
    session : Session
    estimator : S3DClassifier or S3DRegressor
        Is left as it is; its ``max_features``, if any, bounds the number.
    X : array-like or DataFrame (rows, features)
    y : array-like (rows,)
    sample_weight : array-like (rows,), optional
    penalties : sequence of float, default (3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5)
        The paper's.
    n_folds : int, default 4
    seed : int, default 0
        Of the folds.
    groups : array-like (rows,), optional
        Rows of a group stay on one side of each fold.
    rule : {"best", "one_se"}, default "best"
        See `whybox.model_selection.s3d_tuning.choose_from_surface`.

    Returns
    -------
    estimator
        A fitted copy; ``tuning_`` is the surface, a DataFrame with means and standard deviations.

    Raises
    ------
    InputError
        If an argument is malformed, or the rows do not do for so many folds.

    Examples
    --------
    >>> from whybox.graph import connect
    >>> from whybox.s3d import S3DClassifier
    >>> X, y = np.tile(np.arange(4.0), 50)[:, None], np.tile([0, 0, 1, 1], 50)
    >>> with connect("sync") as session:
    ...     model = tune(session, S3DClassifier(), X, y, penalties=[0.1, 0.01])
    >>> model.penalty, model.max_features, model.tuning_["mean"].tolist()
    (0.1, 1, [1.0, 1.0])
    """
    from sklearn.base import clone

    X, y, weight, groups = _plain(X, y, sample_weight, groups)
    rows = [np.arange(len(y))]
    found = tune_parts(
        session, estimator, X, y, weight, rows,
        penalties=penalties, n_folds=n_folds, seed=seed, groups=groups, rule=rule,
    )[0]  # fmt: skip
    model: Any = clone(estimator)
    model.set_params(penalty=found.choice.penalty, max_features=found.choice.n_features)
    model.fit(X, y, weight)
    model.tuning_ = found.surface
    return model  # type: ignore[no-any-return]


def tune_parts(
    session: Session,
    estimator: Any,
    X: Any,
    y: np.ndarray,
    sample_weight: np.ndarray | None,
    parts: Sequence[np.ndarray],
    *,
    penalties: Sequence[float] = PENALTIES,
    n_folds: int = 4,
    seed: int = 0,
    groups: np.ndarray | None = None,
    rule: str = "best",
) -> list[Tuned]:
    """Choose penalty and number of features on each of several sets of rows, all side by side.

    Parameters
    ----------
    session, estimator, X, y, sample_weight, penalties, n_folds, seed, groups, rule
        As `tune` takes them.
    parts : sequence of int64 arrays
        Rows: the train rows of outer folds, all rows.

    Returns
    -------
    list of Tuned
        One a part; no other row took part in its choice.

    Examples
    --------
    >>> from whybox.graph import connect
    >>> from whybox.s3d import S3DRegressor
    >>> X, y = np.tile(np.arange(4.0), 50)[:, None], np.tile([0.0, 0.0, 1.0, 1.0], 50)
    >>> with connect("sync") as session:
    ...     found = tune_parts(
    ...         session, S3DRegressor(), X, y, None, [np.arange(150)], penalties=[0.01]
    ...     )
    >>> found[0].choice
    Choice(penalty=0.01, n_features=1)
    """
    inner = []
    for rows in parts:
        inside = None if groups is None else groups[rows]
        folds = tuning_folds(estimator, y[rows], n_folds, seed, inside)
        inner.append([Fold(f.number, rows[f.train], rows[f.test]) for f in folds])
    surfaces = _surfaces(session, estimator, X, y, sample_weight, inner, penalties, rule)
    return [Tuned(choose_from_surface(surface, rule), surface) for surface in surfaces]


def nested_tuning(
    session: Session,
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    penalties: Sequence[float] = PENALTIES,
    n_outer: int = 5,
    n_folds: int = 4,
    seed: int = 0,
    groups: Any = None,
    rule: str = "best",
) -> list[TunedFold]:
    """Tune on the train rows of each outer fold, and score its test rows with what was chosen.

    Parameters
    ----------
    session : Session
    estimator, X, y, sample_weight, penalties, n_folds, seed, groups, rule
        As `tune` takes them.
    n_outer : int, default 5

    Returns
    -------
    list of TunedFold

    Examples
    --------
    >>> from whybox.graph import connect
    >>> from whybox.s3d import S3DRegressor
    >>> X, y = np.tile(np.arange(4.0), 50)[:, None], np.tile([0.0, 0.0, 1.0, 1.0], 50)
    >>> with connect("sync") as session:
    ...     found = nested_tuning(session, S3DRegressor(), X, y, penalties=[0.01], n_outer=2)
    >>> [(fold.choice.n_features, fold.score) for fold in found]
    [(1, 1.0), (1, 1.0)]
    """
    X, y, weight, groups = _plain(X, y, sample_weight, groups)
    outer = tuning_folds(estimator, y, n_outer, seed, groups)
    found = tune_parts(
        session, estimator, X, y, weight, [fold.train for fold in outer],
        penalties=penalties, n_folds=n_folds, seed=seed, groups=groups, rule=rule,
    )  # fmt: skip
    jobs = [(each.choice.penalty, fold) for each, fold in zip(found, outer, strict=True)]
    stages = _staged(session, estimator, X, y, weight, jobs, "scoring what was chosen")
    return [
        TunedFold(choice, stage[min(choice.n_features, len(stage)) - 1], surface)
        for (choice, surface), stage in zip(found, stages, strict=True)
    ]


def run_folds(
    session: Session,
    work: Callable[[FoldTask, Any, np.ndarray], FoldResult],
    tasks: Sequence[FoldTask],
    X: Any,
    y: np.ndarray,
) -> list[FoldResult]:
    """Run models on folds, in a way of one's own.

    Parameters
    ----------
    session : Session
    work : callable
        A function of a module: of the task, the rows and their outcomes.
    tasks : sequence of FoldTask
    X : array or DataFrame of shape (n_rows, n_features)
    y : array of shape (n_rows,)

    Returns
    -------
    list of FoldResult
        In the order of ``tasks``.

    Examples
    --------
    >>> from whybox.graph import connect
    >>> from whybox.model_selection.regression import run_outcome_fold
    >>> task = FoldTask("mean", Fold(0, np.array([0, 1]), np.array([2, 3])), ())
    >>> with connect("sync") as session:
    ...     found = run_folds(session, run_outcome_fold, [task], np.zeros((4, 1)), np.arange(4.0))
    >>> found[0].y_pred.tolist()
    [0.5, 0.5]
    """
    from dask.delayed import delayed

    there, run = (session.share(X), session.share(y)), delayed(work, pure=False)
    label = f"cross-validating {len({task.model for task in tasks})} models"
    return session.compute([run(task, *there) for task in tasks], label)


def _surfaces(
    session: Session,
    estimator: Any,
    X: Any,
    y: np.ndarray,
    weight: np.ndarray | None,
    sets: Sequence[Sequence[Fold]],
    penalties: Sequence[float],
    rule: str,
) -> list[pd.DataFrame]:
    """Give the surface of each set of folds; all of their fits run side by side."""
    if rule not in RULES:
        raise InputError(f"rule is {rule!r}", remedy=f"use one of {', '.join(RULES)}")
    if not penalties or len(set(penalties)) < len(penalties):
        raise InputError(f"penalties are {penalties!r}", remedy="give at least one, each once")
    plan = [(at, p, fold) for at, folds in enumerate(sets) for p in penalties for fold in folds]
    label = f"trying {len(penalties)} penalties"
    jobs = [(penalty, fold) for _, penalty, fold in plan]
    stages = _staged(session, estimator, X, y, weight, jobs, label)
    scores: list[dict[tuple[float, int], list[float]]] = [{} for _ in sets]
    for (at, penalty, fold), found in zip(plan, stages, strict=True):
        scores[at][float(penalty), fold.number] = found
    return [tuning_surface(each) for each in scores]


def _staged(
    session: Session,
    estimator: Any,
    X: Any,
    y: np.ndarray,
    weight: np.ndarray | None,
    jobs: Sequence[tuple[float, Fold]],
    label: str,
) -> list[list[float]]:
    """Run fits as tasks."""
    from dask.delayed import delayed
    from sklearn.base import clone

    there = session.share(X), session.share(y), None if weight is None else session.share(weight)
    run, blank = delayed(staged_scores, pure=False), clone(estimator)
    return session.compute([run(blank, *job, *there) for job in jobs], label)


def _plain(X: Any, y: Any, weight: Any, groups: Any) -> tuple[Any, Any, Any, Any]:
    """Make arrays of what can be indexed by rows; a DataFrame stays one."""
    X = X if hasattr(X, "iloc") else np.asarray(X)
    y, weight, groups = (None if each is None else np.asarray(each) for each in (y, weight, groups))
    for name, each in (("y", y), ("sample_weight", weight), ("groups", groups)):
        if each is not None and len(each) != len(X):
            raise InputError(f"{name} has {len(each)} values, X has {len(X)} rows")
    return X, y, weight, groups
