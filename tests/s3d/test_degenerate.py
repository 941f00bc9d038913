"""Training sets at the edge: a model or an error that names the argument, never a hang."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from whybox.errors import InputError
from whybox.s3d import S3DClassifier, S3DRegressor

BOTH = [S3DClassifier, S3DRegressor]
X20 = np.column_stack([np.arange(20.0), np.arange(20.0) % 3])


@pytest.mark.parametrize("kind", BOTH)
def test_a_constant_outcome_gives_the_prior_and_a_warning(kind):
    with pytest.warns(UserWarning, match="y is constant"):
        model = kind().fit(X20, np.full(20, 3))
    assert model.selected_features_ == []
    assert model.predict([[1.0, 1.0]]).tolist() == [3]
    assert model.r2_ == 0
    assert model.r2_steps_.tolist() == [[0, 0]]
    assert model.bin_table_["n"].tolist() == [20]


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("value", [1.0, np.nan])
def test_constant_and_missing_features_give_the_mean_and_a_warning(kind, value):
    with pytest.warns(UserWarning, match="no split pays"):
        model = kind().fit(np.full((20, 2), value), np.arange(20) % 2)
    assert model.transform([[value, value]]).tolist() == [[0]]
    answer = (
        model.predict_proba([[value, 5.0]])[0, 1]
        if kind is S3DClassifier
        else model.predict([[value, 5.0]])[0]
    )
    assert answer == 0.5


@pytest.mark.parametrize("kind", BOTH)
def test_one_row(kind):
    with pytest.warns(UserWarning, match="constant"):
        model = kind().fit([[1.0]], [4])
    assert model.predict([[np.nan]]).tolist() == [4]


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("where", ["fit", "predict", "transform"])
def test_infinite_values_are_refused_by_column(kind, where):
    bad = X20.copy()
    bad[4, 1] = -np.inf
    y = (np.arange(20) > 9).astype(int)
    with pytest.raises(InputError, match="column 1, row 4"):
        kind().fit(bad, y) if where == "fit" else getattr(kind(0.1).fit(X20, y), where)(bad)
    with pytest.raises(InputError, match="column 'followers', row 1"):
        kind().fit(pd.DataFrame({"friends": [1.0, 2.0], "followers": [0.0, np.inf]}), [0, 1])


def test_a_hundred_thousand_categories():
    rng = np.random.default_rng(0)
    names = np.array([f"user{k}" for k in range(100_000)], object)
    frame = pd.DataFrame({"user": np.concatenate([names, names])})
    y = np.concatenate([np.arange(100_000) < 50_000] * 2) + rng.normal(0, 0.1, 200_000)
    model = S3DRegressor(penalty=0.05).fit(frame, y)
    assert list(model.binning_loss_) == [0]
    assert model.r2_ > 0.9
    assert model.predict(frame.iloc[[0, 99_999]]).round().tolist() == [1.0, 0.0]


@pytest.mark.parametrize("kind", BOTH)
def test_a_zero_penalty_ends(kind):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
    model = kind(penalty=0, noise_floor=0).fit(X, y)
    assert model.r2_ == pytest.approx(1, abs=1e-9)
    assert model.score(X, y) == 1


def test_the_grid_stops_growing_at_so_many_blocks():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 5, (500, 4)).astype(float), rng.normal(size=500)
    model = S3DRegressor(penalty=0, noise_floor=0, max_blocks=5).fit(X, y)
    assert len(model.selected_features_) == 1
    assert model.r2_steps_.shape == (2, 4)


@pytest.mark.parametrize("w", [[-1, 1], [np.nan, 1], [np.inf, 1], [0, 0], [1], ["a", "b"]])
@pytest.mark.parametrize("kind", BOTH)
def test_bad_weights_are_named(kind, w):
    with pytest.raises(InputError, match="sample_weight"):
        kind().fit([[0.0], [1.0]], [0, 1], w)


@pytest.mark.parametrize("y", [None, [np.nan, 1], [0], [[0, 1], [1, 0]], ["a", 1.5], [np.inf, 1]])
def test_bad_outcomes_are_refused(y):
    with pytest.raises(InputError):
        S3DRegressor().fit([[0.0], [1.0]], y)


@pytest.mark.parametrize("y", [None, [np.nan, 1], [0.5, 1.5], [0], [[0, 1], [1, 0]]])
def test_bad_labels_are_refused(y):
    with pytest.raises(InputError):
        S3DClassifier().fit([[0.0], [1.0]], y)


def test_a_class_of_zero_weight_is_known_but_never_predicted():
    w = np.repeat([1.0, 0.0], 10)
    with pytest.warns(UserWarning, match="constant"):
        model = S3DClassifier().fit(X20, w < 1, w)
    assert model.classes_.tolist() == [False, True]
    assert model.predict(X20).sum() == 0


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1e9, 1e150])
def test_outcomes_of_any_size(scale):
    y = (np.arange(20) > 9) * scale + 5 * scale
    model = S3DRegressor(penalty=0.01).fit(X20, y)
    assert model.splits_[0].tolist() == [9.0]
    np.testing.assert_array_equal(model.predict(X20), y)


def test_a_large_offset_costs_no_precision():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 9, 2000).astype(float)
    y = np.round(x + rng.normal(size=2000), 3)
    near, far = (S3DRegressor().fit(x[:, None], y + shift) for shift in (0.0, 1e9))
    assert near.splits_[0].tolist() == far.splits_[0].tolist()
    np.testing.assert_allclose(near.r2_steps_, far.r2_steps_, atol=1e-6)


@pytest.mark.parametrize("kind", BOTH)
def test_a_dask_array_with_labels_at_hand_is_refused(kind):
    array = pytest.importorskip("dask.array")
    with pytest.raises(InputError, match="Dask collection"):
        kind().fit(array.from_array(X20), np.arange(20) % 2)
