"""Shapley values of a fitted model."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

from whybox.cbpt import CBPTClassifier
from whybox.errors import InputError
from whybox.explain import base_values, shap_interactions, shap_values


def test_values_add_up_to_the_probabilities(model, users):
    X, _ = users
    values = shap_values(model, X)
    assert values.shape == (*X.shape, 2)
    np.testing.assert_allclose(
        base_values(model) + values.sum(axis=1), model.predict_proba(X), atol=1e-12
    )


def test_base_values_are_the_prevalence(model, users):
    _, positive = users
    np.testing.assert_allclose(base_values(model), [1 - positive.mean(), positive.mean()])
    np.testing.assert_allclose(base_values(model), model.expected_value_)


def test_base_values_are_the_weighted_prevalence_under_sample_weights(users):
    X, positive = users
    weight = np.random.default_rng(1).integers(1, 5, len(X)).astype(float)
    fitted = CBPTClassifier(n_estimators=4, random_state=0).fit(X, positive, weight)
    share = weight[positive].sum() / weight.sum()
    np.testing.assert_allclose(base_values(fitted)[1], share)
    sums = base_values(fitted) + shap_values(fitted, X).sum(axis=1)
    np.testing.assert_allclose(sums, fitted.predict_proba(X), atol=1e-12)


def test_interactions_add_up_to_the_values(model, users):
    X, _ = users
    pairs = shap_interactions(model, X[:20])
    np.testing.assert_allclose(pairs.sum(axis=2), shap_values(model, X[:20]), atol=1e-12)


def test_float32_is_compared_as_float32(users):
    X, positive = users
    narrow = X.astype(np.float32)
    fitted = CBPTClassifier(n_estimators=4, random_state=0).fit(narrow, positive)
    sums = base_values(fitted) + shap_values(fitted, narrow).sum(axis=1)
    np.testing.assert_allclose(sums, fitted.predict_proba(narrow), atol=1e-12)


def test_columns_are_held_against_the_names_of_training(users):
    X, positive = users
    frame = pd.DataFrame(X, columns=list("abcd"))
    fitted = CBPTClassifier(n_estimators=2, random_state=0).fit(frame, positive)
    assert shap_values(fitted, frame).shape == (*X.shape, 2)
    with pytest.raises(InputError, match="feature names"):
        shap_values(fitted, frame[list("dcba")])


def test_what_has_no_trees_is_refused(model, users):
    X, positive = users
    with pytest.raises(InputError, match="has no trees to explain"):
        shap_values(CBPTClassifier(), X)
    forest = RandomForestClassifier(2).fit(X, positive)
    alike = SimpleNamespace(estimators_=forest.estimators_, estimator_weights_=[1.0, 1.0])
    with pytest.raises(InputError, match="no whybox trees"):
        shap_values(alike, X)
    with pytest.raises(InputError, match="features"):
        shap_values(model, X[:, :2])
