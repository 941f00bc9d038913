"""Figures against scikit-learn and against arithmetic on paper."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk

from whybox.errors import InputError
from whybox.model_selection import evaluate, precision_at_base_rate
from whybox.model_selection.metrics import METRICS, calibration_error, ranked_auc


@st.composite
def predictions(draw, n_classes):
    n = draw(st.integers(n_classes, 40))
    truth = np.array(draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n)))
    truth[:n_classes] = np.arange(n_classes)  # each class is there
    weights = st.lists(st.integers(1, 9), min_size=n_classes, max_size=n_classes)
    raw = np.array(draw(st.lists(weights, min_size=n, max_size=n)), dtype=float)
    predicted = np.array(draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n)))
    return truth, predicted, raw / raw.sum(axis=1, keepdims=True)


@given(predictions(2), st.floats(0.05, 0.95))
def test_two_classes_agree_with_scikit_learn(case, threshold):
    truth, predicted, proba = case
    got = evaluate(truth, predicted, proba, [0, 1], threshold=threshold)
    flagged = (proba[:, 1] >= threshold).astype(int)
    expected = {
        "accuracy": sk.accuracy_score(truth, predicted),
        "f1_macro": sk.f1_score(truth, predicted, labels=[0, 1], average="macro", zero_division=0),
        "f1_positive": sk.f1_score(truth, predicted, zero_division=0),
        "auc": sk.roc_auc_score(truth, proba[:, 1]),
        "brier": sk.brier_score_loss(truth, proba[:, 1]),
        "log_loss": sk.log_loss(truth, proba),
        "sensitivity": sk.recall_score(truth, flagged),
        "specificity": sk.recall_score(truth, flagged, pos_label=0),
        "precision": sk.precision_score(truth, flagged, zero_division=np.nan),
        "disagreements": np.mean(predicted != flagged),
    }
    for name, value in expected.items():
        assert got[name] == (None if np.isnan(value) else pytest.approx(value, abs=1e-12)), name
    assert set(got["undefined"]) == {name for name in METRICS if got[name] is None}


@given(predictions(4))
def test_more_classes_agree_with_scikit_learn(case):
    truth, predicted, proba = case
    got = evaluate(truth, predicted, proba, [0, 1, 2, 3])
    hot = np.eye(4)[truth]
    assert got["auc"] == pytest.approx(sk.roc_auc_score(truth, proba, multi_class="ovr"))
    assert got["brier"] == pytest.approx(((hot - proba) ** 2).sum(axis=1).mean())
    assert got["log_loss"] == pytest.approx(sk.log_loss(truth, proba))
    assert got["f1_macro"] == pytest.approx(
        sk.f1_score(truth, predicted, labels=range(4), average="macro", zero_division=0)
    )
    assert got["sensitivity"] is None
    assert "no positive class" in got["undefined"]["sensitivity"]


@given(predictions(3))
def test_a_named_positive_is_judged_against_all_others(case):
    truth, predicted, proba = case
    got = evaluate(truth, predicted, proba, [0, 1, 2], positive=2)
    assert got["f1_positive"] == pytest.approx(
        sk.f1_score(truth == 2, predicted == 2, zero_division=0)
    )
    assert got["sensitivity"] == pytest.approx(sk.recall_score(truth == 2, proba[:, 2] >= 0.5))


def test_the_first_of_two_classes_may_be_the_positive():
    proba = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]])
    one = evaluate(list("aab"), list("aab"), proba, ["a", "b"], positive="a")
    other = evaluate(list("bba"), list("bba"), proba[:, ::-1], ["a", "b"], positive="b")
    assert one == other


def test_precision_at_a_base_rate_of_five_in_a_hundred():
    # Of 10,000 people 500 are positive: 440 found; of 9,500 others 1,140 flagged wrongly.
    assert precision_at_base_rate(0.88, 0.88, 0.05) == pytest.approx(440 / 1580)
    assert round(100 * precision_at_base_rate(0.88, 0.88, 0.05)) == 28


@given(st.integers(1, 50), st.integers(1, 50), st.data())
def test_at_the_samples_own_base_rate_precision_is_what_was_seen(n_positive, n_negative, data):
    hits = data.draw(st.integers(0, n_positive))
    alarms = data.draw(st.integers(0 if hits else 1, n_negative))
    got = precision_at_base_rate(
        hits / n_positive, 1 - alarms / n_negative, n_positive / (n_positive + n_negative)
    )
    assert got == pytest.approx(hits / (hits + alarms))


def test_precision_at_a_base_rate_is_none_where_nothing_is_flagged_or_known():
    assert precision_at_base_rate(0.0, 1.0, 0.1) is None
    assert precision_at_base_rate(None, 0.9, 0.1) is None
    for rate in (0, 1, -0.1, float("nan")):
        with pytest.raises(InputError, match="base rate"):
            precision_at_base_rate(0.9, 0.9, rate)


def test_one_class_only_gives_reasons_not_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got = evaluate([0, 0], [0, 0], np.array([[0.9, 0.1], [0.8, 0.2]]), [0, 1])
    assert (got["auc"], got["sensitivity"], got["precision"]) == (None, None, None)
    assert got["specificity"] == 1
    assert got["undefined"] == {
        "auc": "a class has no rows here",
        "sensitivity": "there are no positive rows",
        "precision": "no row reaches the threshold",
    }


def test_figures_are_plain_json():
    got = evaluate(list("ab"), list("aa"), None, ["a", "b"])
    assert json.loads(json.dumps(got, allow_nan=False)) == got
    assert got["undefined"]["brier"] == "the model gives no probabilities"


def test_a_probability_of_zero_for_the_truth_gives_a_finite_loss():
    got = evaluate([0, 1], [1, 1], np.array([[0.0, 1.0], [0.0, 1.0]]), [0, 1])
    assert got["log_loss"] == pytest.approx(-np.log(np.finfo(float).eps) / 2)


def test_a_row_at_the_threshold_is_flagged():
    got = evaluate([0, 1], [0, 1], np.array([[0.5, 0.5], [0.5, 0.5]]), [0, 1])
    assert (got["sensitivity"], got["specificity"]) == (1, 0)
    assert got["disagreements"] == 0.5


def test_calibration_by_hand():
    scores = np.array([0.05, 0.05, 0.95, 1.0, 0.5])
    happened = np.array([False, True, True, False, True])
    # Bins: first |0.1 - 1|, last |1.95 - 1|, middle |0.5 - 1|, of 5 rows.
    assert calibration_error(scores, happened) == pytest.approx((0.9 + 0.95 + 0.5) / 5)


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=30))
def test_auc_counts_pairs(rows):
    scores = np.array([score / 5 for score, _ in rows])
    positive = np.array([flag for _, flag in rows])
    pairs = [(s > r) + 0.5 * (s == r) for s in scores[positive] for r in scores[~positive]]
    assert ranked_auc(scores, positive) == (sum(pairs) / len(pairs) if pairs else None)


@pytest.mark.parametrize(
    ("y_true", "y_pred", "proba", "message"),
    [
        (["a", "x"], ["a", "b"], None, "1 of 2 labels are none of the classes"),
        ([], [], None, "no rows"),
        (["a"], ["a", "b"], None, "1 labels but 2 predictions"),
        (["a"], ["a"], [[0.5, 0.25, 0.25]], "shape"),
        (["a"], ["a"], [[0.7, 0.7]], "sum to 1"),
        (["a"], ["a"], [[-0.5, 1.5]], "below 0"),
        (["a"], ["a"], [[np.nan, 1.0]], "below 0"),
    ],
)
def test_predictions_that_cannot_be_judged_are_refused(y_true, y_pred, proba, message):
    with pytest.raises(InputError, match=message):
        evaluate(y_true, y_pred, proba, ["a", "b"])
