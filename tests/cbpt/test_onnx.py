"""Another runtime gives the labels that the model gives, and its probabilities."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_wine

from whybox.cbpt import AdaBoostPTClassifier, CBPTClassifier
from whybox.cbpt.onnx import cbpt_onnx
from whybox.config import ExportConfig
from whybox.errors import InputError
from whybox.model_io import save_model
from whybox.pipelines import export

onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")


def scored_elsewhere(model, X):
    session = onnxruntime.InferenceSession(cbpt_onnx(model), providers=["CPUExecutionProvider"])
    return session.run(None, {"X": np.asarray(X, dtype=model.input_dtype_)})


def assert_the_same(model, X):
    labels, probabilities = scored_elsewhere(model, X)
    assert labels.tolist() == [
        each if isinstance(each, int) and not isinstance(each, bool) else str(each)
        for each in model.predict(X).tolist()
    ]
    np.testing.assert_allclose(probabilities, model.predict_proba(X), atol=1e-6)


@pytest.fixture(scope="module")
def holes():
    """Rows in which any value may be missing, at training and after it."""
    X, y = load_breast_cancer(return_X_y=True)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    return X, y


@pytest.mark.parametrize("kind", [CBPTClassifier, AdaBoostPTClassifier])
def test_missing_values_go_the_way_that_was_learnt(holes, kind):
    X, y = holes
    model = kind(30, random_state=0).fit(X[::2], y[::2])
    assert any(tree.missing_go_left[tree.feature >= 0].any() for tree in model.estimators_)
    assert_the_same(model, X)


@pytest.mark.parametrize("labels", ["ints", "strings", "booleans"])
def test_classes_keep_their_names(labels):
    X, y = load_wine(return_X_y=True)
    y = {"ints": y * 3 - 3, "strings": np.array(["a", "b", "ü"])[y], "booleans": y > 0}[labels]
    assert_the_same(CBPTClassifier(20, random_state=0).fit(X[::2], y[::2]), X)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_values_on_a_threshold_go_left(dtype):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 3)).astype(dtype)
    model = CBPTClassifier(25, random_state=0).fit(X, X[:, 0] * X[:, 1] > 0.1)
    cuts = np.concatenate([tree.threshold[tree.feature >= 0] for tree in model.estimators_])
    near = np.concatenate(
        [np.nextafter(cuts.astype(dtype), dtype(way)) for way in (-np.inf, np.inf)]
        + [cuts.astype(dtype)]
    )
    assert_the_same(model, np.column_stack([near, near[::-1], np.roll(near, 7)]))


def test_a_lone_root_answers_with_the_larger_class():
    model = CBPTClassifier(3, random_state=0).fit(np.zeros((5, 1)), ["x", "x", "x", "y", "y"])
    assert_the_same(model, np.array([[0.0], [np.nan]]))


def test_columns_are_named_in_the_file_and_its_bytes_repeat():
    import onnx

    frame = pd.DataFrame({"night": [0.0, 1.0, 2.0], "posts": [1.0, 1.0, 5.0]})
    model = CBPTClassifier(3, random_state=0).fit(frame, [0, 1, 1])
    found = onnx.load_from_string(cbpt_onnx(model))
    onnx.checker.check_model(found)
    assert {each.key: each.value for each in found.metadata_props} == {
        "features": "night\nposts",
        "classes": "0\n1",
    }
    assert cbpt_onnx(model) == cbpt_onnx(model)


def test_the_verb_writes_what_the_function_gives(tmp_path):
    model = CBPTClassifier(3, random_state=0).fit([[0.0], [1.0], [2.0]], [0, 1, 1])
    save_model(model, tmp_path / "m.whybox")
    export.run(ExportConfig(model=tmp_path / "m.whybox", to="onnx", out=tmp_path / "m.onnx"))
    assert (tmp_path / "m.onnx").read_bytes() == cbpt_onnx(model)


def test_without_the_package_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    model = CBPTClassifier(1, random_state=0).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(InputError, match=r"whybox\[onnx\]"):
        cbpt_onnx(model)


@pytest.mark.reference
def test_real_rows_get_the_labels_that_predict_gives(reference):
    frame = pd.read_csv(reference / "data/uci/statlog_satellite.csv")
    X, y = frame.iloc[:, :-1].to_numpy(float), frame.iloc[:, -1].to_numpy()
    model = CBPTClassifier(12, random_state=0).fit(X[::4], y[::4])
    assert_the_same(model, X)
