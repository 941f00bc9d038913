"""Tuning on a session: the same surface wherever it ran, and outer folds that nothing leaks into."""

import numpy as np
import pandas as pd
import pytest

from whybox.errors import InputError
from whybox.graph.s3d_tuning import nested_tuning, tune
from whybox.graph.session import connect
from whybox.model_selection.s3d_tuning import (
    choose_from_surface,
    staged_scores,
    tuning_folds,
    tuning_surface,
)
from whybox.s3d import S3DClassifier, S3DRegressor

N = 400
PENALTIES = [0.03, 0.003]


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 12, (N, 4)), columns=list("abcd"))
    return X, (2.0 * (X["a"] > 5) + (X["b"] > 3) + rng.normal(0, 0.5, N)).to_numpy()


@pytest.fixture(params=["sync", "cluster"])
def session(request):
    scheduler = "sync" if request.param == "sync" else request.getfixturevalue("cluster_address")
    with connect(scheduler) as opened:
        yield opened


@pytest.mark.parametrize("rule", ["best", "one_se"])
def test_the_surface_is_that_of_a_plain_loop(rows, session, rule):
    X, y = rows[0], rows[1] > 1.5
    estimator = S3DClassifier(noise_floor=1)
    scores = {
        (penalty, fold.number): staged_scores(estimator, penalty, fold, X, y)
        for penalty in PENALTIES
        for fold in tuning_folds(estimator, y, 4, 3)
    }
    surface = tuning_surface(scores)
    model = tune(session, estimator, X, y, penalties=PENALTIES, seed=3, rule=rule)
    pd.testing.assert_frame_equal(model.tuning_, surface)
    assert (model.penalty, model.max_features) == choose_from_surface(surface, rule)
    assert len(model.selected_features_) <= model.max_features
    assert not hasattr(estimator, "grid_")


def test_outer_test_rows_tell_nothing(rows, session):
    X, y = rows
    options = {"penalties": PENALTIES, "n_outer": 3, "n_folds": 2}
    found = nested_tuning(session, S3DRegressor(), X, y, **options)
    outer = tuning_folds(S3DRegressor(), y, 3)
    for fold, tuned in zip(outer, found, strict=True):
        train = X.iloc[fold.train].reset_index(drop=True)
        alone = tune(session, S3DRegressor(), train, y[fold.train], penalties=PENALTIES, n_folds=2)
        pd.testing.assert_frame_equal(tuned.surface, alone.tuning_)
        assert tuned.choice == (alone.penalty, alone.max_features)
        score = alone.score(X.iloc[fold.test], y[fold.test])
        assert tuned.score == pytest.approx(score, abs=1e-12)
        assert tuned.score > 0.5


def test_weights_and_groups_are_passed_on(rows, session):
    X, y = rows
    w, groups = np.where(X["c"] > 6, 2.0, 1.0), np.arange(N) // 4
    options = {"penalties": [0.003], "groups": groups}
    model = tune(session, S3DRegressor(), X.to_numpy(), y, w, **options)
    assert model.grid_.weight[0] == w.sum()
    folds = tuning_folds(S3DRegressor(), y, 4, groups=groups)
    scores = {(0.003, f.number): staged_scores(model, 0.003, f, X.to_numpy(), y, w) for f in folds}
    width = model.max_features
    assert model.tuning_["mean"][width - 1] == tuning_surface(scores)["mean"][width - 1]


@pytest.mark.parametrize(
    ("options", "message"),
    [({"rule": "worst"}, "rule"), ({"penalties": []}, "penalties"), ({"n_folds": 1}, "folds")],
)
def test_what_is_wrong_is_named(rows, session, options, message):
    with pytest.raises(InputError, match=message):
        tune(session, S3DRegressor(), *rows, **options)
    with pytest.raises(InputError, match="sample_weight has 3 values"):
        tune(session, S3DRegressor(), *rows, [1, 1, 1])
