"""A model as plain data: exact both ways, and nothing false gets in."""

from __future__ import annotations

import io
import json

import numpy as np
import pandas as pd
import pytest

from whybox.errors import InputError
from whybox.s3d import S3DClassifier, S3DRegressor


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 20, (900, 3)).astype(float)).add_prefix("f")
    frame["kind"] = rng.choice(["ä", "b", "c"], 900)
    frame.loc[::5, "f1"] = np.nan
    return frame, frame["f0"] + frame["f1"].fillna(30) + 5 * (frame["kind"] == "b")


@pytest.fixture
def state(table):
    model = S3DClassifier(0.01, user_splits={"f2": [3, 9]}).fit(table[0], table[1] > 20)
    meta, arrays = model.to_state()
    return json.loads(json.dumps(meta)), {name: array.copy() for name, array in arrays.items()}


def through_a_file(meta, arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    file.seek(0)
    with np.load(file, allow_pickle=False) as read:
        return json.loads(json.dumps(meta, allow_nan=False)), {name: read[name] for name in read}


OUTCOMES = {
    "two": (S3DClassifier, lambda y: np.where(y > 20, "yes", "no").astype(object)),
    "three": (S3DClassifier, lambda y: np.digitize(y, [10, 20])),
    "real": (S3DRegressor, lambda y: y * 0.1),
}


@pytest.mark.parametrize("case", OUTCOMES)
def test_the_round_trip_is_exact(table, case):
    kind, outcome = OUTCOMES[case]
    model = kind(0.005, max_bins=10, user_splits={0: [4], "f2": [3, 9]}).fit(
        table[0], outcome(table[1])
    )
    assert len(model.selected_features_) > 2
    back = kind.from_state(*through_a_file(*model.to_state()))
    np.testing.assert_array_equal(back.predict(table[0]), model.predict(table[0]))
    np.testing.assert_array_equal(back.transform(table[0]), model.transform(table[0]))
    np.testing.assert_array_equal(back.r2_steps_, model.r2_steps_)
    pd.testing.assert_frame_equal(back.bin_table_, model.bin_table_)
    assert back.r2_ == model.r2_
    assert back.network_ == model.network_
    (meta, arrays), (other_meta, other_arrays) = model.to_state(), back.to_state()
    assert json.dumps(meta) == json.dumps(other_meta)
    for name, array in arrays.items():
        assert array.dtype == other_arrays[name].dtype
        np.testing.assert_array_equal(array, other_arrays[name])


@pytest.mark.parametrize("y", [[1, 1, 1], [0, 1, 0]])
def test_a_model_of_no_feature_goes_both_ways(y):
    with pytest.warns(UserWarning, match="no feature"):
        model = S3DClassifier().fit([[1.0]] * 3, y)
    back = S3DClassifier.from_state(*through_a_file(*model.to_state()))
    assert back.predict([[2.0]]).tolist() == model.predict([[2.0]]).tolist()


def set_item(name, index, value):
    def spoil(meta, arrays):
        arrays[name][index] = value

    return spoil


def set_meta(name, value):
    def spoil(meta, arrays):
        meta[name] = value

    return spoil


def choose_twice(meta, arrays):
    arrays["feature"][1] = arrays["feature"][0]


SPOILT = {
    "a feature out of range": set_item("feature", 0, 4),
    "a feature below zero": set_item("feature", 0, -1),
    "a feature twice": choose_twice,
    "too many cuts": set_item("n_cuts", 0, 99),
    "negative cuts": set_item("n_cuts", 0, -1),
    "an endless cut": set_item("cuts", 0, np.inf),
    "cuts that descend": set_item("cuts", 0, 1e9),
    "no range": set_item("lowest", 0, np.nan),
    "a range upside down": set_item("highest", 0, -1e9),
    "too few blocks": set_item("n_blocks", 0, 1),
    "no blocks": set_item("n_blocks", 0, 0),
    "an unknown parent": set_item("parent", -1, 10_000),
    "a parent below zero": set_item("parent", 0, -1),
    "a bin out of range": set_item("bins", 0, 99),
    "a block twice": set_item("bins", 1, 0),
    "no weight": set_item("weight", 0, 0.0),
    "an endless weight": set_item("weight", 1, np.inf),
    "weights that do not add up": set_item("weight", -1, 1e6),
    "shares beyond one": set_item("mean", (0, 0), 0.999),
    "negative shares": set_item("mean", 0, [-0.5, 1.5]),
    "a missing mean": set_item("mean", (0, 0), np.nan),
    "a negative gain": set_item("gains", (0, 0), -1),
    "a huge gain": set_item("gains", (0, 0), 2**62),
    "equal classes": set_item("classes", 1, False),
    "another kind": set_meta("kind", "S3DRegressor"),
    "no features": set_meta("n_features_in", 0),
    "too few features": set_meta("n_features_in", 1),
    "too few names": set_meta("feature_names_in", ["a"]),
    "categories of no column": set_meta("categories", [[9, ["a"]]]),
    "categories twice": set_meta("categories", [[3, ["a", "a"]]]),
    "strange categories": set_meta("categories", [[3, [None]]]),
    "ties of another feature": set_meta("ties", [[2], [2], [2]]),
    "too few ties": set_meta("ties", []),
    "no sum of squares": set_meta("sum_of_squares", 0.0),
    "no threshold": set_meta("threshold", None),
    "a threshold beyond one": set_meta("threshold", 2.0),
    "unknown parameters": set_meta("parameters", {"n_trees": 1}),
    "no parameters": set_meta("parameters", None),
}


@pytest.mark.parametrize("how", SPOILT)
def test_a_spoilt_state_is_refused(state, how):
    SPOILT[how](*state)
    with pytest.raises(InputError):
        S3DClassifier.from_state(*state)


@pytest.mark.parametrize(
    "part", ["feature", "cuts", "parent", "weight", "mean", "gains", "classes"]
)
def test_a_missing_array_is_refused(state, part):
    del state[1][part]
    with pytest.raises(InputError, match=part):
        S3DClassifier.from_state(*state)


@pytest.mark.parametrize("part", ["cuts", "parent", "weight", "mean", "gains"])
def test_another_type_is_refused(state, part):
    state[1][part] = state[1][part].astype(np.float32)
    with pytest.raises(InputError, match=part):
        S3DClassifier.from_state(*state)


@pytest.fixture
def tuned(table):
    model = S3DRegressor(0.01).fit(table[0], table[1])
    model.tuning_ = pd.DataFrame(
        {
            "penalty": [0.01, 0.01],
            "n_features": [1, 2],
            "mean": [0.5, np.nan],
            "sd": [np.nan, 0.1],
            "n_folds": [4, 4],
        }
    )
    return model


def test_what_tuning_found_is_kept(tuned, table):
    back = S3DRegressor.from_state(*through_a_file(*tuned.to_state()))
    pd.testing.assert_frame_equal(back.tuning_, tuned.tuning_)
    assert back.fit(table[0], table[1]).tuning_ is None, "another fit was not tuned"


@pytest.mark.parametrize(
    "broken",
    [
        np.zeros((0, 5)),
        np.zeros((1, 4)),
        np.ones((1, 5), np.float32),
        np.array([[0.1, 1.5, 0.5, 0.1, 4.0]]),
        np.array([[0.1, 0.0, 0.5, 0.1, 4.0]]),
        np.array([[np.inf, 1.0, 0.5, 0.1, 4.0]]),
        np.array([[0.1, 1.0, np.nan, 0.1, 4.0]]),
    ],
)
def test_a_false_surface_is_refused(tuned, broken):
    meta, arrays = tuned.to_state()
    with pytest.raises(InputError):
        S3DRegressor.from_state(meta, {**arrays, "tuning": broken})
