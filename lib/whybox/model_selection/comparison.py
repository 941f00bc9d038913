"""From the figures of all outer folds to the rows of a comparison and to its curves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from whybox.model_selection.folds import FoldResult
from whybox.model_selection.nested import Problem
from whybox.model_selection.stability import rank_correlation, top_features_jaccard
from whybox.model_selection.summary import corrected_interval, paired_differences, summarise

__all__ = ["COMPARED", "compare_models", "staged_errors"]

#: What models are compared by.
COMPARED = ("accuracy", "f1_macro", "f1_positive", "auc", "brier")

Figures = Mapping[tuple[str, int], Mapping[str, Any]]


def compare_models(problem: Problem, figures: Figures) -> list[dict[str, Any]]:
    """Make one row a model.

    Parameters
    ----------
    problem : Problem
    figures : mapping of (model, number of the outer fold) to figures
        From `whybox.model_selection.nested.run_trial`, of every model on every outer fold; the
        first model is the one that the others are held against.

    Returns
    -------
    list of dict
        ``model``, ``n_folds``; for each of `COMPARED` ``..._mean``, ``..._sd``, ``..._low`` and
        ``..._high`` (95 % interval of the mean, within [0, 1]), and against the first model ``..._difference``, ``..._t``, ``..._p`` (corrected resampled t-test);
        ``importance_rank_correlation``, ``top_features_jaccard`` and ``shap_rank_correlation``
        over folds; ``fit_seconds_mean`` and ``predict_seconds_mean``. None where undefined.

    Examples
    --------
    >>> from whybox.model_selection.nested import Trial, make_problem, run_trial
    >>> from whybox.model_selection.splitters import Splitter
    >>> X, y = np.arange(24.0).reshape(-1, 1), np.repeat(["a", "b"], 12)
    >>> problem = make_problem(X, y, Splitter(2).split(y))
    >>> found = {(m, k): run_trial(Trial(m, {}, k), problem) for m in ("tree", "majority")
    ...          for k in (0, 1)}
    >>> [round(row["accuracy_difference"] or 0, 2) for row in compare_models(problem, found)]
    [0, -0.46]
    """
    results = [
        FoldResult(
            model=model,
            fold=outer,
            test=problem.outer[outer].test,
            n_train=found["n_train"],
            y_pred=np.array([]),
            proba=None,
            metrics=dict(found["metrics"]),
            fit_seconds=found["fit_seconds"],
            predict_seconds=found["predict_seconds"],
        )
        for (model, outer), found in figures.items()
    ]
    rows = summarise(results)
    differences = {
        (entry["model"], metric): entry
        for metric in COMPARED
        for entry in paired_differences(results, rows[0]["model"], metric)
    }
    return [
        _row(row, differences, _of_model(figures, row["model"]), _test_to_train(results))
        for row in rows
    ]


def staged_errors(figures: Sequence[Mapping[str, Any]]) -> list[tuple[int, float]]:
    """Average the test error by round over folds (Tong et al., Fig. 2).

    Parameters
    ----------
    figures : sequence of dict
        One model's, one a fold, each with ``stages``.

    Returns
    -------
    list of (int, float)
        Round and mean error; a fold that stopped early keeps its last error. Empty without stages.

    Examples
    --------
    >>> staged_errors([{"stages": [[1, 0.4], [3, 0.2]]}, {"stages": [[1, 0.2]]}])
    [(1, 0.30000000000000004), (3, 0.2)]
    """
    folds = [found["stages"] for found in figures]
    if not folds or not all(folds):
        return []
    rounds = sorted({k for stages in folds for k, _ in stages})
    return [(k, math.fsum(_last_until(stages, k) for stages in folds) / len(folds)) for k in rounds]


def _last_until(stages: Sequence[tuple[int, float]], k: int) -> float:
    """The error after the last known round that is not after k."""
    return [error for number, error in stages if number <= k][-1]


def _of_model(figures: Figures, model: str) -> list[Mapping[str, Any]]:
    """One model's figures by fold."""
    return [figures[key] for key in sorted(key for key in figures if key[0] == model)]


def _test_to_train(results: Sequence[FoldResult]) -> float:
    """Test rows over train rows, the mean of all folds."""
    return math.fsum(len(result.test) / result.n_train for result in results) / len(results)


def _row(
    summary: Mapping[str, Any],
    differences: Mapping[tuple[str, str], Mapping[str, Any]],
    folds: Sequence[Mapping[str, Any]],
    test_to_train: float,
) -> dict[str, Any]:
    """One model's row."""
    row: dict[str, Any] = {"model": summary["model"], "n_folds": summary["n_folds"]}
    for metric in COMPARED:
        row[f"{metric}_mean"] = summary[f"{metric}_mean"]
        row[f"{metric}_sd"] = summary[f"{metric}_sd"]
        known = [found["metrics"][metric] for found in folds]
        interval = corrected_interval([v for v in known if v is not None], test_to_train)
        for end, value in zip(("low", "high"), interval or (None, None), strict=True):
            row[f"{metric}_{end}"] = None if value is None else min(1.0, max(0.0, value))
    for metric in COMPARED:
        against = differences.get((summary["model"], metric), {})
        for name in ("difference", "t", "p"):
            row[f"{metric}_{name}"] = against.get(name)
    importances = [found["importance"] for found in folds if found["importance"] is not None]
    by_shap = [found["shap"] for found in folds if found["shap"] is not None]
    row["importance_rank_correlation"] = rank_correlation(importances)
    row["top_features_jaccard"] = top_features_jaccard(importances)
    row["shap_rank_correlation"] = rank_correlation(by_shap)
    row["fit_seconds_mean"] = summary["fit_seconds_mean"]
    row["predict_seconds_mean"] = summary["predict_seconds_mean"]
    return row
