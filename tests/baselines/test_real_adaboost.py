"""Real AdaBoost against a plain version of the published algorithm and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from whybox.baselines import RealAdaBoostClassifier
from whybox.errors import InputError

HAND_X = np.array([[0], [0], [0], [1], [1], [1]])
HAND_Y = np.array([0, 0, 1, 1, 1, 0])


@parametrize_with_checks([RealAdaBoostClassifier(n_estimators=20)])
def test_it_is_a_scikit_learn_estimator(estimator, check):
    check(estimator)


def naive_samme_r(X, codes, n_classes, n_estimators):
    """Algorithm 4 of Zhu et al., coded class vectors and all: F of the training rows."""
    n = len(codes)
    weight = np.full(n, 1 / n)
    sums = np.zeros((n, n_classes))
    coded = np.where(np.eye(n_classes)[codes] == 1, 1.0, -1 / (n_classes - 1))
    for _ in range(n_estimators):
        tree = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, codes, weight)
        shares = np.clip(tree.predict_proba(X), np.finfo(float).eps, 1)
        for i in range(n):
            logs = np.log(shares[i])
            for k in range(n_classes):
                sums[i, k] += (n_classes - 1) * (logs[k] - sum(logs) / n_classes)
            weight[i] *= np.exp(-(n_classes - 1) / n_classes * (coded[i] @ logs))
        weight /= weight.sum()
    return sums


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_it_follows_the_published_algorithm(load):
    X, y = load(return_X_y=True)
    X, y = X[::3, :6], y[::3]
    n_classes = len(np.unique(y))
    model = RealAdaBoostClassifier(12, learning_rate=1.0).fit(X, y)
    sums = naive_samme_r(X, y, n_classes, len(model.estimators_)) / (n_classes - 1)
    expected = sums[:, 1] - sums[:, 0] if n_classes == 2 else sums
    np.testing.assert_allclose(model.decision_function(X), expected, rtol=1e-9, atol=1e-9)


def test_by_hand_the_second_stump_finds_nothing_left():
    # The first stump's shares are 2/3 and 1/3, so the wrong rows then weigh twice the right ones:
    # on either side both classes weigh the same, and the second stump says nothing.
    one = RealAdaBoostClassifier(1, learning_rate=1.0).fit(HAND_X, HAND_Y)
    two = RealAdaBoostClassifier(2, learning_rate=1.0).fit(HAND_X, HAND_Y)
    np.testing.assert_allclose(one.predict_proba([[0], [1]]), [[2 / 3, 1 / 3], [1 / 3, 2 / 3]])
    np.testing.assert_allclose(two.decision_function([[0], [1]]), [-np.log(2), np.log(2)])


def test_it_stops_at_a_tree_without_error():
    model = RealAdaBoostClassifier(50).fit([[0], [1], [2]], ["a", "b", "b"])
    assert len(model.estimators_) == 1
    assert model.predict([[0], [2]]).tolist() == ["a", "b"]


def test_more_stumps_learn_what_one_cannot():
    rng = np.random.default_rng(0)
    X = rng.random((400, 2))
    y = X.sum(axis=1) > 1
    scores = [RealAdaBoostClassifier(n).fit(X, y).score(X, y) for n in (1, 100)]
    assert scores[0] < 0.85 < 0.97 < scores[1]


def test_one_class_is_refused():
    with pytest.raises(InputError, match="1 class"):
        RealAdaBoostClassifier().fit([[0], [1]], [1, 1])


def test_a_depth_below_one_is_refused():
    with pytest.raises(InputError, match="max_depth"):
        RealAdaBoostClassifier(max_depth=0).fit([[0], [1]], [0, 1])


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_weights_count_like_repeated_rows_to_the_last_bit(load):
    X, y = load(return_X_y=True)
    weight = np.random.default_rng(4).integers(0, 4, len(y))
    weighted = RealAdaBoostClassifier(12, max_depth=2).fit(X, y, weight)
    repeated = RealAdaBoostClassifier(12, max_depth=2)
    repeated.fit(X.repeat(weight, axis=0), y.repeat(weight))
    np.testing.assert_array_equal(weighted.predict_proba(X), repeated.predict_proba(X))


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_the_order_of_the_rows_changes_no_bit(load):
    X, y = load(return_X_y=True)
    random = np.random.default_rng(5)
    weight, shuffled = random.random(len(y)), random.permutation(len(y))
    one = RealAdaBoostClassifier(12).fit(X, y, weight)
    other = RealAdaBoostClassifier(12).fit(X[shuffled], y[shuffled], weight[shuffled])
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))


def test_a_class_without_weight_is_none():
    X, y = np.arange(40.0)[:, None], np.arange(40) // 10
    model = RealAdaBoostClassifier(3).fit(X, y, (y != 2) * 1.5)
    assert model.classes_.tolist() == [0, 1, 3]
    assert model.predict_proba(X).shape == (40, 3)
