"""One model on one fold."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import accuracy_score
from threadpoolctl import threadpool_limits

from whybox.model_selection import FoldTask, evaluate, make_splitter, run_fold
from whybox.model_selection.splitters import Fold

X, CODES = load_breast_cancer(return_X_y=True)
Y = np.array(["malignant", "benign"])[CODES]
CLASSES = ("benign", "malignant")
FOLD = make_splitter("5", seed=1).split(Y)[2]


def _run(model="tree", y=Y, **kwargs):
    return run_fold(FoldTask(model, FOLD, CLASSES, seed=3, **kwargs), X, y)


def _same(one, other):
    return (
        one.y_pred.tolist() == other.y_pred.tolist()
        and one.proba.tobytes() == other.proba.tobytes()
        and one.metrics == other.metrics
    )


@pytest.mark.parametrize("model", ["tree", "logistic", "hist-gradient-boosting"])
def test_equal_tasks_give_equal_results_and_threads_set_outside_do_not_matter(model):
    with threadpool_limits(2):
        one = _run(model)
    assert _same(one, _run(model))


def test_another_process_and_the_way_back_change_nothing():
    code = (
        "import pickle, sys; from whybox.model_selection import run_fold\n"
        "sys.stdout.buffer.write(pickle.dumps(run_fold(*pickle.load(sys.stdin.buffer))))"
    )
    task = FoldTask("tree", FOLD, CLASSES, seed=3)
    done = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps((task, X, Y)), capture_output=True,
        check=True,
    )  # fmt: skip
    assert _same(pickle.loads(done.stdout), _run())


def test_the_labels_of_the_test_rows_do_not_reach_the_model():
    spoilt = Y.copy()
    spoilt[FOLD.test] = "benign"
    assert _run().proba.tobytes() == _run(y=spoilt).proba.tobytes()


def test_a_result_holds_the_test_rows_and_their_figures():
    result = _run(positive="malignant", threshold=0.3)
    assert (result.model, result.fold, result.n_train) == ("tree", 2, len(FOLD.train))
    assert_array_equal(result.test, FOLD.test)
    assert result.metrics == evaluate(
        Y[FOLD.test], result.y_pred, result.proba, CLASSES, "malignant", threshold=0.3
    )
    assert result.metrics["accuracy"] == accuracy_score(Y[FOLD.test], result.y_pred) > 0.85
    assert result.fit_seconds > 0 and result.predict_seconds > 0


def test_seed_and_parameters_reach_the_model():
    stump = _run(params={"max_depth": 1})
    assert len(np.unique(stump.proba[:, 0])) == 2
    full = FoldTask("tree", FOLD, CLASSES, seed=4)
    assert not np.array_equal(run_fold(full, X, Y).proba, _run().proba)


@pytest.mark.parametrize("model", ["tree", "logistic"])
def test_weights_reach_the_fit(model):
    weight = np.where(np.random.default_rng(0).random(len(Y)) < 0.5, 0.0, 1.0)
    kept = FOLD.train[weight[FOLD.train] > 0]
    task = FoldTask(model, FOLD, CLASSES)
    small = FoldTask(model, Fold(2, kept, FOLD.test), CLASSES)
    weighted, reduced = run_fold(task, X, Y, weight), run_fold(small, X, Y)
    plain = run_fold(task, X, Y)
    assert not np.array_equal(weighted.proba, plain.proba)
    if model == "tree":  # the scaler before the regression counts all rows
        assert np.mean(weighted.y_pred == reduced.y_pred) > 0.9


def test_a_class_that_the_train_rows_lack_has_probability_zero():
    features, codes = load_iris(return_X_y=True)
    fold = Fold(0, np.r_[0:40, 100:140], np.r_[40:60, 140:150])
    result = run_fold(FoldTask("tree", fold, (0, 1, 2)), features, codes)
    assert result.proba.shape == (30, 3)
    assert not result.proba[:, 1].any()
    np.testing.assert_allclose(result.proba.sum(axis=1), 1)


def test_a_data_frame_gives_what_its_array_gives():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(X.shape[1])])
    task = FoldTask("tree", FOLD, CLASSES, seed=3)
    assert _same(run_fold(task, frame, pd.Series(Y)), _run())
