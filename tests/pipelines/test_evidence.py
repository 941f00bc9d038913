"""Figures before the final fit: every choice is made without the rows that it is judged on."""

from __future__ import annotations

import numpy as np
import pytest

from whybox.graph.session import Session
from whybox.model_selection.splitters import make_splitter
from whybox.pipelines.evidence import Question, gather

RNG = np.random.default_rng(4)
Y = np.repeat(["no", "yes"], 60)
X = RNG.normal(size=(120, 3)) + (Y == "yes")[:, None]
FOLDS = make_splitter("3", seed=0).split(Y)
DEPTHS = [{"max_depth": depth} for depth in (1, 3, 9)]


def ask(X=X, candidates=DEPTHS, folds=FOLDS, threshold="youden"):
    question = Question({"tree": candidates, "majority": [{}]}, folds, threshold)
    return gather(Session(), question, X, Y, None, "yes")


def test_what_stands_in_the_test_rows_changes_no_choice_for_their_fold():
    changed = X.copy()
    changed[FOLDS[0].test] = RNG.normal(size=(len(FOLDS[0].test), 3)) * 50
    one, other = ask(), ask(changed)
    assert one.thresholds[0] == other.thresholds[0]
    assert list(one.thresholds[1:]) != list(other.thresholds[1:])


def test_decisions_of_the_figures_are_made_at_the_folds_own_thresholds():
    found = ask()
    for result, threshold in zip(found.results[:3], found.thresholds, strict=True):
        flagged = result.proba[:, 1] >= threshold
        positive = Y[result.test] == "yes"
        assert result.metrics["sensitivity"] == pytest.approx(flagged[positive].mean())


def test_a_threshold_that_is_given_judges_the_figures_and_nothing_is_chosen():
    found = ask(candidates=DEPTHS[:1], threshold="0.9")
    assert found.search is None
    assert list(found.thresholds) == []
    assert found.params == {"max_depth": 1}
    for result in found.results[:3]:
        flagged = result.proba[:, 1] >= 0.9
        assert result.metrics["sensitivity"] == flagged[Y[result.test] == "yes"].mean()


def test_without_folds_parameters_are_chosen_and_no_figures_given():
    found = ask(folds=(), threshold="0.5")
    assert list(found.results) == []
    assert found.params in DEPTHS
    assert found.search["candidates"] == 3
