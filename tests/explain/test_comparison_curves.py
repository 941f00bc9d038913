"""Curves of several models, made of counts, are those of scikit-learn on the rows themselves."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from whybox.explain.comparison_curves import (
    calibration_overlay,
    operating_point,
    precision_recall_overlay,
    roc_overlay,
)
from whybox.explain.wording import number, percent
from whybox.model_selection.metrics import calibration_error

N_PIECES = 200


@pytest.fixture(scope="module")
def rows():
    """Scores in the middles of pieces, and classes."""
    rng = np.random.default_rng(5)
    positive = rng.random(400) < 0.3
    pieces = np.clip(rng.normal(90 + 40 * positive, 40, 400), 0, N_PIECES - 1).astype(int)
    return positive, pieces


@pytest.fixture(scope="module")
def tally(rows):
    positive, pieces = rows
    return [np.bincount(pieces[part], minlength=N_PIECES) for part in (~positive, positive)]


def test_the_area_is_that_of_the_rows(rows, tally):
    positive, pieces = rows
    (row,) = roc_overlay({"m": tally}).table.rows
    assert row[1] == number(float(roc_auc_score(positive, pieces)))


def test_what_is_found_at_a_rate_of_false_alarms_is_found(rows, tally):
    """Of the thresholds around the rate, one finds less and the other more."""
    positive, pieces = rows
    (row,) = roc_overlay({"m": tally}).table.rows
    found = float(row[3].removesuffix(" %")) / 100
    alarms = np.array([(pieces[~positive] >= cut).mean() for cut in range(N_PIECES + 1)])
    hits = np.array([(pieces[positive] >= cut).mean() for cut in range(N_PIECES + 1)])
    assert hits[alarms <= 0.05].max() - 0.001 <= found <= hits[alarms >= 0.05].min() + 0.001


def test_average_precision_is_that_of_the_rows(rows, tally):
    positive, pieces = rows
    (row,) = precision_recall_overlay({"m": tally}).table.rows
    assert row[1] == number(float(average_precision_score(positive, pieces)))


def test_calibration_is_that_of_the_rows(rows, tally):
    positive, pieces = rows
    scores = (pieces + 0.5) / N_PIECES
    (row,) = calibration_overlay({"m": tally}).table.rows
    assert row[1] == number(float(calibration_error(scores, positive, 10)), 2)
    tenth = (scores >= 0.5) & (scores < 0.6)
    assert row[2 + 5] == percent(float(positive[tenth].mean()))


def test_decisions_are_counted_from_the_threshold_on(rows, tally):
    positive, pieces = rows
    flagged = pieces >= N_PIECES // 2
    sensitivity, specificity, precision = operating_point(tally)
    assert sensitivity == flagged[positive].mean()
    assert specificity == pytest.approx((~flagged)[~positive].mean())
    assert precision == positive[flagged].mean()


def test_a_model_that_says_the_same_of_all_is_no_better_than_guessing(tally):
    same = np.zeros_like(tally)
    same[:, 60] = np.sum(tally, axis=1)
    assert roc_overlay({"m": tally, "majority": same}).table.rows[1][1] == "0.5"
    share = percent(float(same[1].sum() / same.sum()))
    assert set(precision_recall_overlay({"majority": same}).table.rows[0][2:]) == {share}
    assert operating_point(same) == (0.0, 1.0, None)


def test_names_are_escaped_and_pictures_have_a_label_and_a_row_a_model(tally):
    evil = "<script>alert(1)</script>"
    for overlay in (roc_overlay, precision_recall_overlay, calibration_overlay):
        plot = overlay({"m": tally, evil: tally}, "here")
        assert "<script" not in plot.svg and "alert(1)" in plot.svg
        assert [row[0] for row in plot.table.rows] == ["m", evil]
        assert plot == overlay({"m": tally, evil: tally}, "here")
