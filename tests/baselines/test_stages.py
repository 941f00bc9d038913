"""Predictions after fewer rounds, for every booster."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from whybox.baselines.stages import n_rounds, shown_rounds, staged_labels
from whybox.model_selection.registry import library_of, make_model

BOOSTERS = ("adaboost", "adaboost-pt", "cbpt", "kigb", "lightgbm", "logitboost", "real-adaboost",
            "xgboost")  # fmt: skip


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
@pytest.mark.parametrize("name", BOOSTERS)
def test_a_stage_is_what_a_shorter_fit_says(name, load):
    if library_of(name):
        pytest.importorskip(library_of(name))
    X, codes = load(return_X_y=True)
    y = np.array(["a", "b", "c"])[codes]
    long = make_model(name, 0, n_estimators=6).fit(X[::2], y[::2])
    assert n_rounds(long) == 6
    stages = dict(staged_labels(long, X, (1, 4, 6)))
    assert list(stages) == [1, 4, 6]
    short = make_model(name, 0, n_estimators=4).fit(X[::2], y[::2])
    assert stages[4].tolist() == short.predict(X).tolist()
    assert stages[6].tolist() == long.predict(X).tolist()


def test_histogram_boosting_has_stages_and_a_forest_none():
    X, y = load_iris(return_X_y=True)
    model = make_model("hist-gradient-boosting", 0, max_iter=3).fit(X, y)
    assert n_rounds(model) == 3
    assert [k for k, _ in staged_labels(model, X, (2, 3))] == [2, 3]
    assert n_rounds(make_model("forest", 0, n_estimators=3).fit(X, y)) == 0
    assert n_rounds(make_model("majority", 0).fit(X, y)) == 0


@pytest.mark.parametrize("n", [1, 2, 39, 500])
def test_the_first_and_the_last_round_are_shown(n):
    rounds = shown_rounds(n)
    assert rounds[0] == 1
    assert rounds[-1] == n
    assert len(rounds) <= 40
    assert list(rounds) == sorted(set(rounds))
