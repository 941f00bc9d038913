"""Boosting under declared directions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from whybox.errors import InputError

pytest.importorskip("lightgbm")

from sklearn.utils.estimator_checks import parametrize_with_checks

from whybox.baselines.kigb import KiGBClassifier


@pytest.fixture(scope="module")
def waves():
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, size=(400, 2))
    return X, np.where(np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] > 0, "yes", "no")


@pytest.mark.parametrize("sign", [-1, 1])
def test_a_declared_direction_holds_everywhere(waves, sign):
    grid = np.column_stack([np.linspace(-3, 3, 200), np.zeros(200)])
    free = KiGBClassifier(n_estimators=30, random_state=0).fit(*waves).predict_proba(grid)[:, 1]
    told = KiGBClassifier({0: sign}, n_estimators=30, random_state=0).fit(*waves)
    steps = sign * np.diff(told.predict_proba(grid)[:, 1])
    assert steps.min() >= 0
    assert steps.max() > 0
    assert np.diff(free).min() < 0 < np.diff(free).max()


def test_features_are_told_by_name_or_by_column(waves):
    X, y = waves
    frame = pd.DataFrame(X, columns=["night", "posts"])
    by_name = KiGBClassifier({"posts": -1}, n_estimators=5, random_state=0).fit(frame, y)
    by_column = KiGBClassifier({1: -1}, n_estimators=5, random_state=0).fit(X, y)
    assert by_name.predict_proba(frame).tobytes() == by_column.predict_proba(X).tobytes()


@pytest.mark.parametrize("signs", [{0: 2}, {0: 0}, {7: 1}, {-1: 1}, {"night": 1}])
def test_a_sign_or_a_feature_that_is_none_is_refused(waves, signs):
    with pytest.raises(InputError, match="signs"):
        KiGBClassifier(signs, n_estimators=2).fit(*waves)


def test_directions_need_two_classes(waves):
    X, _ = waves
    y = np.arange(len(X)) % 3
    with pytest.raises(InputError, match="two classes, and there are 3"):
        KiGBClassifier({0: 1}, n_estimators=2).fit(X, y)
    assert KiGBClassifier(n_estimators=2).fit(X, y).predict_proba(X).shape == (len(X), 3)


@parametrize_with_checks([KiGBClassifier(n_estimators=10, random_state=0)])
def test_it_is_a_scikit_learn_estimator(estimator, check):
    check(estimator)


def test_whole_weights_are_copies_for_the_minimum_of_a_leaf_too():
    X, y = np.array([[0.0], [1.0]]), np.array([0, 1])
    model = KiGBClassifier(n_estimators=5, min_samples_split=60, random_state=0)
    assert (model.fit(X, y, [30, 31]).predict(X) == y).all()
    assert len(set(model.fit(X, y, [29, 31]).predict(X))) == 1


def test_other_weights_weigh(waves):
    X, y = waves
    heavy = np.where(y == "yes", 0.75, 0.5)
    shares = [
        KiGBClassifier(n_estimators=3, random_state=0).fit(X, y, w).predict_proba(X)[:, 1].mean()
        for w in (None, heavy, heavy * 7.3)
    ]
    assert shares[0] + 0.05 < shares[1] == pytest.approx(shares[2], rel=1e-6)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_order_of_the_rows_changes_no_bit(waves, weighted):
    X, y = waves
    random = np.random.default_rng(2)
    w, shuffled = random.uniform(0.1, 1, len(y)), random.permutation(len(y))
    weights = (w, w[shuffled]) if weighted else (None, None)
    model = KiGBClassifier(n_estimators=20, random_state=0)
    one = model.fit(X, y, weights[0]).predict_proba(X)
    other = model.fit(X[shuffled], y[shuffled], weights[1]).predict_proba(X)
    np.testing.assert_array_equal(one, other)


def test_a_class_without_weight_is_none():
    X, y = np.arange(40.0)[:, None], np.arange(40) // 10
    model = KiGBClassifier(n_estimators=3).fit(X, y, (y != 2) * 1.5)
    assert model.classes_.tolist() == [0, 1, 3]
    assert model.predict_proba(X).shape == (40, 3)
