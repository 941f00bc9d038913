"""The majority row."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.dummy import DummyClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from whybox.baselines import MajorityClassifier
from whybox.errors import InputError


@parametrize_with_checks([MajorityClassifier()])
def test_it_is_a_scikit_learn_estimator(estimator, check):
    check(estimator)


def test_it_agrees_with_scikit_learns_prior():
    rng = np.random.default_rng(3)
    X, y, weight = rng.normal(size=(50, 2)), rng.integers(0, 4, 50), rng.random(50)
    ours = MajorityClassifier().fit(X, y, weight)
    theirs = DummyClassifier(strategy="prior").fit(X, y, weight)
    assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-15)


def test_of_equally_frequent_classes_the_first_is_predicted():
    assert MajorityClassifier().fit([[0], [0]], ["b", "a"]).predict([[0]]).tolist() == ["a"]


@pytest.mark.parametrize("weight", [[1.0], [-1.0, 1.0], [0.0, 0.0], [np.nan, 1.0]])
def test_weights_that_weigh_nothing_are_refused(weight):
    with pytest.raises(InputError, match="sample_weight"):
        MajorityClassifier().fit([[0], [0]], ["a", "b"], weight)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"classes": ["b", "a"]}, "sorted"),
        ({"classes": ["a", "a"]}, "distinct"),
        ({"classes": ["a", 1]}, "one type"),
        ({"classes": ["a"]}, "one float64 a class"),
        ({"classes": 3}, "no list"),
        ({"classes_dtype": "O8"}, "no type of labels"),
        ({"classes_dtype": "<U99999999999"}, "no type of labels"),
        ({"n_features_in": True}, "no positive integer"),
        ({"n_features_in": 0}, "no positive integer"),
        ({"feature_names_in": ["only one"]}, "one name a feature"),
        ({"more": 1}, "expected"),
    ],
)
def test_a_state_that_is_no_model_is_refused(change, message):
    meta, arrays = MajorityClassifier().fit(np.zeros((2, 2)), ["a", "b"]).to_state()
    with pytest.raises(InputError, match=message):
        MajorityClassifier.from_state(meta | change, arrays)


@pytest.mark.parametrize("share", [[0.5, 0.6], [-0.5, 1.5], [np.nan, 1.0], [[0.5, 0.5]], [1.0]])
def test_shares_that_are_none_are_refused(share):
    meta, _ = MajorityClassifier().fit(np.zeros((2, 2)), ["a", "b"]).to_state()
    with pytest.raises(InputError, match="prevalence"):
        MajorityClassifier.from_state(meta, {"prevalence": np.array(share)})
