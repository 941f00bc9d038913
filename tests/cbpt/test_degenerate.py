"""Training sets at the edge: finite probabilities, or an error that names the argument."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer

from strategies import training_sets
from whybox.cbpt import CBPTClassifier
from whybox.errors import InputError


def fitted(X, y, w=None, **parameters):
    model = CBPTClassifier(**{"n_estimators": 12, "random_state": 0} | parameters).fit(X, y, w)
    shares = model.predict_proba(X)
    assert np.isfinite(shares).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-12)
    assert np.isfinite(model.estimator_weights_).all()
    assert (model.estimator_weights_ > 0).all()
    return model


@given(
    training_sets(max_rows=16),
    st.sampled_from(["leaves", "alpha"]),
    st.sampled_from([None, (0.1, 0.9)]),
    st.sampled_from(["eq14", "eq15"]),
)
@settings(max_examples=150)
def test_any_small_training_set_gives_finite_probabilities(drawn, match, window, update):
    X, y, w, _ = drawn
    model = fitted(
        X, y, w, pruning_match=match, pruning_window=window, weight_update=update, n_estimators=5
    )
    CBPTClassifier.from_state(*model.to_state())  # and it is valid


def test_perfectly_separable_classes_end_with_one_tree_of_weight_one():
    X, y = np.arange(20.0)[:, None], np.arange(20) >= 7
    model = fitted(X, y)
    assert model.stop_reason_ == "perfect"
    assert model.estimator_weights_.tolist() == [1.0]
    assert model.history_[0]["eps"] == 0
    assert model.score(X, y) == 1


def test_one_class():
    model = fitted(np.arange(5.0)[:, None], ["only"] * 5)
    assert model.predict([[3.0]]).tolist() == ["only"]
    assert model.expected_value_.tolist() == [1.0]


def test_constant_features_give_the_prevalence():
    X, y = np.ones((10, 3)), np.array([0] * 7 + [1] * 3)
    model = fitted(X, y)
    np.testing.assert_allclose(model.predict_proba(X), np.tile([0.7, 0.3], (10, 1)), rtol=1e-12)
    assert model.feature_importances_.tolist() == [0, 0, 0]


def test_balanced_noise_gives_the_prior_and_says_so():
    model = fitted(np.ones((10, 1)), np.arange(10) % 2, n_estimators=500)
    assert model.stop_reason_ == "resets"
    assert [record["event"] for record in model.history_][-2:] == ["reset", "prior"]
    assert model.predict_proba([[1.0]]).tolist() == [[0.5, 0.5]]


def test_a_single_row_in_a_class():
    X = np.random.RandomState(0).normal(size=(30, 2))
    y = np.zeros(30, int)
    y[4] = 1
    assert fitted(X, y).classes_.tolist() == [0, 1]


@pytest.mark.parametrize("n_rows", [1, 2, 3, 4])
def test_fewer_rows_than_folds(n_rows):
    fitted(np.arange(float(n_rows))[:, None], np.arange(n_rows) % 2)


def test_a_class_of_zero_weight_is_known_but_never_predicted():
    X, y = np.arange(12.0)[:, None], np.repeat([0, 1, 2], 4)
    model = fitted(X, y, np.repeat([1, 1, 0], 4))
    assert model.expected_value_.tolist() == [0.5, 0.5, 0]
    assert model.predict(X).max() == 1
    assert model.estimators_[0].n_node_samples[0] == 12


def test_weights_over_forty_orders_of_magnitude():
    X, y = load_breast_cancer(return_X_y=True)
    w = 10.0 ** -np.random.RandomState(0).uniform(0, 40, len(y))
    model = fitted(X, y, w)
    assert all(0 < record["eps"] < 1 for record in model.history_)


def test_missing_values_are_learnt_from():
    X = np.random.RandomState(0).normal(size=(120, 2))
    X[::3, 0] = np.nan
    y = np.isnan(X[:, 0]).astype(int)
    assert fitted(X, y).score(X, y) == 1


def test_a_column_of_missing_values_only():
    X = np.random.RandomState(0).normal(size=(40, 2))
    y = (X[:, 1] > 0).astype(int)
    X[:, 0] = np.nan
    model = fitted(X, y)
    assert model.score(X, y) == 1


@pytest.mark.parametrize("where", ["fit", "predict"])
def test_infinite_values_are_refused_by_column(where):
    X, y = np.arange(12.0).reshape(6, 2), np.arange(6) % 2
    bad = X.copy()
    bad[2, 1] = -np.inf
    with pytest.raises(InputError, match="column 1"):
        fitted(bad, y) if where == "fit" else fitted(X, y).predict(bad)


def test_infinite_values_are_refused_by_name():
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame({"friends": [1.0, 2.0], "followers": [np.inf, 0.0]})
    with pytest.raises(InputError, match="'followers'"):
        fitted(X, [0, 1])


@pytest.mark.parametrize("w", [[-1, 1], [np.nan, 1], [np.inf, 1], [0, 0], [1], ["a", "b"]])
def test_bad_weights_are_named(w):
    with pytest.raises(InputError, match="sample_weight"):
        fitted([[0.0], [1.0]], [0, 1], w)


@pytest.mark.parametrize("y", [[0.5, 1.5], [np.nan, 1], [0], [[0, 1], [1, 0]]])
def test_bad_labels_are_refused(y):
    with pytest.raises(InputError):
        fitted([[0.0], [1.0]], y)


def test_a_huge_learning_rate_does_not_overflow():
    X = np.random.RandomState(0).normal(size=(60, 2))
    y = (X[:, 0] + np.random.RandomState(1).normal(size=60) > 0).astype(int)
    fitted(X, y, learning_rate=1e6)
