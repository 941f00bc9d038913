"""Figures of several classes are scikit-learn's, and their intervals those of people drawn again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from whybox.errors import InputError
from whybox.model_selection.class_figures import (
    figures_of_counts,
    judge_classes,
    ranked_classes,
    top_label_bins,
)
from whybox.model_selection.metrics import evaluate

PAIRS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=60)


def made(n=240, seed=0):
    """Classes of unlike sizes, probabilities that know something, decisions by the likeliest."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(4, n, p=[0.5, 0.3, 0.15, 0.05])
    proba = rng.dirichlet(np.ones(4), n) + 0.6 * np.eye(4)[truth]
    proba /= proba.sum(axis=1, keepdims=True)
    return truth, proba.argmax(axis=1), proba


@given(PAIRS)
def test_figures_of_a_table_are_scikit_learns(pairs):
    truth, decided = (np.array(part) for part in zip(*pairs, strict=True))
    labels = np.arange(4)
    found = figures_of_counts(metrics.confusion_matrix(truth, decided, labels=labels))
    each = metrics.precision_recall_fscore_support(truth, decided, labels=labels, zero_division=0)
    there = np.isin(labels, truth)
    np.testing.assert_allclose(found["precision"], each[0])
    np.testing.assert_allclose(found["recall"][there], each[1][there])
    assert np.isnan(found["recall"][~there]).all()
    np.testing.assert_allclose(found["f1"], each[2])
    expected = {
        "accuracy": metrics.accuracy_score(truth, decided),
        "balanced_accuracy": each[1][there].mean(),
        "f1_macro": each[2].mean(),
        "f1_weighted": np.average(each[2], weights=each[3]),
        "mcc": metrics.matthews_corrcoef(truth, decided),
    }
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, abs=1e-12), name
    if len({*truth, *decided}) > 1:
        kappa = metrics.cohen_kappa_score(truth, decided)
        assert found["kappa"] == pytest.approx(kappa, abs=1e-12)
    else:
        assert np.isnan(found["kappa"])


def test_many_tables_at_once_are_each_as_alone():
    tables = np.random.default_rng(1).integers(0, 9, (5, 3, 3))
    together = figures_of_counts(tables)
    for at, table in enumerate(tables):
        for name, value in figures_of_counts(table).items():
            np.testing.assert_array_equal(together[name][at], value)


def test_probabilities_are_judged_as_in_the_figures_by_fold():
    truth, decided, proba = made()
    found = judge_classes(truth, decided, proba, n_draws=5).together
    known = evaluate(truth, decided, proba, range(4))
    assert found["brier"].value == pytest.approx(known["brier"])
    assert found["calibration_error"].value == pytest.approx(known["calibration_error"])
    areas, precisions = ranked_classes(truth, proba)
    assert np.mean(areas) == pytest.approx(known["auc"])
    assert precisions[3] == metrics.average_precision_score(truth == 3, proba[:, 3])
    bins = top_label_bins(truth, proba)
    assert sum(n for *_, n in bins) == len(truth)
    off = sum(n * abs(stated - observed) for stated, observed, n in bins) / len(truth)
    assert off == pytest.approx(known["calibration_error"])


def test_intervals_are_those_of_rows_taken_again():
    truth, decided, proba = made(120)
    found = judge_classes(truth, decided, proba, n_draws=400, seed=3)
    rng, drawn = np.random.default_rng(3), []
    for _ in range(400):
        rows = rng.integers(120, size=120)
        drawn.append(metrics.f1_score(truth[rows], decided[rows], average="macro", labels=range(4),
                                      zero_division=0))  # fmt: skip
    low, high = np.percentile(drawn, [2.5, 97.5])
    macro = found.together["f1_macro"]
    assert (macro.low, macro.high) == (pytest.approx(low), pytest.approx(high))
    assert (
        found.each["recall"][0].low < found.each["recall"][0].value < found.each["recall"][0].high
    )


def test_people_of_many_rows_make_intervals_wider_and_their_order_does_not_matter():
    truth, decided, proba = made(60)
    people = np.repeat(np.arange(60), 10)
    parts = tuple(np.repeat(part, 10, axis=0) for part in (truth, decided, proba))
    alone = judge_classes(*parts, n_draws=300).together["accuracy"]
    grouped = judge_classes(*parts, people, n_draws=300).together["accuracy"]
    assert grouped.high - grouped.low > 2 * (alone.high - alone.low)
    order = np.random.default_rng(0).permutation(600)
    shuffled = judge_classes(*(part[order] for part in parts), people[order], n_draws=300)
    assert shuffled.together["accuracy"] == grouped


def test_a_class_without_rows_or_decisions_has_no_figure_and_no_warning():
    truth, proba = np.array([0, 0, 1, 1]), np.full((4, 3), 1 / 3)
    found = judge_classes(truth, np.zeros(4, dtype=int), proba, n_draws=20)
    assert found.each["recall"][2] is None
    assert found.each["precision"][1] is found.each["precision"][2] is None
    assert ranked_classes(truth, proba)[0] == [0.5, 0.5, None]
    with pytest.raises(InputError, match="lengths"):
        judge_classes(truth, truth[:3], proba)
