"""The estimators against the equations in fractions, on small tables full of ties."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_s3d
from whybox.s3d import S3DClassifier, S3DRegressor

VALUES = st.sampled_from([0.0, 1.0, 2.0, 3.0, -1.5, math.nan])
SETTINGS = st.fixed_dictionaries(
    {
        "penalty": st.sampled_from([0.0, 0.01, 0.0625, 0.25]),
        "patience": st.sampled_from([1, 2, 5]),
        "noise_floor": st.sampled_from([0, 1, 2]),
        "stopping": st.sampled_from(["patience", "best_loss"]),
    }
)


@st.composite
def tables(draw, outcomes):
    """Columns, outcomes, whole weights, of a few rows."""
    n = draw(st.integers(1, 12))
    columns = draw(st.lists(st.lists(VALUES, min_size=n, max_size=n), min_size=1, max_size=3))
    y = draw(st.lists(outcomes, min_size=n, max_size=n))
    w = draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))
    return columns, y, w


def quiet_fit(model, columns, y, w):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return model.fit(np.column_stack(columns), y, np.array(w, float))


def assert_equal_fits(model, expected):
    assert model.selected_features_ == expected.features
    assert [cuts.tolist() for cuts in model.splits_] == expected.cuts
    steps = [[float(gain) for gain in row] for row in expected.steps]
    np.testing.assert_allclose(model.r2_steps_, steps, rtol=0, atol=1e-12)
    assert model.ties_ == expected.ties


@given(tables(st.integers(0, 2)), SETTINGS)
@settings(max_examples=100)
def test_classes_as_the_equations_say(table, parameters):
    columns, labels, w = table
    model = quiet_fit(S3DClassifier(**parameters), columns, labels, w)
    codes = np.searchsorted(model.classes_, labels).tolist()
    expected = naive_s3d.fit(columns, codes, w, n_classes=len(model.classes_), **parameters)
    assert_equal_fits(model, expected)
    for c in range(len(model.classes_)):
        means = naive_s3d.block_means(expected.blocks, [int(v == c) for v in codes], w)
        shares = [float(means[block]) for block in expected.blocks]
        given_ = model.predict_proba(np.column_stack(columns))[:, c]
        np.testing.assert_array_equal(given_, shares)


@given(tables(st.sampled_from([0.0, 1.0, 5.0, -2.0, 0.1, 1e3])), SETTINGS)
@settings(max_examples=100)
def test_real_outcomes_as_the_equations_say(table, parameters):
    columns, y, w = table
    model = quiet_fit(S3DRegressor(**parameters), columns, y, w)
    expected = naive_s3d.fit(columns, y, w, **parameters)
    assert_equal_fits(model, expected)
    means = naive_s3d.block_means(expected.blocks, y, w)
    exact = [float(means[block]) for block in expected.blocks]
    np.testing.assert_array_equal(model.predict(np.column_stack(columns)), exact)


@pytest.mark.parametrize("kind", [S3DClassifier, S3DRegressor])
def test_r2_is_what_the_blocks_own_means_give(kind):
    rng = np.random.default_rng(3)
    X = rng.integers(0, 30, (800, 5)).astype(float)
    X[rng.uniform(size=X.shape) < 0.05] = np.nan
    y = (np.nan_to_num(X[:, 0]) + rng.normal(0, 9, 800) > 15).astype(float)
    if kind is S3DRegressor:
        y = y * 3 + rng.normal(size=800)
    model = kind(penalty=0.003, noise_floor=0).fit(X, y)
    assert len(model.selected_features_) > 2
    block = model.transform(X)[:, -1]
    means = np.array([y[block == b].mean() for b in range(block.max() + 1)])
    r2 = 1 - np.square(y - means[block]).sum() / np.square(y - y.mean()).sum()
    assert model.r2_ == pytest.approx(r2, abs=1e-9)
    np.testing.assert_array_equal(model.bin_table_["n"], np.bincount(block))
    np.testing.assert_allclose(model.bin_table_["mean"], means, rtol=1e-12)
    predicted = model.predict(X) if kind is S3DRegressor else model.predict_proba(X)[:, 1]
    np.testing.assert_array_equal(predicted, model.bin_table_["mean"].to_numpy()[block])


def test_a_split_that_pays_exactly_pays_when_hardly_anything_is_left():
    columns = [[0.0, 1, 0, 3, 0], [2.0, 3, -1.5, 7, 0], [0.0, 7, 7, 0, 7], [2.0, 0, -1.5, 3, 1]]
    y, w = [1.0, 1.0, 100.0, -2.0, 0.0], [1, 1, 3, 3, 1]
    parameters = {"penalty": 0.25, "patience": 1, "noise_floor": 2}
    expected = naive_s3d.fit(columns, y, w, **parameters)
    assert expected.features == [1, 0, 3]
    assert_equal_fits(quiet_fit(S3DRegressor(**parameters), columns, y, w), expected)
