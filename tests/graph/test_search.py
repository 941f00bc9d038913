"""Nested search: the same anywhere, resumed without doing anything twice, flat in memory."""

from __future__ import annotations

import collections
import math

import numpy as np
import pytest

from whybox.errors import InputError
from whybox.graph import search
from whybox.graph.search import choose_params, choose_thresholds, run_trials
from whybox.graph.session import connect
from whybox.model_selection.folds import FoldTask, run_fold
from whybox.model_selection.nested import Trial, inner_scores, make_problem
from whybox.model_selection.splitters import make_splitter
from whybox.model_selection.thresholds import choose_threshold

RNG = np.random.default_rng(5)
Y = np.repeat(["no", "yes"], 60)
X = RNG.normal(size=(120, 3)) + (Y == "yes")[:, None] * [1.0, 0.4, 0.0]
CANDIDATES = {
    "tree": [{"max_depth": depth} for depth in (1, 2, 8)],
    "cbpt": [{"n_estimators": 3, "learning_rate": rate} for rate in (0.1, 1.0)],
    "majority": [{}],
}


@pytest.fixture(scope="module")
def problem():
    return make_problem(X, Y, make_splitter("3", seed=1).split(Y), positive="yes", seed=1)


@pytest.fixture(params=["sync", "cluster"])
def session(request):
    scheduler = "sync" if request.param == "sync" else request.getfixturevalue("cluster_address")
    with connect(scheduler) as opened:
        yield opened


def naive_choice(problem, name, outer):
    """Every candidate on every inner fold, one after the other; the first of the best."""
    means = []
    for params in CANDIDATES[name]:
        folds = [
            FoldTask(name, fold, problem.classes, problem.seeds[outer], params, "yes")
            for fold in problem.inner[outer]
        ]
        figures = [run_fold(task, X, Y).metrics["accuracy"] for task in folds]
        means.append(math.fsum(figures) / len(figures))
    return CANDIDATES[name][means.index(max(means))]


def test_the_choice_is_that_of_plain_loops_wherever_it_runs(session, problem):
    chosen = choose_params(session, problem, CANDIDATES, {})
    assert chosen == {
        (name, outer): naive_choice(problem, name, outer)
        for name in CANDIDATES
        for outer in range(3)
    }


def _without_times(figures):
    return {name: value for name, value in figures.items() if "seconds" not in name}


def test_figures_are_the_same_wherever_they_are_computed(cluster_address, problem):
    trials = [
        Trial(name, given[-1], outer) for name, given in CANDIDATES.items() for outer in (0, 1)
    ]
    found = []
    for scheduler in ("sync", cluster_address):
        with connect(scheduler) as session:
            figures = dict(run_trials(session, problem, trials, {}, "trials"))
        found.append([_without_times(figures[at]) for at in range(len(trials))])
    assert found[0] == found[1]


def test_a_search_given_up_midway_goes_on_without_doing_anything_twice(
    session, problem, monkeypatch
):
    trials = [
        Trial("tree", {"max_depth": d}, outer, 0) for d in (1, 2, 3, 4) for outer in (0, 1, 2)
    ]
    ledger: dict = {}
    started = run_trials(session, problem, trials, ledger, "trials")
    for _ in range(5):
        next(started)
    started.close()  # as when the caller is interrupted
    before = dict(ledger)
    assert len(before) == 5

    computed = collections.Counter()
    real = search.arrivals

    def counting(session, items, make, label):
        computed.update(items)
        return real(session, items, make, label)

    monkeypatch.setattr(search, "arrivals", counting)
    figures = dict(run_trials(session, problem, trials, ledger, "trials"))
    assert len(figures) == 12
    assert sum(computed.values()) == 7
    assert all(ledger[key] == value for key, value in before.items())
    assert dict(run_trials(session, problem, trials, ledger, "trials")) == figures
    assert sum(computed.values()) == 7


def test_only_a_few_tasks_are_in_flight(cluster_address, problem):
    """Memory does not grow with the candidates: the scheduler never holds more than a window."""
    trials = [Trial("majority", {}, outer, inner) for outer in (0, 1, 2) for inner in (0, 1, 2)]
    items = list(range(200))
    most = 0
    with connect(cluster_address) as session:
        from dask.delayed import delayed

        made = []

        def make(item):
            made.append(item)
            return delayed(search.run_trial, pure=False)(trials[item % 9], problem)

        for done, _ in enumerate(search.arrivals(session, items, make, "trials"), start=1):
            most = max(most, len(made) - done)
            # the window, and the few whose release is still under way
            assert len(session.client.futures) <= 20
        assert len(made) == 200
        assert most <= 2 * session.n_workers


def test_an_error_of_a_trial_arrives_as_it_was_raised(session, problem):
    trials = [Trial("tree", {"leafs": 1}, 0)]
    with pytest.raises(InputError, match="does not take these parameters"):
        list(run_trials(session, problem, trials, {}, "trials"))


@pytest.mark.parametrize("spec", ["youden", "cost:5/1", "capacity:30"])
def test_thresholds_come_from_inner_scores_alone(session, problem, spec):
    params = {("tree", outer): {"max_depth": 2} for outer in range(3)}
    chosen = choose_thresholds(session, problem, params, spec)
    for outer in range(3):
        scores, positive = inner_scores("tree", {"max_depth": 2}, outer, problem)
        plain = spec.replace("30", "20")  # two thirds of the rows, two thirds of the capacity
        assert chosen["tree", outer] == choose_threshold(plain, scores, positive).value
