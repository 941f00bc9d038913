"""Tables of folds, against arithmetic on paper and scipy."""

from __future__ import annotations

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import stats

from whybox.errors import InputError
from whybox.model_selection import FoldResult, paired_differences, pool, summarise
from whybox.model_selection.metrics import METRICS
from whybox.model_selection.summary import corrected_interval, corrected_t_test


def _result(model, fold, accuracy, test=None, n_train=8, proba=None, auc=0.5):
    test = np.array([fold]) if test is None else np.array(test)
    metrics = dict.fromkeys(METRICS) | {"accuracy": accuracy, "auc": auc}
    y_pred = np.array([f"{model}{row}" for row in test])
    return FoldResult(model, fold, test, n_train, y_pred, proba, metrics, 1.0 + fold, 0.0)


def test_means_and_spreads_are_of_the_folds_where_a_figure_is_defined():
    results = [_result("a", 1, 0.8, auc=None), _result("b", 0, 0.5), _result("a", 0, 0.6)]
    a, b = summarise(results)
    assert (a["model"], a["n_folds"], b["model"], b["n_folds"]) == ("a", 2, "b", 1)
    assert a["accuracy_mean"] == pytest.approx(0.7)
    assert a["accuracy_sd"] == pytest.approx(statistics.stdev([0.6, 0.8]))
    assert (a["auc_mean"], a["auc_sd"]) == (0.5, None)
    assert (a["brier_mean"], a["brier_sd"], b["accuracy_sd"]) == (None, None, None)
    assert a["fit_seconds_mean"] == 1.5


def test_the_order_of_the_results_changes_nothing_but_the_rows_order():
    results = [_result(model, fold, 0.1 * fold + 0.3) for model in "ab" for fold in range(5)]
    assert summarise(results) == summarise(results[::-1])[::-1]
    assert paired_differences(results, "a") == paired_differences(results[::-1], "a")


def test_pooled_predictions_are_by_row_and_keep_repeats_in_the_order_of_folds():
    results = [
        _result("a", 1, 0.5, [2, 0], proba=np.array([[0.2, 0.8], [0.1, 0.9]])),
        _result("b", 0, 0.5, [7]),
        _result("a", 0, 0.5, [4, 2], proba=np.array([[0.4, 0.6], [0.3, 0.7]])),
    ]
    pooled = pool(results, "a")
    assert_array_equal(pooled.rows, [0, 2, 2, 4])
    assert_array_equal(pooled.proba[:, 0], [0.1, 0.3, 0.2, 0.4])
    assert pooled.y_pred.tolist() == ["a0", "a2", "a2", "a4"]
    assert pool(results, "b").proba is None
    with pytest.raises(InputError, match="'c'"):
        pool(results, "c")


def test_the_corrected_t_test_by_hand():
    # Mean 0.02, variance 5e-5; (1/5 + 1/4) * 5e-5 = 2.25e-5, its root 0.0047434; 4 df.
    t, p = corrected_t_test([0.01, 0.02, 0.03, 0.02, 0.02], 0.25)
    assert t == pytest.approx(0.02 / 0.0047434165)
    assert p == pytest.approx(2 * stats.t(4).sf(4.2163702))


@given(st.lists(st.integers(-99, 99), min_size=2, max_size=12).filter(lambda x: len(set(x)) > 1))
def test_without_overlap_the_corrected_t_test_is_the_plain_one(values):
    differences = [value / 100 for value in values]
    expected = stats.ttest_1samp(differences, 0)
    t, p = corrected_t_test(differences, 0.0)
    assert t == pytest.approx(expected.statistic, abs=1e-12)
    assert p == pytest.approx(expected.pvalue)
    assert corrected_t_test(differences, 0.25)[1] >= p - 1e-12


@given(st.lists(st.floats(-1, 1).map(lambda v: round(v, 3)), min_size=2, max_size=8, unique=True))
def test_an_interval_holds_zero_just_where_the_test_finds_no_difference(values):
    _, p = corrected_t_test(values, 0.25)
    low, high = corrected_interval(values, 0.25)
    assert (low <= 0 <= high) == (p >= 0.05) or abs(p - 0.05) < 1e-9
    assert (low + high) / 2 == pytest.approx(np.mean(values), abs=1e-12)


def test_one_fold_has_no_interval():
    assert corrected_interval([0.8], 0.25) is None


def test_equal_differences_have_no_test_unless_they_are_zero():
    assert corrected_t_test([0.0, 0.0], 0.25) == (0.0, 1.0)
    assert corrected_t_test([0.9 - 0.8, 0.8 - 0.7, 0.7 - 0.6], 0.25) == (None, None)
    assert corrected_t_test([0.1], 0.25) == (None, None)
    assert corrected_t_test([], 0.25) == (None, None)


def test_differences_are_paired_by_fold():
    a = [_result("a", fold, accuracy) for fold, accuracy in enumerate([0.5, 0.6, 0.7])]
    b = [_result("b", fold, accuracy) for fold, accuracy in enumerate([0.6, 0.6, 0.9])]
    (row,) = paired_differences([*b[::-1], *a], "a")
    assert row["difference"] == pytest.approx(0.1)
    assert row["t"] == pytest.approx(corrected_t_test([0.1, 0.0, 0.2], 1 / 8)[0])
    assert (row["model"], row["reference"], row["n_folds"]) == ("b", "a", 3)


def test_a_metric_that_no_fold_has_gives_none():
    results = [_result(model, fold, 0.5) for model in "ab" for fold in range(2)]
    (row,) = paired_differences(results, "a", "brier")
    assert (row["n_folds"], row["difference"], row["t"], row["p"]) == (0, None, None, None)


@pytest.mark.parametrize(
    ("other", "metric", "message"),
    [
        ([_result("b", 0, 0.5)], "accuracy", "'b' was not run on the same folds"),
        ([_result("b", 0, 0.5), _result("b", 1, 0.5, [9])], "accuracy", "the same folds"),
        ([_result("b", 0, 0.5), _result("b", 0, 0.5)], "accuracy", "one fold twice"),
        ([_result("b", 0, 0.5), _result("b", 1, 0.5)], "beauty", "'beauty' is none of"),
    ],
)
def test_what_cannot_be_paired_is_refused(other, metric, message):
    with pytest.raises(InputError, match=message):
        paired_differences([_result("a", 0, 0.5), _result("a", 1, 0.5), *other], "a", metric)


def test_a_reference_that_was_not_run_is_refused():
    with pytest.raises(InputError, match="same folds"):
        paired_differences([_result("b", 0, 0.5)], "a")
