"""Neither the cut of the rows into parts nor their order changes a bit of a fit."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from whybox.errors import InputError
from whybox.s3d import S3DClassifier, S3DRegressor

N = 3000


def frame(rng):
    X = pd.DataFrame(
        {
            "counts": np.floor(np.exp(rng.normal(3, 1.6, N))),
            "share": rng.uniform(size=N),
            "hour": rng.integers(0, 24, N),
            "colour": rng.choice(["red", "green", "blue", "grey"], N),
            "gaps": np.where(rng.uniform(size=N) < 0.3, np.nan, rng.integers(0, 9, N)),
        }
    )
    score = np.log1p(X["counts"]) + 3 * (X["hour"] > 12) + 2 * (X["colour"] == "red")
    return X, score.to_numpy() + X["gaps"].fillna(4).to_numpy() + rng.normal(0, 1, N)


@pytest.fixture(scope="module")
def table():
    return frame(np.random.default_rng(5))


def fingerprint(model):
    meta, arrays = model.to_state()
    return json.dumps(meta), {name: (a.dtype, a.shape, a.tobytes()) for name, a in arrays.items()}


CASES = {
    "two classes": (S3DClassifier(noise_floor=0), lambda y: y > np.median(y), None),
    "three classes": (S3DClassifier(), lambda y: np.digitize(y, [7, 10]), None),
    "whole outcomes": (S3DRegressor(), lambda y: np.rint(y), None),
    "real outcomes": (S3DRegressor(noise_floor=0, max_features=3), lambda y: y * 0.1, None),
    "bins": (S3DRegressor(max_bins=50), lambda y: y * 0.1, None),
    "whole weights": (S3DRegressor(), lambda y: y, lambda rng: rng.integers(0, 4, N)),
    "real weights": (S3DClassifier(), lambda y: y > 8, lambda rng: rng.uniform(0, 2, N)),
    "both real": (S3DRegressor(max_bins=64), lambda y: y, lambda rng: rng.uniform(0, 2, N)),
}


@pytest.mark.parametrize("case", CASES)
def test_partitions_and_shuffled_rows_change_no_bit(table, case):
    model, outcome, weights = CASES[case]
    X, y = table[0], outcome(table[1])
    w = np.ones(N) if weights is None else weights(np.random.default_rng(1)).astype(float)
    whole = fingerprint(model.fit(X, y, None if weights is None else w))
    assert len(model.selected_features_) > 1
    rng = np.random.default_rng(2)
    for n_parts in (1, 3, 11):
        order = rng.permutation(N)
        cuts = np.sort(rng.integers(0, N, n_parts - 1))
        parts = [
            (X.iloc[rows], y[rows], *([] if weights is None else [w[rows]]))
            for rows in np.split(order, cuts)
        ]
        assert fingerprint(model.fit_partitions(parts)) == whole, n_parts


@pytest.mark.parametrize(("n_values", "loss"), [(65_535, {}), (65_536, {0: 1 / (2 * 4096)})])
def test_more_values_than_codes_are_binned_alike_in_any_partition(n_values, loss):
    rng = np.random.default_rng(4)
    X = np.concatenate([rng.permutation(n_values) * 0.1, np.full(4000, np.nan)])[:, None]
    y = np.abs(np.nan_to_num(X[:, 0]) / n_values - 0.05) + rng.normal(0, 0.03, len(X)) > 0.02
    model = S3DClassifier().fit(X, y)
    assert model.binning_loss_ == loss
    assert len(model.splits_[0]) > 1
    whole = fingerprint(model)
    for n_parts in (2, 5):
        parts = [(X[i::n_parts], y[i::n_parts]) for i in range(n_parts)]
        assert fingerprint(model.fit_partitions(parts)) == whole


def test_parts_without_rows_are_left_out(table):
    X, y = table
    model = S3DRegressor(max_features=1)
    whole = fingerprint(model.fit(X, y))
    parts = [(X[:0], y[:0]), (X[:9], y[:9]), (X[9:9], y[9:9]), (X[9:], y[9:])]
    assert fingerprint(model.fit_partitions(parts)) == whole
    with pytest.raises(InputError, match="no part with rows"):
        model.fit_partitions([(X[:0], y[:0])])


def test_parts_without_weight_count_for_nothing(table):
    X, y = table
    w = np.ones(N)
    w[:500] = 0
    labels = np.where(np.arange(N) < 500, "only here", np.where(y > 8, "b", "a"))
    whole = S3DClassifier().fit(X, labels, w)
    assert whole.classes_.tolist() == ["a", "b", "only here"]
    cut = [(X[:500], labels[:500], w[:500]), (X[500:], labels[500:])]
    assert fingerprint(S3DClassifier().fit_partitions(cut)) == fingerprint(whole)
    with pytest.raises(InputError, match="sample_weight"):
        S3DRegressor().fit_partitions([(X, y, 0 * w), (X, y, 0 * w)])


def test_parts_of_other_columns_are_refused(table):
    X, y = table
    with pytest.raises(InputError, match="feature names"):
        S3DRegressor().fit_partitions([(X, y), (X.rename(columns={"hour": "day"}), y)])
