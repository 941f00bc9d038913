"""Answers: each row's own, decided or silent, with its largest exact reasons."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from whybox.baselines import MajorityClassifier
from whybox.cbpt import CBPTClassifier
from whybox.model_selection.abstention import feature_ranges
from whybox.model_selection.answers import Rule, answer
from whybox.model_selection.leaf_support import THIN_LEAVES, support_of, thin_share, too_thin
from whybox.trees.shap import ensemble_base_values, ensemble_shap_values


@pytest.fixture(scope="module")
def fitted():
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.normal(size=(120, 5)), columns=list("abcde"))
    frame.iloc[::7, 2] = np.nan
    y = np.where(frame["a"] + frame["b"] ** 2 > 1, "yes", "no")
    return CBPTClassifier(12, random_state=0).fit(frame, y), frame


def test_a_row_has_the_same_answer_alone(fitted):
    model, frame = fitted
    rule = Rule("yes", 0.5, 0.05, feature_ranges(frame))
    together = answer(model, frame, rule)
    for row in range(0, 120, 11):
        alone = answer(model, frame.iloc[[row]], rule)
        assert alone.probability[0] == together.probability[row]
        assert alone.decision[0] == together.decision[row]
        assert alone.reasons[0] == together.reasons[row]


def test_all_reasons_and_the_base_add_up_to_the_probability(fitted):
    model, frame = fitted
    found = answer(model, frame, Rule("yes", 0.5, 0.0, None, n_reasons=5))
    base = ensemble_base_values(model.estimators_, model.estimator_weights_)[1]
    sums = [base + sum(reason.shap for reason in row) for row in found.reasons]
    np.testing.assert_allclose(sums, found.probability, atol=1e-12)


def test_the_other_class_can_be_the_positive_one(fitted):
    model, frame = fitted
    yes = answer(model, frame, Rule("yes", 0.5, 0.0, None, 2))
    no = answer(model, frame, Rule("no", 0.5, 0.0, None, 2))
    np.testing.assert_allclose(yes.probability + no.probability, 1)
    assert [r.shap for r in yes.reasons[0]] == [-r.shap for r in no.reasons[0]]


def test_reasons_are_the_first_of_the_sorted_values(fitted):
    model, frame = fitted
    values = ensemble_shap_values(model.estimators_, model.estimator_weights_, frame.to_numpy())
    found = answer(model, frame, Rule("yes", 0.5, 0.0, None, 3))
    for row, reasons in enumerate(found.reasons):
        ranked = sorted(range(5), key=lambda f: (-abs(values[row, f, 1]), f))[:3]
        assert [r.feature for r in reasons] == [frame.columns[f] for f in ranked]
        assert [r.value is None for r in reasons] == [
            bool(pd.isna(frame.iloc[row, f])) for f in ranked
        ]


def test_outside_the_training_range_nothing_is_decided(fitted):
    model, frame = fitted
    rule = Rule("yes", 0.5, 0.0, feature_ranges(frame))
    found = answer(model, frame.iloc[[0]] * 0 + 99, rule)
    assert (found.decision[0], found.abstention[0]) == (None, "out of range")


def test_no_rows_and_no_reasons(fitted):
    model, frame = fitted
    nothing = answer(model, frame.iloc[:0], Rule("yes", 0.5, 0.0, None))
    assert len(nothing.probability) == len(nothing.reasons) == 0
    assert answer(model, frame.iloc[:2], Rule("yes", 0.5, 0.0, None, 0)).reasons == [(), ()]
    majority = MajorityClassifier().fit(frame.fillna(0), ["no", "yes"] * 60)
    assert answer(majority, frame.fillna(0).iloc[:1], Rule("yes", 0.5, 0.0, None)).reasons == [()]


def test_rows_in_thin_leaves_are_not_decided_and_say_so(fitted):
    model, frame = fitted
    X = frame.to_numpy()
    shares = thin_share(model, X, 5)
    half = {"min_rows": 5, "limit": float(np.median(shares))}
    found = answer(model, frame, Rule("yes", 0.5, 0.3, None, support=half))
    thin = shares > half["limit"]
    near = np.abs(found.probability - 0.5) < 0.3
    assert (thin & near).any() and (near & ~thin).any() and (~near & ~thin).any()
    assert set(found.abstention[thin]) == {THIN_LEAVES}  # it stands before "near threshold"
    assert set(found.abstention[near & ~thin]) == {"near threshold"}
    assert [decision is None for decision in found.decision] == (thin | near).tolist()
    assert too_thin(model, X, support_of(model, X)).sum() <= 2  # one of a hundred
