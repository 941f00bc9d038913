"""Choosing a decomposition's penalty and number of features: every number of them from one fit.

A fit for a penalty chooses features one by one, so that what it answers with the first k of them
is what a fit with ``max_features=k`` answers. A surface of scores over both parameters then takes
one fit a penalty and fold (Fennell, Zuo, Lerman, section "Hyperparameters").
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from whybox.errors import InputError
from whybox.model_selection.folds import FoldResult, FoldTask, fit_fold
from whybox.model_selection.metrics import evaluate, ranked_auc
from whybox.model_selection.regression import regression_folds
from whybox.model_selection.splitters import Fold, Splitter
from whybox.s3d.decisions import own_decision

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "PENALTIES",
    "RULES",
    "Choice",
    "choose_from_surface",
    "rows_at",
    "run_decided_fold",
    "staged_scores",
    "tuning_folds",
    "tuning_surface",
]

PENALTIES = (3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5)
RULES = ("best", "one_se")


class Choice(NamedTuple):
    """A point of the surface.

    Examples
    --------
    >>> Choice(0.001, 2).n_features
    2
    """

    penalty: float
    n_features: int


def tuning_folds(
    estimator: Any, y: Any, n_folds: int, seed: int = 0, groups: Any = None
) -> tuple[Fold, ...]:
    """Split rows to tune on: stratified for labels, shuffled for real outcomes.

    Parameters
    ----------
    estimator : S3DClassifier or S3DRegressor
    y : array-like (rows,)
    n_folds : int
        At least 2.
    seed : int, default 0
    groups : array-like (rows,), optional
        Rows of a group stay together.

    Returns
    -------
    tuple of Fold

    Raises
    ------
    InputError
        If there are too few rows (2 a fold), groups, or rows of a class.

    Examples
    --------
    >>> from whybox.s3d import S3DRegressor
    >>> [fold.test.tolist() for fold in tuning_folds(S3DRegressor(), [0.1, 0.5, 0.3, 0.2], 2)]
    [[2, 3], [0, 1]]
    """
    from sklearn.base import is_classifier

    y = np.asarray(y)
    n_units = len(y) // 2 if groups is None else len(np.unique(np.asarray(groups)))
    if not 2 <= n_folds <= n_units:
        raise InputError(
            f"{n_folds} folds of {len(y)} rows",
            remedy="use 2 folds or more, with two rows a fold and a group a fold at least",
        )
    if is_classifier(estimator):
        return Splitter(n_folds, None, seed).split(y, groups)
    return regression_folds(Splitter(n_folds, None, seed), y, groups)


def staged_scores(
    estimator: Any, penalty: float, fold: Fold, X: Any, y: Any, sample_weight: Any = None
) -> list[float]:
    """Fit once, and score the test rows with the first feature, the first two, and so on.

    Parameters
    ----------
    estimator : S3DClassifier or S3DRegressor
        Is left as it is; its ``max_features`` bounds how many there are.
    penalty : float
    fold : Fold
    X : array or DataFrame (rows, features)
    y : array (rows,)
    sample_weight : array (rows,), optional
        Of the fit; test rows count alike.

    Returns
    -------
    list of float
        At least one: AUC (of more than two classes the mean of one against the rest), or R2 for
        real outcomes. If no feature is chosen, what the mean alone scores.

    Examples
    --------
    >>> from whybox.s3d import S3DClassifier
    >>> X, y = np.tile(np.arange(4.0), 50)[:, None], np.tile([0, 0, 1, 1], 50)
    >>> fold = Fold(0, np.arange(100), np.arange(100, 200))
    >>> staged_scores(S3DClassifier(), 0.001, fold, X, y)
    [1.0]
    """
    from sklearn.base import clone, is_classifier

    model = clone(estimator).set_params(penalty=penalty)
    weight = None if sample_weight is None else np.asarray(sample_weight)[fold.train]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="no feature is chosen")  # its score shows it
        model.fit(rows_at(X, fold.train), y[fold.train], weight)
    there, truth = rows_at(X, fold.test), y[fold.test]
    if is_classifier(model):
        steps = [_auc(p, truth, model.classes_) for p in model.staged_predict_proba(there)]
    else:
        steps = [_r2(answer, truth) for answer in model.staged_predict(there)]
    return steps[1:] or steps


def tuning_surface(scores: Mapping[tuple[float, int], Sequence[float]]) -> pd.DataFrame:
    """Put the folds' scores together.

    Parameters
    ----------
    scores : mapping of (penalty, number of the fold) to sequence of float
        As `staged_scores` gives them. A fold that chose fewer features than another one keeps
        its last score: asked for more, its fit would choose no more.

    Returns
    -------
    DataFrame
        A row a penalty (descending) and number of features (ascending): ``penalty``,
        ``n_features``, ``mean``, ``sd`` (over folds, of a sample), ``n_folds``.

    Examples
    --------
    >>> tuning_surface({(0.01, 0): [0.5], (0.01, 1): [0.7, 0.9]})
       penalty  n_features  mean        sd  n_folds
    0     0.01           1   0.6  0.141421        2
    1     0.01           2   0.7  0.282843        2
    """
    import pandas as pd

    rows = []
    for penalty in sorted({penalty for penalty, _ in scores}, reverse=True):
        folds = [found for (given, _), found in sorted(scores.items()) if given == penalty]
        for k in range(1, max(map(len, folds)) + 1):
            at = np.array([found[min(k, len(found)) - 1] for found in folds])
            sd = float(at.std(ddof=1)) if len(at) > 1 else np.nan
            rows.append((penalty, k, float(at.mean()), sd, len(at)))
    return pd.DataFrame(rows, columns=["penalty", "n_features", "mean", "sd", "n_folds"])


def choose_from_surface(surface: pd.DataFrame, rule: str = "best") -> Choice:
    """Choose a point of a surface.

    Parameters
    ----------
    surface : DataFrame
        As `tuning_surface` gives it.
    rule : {"best", "one_se"}, default "best"
        ``best``: the highest mean. ``one_se``: the simplest point whose mean is within one
        standard error of it (Breiman et al., Classification and Regression Trees, 1984, 3.4.3).
        Of equals the simplest: fewer features, then the larger penalty.

    Returns
    -------
    Choice

    Raises
    ------
    InputError
        If there is no such rule.

    Examples
    --------
    >>> surface = tuning_surface({(0.01, 0): [0.5, 0.6], (0.01, 1): [0.7, 0.8]})
    >>> choose_from_surface(surface), choose_from_surface(surface, "one_se")
    (Choice(penalty=0.01, n_features=2), Choice(penalty=0.01, n_features=1))
    """
    if rule not in RULES:
        raise InputError(f"rule is {rule!r}", remedy=f"use one of {', '.join(RULES)}")
    best: Any = surface.iloc[int(surface["mean"].to_numpy().argmax())]
    least = best["mean"]
    if rule == "one_se":
        least -= best["sd"] / np.sqrt(best["n_folds"])
    enough = surface[surface["mean"] >= least]
    first = enough.sort_values(["n_features", "penalty"], ascending=[True, False]).iloc[0]
    return Choice(float(first["penalty"]), int(first["n_features"]))


def rows_at(X: Any, rows: np.ndarray) -> Any:
    """Take rows of an array or a DataFrame.

    Examples
    --------
    >>> rows_at(np.array([5, 6, 7]), np.array([2, 0]))
    array([7, 5])
    """
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def run_decided_fold(task: FoldTask, X: Any, y: np.ndarray) -> FoldResult:
    """Do as `whybox.model_selection.run_fold`, with decisions at the fitted model's own threshold.

    Parameters
    ----------
    task : FoldTask
        Of an S3DClassifier, two classes with a positive one; its threshold is not used.
    X : array or DataFrame of shape (n_rows, n_features)
    y : array of shape (n_rows,)

    Returns
    -------
    FoldResult

    Examples
    --------
    >>> X, y = np.tile(np.arange(4.0), 50)[:, None], np.tile(["a", "a", "b", "b"], 50)
    >>> fold = Fold(0, np.arange(100), np.arange(100, 200))
    >>> result = run_decided_fold(FoldTask("s3d", fold, ("a", "b"), positive="b"), X, y)
    >>> result.metrics["sensitivity"], result.metrics["specificity"]
    (1.0, 1.0)
    """
    model, result = fit_fold(task, X, y)
    threshold = own_decision(model, task.positive).threshold
    found = y[task.fold.test], result.y_pred, result.proba, task.classes, task.positive
    return replace(result, metrics=evaluate(*found, threshold=threshold))


def _auc(shares: np.ndarray, truth: np.ndarray, classes: np.ndarray) -> float:
    """Score probabilities; a class that is not among the test rows is left out."""
    several = len(classes) > 2
    columns = range(len(classes)) if several else [1]
    found = [ranked_auc(shares[:, c], truth == classes[c]) for c in columns]
    known = [each for each in found if each is not None]
    return float(np.mean(known)) if known else np.nan


def _r2(answer: np.ndarray, truth: np.ndarray) -> float:
    from sklearn.metrics import r2_score

    return float(r2_score(truth, answer))
