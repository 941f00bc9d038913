"""Figures, folds and peers of real outcomes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error

from whybox.errors import InputError
from whybox.model_selection import Fold, FoldTask, make_splitter
from whybox.model_selection.registry import make_regressor
from whybox.model_selection.regression import (
    outcome_figures,
    regression_folds,
    resampled_outcomes,
    run_outcome_fold,
    summarise_outcomes,
)

NUMBERS = st.floats(-1e6, 1e6)


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=2))
def test_figures_are_those_of_scikit_learn(pairs):
    truth, answer = np.array(pairs).T
    found = outcome_figures(truth, answer)
    assert found["mae"] == pytest.approx(mean_absolute_error(truth, answer))
    assert found["rmse"] == pytest.approx(root_mean_squared_error(truth, answer))
    if found["r2"] is None:
        assert np.ptp(truth) < 1e-6
    elif np.ptp(truth) > 1e-3:
        assert found["r2"] == pytest.approx(r2_score(truth, answer), rel=1e-6)


@pytest.mark.parametrize("spec", ["4", "shuffle:3:0.25"])
def test_groups_stay_together(spec):
    groups = np.repeat(np.arange(20), 3)
    folds = regression_folds(make_splitter(spec, seed=3), np.arange(60.0), groups)
    for fold in folds:
        assert not set(groups[fold.train]) & set(groups[fold.test])
        assert sorted([*fold.train, *fold.test]) == list(range(60))
    again = regression_folds(make_splitter(spec, seed=3), np.arange(60.0), groups)
    assert [f.test.tolist() for f in again] == [f.test.tolist() for f in folds]


def test_too_few_rows_or_groups_are_refused():
    with pytest.raises(InputError, match="5 folds of 8 rows"):
        regression_folds(make_splitter("5"), np.arange(8.0))
    with pytest.raises(InputError, match="3 folds of 9 rows"):
        regression_folds(make_splitter("3"), np.arange(9.0), np.repeat([0, 1], [4, 5]))
    assert regression_folds(make_splitter("0"), np.arange(8.0)) == ()


@pytest.mark.parametrize("name", ["s3d", "ridge", "tree", "hist-gradient-boosting", "mean"])
def test_every_peer_learns_with_gaps(name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 3))
    y = 3 * (X[:, 0] > 0) + 0.1 * X[:, 1]
    X[::7, 2] = np.nan
    rows = np.arange(240)
    tasks = [FoldTask(name, Fold(k, rows[rows % 3 != k], rows[rows % 3 == k]), ()) for k in (0, 1)]
    results = [run_outcome_fold(task, X, y) for task in tasks]
    [row] = summarise_outcomes(results)
    figures = [result.metrics["r2"] for result in results]
    assert row["r2_mean"] == pytest.approx(np.mean(figures))
    assert row["r2_sd"] == pytest.approx(np.std(figures, ddof=1))
    assert (row["r2_mean"] > 0.5) == (name != "mean")


def test_an_unknown_model_is_refused():
    with pytest.raises(InputError, match="no model 'oracle'"):
        make_regressor("oracle", 0)


def test_intervals_of_outcomes_are_those_of_people_taken_again():
    rng = np.random.default_rng(4)
    truth = rng.normal(size=80)
    answer = truth + rng.normal(size=80)
    found = resampled_outcomes(truth, answer, n_draws=300, seed=2)
    again, drawn = np.random.default_rng(2), []
    for _ in range(300):
        rows = again.integers(80, size=80)
        drawn.append(list(outcome_figures(truth[rows], answer[rows]).values()))
    low, high = np.percentile(drawn, [2.5, 97.5], axis=0)
    for at, (name, value) in enumerate(outcome_figures(truth, answer).items()):
        expected = (value, pytest.approx(low[at]), pytest.approx(high[at]))
        assert (found[name].value, found[name].low, found[name].high) == expected
    assert resampled_outcomes(np.ones(5), np.zeros(5), n_draws=9)["r2"] is None
