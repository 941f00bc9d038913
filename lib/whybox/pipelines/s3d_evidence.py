"""What cross-validation says of a decomposition, with everything that is chosen nested inside.

Penalty and number of features are chosen for each outer fold by inner folds of its train rows, and
once more on all rows for the model that is kept. Peers see the same folds, words as columns of 0
and 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from whybox.graph.folds import cross_validate
from whybox.graph.s3d_tuning import Tuned, run_folds, tune_parts
from whybox.graph.session import Session
from whybox.model_selection import Fold, FoldResult, FoldTask, choose_threshold, make_splitter, pool
from whybox.model_selection.grids import inner_folds
from whybox.model_selection.regression import run_outcome_fold
from whybox.model_selection.s3d_tuning import run_decided_fold
from whybox.pipelines.columns import one_hot
from whybox.pipelines.dataset import Dataset
from whybox.pipelines.training import OWN

__all__ = ["S3DEvidence", "S3DQuestion", "gather_classes", "gather_outcomes"]

NAME = "s3d"
CLASS_PEERS = ("tree", "logistic", "hist-gradient-boosting", "majority")
OUTCOME_PEERS = ("tree", "ridge", "hist-gradient-boosting", "mean")
_INNER = 3  # folds on whose scores a threshold is chosen


@dataclass(frozen=True, eq=False)
class S3DQuestion:
    """What is to be found out.

    Attributes
    ----------
    estimator : S3DClassifier or S3DRegressor
        Not fitted.
    data : Dataset
        The rows to learn from.
    y : array of shape (n_rows,)
        Classes as str, or float64 outcomes.
    folds : tuple of Fold
        None with ``--cv 0``.
    penalties : sequence of float
        To choose from; empty: the estimator's parameters are taken.
    rule : {"best", "one_se"}
    threshold : str
        ``auto``, a number, or how to choose one.
    seed : int
    """

    estimator: Any
    data: Dataset
    y: np.ndarray
    folds: tuple[Fold, ...]
    penalties: Sequence[float] = ()
    rule: str = "best"
    threshold: str = OWN
    seed: int = 0

    def frame(self) -> Any:
        """The rows with their features, words as they are."""
        return self.data.frame()

    @property
    def leaf(self) -> dict[str, Any]:
        """What a tree is given, to be as coarse: rows a leaf."""
        return {"min_samples_leaf": max(1, int(self.estimator.min_samples))}


@dataclass(frozen=True, eq=False)
class S3DEvidence:
    """What was found.

    Attributes
    ----------
    model : S3DClassifier or S3DRegressor
        Fitted to all rows.
    results : sequence of FoldResult
        Of it and its peers on every fold.
    search : mapping, optional
        How penalty and number of features were chosen, for the card.
    thresholds : sequence of float
        Chosen in inner folds, fold by fold.
    """

    model: Any
    results: Sequence[FoldResult] = ()
    search: Mapping[str, Any] | None = None
    thresholds: Sequence[float] = field(default=())


def gather_classes(session: Session, question: S3DQuestion, positive: str | None) -> S3DEvidence:
    """Tune, cross-validate and fit for classes.

    Parameters
    ----------
    session : Session
    question : S3DQuestion
    positive : str or None

    Returns
    -------
    S3DEvidence

    Raises
    ------
    InputError
        If a class has too few rows or groups for the folds.
    """
    y, frame = question.y, question.frame()
    classes = tuple(np.unique(y).tolist())
    params, search, model = _chosen(session, question, frame)
    tasks = [
        FoldTask(NAME, fold, classes, question.seed, given, positive)
        for fold, given in zip(question.folds, params, strict=True)
    ]
    if not tasks:
        return S3DEvidence(model, (), search)
    thresholds: list[float] = []
    if positive is None or len(classes) != 2:
        found = cross_validate(session, tasks, frame, y)
    elif question.threshold == OWN:
        found = run_folds(session, run_decided_fold, tasks, frame, y)
    else:
        thresholds = _thresholds(session, question, tasks, frame)
        found = cross_validate(session, _at(tasks, thresholds), frame, y)
    peers = [
        FoldTask(name, fold, classes, question.seed, _peer(name, question), positive)
        for name in CLASS_PEERS
        for fold in question.folds
    ]
    numbers = one_hot(question.data.X, question.data.categories)
    found += cross_validate(session, peers, numbers, y)
    return S3DEvidence(model, found, search, thresholds if _chooses(question) else ())


def gather_outcomes(session: Session, question: S3DQuestion) -> S3DEvidence:
    """Tune, cross-validate and fit for real outcomes.

    Parameters
    ----------
    session : Session
    question : S3DQuestion

    Returns
    -------
    S3DEvidence

    Raises
    ------
    InputError
        If there are too few rows or groups for the folds.
    """
    y, frame = question.y, question.frame()
    params, search, model = _chosen(session, question, frame)
    if not question.folds:
        return S3DEvidence(model, (), search)
    tasks = [
        FoldTask(NAME, fold, (), question.seed, given)
        for fold, given in zip(question.folds, params, strict=True)
    ]
    peers = [
        FoldTask(name, fold, (), question.seed, _peer(name, question))
        for name in OUTCOME_PEERS
        for fold in question.folds
    ]
    found = run_folds(session, run_outcome_fold, tasks, frame, y)
    numbers = one_hot(question.data.X, question.data.categories)
    return S3DEvidence(
        model, found + run_folds(session, run_outcome_fold, peers, numbers, y), search
    )


def _chosen(
    session: Session, question: S3DQuestion, frame: Any
) -> tuple[list[dict[str, Any]], dict[str, Any] | None, Any]:
    """Give each fold's parameters, how they were chosen, and the model of all rows."""
    from sklearn.base import clone

    given, model = question.estimator.get_params(), clone(question.estimator)
    if not question.penalties:
        return [given for _ in question.folds], None, model.fit(frame, question.y)
    every = np.arange(len(question.y))
    tuned = tune_parts(
        session, question.estimator, frame, question.y, None,
        [*(fold.train for fold in question.folds), every],
        penalties=question.penalties, seed=question.seed, groups=question.data.groups,
        rule=question.rule,
    )  # fmt: skip
    params = [{**given, **_of(each)} for each in tuned]
    model.set_params(**params[-1]).fit(frame, question.y)
    model.tuning_ = tuned[-1].surface
    return params[:-1], _search(question, tuned), model


def _of(tuned: Tuned) -> dict[str, Any]:
    return {"penalty": tuned.choice.penalty, "max_features": tuned.choice.n_features}


def _search(question: S3DQuestion, tuned: Sequence[Tuned]) -> dict[str, Any]:
    """How the parameters were chosen, with those of the folds counted."""
    score = "AUC" if hasattr(question.estimator, "predict_proba") else "R2"
    counts = Counter(
        f"penalty {each.choice.penalty:g}, {each.choice.n_features} features" for each in tuned[:-1]
    )
    return {
        "penalties": list(question.penalties),
        "chosen_by": f"{score} on 4 inner folds of the train rows, fold by fold; rule: "
        f"{question.rule}",
        "chosen": _of(tuned[-1]),
        "chosen_in_folds": dict(sorted(counts.items())),
    }


def _peer(name: str, question: S3DQuestion) -> dict[str, Any]:
    return question.leaf if name == "tree" else {}


def _chooses(question: S3DQuestion) -> bool:
    """Whether the threshold depends on scores."""
    return ":" in question.threshold or question.threshold == "youden"


def _at(tasks: Sequence[FoldTask], thresholds: Sequence[float]) -> list[FoldTask]:
    return [replace(t, threshold=value) for t, value in zip(tasks, thresholds, strict=True)]


def _thresholds(
    session: Session, question: S3DQuestion, tasks: Sequence[FoldTask], frame: Any
) -> list[float]:
    """Choose each fold's threshold on scores of inner folds of its train rows."""
    if not _chooses(question):
        return [float(question.threshold)] * len(tasks)
    splitter, positive = make_splitter(_INNER, seed=question.seed), tasks[0].positive
    column = tasks[0].classes.index(positive)
    plan = [
        FoldTask(NAME, Fold(number, each.train, each.test), task.classes, task.seed, task.params)
        for at, task in enumerate(tasks)
        for number, each in enumerate(
            inner_folds(task.fold, splitter, question.y, question.data.groups), at * _INNER
        )
    ]
    results = cross_validate(session, plan, frame, question.y)
    found = []
    for at in range(len(tasks)):
        inside = pool(results[at * _INNER : (at + 1) * _INNER], NAME)
        assert inside.proba is not None
        spec = _scaled(question.threshold, len(inside.rows), len(question.y))
        truth = question.y[inside.rows] == positive
        found.append(choose_threshold(spec, inside.proba[:, column], truth).value)
    return found


def _scaled(spec: str, n_rows: int, n_all: int) -> str:
    """A capacity of all rows is as large a part of fewer rows."""
    kind, _, argument = spec.partition(":")
    if kind == "capacity" and argument.isdigit():
        return f"capacity:{int(argument) * n_rows // n_all}"
    return spec
