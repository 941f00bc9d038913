"""Nested cross-validation cut into trials: small values that any worker turns into small figures.

A `Problem` holds all that is large (the matrix, the folds as row indices) and is sent once; a
`Trial` says in a few words what to fit on it. What comes back is reduced where it was made: no
predictions, only figures that are JSON as they are.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from whybox.model_selection.folds import FoldResult, FoldTask, beside, fit_fold, rows_of
from whybox.model_selection.grids import inner_folds
from whybox.model_selection.metrics import METRICS
from whybox.model_selection.registry import library_of
from whybox.model_selection.splitters import Fold, Splitter

__all__ = [
    "N_BINS",
    "SHARES",
    "Problem",
    "Trial",
    "inner_scores",
    "make_problem",
    "run_trial",
    "trial_key",
]

#: Shares of the training rows in a learning curve; Tong et al., Fig. 3, speak of 32.5 %.
SHARES = (0.1, 0.325, 0.55, 0.775, 1.0)
#: Pieces of the scale of probability in which test rows are counted.
N_BINS = 200
_FIGURES = 2  # of what is kept of a trial: one that kept less is run again
_DISTRIBUTIONS = {"interpret": "interpret-core"}
_BASE = ("whybox", "numba", "numpy", "scikit-learn", "scipy")


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows, classes and folds; made by `make_problem`.

    Attributes
    ----------
    X : float64 array of shape (n_rows, n_features)
    y : array of shape (n_rows,)
    classes : tuple
        Sorted.
    positive : label or None
    outer : tuple of Fold
    inner : tuple of tuple of Fold
        For each outer fold those that part its train rows.
    seeds : tuple of int
        One an outer fold, drawn beforehand, the same for all models.
    fingerprint : str
        SHA-256 of rows, labels, columns, and what is positive.
    columns : mapping of int to array of shape (n_rows, n_more)
        By the number of an outer fold, more features of all rows, fitted on its train rows.
    """

    X: np.ndarray
    y: np.ndarray
    classes: tuple[Any, ...]
    positive: Any
    outer: tuple[Fold, ...]
    inner: tuple[tuple[Fold, ...], ...]
    seeds: tuple[int, ...]
    fingerprint: str
    columns: Mapping[int, np.ndarray] = field(default_factory=dict)

    def features(self, outer: int) -> np.ndarray:
        """All rows as an outer fold, and those inside it, see them."""
        return np.asarray(beside(self.X, self.columns.get(outer)))


@dataclass(frozen=True)
class Trial:
    """One fit.

    Attributes
    ----------
    model : str
    params : mapping
        JSON values.
    outer : int
        Number of the outer fold.
    inner : int or None
        Number of the inner fold, or None for the outer fold itself.
    share : float, default 1
        Share of the train rows, class by class.

    Examples
    --------
    >>> Trial("cbpt", {"learning_rate": 0.5}, 0, 2).share
    1.0
    """

    model: str
    params: Mapping[str, Any] = field(default_factory=dict)
    outer: int = 0
    inner: int | None = None
    share: float = 1.0


def make_problem(
    X: np.ndarray,
    y: np.ndarray,
    outer: tuple[Fold, ...],
    *,
    groups: np.ndarray | None = None,
    positive: Any = None,
    n_inner: int = 3,
    seed: int = 0,
    columns: Mapping[int, np.ndarray] | None = None,
) -> Problem:
    """Prepare a nested cross-validation.

    Parameters
    ----------
    X : float64 array of shape (n_rows, n_features)
    y : array of shape (n_rows,)
    outer : tuple of Fold
    groups : array of shape (n_rows,), optional
        Rows of one group stay on one side of each inner split too.
    positive : label, optional
    n_inner : int, default 3
        Inner folds; 0 for none.
    seed : int, default 0
        Of the inner splits and of every model's seed.
    columns : mapping of int to array of shape (n_rows, n_more), optional
        By the number of an outer fold, more features of all rows, fitted on its train rows.

    Returns
    -------
    Problem

    Raises
    ------
    InputError
        If a class has too few rows or groups for the inner folds.

    Examples
    --------
    >>> y = np.array(["a", "b"] * 12)
    >>> problem = make_problem(np.zeros((24, 1)), y, Splitter(2).split(y))
    >>> len(problem.outer), [len(folds) for folds in problem.inner]
    (2, [3, 3])
    """
    splitter = Splitter(n_inner, None, seed)
    drawn = np.random.SeedSequence(seed).generate_state(len(outer))
    seeds = tuple(int(value) >> 1 for value in drawn)  # 31 bits: all libraries take them
    digest = hashlib.sha256(np.ascontiguousarray(X).tobytes())
    digest.update(json.dumps([X.shape, y.tolist(), positive]).encode())
    for number, more in sorted((columns or {}).items()):
        digest.update(json.dumps([number, more.shape]).encode() + more.tobytes())
    return Problem(
        X=X,
        y=y,
        classes=tuple(np.unique(y).tolist()),
        positive=positive,
        outer=outer,
        inner=tuple(inner_folds(fold, splitter, y, groups) for fold in outer),
        seeds=seeds,
        fingerprint=digest.hexdigest(),
        columns=dict(columns or {}),
    )


def trial_key(trial: Trial, problem: Problem) -> str:
    """Name a trial by all that its figures depend on.

    Parameters
    ----------
    trial : Trial
    problem : Problem

    Returns
    -------
    str
        SHA-256, in hexadecimal, of the data's fingerprint, the model and its parameters, the rows
        of the fold, the seed, and the versions of the software.

    Examples
    --------
    >>> y = np.array(["a", "b"] * 12)
    >>> problem = make_problem(np.zeros((24, 1)), y, Splitter(2).split(y))
    >>> one, other = Trial("tree", {"max_depth": 1}), Trial("tree", {"max_depth": 2})
    >>> trial_key(one, problem) == trial_key(other, problem)
    False
    """
    fold = _fold(trial, problem)
    rows = hashlib.sha256(fold.train.astype("<i8").tobytes() + b"|")
    rows.update(fold.test.astype("<i8").tobytes())
    parts = [
        _FIGURES,
        problem.fingerprint,
        trial.model,
        dict(trial.params),
        rows.hexdigest(),
        _is_outer(trial),
        problem.seeds[trial.outer],
        software_of(trial.model),
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def run_trial(trial: Trial, problem: Problem) -> dict[str, Any]:
    """Fit on the train rows, judge on the test rows, and keep what is small.

    Parameters
    ----------
    trial : Trial
    problem : Problem

    Returns
    -------
    dict
        JSON values: ``metrics`` (by name, None where undefined), ``n_train``, ``fit_seconds``,
        ``predict_seconds``; on a whole outer fold also ``confusion`` (rows: true classes),
        ``tally`` (test rows of the negative and of the positive class in `N_BINS` equal pieces of
        the scale of probability, or None), ``stages`` ([round, test error], empty without stages),
        ``importance`` and ``shap`` (one a feature, or None).

    Raises
    ------
    InputError
        If the model is unknown, not installed, or refuses its parameters or the rows.

    Examples
    --------
    >>> y = np.array(["a", "b"] * 12)
    >>> problem = make_problem(np.zeros((24, 1)), y, Splitter(2).split(y))
    >>> run_trial(Trial("majority"), problem)["metrics"]["accuracy"]
    0.5
    """
    task = _task(trial, problem)
    model, result = fit_fold(task, problem.features(trial.outer), problem.y)
    figures: dict[str, Any] = {
        "metrics": {name: result.metrics[name] for name in METRICS},
        "n_train": result.n_train,
        "fit_seconds": result.fit_seconds,
        "predict_seconds": result.predict_seconds,
    }
    if _is_outer(trial):
        figures |= _of_outer(model, task, problem, trial.outer, result.y_pred)
        figures["tally"] = _tally(problem, result)
    return figures


def inner_scores(
    model: str, params: Mapping[str, Any], outer: int, problem: Problem
) -> tuple[np.ndarray, np.ndarray]:
    """Score every train row of an outer fold by a model that has not seen it.

    Parameters
    ----------
    model : str
    params : mapping
    outer : int
        Number of the outer fold, none of whose test rows is touched.
    problem : Problem
        Of two classes, with a positive one.

    Returns
    -------
    scores : float64 array of shape (n_train,)
        Probabilities of the positive class.
    positive : bool array of shape (n_train,)

    Examples
    --------
    >>> y = np.array(["a", "b"] * 12)
    >>> problem = make_problem(np.zeros((24, 1)), y, Splitter(2).split(y), positive="b")
    >>> scores, positive = inner_scores("majority", {}, 0, problem)
    >>> len(scores), set(scores.tolist()), int(positive.sum())
    (12, {0.5}, 6)
    """
    column = problem.classes.index(problem.positive)
    scores, truth = [], []
    for number, fold in enumerate(problem.inner[outer]):
        task = _task(Trial(model, params, outer, number), problem)
        proba = fit_fold(task, problem.features(outer), problem.y)[1].proba
        assert proba is not None
        scores.append(proba[:, column])
        truth.append(problem.y[fold.test] == problem.positive)
    return np.concatenate(scores), np.concatenate(truth)


@cache
def software_of(model: str) -> dict[str, str]:
    """Name the versions that a model's figures depend on.

    Parameters
    ----------
    model : str
        One of `whybox.model_selection.known_models`.

    Returns
    -------
    dict of str to str

    Examples
    --------
    >>> sorted(software_of("majority"))
    ['numba', 'numpy', 'scikit-learn', 'scipy', 'whybox']
    """
    library = library_of(model)
    names = (*_BASE, *([] if library is None else [_DISTRIBUTIONS.get(library, library)]))
    found = {}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def _is_outer(trial: Trial) -> bool:
    """Whether a trial is of a whole outer fold, of which more is asked."""
    return trial.inner is None and trial.share == 1


def _fold(trial: Trial, problem: Problem) -> Fold:
    """The rows of a trial."""
    at = trial.outer
    fold = problem.outer[at] if trial.inner is None else problem.inner[at][trial.inner]
    if trial.share == 1:
        return fold
    return Fold(fold.number, _some(fold.train, problem, trial), fold.test)


def _some(train: np.ndarray, problem: Problem, trial: Trial) -> np.ndarray:
    """A share of the train rows, class by class; a larger share holds the smaller ones."""
    rng = np.random.Generator(np.random.PCG64(problem.seeds[trial.outer]))
    kept = []
    for label in problem.classes:
        rows = rng.permutation(train[problem.y[train] == label])
        kept.append(rows[: int(np.ceil(trial.share * len(rows)))])
    return np.sort(np.concatenate(kept))


def _task(trial: Trial, problem: Problem) -> FoldTask:
    """A trial with its rows."""
    return FoldTask(
        trial.model,
        _fold(trial, problem),
        problem.classes,
        problem.seeds[trial.outer],
        trial.params,
        problem.positive,
    )


def _of_outer(
    model: Any, task: FoldTask, problem: Problem, outer: int, y_pred: np.ndarray
) -> dict[str, Any]:
    """What only the outer folds are asked: confusion, error by round, importance."""
    from whybox.baselines.stages import n_rounds, shown_rounds, staged_labels
    from whybox.model_selection.stability import shap_importance, shuffled_importance

    unseen = rows_of(problem.features(outer), task.fold.test)
    truth = problem.y[task.fold.test]
    labels = np.asarray(problem.classes)
    cells = np.searchsorted(labels, truth) * len(labels) + np.searchsorted(labels, y_pred)
    counts = np.bincount(cells, minlength=len(labels) ** 2).reshape(-1, len(labels))
    rounds = n_rounds(model)
    stages = staged_labels(model, unseen, shown_rounds(rounds)) if rounds else ()
    by_shuffling = shuffled_importance(model, unseen, task.seed)
    by_shap = shap_importance(model, unseen)
    return {
        "confusion": counts.tolist(),
        "stages": [[k, float(np.mean(found != truth))] for k, found in stages],
        "importance": None if by_shuffling is None else by_shuffling.tolist(),
        "shap": None if by_shap is None else by_shap.tolist(),
    }


def _tally(problem: Problem, result: FoldResult) -> list[list[int]] | None:
    """Count test rows by class and probability: small, and enough for curves of all folds."""
    if result.proba is None or problem.positive is None or len(problem.classes) != 2:
        return None
    scores = result.proba[:, problem.classes.index(problem.positive)]
    bins = np.clip((scores * N_BINS).astype(np.int64), 0, N_BINS - 1)
    truth = problem.y[result.test] == problem.positive
    return [np.bincount(bins[part], minlength=N_BINS).tolist() for part in (~truth, truth)]
