"""What cross-validation says of a model before it is fitted on every row.

Everything that is chosen (parameters, the threshold) is chosen for each fold by inner folds of its
train rows, so that the figures are of rows that took no part in any choice.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from whybox.graph.folds import cross_validate
from whybox.graph.search import choose_params, choose_thresholds
from whybox.graph.session import Session
from whybox.model_selection.folds import FoldResult, FoldTask
from whybox.model_selection.nested import make_problem
from whybox.model_selection.splitters import Fold

__all__ = ["Evidence", "Question", "gather"]

N_INNER = 3


@dataclass(frozen=True, eq=False)
class Question:
    """What is to be found out.

    Attributes
    ----------
    candidates : mapping of str to sequence of dict
        A model's parameters, one or more to choose from; the first model is the one to be fitted.
    folds : tuple of Fold
        None with ``--cv 0``.
    threshold : str
        A number, or how to choose one.
    seed : int
    """

    candidates: Mapping[str, Sequence[Mapping[str, Any]]]
    folds: tuple[Fold, ...]
    threshold: str = "0.5"
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Evidence:
    """What was found.

    Attributes
    ----------
    params : mapping
        The first model's parameters for the fit on all rows.
    results : sequence of FoldResult
        Of every model on every fold.
    search : mapping, optional
        How the parameters were chosen, for the card; None if there was nothing to choose.
    thresholds : sequence of float
        The first model's on each fold, if they were chosen.
    """

    params: Mapping[str, Any]
    results: Sequence[FoldResult] = ()
    search: Mapping[str, Any] | None = None
    thresholds: Sequence[float] = field(default=())


def gather(
    session: Session,
    question: Question,
    X: np.ndarray,
    y: np.ndarray,
    groups: np.ndarray | None,
    positive: str | None,
    columns: Mapping[int, np.ndarray] | None = None,
) -> Evidence:
    """Cross-validate, with all choices nested.

    Parameters
    ----------
    session : Session
    question : Question
    X : float64 array of shape (n_rows, n_features)
    y : array of str of shape (n_rows,)
    groups : array of shape (n_rows,) or None
        Rows of one group stay on one side of each split, inner ones too.
    positive : str or None
    columns : mapping of int to array of shape (n_rows, n_more), optional
        By the fold's number, more features of all rows, fitted on its train rows; under the number
        of folds, those that were fitted on all rows.

    Returns
    -------
    Evidence

    Raises
    ------
    InputError
        If a class has too few rows or groups for the folds, or a model refuses its parameters.
    """
    name, given = next(iter(question.candidates.items()))
    classes = tuple(np.unique(y).tolist())
    two = positive is not None and len(classes) == 2
    chooses = two and not _is_number(question.threshold) and bool(question.folds)
    searched = len(given) > 1
    rows = np.arange(len(y))
    whole = Fold(len(question.folds), rows, rows[:0])  # of which nothing is left to judge on
    problem = make_problem(
        X,
        y,
        (*question.folds, whole),
        groups=groups,
        positive=positive,
        n_inner=N_INNER if searched or chooses else 0,
        seed=question.seed,
        columns=columns,
    )
    params = choose_params(session, problem, question.candidates, {})
    final = params[name, whole.number]
    judged = {key: value for key, value in params.items() if key[1] < len(question.folds)}
    number = float(question.threshold) if two and _is_number(question.threshold) else 0.5
    thresholds = dict.fromkeys(judged, number)
    if chooses:
        thresholds = choose_thresholds(session, problem, judged, question.threshold)
    tasks = [
        FoldTask(
            model, fold, classes, question.seed, judged[model, fold.number], positive,
            thresholds[model, fold.number],
        )
        for model in question.candidates
        for fold in question.folds
    ]  # fmt: skip
    found = [judged[name, fold.number] for fold in question.folds]
    return Evidence(
        params=final,
        results=cross_validate(session, tasks, X, y, columns) if tasks else (),
        search=_describe(given, final, found) if searched else None,
        thresholds=[thresholds[name, f.number] for f in question.folds] if chooses else (),
    )


def _describe(
    given: Sequence[Mapping[str, Any]], final: Mapping[str, Any], found: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """How the parameters were chosen, with those of the folds counted."""
    counts = Counter(json.dumps(params, sort_keys=True) for params in found)
    return {
        "candidates": len(given),
        "chosen_by": f"accuracy on {N_INNER} inner folds of the train rows, fold by fold",
        "chosen": dict(final),
        "chosen_in_folds": dict(sorted(counts.items())),
    }


def _is_number(spec: str) -> bool:
    """Whether a threshold is given and not to be chosen."""
    try:
        float(spec)
    except ValueError:
        return False
    return True
