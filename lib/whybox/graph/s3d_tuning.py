"""Tuning of decompositions on a session: the rows are sent once, a penalty and a fold is a task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from whybox.errors import InputError
from whybox.graph.session import Session
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

__all__ = ["TunedFold", "nested_tuning", "tune"]

Model = TypeVar("Model")


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
    folds = tuning_folds(estimator, y, n_folds, seed, groups)
    surface = _surfaces(session, estimator, X, y, weight, [folds], penalties, rule)[0]
    choice = choose_from_surface(surface, rule)
    model: Any = clone(estimator)
    model.set_params(penalty=choice.penalty, max_features=choice.n_features)
    model.fit(X, y, weight)
    model.tuning_ = surface
    return model  # type: ignore[no-any-return]


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
    inner = []
    for fold in outer:
        inside = None if groups is None else groups[fold.train]
        found = tuning_folds(estimator, y[fold.train], n_folds, seed, inside)
        inner.append([Fold(f.number, fold.train[f.train], fold.train[f.test]) for f in found])
    surfaces = _surfaces(session, estimator, X, y, weight, inner, penalties, rule)
    choices = [choose_from_surface(surface, rule) for surface in surfaces]
    jobs = [(choice.penalty, fold) for choice, fold in zip(choices, outer, strict=True)]
    stages = _staged(session, estimator, X, y, weight, jobs, "scoring what was chosen")
    return [
        TunedFold(choice, found[min(choice.n_features, len(found)) - 1], surface)
        for choice, found, surface in zip(choices, stages, surfaces, strict=True)
    ]


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
