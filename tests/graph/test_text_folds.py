"""Folds of texts: nothing is learnt from the test side, and workers change nothing."""

from __future__ import annotations

import numpy as np
import pytest

from whybox.errors import InputError
from whybox.expressions import encode
from whybox.graph.session import Session, connect
from whybox.graph.text_folds import (
    TextProblem,
    TextTask,
    fit_text_model,
    run_text_fold,
    score_text_folds,
    text_folds,
)
from whybox.model_selection.splitters import Fold, Splitter

MODELS = ("expressions-tree", "expressions-knn", "chi2-tree", "tfidf-logistic", "majority")


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(3)
    rest = ["bus", "train", "phone", "the", "a", "cake", "rain"]
    y = np.array(["no", "yes"] * 80)
    texts = [
        " ".join(
            [*rng.choice(rest, 5), "good" if (label == "yes") != (rng.random() < 0.2) else "bad"]
        )
        for label in y
    ]
    return TextProblem(encode(texts), y, "yes")


@pytest.mark.parametrize("model", MODELS)
def test_labels_of_the_test_side_change_no_answer(problem, model):
    fold = Splitter(2).split(problem.y)[0]
    swapped = problem.y.copy()
    swapped[fold.test] = np.where(swapped[fold.test] == "yes", "no", "yes")
    honest = run_text_fold(TextTask(model, fold), problem)
    other = run_text_fold(TextTask(model, fold), TextProblem(problem.corpus, swapped, "yes"))
    np.testing.assert_array_equal(honest.proba, other.proba)
    assert honest.metrics["accuracy"] == pytest.approx(1 - other.metrics["accuracy"])


def test_words_of_the_test_side_become_no_expressions(problem):
    fold = Splitter(2).split(problem.y)[0]
    texts = ["marker yes" if label == "yes" else "token no" for label in problem.y]
    for row in fold.train:
        texts[row] = "good day" if problem.y[row] == "yes" else "bad day"
    result = run_text_fold(
        TextTask("expressions-tree", fold), TextProblem(encode(texts), problem.y, "yes")
    )
    assert len(np.unique(result.proba, axis=0)) == 1  # all test texts look alike


def test_workers_give_the_same_figures(problem, cluster_address):
    tasks = [TextTask(m, fold) for m in MODELS for fold in Splitter(2).split(problem.y)]
    here = text_folds(Session(), problem, tasks, "here")
    with connect(cluster_address) as session:
        there = text_folds(session, problem, tasks, "there")
        model, advice = fit_text_model(session, problem, "expressions-tree", {"n_expressions": 1})
    for one, other in zip(here, there, strict=True):
        np.testing.assert_array_equal(one.proba, other.proba)
        assert one.metrics == other.metrics
    assert model.transformer_.expressions_ in ([("good",)], [("bad",)])
    assert any("raise n_expressions" in each for each in advice)


def test_thresholds_that_nothing_passes_have_no_score(problem):
    fold = Splitter(2).split(problem.y)[0]
    tasks = [
        TextTask("expressions-tree", fold, {"min_precision": 1.0, "min_recall": 0.9}),
        TextTask("expressions-tree", fold, {"max_words": 1, "n_expressions": 2}),
    ]
    scores = score_text_folds(Session(), problem, tasks, "scores")
    assert scores[0] is None
    assert scores[1] > 0.7


@pytest.mark.parametrize("name", ["oracle", "expressions-oracle", "chi2-oracle"])
def test_an_unknown_model_is_refused(problem, name):
    with pytest.raises(InputError, match="oracle"):
        run_text_fold(TextTask(name, Fold(0, np.arange(10), np.arange(10, 20))), problem)
