"""The page of a comparison."""

from __future__ import annotations

import numpy as np
import pytest

from whybox.explain.comparison import ComparedTask, Comparison, build_comparison
from whybox.model_selection.comparison import compare_models, staged_errors
from whybox.model_selection.nested import Trial, make_problem, run_trial
from whybox.model_selection.splitters import Splitter

EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def task():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", EVIL, "c"], 20)
    X = rng.normal(size=(60, 3)) + (y == "a")[:, None]
    problem = make_problem(X, y, Splitter(2).split(y))
    models = {"cbpt": {"n_estimators": 4}, "majority": {}}
    figures = {
        (name, outer): run_trial(Trial(name, params, outer), problem)
        for name, params in models.items()
        for outer in (0, 1)
    }
    return ComparedTask(
        title=f"task {EVIL}",
        about="60 rows",
        rows=compare_models(problem, figures),
        stages={"cbpt": staged_errors([figures["cbpt", 0], figures["cbpt", 1]])},
        learning={"cbpt": [(0.5, 0.6), (1.0, 0.7)], EVIL: [(0.5, 0.3), (1.0, 0.3)]},
        classes=["a", EVIL, "c"],
        confusions={"cbpt": sum(np.asarray(figures["cbpt", k]["confusion"]) for k in (0, 1))},
    )


def test_the_page_has_tables_and_pictures_and_escapes_all_names(task):
    data = Comparison("Side by side", "Two models.", [task, task], {"seed": 0})
    page = build_comparison(data)
    assert page == build_comparison(data)
    assert page.count("<svg") == 6
    assert EVIL not in page
    assert "http:" not in page
    assert "https:" not in page
    ids = [part.split('"')[0] for part in page.split('<figure id="')[1:]]
    assert len(ids) == len(set(ids)) == 6


def test_figures_that_no_model_has_take_no_column(task):
    page = build_comparison(Comparison("t", "s", [task]))
    assert "Brier score" in page
    assert "F1, positive class" not in page  # three classes, none of them the positive
