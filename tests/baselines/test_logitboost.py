"""LogitBoost against plain versions of the published algorithms and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import log_loss
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from whybox.baselines import LogitBoostClassifier
from whybox.errors import InputError


@parametrize_with_checks([LogitBoostClassifier(n_estimators=10)])
def test_it_is_a_scikit_learn_estimator(estimator, check):
    check(estimator)


def _stump(X, z, w):
    return DecisionTreeRegressor(max_depth=1, random_state=0).fit(X, z, w).predict(X)


def naive_two_classes(X, y, rounds, bound):
    """Algorithm 3 of Friedman et al.: F and p of the training rows."""
    F = np.zeros(len(y))
    p = np.full(len(y), 0.5)
    for _ in range(rounds):
        z = np.clip((y - p) / (p * (1 - p)), -bound, bound)
        F += 0.5 * _stump(X, z, p * (1 - p))
        p = 1 / (1 + np.exp(-2 * F))
    return p


def naive_many_classes(X, y, n_classes, rounds, bound):
    """Algorithm 6 of Friedman et al."""
    F = np.zeros((len(y), n_classes))
    p = np.full(F.shape, 1 / n_classes)
    for _ in range(rounds):
        f = np.empty(F.shape)
        for j in range(n_classes):
            w = p[:, j] * (1 - p[:, j])
            f[:, j] = _stump(X, np.clip(((y == j) - p[:, j]) / w, -bound, bound), w)
        for j in range(n_classes):
            F[:, j] += (n_classes - 1) / n_classes * (f[:, j] - f.sum(axis=1) / n_classes)
        p = np.exp(F) / np.exp(F).sum(axis=1, keepdims=True)
    return p


def _plain(rounds, bound):
    return LogitBoostClassifier(
        rounds, learning_rate=1.0, max_depth=1, max_leaf_nodes=None, trim_quantile=0.0,
        max_response=bound,
    )  # fmt: skip


@pytest.mark.parametrize("bound", [2.0, 4.0])
def test_two_classes_follow_algorithm_3(bound):
    X, y = load_breast_cancer(return_X_y=True)
    got = _plain(8, bound).fit(X, y).predict_proba(X)[:, 1]
    np.testing.assert_allclose(got, naive_two_classes(X, y, 8, bound), rtol=1e-9)


@pytest.mark.parametrize("bound", [2.0, 4.0])
def test_more_classes_follow_algorithm_6(bound):
    X, y = load_iris(return_X_y=True)
    got = _plain(8, bound).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(got, naive_many_classes(X, y, 3, 8, bound), rtol=1e-9)


def test_by_hand_the_first_round():
    # All p are 1/2: responses +-2, F = +-1, p = 1 / (1 + exp(-2)).
    model = _plain(1, 4.0).fit([[0], [1], [2], [3]], ["n", "n", "y", "y"])
    assert model.predict_proba([[3]])[0, 1] == pytest.approx(1 / (1 + np.exp(-2)))


def test_trimming_leaves_the_surest_rows_out_of_a_tree():
    X, y = load_breast_cancer(return_X_y=True)
    model = LogitBoostClassifier(5, trim_quantile=0.5).fit(X, y)
    seen = [forest.n_node_samples[0] for forest in model.estimators_]
    assert seen[0] == len(y)  # all weigh the same at first
    assert all(len(y) * 0.4 < n < len(y) for n in seen[2:])


def test_more_rounds_fit_better():
    X, y = load_iris(return_X_y=True)
    losses = [log_loss(y, LogitBoostClassifier(n).fit(X, y).predict_proba(X)) for n in (1, 5, 25)]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.2


def test_one_class_is_refused():
    with pytest.raises(InputError, match="1 class"):
        LogitBoostClassifier().fit([[0], [1]], [1, 1])


@pytest.mark.parametrize("limit", ["max_depth", "max_leaf_nodes"])
def test_limits_below_one_are_refused(limit):
    with pytest.raises(InputError, match=limit):
        LogitBoostClassifier(**{limit: 0}).fit([[0], [1]], [0, 1])


@pytest.mark.parametrize("bound", [0.0, -1.0, np.inf, np.nan])
def test_a_bound_of_the_responses_that_is_none_is_refused(bound):
    with pytest.raises(InputError, match="max_response"):
        LogitBoostClassifier(max_response=bound).fit([[0], [1]], [0, 1])


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_weights_count_like_repeated_rows_to_the_last_bit(load):
    X, y = load(return_X_y=True)
    weight = np.random.default_rng(4).integers(0, 4, len(y))
    weighted = LogitBoostClassifier(12).fit(X, y, weight)
    repeated = LogitBoostClassifier(12).fit(X.repeat(weight, axis=0), y.repeat(weight))
    np.testing.assert_array_equal(weighted.predict_proba(X), repeated.predict_proba(X))


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_the_order_of_the_rows_changes_no_bit(load):
    X, y = load(return_X_y=True)
    random = np.random.default_rng(5)
    weight, shuffled = random.random(len(y)), random.permutation(len(y))
    one = LogitBoostClassifier(12, max_depth=10).fit(X, y, weight)
    other = LogitBoostClassifier(12, max_depth=10).fit(X[shuffled], y[shuffled], weight[shuffled])
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))


def test_a_class_without_weight_is_none():
    X, y = np.arange(40.0)[:, None], np.arange(40) // 10
    model = LogitBoostClassifier(3).fit(X, y, (y != 2) * 1.5)
    assert model.classes_.tolist() == [0, 1, 3]
    assert model.predict_proba(X).shape == (40, 3)
