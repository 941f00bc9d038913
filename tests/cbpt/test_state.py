"""A model as plain data: exact both ways, and nothing false gets in."""

from __future__ import annotations

import io
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

from whybox.cbpt import AdaBoostPTClassifier, CBPTClassifier
from whybox.errors import InputError


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    X[::7, 3] = np.nan
    return X, y


@pytest.fixture
def state(wine):
    meta, arrays = CBPTClassifier(6, random_state=0).fit(*wine).to_state()
    return json.loads(json.dumps(meta)), {name: array.copy() for name, array in arrays.items()}


def through_a_file(meta, arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    file.seek(0)
    with np.load(file, allow_pickle=False) as read:
        return json.loads(json.dumps(meta, allow_nan=False)), {name: read[name] for name in read}


@pytest.mark.parametrize("kind", [CBPTClassifier, AdaBoostPTClassifier])
@pytest.mark.parametrize("names", ["ints", "strings", "booleans"])
def test_the_round_trip_is_exact(wine, kind, names):
    X, y = wine
    if names == "strings":
        X, y = pd.DataFrame(X).add_prefix("f"), np.array(["a", "b", "ü"], dtype=object)[y]
    elif names == "booleans":
        y = y > 0
    model = kind(6, random_state=0, class_weight="balanced").fit(X, y)
    back = kind.from_state(*through_a_file(*model.to_state()))
    np.testing.assert_array_equal(back.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(back.predict(X), model.predict(X))
    meta, arrays = model.to_state()
    other_meta, other_arrays = back.to_state()
    assert json.dumps(meta) == json.dumps(other_meta)
    for name, array in arrays.items():
        assert array.dtype == other_arrays[name].dtype
        np.testing.assert_array_equal(array, other_arrays[name])


def test_class_weights_by_label_survive(wine):
    X, y = wine
    model = CBPTClassifier(2, class_weight={np.int64(0): 2, 1: 1.5}, random_state=0).fit(X, y)
    back = CBPTClassifier.from_state(*through_a_file(*model.to_state()))
    assert back.class_weight == {0: 2.0, 1: 1.5}
    assert back.pruning_window == (0.1, 0.9)


def set_item(name, index, value):
    def spoil(meta, arrays):
        arrays[name][index] = value

    return spoil


def set_meta(name, value):
    def spoil(meta, arrays):
        meta[name] = value

    return spoil


SPOILT = {
    "a child out of range": set_item("children_left", 0, 10_000),
    "a cycle": set_item("children_right", 0, 0),
    "a single child": set_item("children_right", 0, -1),
    "a child below zero": set_item("children_left", 0, -7),
    "a feature out of range": set_item("feature", 0, 13),
    "an endless threshold": set_item("threshold", 0, np.inf),
    "no threshold": set_item("threshold", 0, np.nan),
    "shares beyond one": set_item("value", (0, 0), 0.999),
    "negative shares": set_item("unweighted_share", (0, slice(0, 2)), [-0.5, 1.5]),
    "an endless weight": set_item("estimator_weights", 0, np.inf),
    "a negative weight": set_item("estimator_weights", 0, -1.0),
    "equal classes": set_item("classes", 1, 0),
    "unsorted classes": set_item("classes", 0, 9),
    "another prevalence": set_item("expected_value", 0, 2.0),
    "empty nodes": set_item("n_node_samples", 0, 0),
    "weightless nodes": set_item("weighted_n_node_samples", 0, np.nan),
    "too few nodes": set_item("tree_sizes", 0, 1),
    "empty trees": set_item("tree_sizes", 0, 0),
    "another kind": set_meta("kind", "AdaBoostPTClassifier"),
    "an integer type": set_meta("input_dtype", "int64"),
    "no features": set_meta("n_features_in", 0),
    "too few features": set_meta("n_features_in", 1),
    "too few names": set_meta("feature_names_in", ["a"]),
    "a strange history": set_meta("history", [{"eps": 1}]),
    "a history of text": set_meta("history", "none"),
    "unknown parameters": set_meta("parameters", {"n_trees": 1}),
    "no parameters": set_meta("parameters", None),
}


@pytest.mark.parametrize("how", SPOILT)
def test_a_spoilt_state_is_refused(state, how):
    SPOILT[how](*state)
    with pytest.raises(InputError):
        CBPTClassifier.from_state(*state)


@pytest.mark.parametrize("part", ["feature", "classes", "tree_sizes", "estimator_weights"])
def test_a_missing_array_is_refused(state, part):
    del state[1][part]
    with pytest.raises(InputError, match=part):
        CBPTClassifier.from_state(*state)


@pytest.mark.parametrize("part", ["children_left", "threshold", "n_node_samples", "value"])
def test_another_type_is_refused(state, part):
    state[1][part] = state[1][part].astype(np.float32)
    with pytest.raises(InputError, match=part):
        CBPTClassifier.from_state(*state)


def test_threads_and_callbacks_leave_no_trace(wine):
    quiet = CBPTClassifier(3, random_state=0).fit(*wine)
    busy = CBPTClassifier(3, random_state=0, n_jobs=2, callback=lambda record: None).fit(*wine)
    assert quiet.to_state()[0] == busy.to_state()[0]


def test_labels_that_no_file_can_hold_are_refused():
    model = CBPTClassifier(2).fit([[0.0], [1.0]], np.array(["a", "b"], dtype=object))
    model.classes_ = np.array([("a",), None], dtype=object)
    with pytest.raises(InputError, match="labels"):
        model.to_state()
