"""What cross-validation says of a model of texts before it is fitted on all of them.

Everything that is learnt or chosen (expressions, thresholds of expressions, the threshold of
decisions) is learnt or chosen in the training posts of a fold, choices by inner folds of these.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whybox.graph.session import Session
from whybox.graph.text_folds import (
    FAMILY,
    TextProblem,
    TextTask,
    score_text_folds,
    text_folds,
)
from whybox.model_selection.folds import FoldResult
from whybox.model_selection.grids import best_candidate, inner_folds
from whybox.model_selection.splitters import Fold, Splitter
from whybox.model_selection.summary import pool
from whybox.model_selection.thresholds import choose_threshold
from whybox.pipelines.evidence import N_INNER

__all__ = ["TextEvidence", "TextQuestion", "gather_texts", "peers_of"]

Params = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class TextQuestion:
    """What is to be found out.

    Attributes
    ----------
    model : str
    candidates : sequence of mapping
        Parameters of the expressions, one or more to choose from.
    folds : tuple of Fold
        None with ``--cv 0``.
    groups : array (texts,) or None
        Texts of one group stay on one side of each split.
    threshold : str
        A number, auto, or how to choose one.
    """

    model: str
    candidates: Sequence[Params]
    folds: tuple[Fold, ...]
    groups: NDArray[Any] | None
    threshold: str = "auto"


@dataclass(frozen=True, eq=False)
class TextEvidence:
    """What was found.

    Attributes
    ----------
    params : mapping
        For the fit on all texts.
    results : sequence of FoldResult
        Of the model and its peers on every fold.
    search : mapping, optional
        How the parameters were chosen; None if there was nothing to choose.
    thresholds : sequence of float
        The model's on each fold, if they were chosen.
    """

    params: Params
    results: Sequence[FoldResult] = ()
    search: Mapping[str, Any] | None = None
    thresholds: Sequence[float] = ()


def peers_of(model: str) -> tuple[str, ...]:
    """Name what a model of expressions is shown beside.

    The best words of a filter under the same classifier; all words, weighted, as what can be had
    without being readable; and the commonest class.

    Examples
    --------
    >>> peers_of("expressions-tree")
    ('chi2-tree', 'tfidf-logistic', 'majority')
    """
    return (f"chi2-{model.removeprefix(FAMILY)}", "tfidf-logistic", "majority")


def gather_texts(session: Session, problem: TextProblem, question: TextQuestion) -> TextEvidence:
    """Cross-validate, with all choices nested.

    Parameters
    ----------
    session : Session
    problem : TextProblem
    question : TextQuestion

    Returns
    -------
    TextEvidence

    Raises
    ------
    InputError
        If a class has too few texts or groups for the folds, or no expression passes.
    """
    folds, n = question.folds, len(problem.y)
    whole = Fold(len(folds), np.arange(n), np.arange(0))
    two = problem.positive is not None and len(problem.classes) == 2
    chooses = two and bool(folds) and not _given(question.threshold)
    searched = len(question.candidates) > 1
    inner = {}
    if searched or chooses:
        splitter = Splitter(N_INNER, None, problem.seed)
        wanted = (*folds, whole) if searched else folds
        for fold in wanted:
            inner[fold.number] = inner_folds(fold, splitter, problem.y, question.groups)
    params = dict.fromkeys(range(len(folds) + 1), question.candidates[0])
    if searched:
        params = _choose(session, problem, question, inner)
    models = (question.model, *peers_of(question.model))
    outer = [(model, fold) for model in models for fold in folds]
    number = float(question.threshold) if two and _is_number(question.threshold) else 0.5
    thresholds = {(model, fold.number): number for model, fold in outer}
    if chooses:
        thresholds = _thresholds(session, problem, question, params, inner)
    tasks = [
        TextTask(model, fold, params[fold.number], thresholds[model, fold.number])
        for model, fold in outer
    ]
    label = f"cross-validating {len(models)} models"
    return TextEvidence(
        params=params[whole.number],
        results=text_folds(session, problem, tasks, label) if tasks else (),
        search=_describe(question, params) if searched else None,
        thresholds=[thresholds[question.model, f.number] for f in folds] if chooses else (),
    )


def _choose(
    session: Session,
    problem: TextProblem,
    question: TextQuestion,
    inner: Mapping[int, tuple[Fold, ...]],
) -> dict[int, Params]:
    """The candidate of the best accuracy on the inner folds, for each outer fold and the whole."""
    places = [(k, number) for number in inner for k in range(len(question.candidates))]
    tasks = [
        TextTask(question.model, fold, question.candidates[k])
        for k, number in places
        for fold in inner[number]
    ]
    found = iter(score_text_folds(session, problem, tasks, "choosing thresholds of expressions"))
    scores = {(k, number): [next(found) for _ in inner[number]] for k, number in places}
    best = {
        number: best_candidate([_all_or_none(scores[k, number]) for k in range(len(question.candidates))])
        for number in inner
    }  # fmt: skip
    return {number: question.candidates[k] for number, k in best.items()}


def _all_or_none(scores: Sequence[float | None]) -> Sequence[float | None]:
    """What fails in one fold is no candidate."""
    return [None] * len(scores) if None in scores else scores


def _thresholds(
    session: Session,
    problem: TextProblem,
    question: TextQuestion,
    params: Mapping[int, Params],
    inner: Mapping[int, tuple[Fold, ...]],
) -> dict[tuple[str, int], float]:
    """The threshold of each model on each outer fold, chosen on its inner folds."""
    models = (question.model, *peers_of(question.model))
    places = [(model, fold.number) for model in models for fold in question.folds]
    tasks = [
        TextTask(model, fold, params[number]) for model, number in places for fold in inner[number]
    ]
    found = iter(text_folds(session, problem, tasks, "choosing thresholds"))
    column = problem.classes.index(str(problem.positive))
    chosen = {}
    for model, number in places:
        pooled = pool([next(found) for _ in inner[number]], model)
        assert pooled.proba is not None
        truth = problem.y[pooled.rows] == problem.positive
        rule = choose_threshold(question.threshold, pooled.proba[:, column], truth)
        chosen[model, number] = rule.value
    return chosen


def _describe(question: TextQuestion, params: Mapping[int, Params]) -> dict[str, Any]:
    """How the parameters were chosen, with those of the folds counted."""
    last = len(question.folds)
    counts = Counter(
        json.dumps(dict(some), sort_keys=True) for number, some in params.items() if number < last
    )
    return {
        "candidates": len(question.candidates),
        "chosen_by": f"accuracy on {N_INNER} inner folds of the training texts, fold by fold",
        "chosen": dict(params[last]),
        "chosen_in_folds": dict(sorted(counts.items())),
    }


def _given(threshold: str) -> bool:
    """Whether nothing is to be chosen."""
    return threshold == "auto" or _is_number(threshold)


def _is_number(threshold: str) -> bool:
    try:
        float(threshold)
    except ValueError:
        return False
    return True
