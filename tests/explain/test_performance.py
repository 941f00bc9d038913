"""Pictures of performance: their figures are scikit-learn's."""

import re

import numpy as np
import pytest
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    confusion_matrix,
    roc_auc_score,
    roc_curve,
)

from whybox.explain import OutOfFold
from whybox.explain.performance import (
    calibration_plot,
    confusion,
    confusion_plot,
    precision_recall_plot,
    roc_plot,
    score_plot,
)


def make(n_rows=300, seed=0):
    rng = np.random.default_rng(seed)
    positive = rng.random(n_rows) < 0.3
    scores = np.round(np.clip(rng.normal(0.3 + 0.3 * positive, 0.2), 0, 1), 2)  # many ties
    return OutOfFold(positive, scores, ("control", "case"))


def figure_in(caption):
    return float(re.search(r"\d\.\d+", caption).group())


def test_roc_area_and_points():
    scores = make()
    plot = roc_plot(scores, 0.4)
    assert figure_in(plot.caption) == round(roc_auc_score(scores.positive, scores.scores), 3)
    false_rate, sensitivity, cuts = roc_curve(
        scores.positive, scores.scores, drop_intermediate=False
    )
    for threshold, x, y in plot.table.rows[1:-1]:
        at = np.flatnonzero(cuts >= float(threshold))[-1]
        assert float(x) == pytest.approx(false_rate[at], abs=5e-4)
        assert float(y) == pytest.approx(sensitivity[at], abs=5e-4)


def test_average_precision():
    scores = make(seed=1)
    expected = average_precision_score(scores.positive, scores.scores)
    assert figure_in(precision_recall_plot(scores).caption) == round(expected, 3)


@pytest.mark.parametrize("threshold", [0.0, 0.35, 1.0, 2.0])
def test_confusion(threshold):
    scores = make()
    expected = confusion_matrix(scores.positive, scores.scores >= threshold)
    np.testing.assert_array_equal(confusion(scores, threshold), expected)
    assert confusion_plot(scores, threshold).svg


def test_calibration():
    scores = make(seed=2)
    plot = calibration_plot(scores)
    assert figure_in(plot.caption) == round(brier_score_loss(scores.positive, scores.scores), 3)
    assert sum(int(row[2]) for row in plot.table.rows) == len(scores.scores)


def test_scores_are_counted_by_class():
    scores = make()
    rows = score_plot(scores, 0.5).table.rows
    assert sum(int(row[2]) for row in rows) == int((~scores.positive).sum())
    assert sum(int(row[3]) for row in rows) == int(scores.positive.sum())


@pytest.mark.filterwarnings("error")
def test_perfect_and_constant_scores_are_drawn_without_a_warning():
    positive = np.array([False, True, True])
    for values in (positive.astype(float), np.full(3, 0.5)):
        scores = OutOfFold(positive, values)
        for plot in (roc_plot, precision_recall_plot, score_plot):
            assert plot(scores, 0.5).svg
        assert calibration_plot(scores).svg
