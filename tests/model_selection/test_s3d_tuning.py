"""Scores of every number of features from one fit, the surface, and the rules of choice."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import r2_score, roc_auc_score

from whybox.errors import InputError
from whybox.model_selection.s3d_tuning import (
    Choice,
    choose_from_surface,
    staged_scores,
    tuning_folds,
    tuning_surface,
)
from whybox.s3d import S3DClassifier, S3DRegressor

N = 600


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 12, (N, 4)), columns=list("abcd"))
    return X, 2.0 * (X["a"] > 5) + (X["b"] > 3) + rng.normal(0, 0.5, N)


def alone(model, fold, X, y, score):
    model.fit(X.iloc[fold.train], y[fold.train])
    return score(model, X.iloc[fold.test], y[fold.test])


def auc(model, X, y):
    shares = model.predict_proba(X)
    if shares.shape[1] == 2:
        return roc_auc_score(y, shares[:, 1])
    return np.mean([roc_auc_score(y == c, shares[:, k]) for k, c in enumerate(model.classes_)])


def r2(model, X, y):
    return r2_score(y, model.predict(X))


@pytest.mark.parametrize(
    ("kind", "cuts", "score"),
    [(S3DClassifier, [1.5], auc), (S3DClassifier, [1.0, 2.0], auc), (S3DRegressor, None, r2)],
)
def test_one_fit_scores_as_a_fit_for_each_number_of_features(rows, kind, cuts, score):
    X, y = rows[0], rows[1].to_numpy()
    y = y if cuts is None else np.digitize(y, cuts)
    model = kind(noise_floor=1, min_samples=3)
    for fold in tuning_folds(model, y, 3, seed=1):
        found = staged_scores(model, 0.002, fold, X, y)
        assert len(found) > 1
        for k, each in enumerate(found, start=1):
            one = kind(penalty=0.002, noise_floor=1, min_samples=3, max_features=k)
            assert each == pytest.approx(alone(one, fold, X, y, score), abs=1e-12)
    assert not hasattr(model, "grid_")


def test_weights_are_those_of_the_train_rows(rows):
    X, y = rows[0], rows[1].to_numpy()
    w = np.where(X["c"] > 6, 1.0, 0.0)
    (fold, *_) = tuning_folds(S3DRegressor(), y, 2)
    kept = type(fold)(0, fold.train[w[fold.train] > 0], fold.test)
    weighted = staged_scores(S3DRegressor(), 0.001, fold, X, y, w)
    assert weighted == staged_scores(S3DRegressor(), 0.001, kept, X, y)
    assert weighted != staged_scores(S3DRegressor(), 0.001, fold, X, y)


def test_a_fit_that_chooses_nothing_scores_its_mean():
    X, y = np.ones((40, 1)), np.tile([0, 1], 20)
    for fold in tuning_folds(S3DClassifier(), y, 2):
        assert staged_scores(S3DClassifier(), 0.1, fold, X, y) == [0.5]


def test_folds_keep_groups_together_and_differ_by_seed(rows):
    y, groups = rows[1].to_numpy(), np.arange(N) // 7
    for model, outcome in ((S3DRegressor(), y), (S3DClassifier(), y > 1.5)):
        folds = tuning_folds(model, outcome, 4, groups=groups)
        assert sorted(np.concatenate([fold.test for fold in folds])) == list(range(N))
        for fold in folds:
            assert not set(groups[fold.train]) & set(groups[fold.test])
            assert not set(fold.train) & set(fold.test)
    a, b = (tuning_folds(S3DRegressor(), y, 4, seed)[0].test.tolist() for seed in (0, 1))
    assert a != b


@pytest.mark.parametrize("n_folds", [0, 1, 3])
def test_folds_that_the_rows_do_not_do_for_are_refused(n_folds):
    with pytest.raises(InputError, match="folds"):
        tuning_folds(S3DRegressor(), [0.1, 0.2, 0.3, 0.4, 0.5], n_folds)


def test_a_fold_of_fewer_features_keeps_its_last_score():
    surface = tuning_surface({(0.1, 0): [0.5, 0.7, 0.9], (0.1, 1): [0.6], (0.2, 0): [0.1]})
    assert surface["penalty"].tolist() == [0.2, 0.1, 0.1, 0.1]
    assert surface["n_features"].tolist() == [1, 1, 2, 3]
    np.testing.assert_allclose(surface["mean"], [0.1, 0.55, 0.65, 0.75])
    np.testing.assert_allclose(surface["sd"], [np.nan, *(np.array([0.1, 0.1, 0.3]) / 2**0.5)])


def surface_of(means, sd):
    rows = [(p, k, m, sd, 4) for (p, k), m in means.items()]
    return pd.DataFrame(rows, columns=["penalty", "n_features", "mean", "sd", "n_folds"])


def test_best_takes_the_highest_mean_and_of_equals_the_simplest():
    means = {(0.1, 1): 0.6, (0.1, 2): 0.8, (0.01, 1): 0.7, (0.01, 2): 0.8, (0.01, 3): 0.8}
    assert choose_from_surface(surface_of(means, 0.4)) == Choice(0.1, 2)


def test_one_se_takes_the_simplest_within_a_standard_error():
    means = {(0.1, 1): 0.59, (0.1, 2): 0.75, (0.01, 1): 0.71, (0.01, 2): 0.8}
    assert choose_from_surface(surface_of(means, 0.2), "one_se") == Choice(0.01, 1)  # 0.1 / 1
    assert choose_from_surface(surface_of(means, 0.12), "one_se") == Choice(0.1, 2)
    with pytest.raises(InputError, match="best, one_se"):
        choose_from_surface(surface_of(means, 0.1), "two_se")
