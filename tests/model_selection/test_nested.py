"""Trials: pure, small, named by all they depend on, and blind to the rows they are judged on."""

from __future__ import annotations

import dataclasses
import json
import pickle

import numpy as np
import pytest

from whybox.model_selection import nested
from whybox.model_selection.nested import (
    SHARES,
    Trial,
    inner_scores,
    make_problem,
    run_trial,
    trial_key,
)
from whybox.model_selection.splitters import make_splitter

RNG = np.random.default_rng(2)
Y = np.repeat(["no", "yes"], [90, 60])
X = RNG.normal(size=(150, 4)) + (Y == "yes")[:, None] * [1.0, 0.5, 0.0, 0.0]
GROUPS = np.arange(150) // 5
TREE = {"max_depth": 2}


def problem_of(X=X, y=Y, groups=None, seed=1, **kwargs):
    outer = make_splitter("3", seed=seed).split(y, groups)
    kwargs = {"positive": "yes", "seed": seed, **kwargs}
    return make_problem(X, y, outer, groups=groups, **kwargs)


def _without_times(figures):
    return {name: value for name, value in figures.items() if "seconds" not in name}


def test_a_trial_gives_the_same_json_wherever_the_problem_was_sent():
    problem, trial = problem_of(), Trial("cbpt", {"n_estimators": 4}, 1)
    here = run_trial(trial, problem)
    there = run_trial(*pickle.loads(pickle.dumps((trial, problem))))
    assert _without_times(here) == _without_times(there)
    assert json.loads(json.dumps(here)) == here
    assert np.sum(here["confusion"]) == len(problem.outer[1].test)
    assert here["stages"][-1][1] == pytest.approx(1 - here["metrics"]["accuracy"])
    assert len(here["importance"]) == len(here["shap"]) == 4


def test_test_rows_are_tallied_by_class_and_probability():
    problem = problem_of()
    here = run_trial(Trial("tree", TREE, 1), problem)
    truth = problem.y[problem.outer[1].test] == "yes"
    negative, positive = here["tally"]
    assert (sum(negative), sum(positive)) == ((~truth).sum(), truth.sum())
    half = nested.N_BINS // 2
    assert sum(positive[half:]) / truth.sum() == pytest.approx(here["metrics"]["sensitivity"])
    assert sum(negative[:half]) / (~truth).sum() == pytest.approx(here["metrics"]["specificity"])
    assert run_trial(Trial("tree", TREE, 1), problem_of(positive=None))["tally"] is None


def test_candidates_come_back_without_what_only_outer_folds_are_asked():
    inner = run_trial(Trial("tree", TREE, 0, 2), problem_of())
    assert inner.keys() == {"metrics", "n_train", "fit_seconds", "predict_seconds"}
    assert len(pickle.dumps(inner)) < 1000


@pytest.mark.parametrize("inner", [None, 0])
def test_the_test_rows_of_the_outer_fold_cannot_change_what_is_learnt(inner):
    problem = problem_of()
    seen = run_trial(Trial("tree", TREE, 0, inner), problem)
    test = problem.outer[0].test
    poisoned = X.copy()
    poisoned[test] = RNG.normal(size=(len(test), 4)) * 100
    other = problem_of(poisoned)
    if inner is not None:  # they take no part at all
        again = run_trial(Trial("tree", TREE, 0, inner), other)
        assert _without_times(again) == _without_times(seen)
        scores = inner_scores("tree", TREE, 0, problem)
        assert scores[0].tolist() == inner_scores("tree", TREE, 0, other)[0].tolist()
        assert len(scores[0]) == len(problem.outer[0].train)
    else:
        assert run_trial(Trial("tree", TREE, 0, inner), other)["n_train"] == seen["n_train"]


def test_groups_stay_together_in_inner_folds_too():
    problem = problem_of(groups=GROUPS)
    for folds in problem.inner:
        for fold in folds:
            assert not set(GROUPS[fold.train]) & set(GROUPS[fold.test])


def test_a_key_changes_with_everything_that_figures_depend_on(monkeypatch):
    problem, trial = problem_of(), Trial("tree", TREE, 0, 1)
    changed = X.copy()
    changed[0, 0] += 1e-9
    keys = [
        trial_key(trial, problem),
        trial_key(trial, problem_of(changed)),
        trial_key(trial, problem_of(y=np.where(np.arange(150) == 3, "yes", Y))),
        trial_key(trial, problem_of(seed=2)),
        trial_key(trial, problem_of(groups=GROUPS)),
        trial_key(trial, problem_of(positive="no")),
        trial_key(dataclasses.replace(trial, model="forest"), problem),
        trial_key(dataclasses.replace(trial, params={"max_depth": 3}), problem),
        trial_key(dataclasses.replace(trial, outer=1), problem),
        trial_key(dataclasses.replace(trial, inner=2), problem),
        trial_key(dataclasses.replace(trial, inner=None), problem),
        trial_key(dataclasses.replace(trial, inner=None, share=0.5), problem),
    ]
    monkeypatch.setattr(nested, "software_of", lambda model: {"numpy": "0"})
    keys.append(trial_key(trial, problem))
    assert len(set(keys)) == len(keys)


def test_a_key_does_not_depend_on_the_order_of_parameters_or_on_other_folds():
    a, b = Trial("tree", {"max_depth": 2, "criterion": "gini"}), None
    b = Trial("tree", {"criterion": "gini", "max_depth": 2})
    assert trial_key(a, problem_of()) == trial_key(b, problem_of())
    assert trial_key(a, problem_of()) == trial_key(a, problem_of(n_inner=0))


def test_shares_of_the_train_rows_grow_class_by_class_and_hold_one_another():
    problem = problem_of()
    before: set[int] = set()
    for share in SHARES:
        rows = set(nested._fold(Trial("tree", {}, 0, None, share), problem).train.tolist())
        assert before <= rows
        counts = [sum(Y[row] == label for row in rows) for label in ("no", "yes")]
        assert counts == [np.ceil(share * 60), np.ceil(share * 40)]
        before = rows
    assert before == set(problem.outer[0].train.tolist())
