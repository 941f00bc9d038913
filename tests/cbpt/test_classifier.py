"""The estimators as their users see them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from whybox.cbpt import AdaBoostPTClassifier, CBPTClassifier
from whybox.errors import InputError

BOTH = [CBPTClassifier, AdaBoostPTClassifier]
EXPECTED_FAILURES = {
    "check_classifiers_train": "predict is the weighted vote, predict_proba the weighted mean of "
    "leaf shares (so that the base value of SHAP is the prevalence): they may differ near 0.5",
    "check_class_weight_classifiers": "class weights set the first round's weights only: boosting "
    "lifts the rows of a class of weight 1e-7 again, as it must",
}


@pytest.mark.parametrize("kind", BOTH)
def test_scikit_learns_checks_fail_where_expected_only(kind):
    estimator = kind(n_estimators=20, random_state=0)
    results = check_estimator(
        estimator, expected_failed_checks=EXPECTED_FAILURES, on_skip=None, on_fail="raise"
    )
    assert len(results) > 50
    assert {r["check_name"] for r in results if r["status"] == "xfail"} == set(EXPECTED_FAILURES)


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True)


def assert_same_model(a, b, but=()):
    (meta, arrays), (other_meta, other_arrays) = a.to_state(), b.to_state()
    for record in meta["history"] + other_meta["history"] if "ess" in but else ():
        del record["ess"]
    assert meta == other_meta
    for name in set(arrays) - set(but):
        np.testing.assert_array_equal(arrays[name], other_arrays[name], err_msg=name)


@pytest.mark.parametrize(
    ("load", "n_estimators", "least"),
    [
        (load_breast_cancer, 150, 0.966),
        (load_wine, 150, 0.955),
        pytest.param(load_digits, 40, 0.965, marks=pytest.mark.slow),
    ],
)
def test_accuracy_over_five_folds(load, n_estimators, least):
    X, y = load(return_X_y=True)
    model = CBPTClassifier(n_estimators, learning_rate=0.5, random_state=0)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    assert cross_val_score(model, X, y, cv=folds).mean() >= least


@pytest.mark.slow
@pytest.mark.reference
@pytest.mark.parametrize(
    ("name", "n_estimators", "least"),
    [("glass", 300, 0.77), ("statlog_satellite", 100, 0.913)],
)
def test_accuracy_over_five_folds_of_the_papers_data(reference, name, n_estimators, least):
    table = pd.read_csv(reference / "data" / "uci" / f"{name}.csv")
    X, y = table.iloc[:, :-1].to_numpy(np.float64), table.iloc[:, -1].to_numpy()
    model = CBPTClassifier(n_estimators, learning_rate=0.5, n_jobs=2, random_state=0)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    assert cross_val_score(model, X, y, cv=folds).mean() >= least


@pytest.mark.parametrize("learning_rate", [0.5, 1.0])
def test_all_rounds_train_without_a_zero_error(cancer, learning_rate):
    model = CBPTClassifier(300, learning_rate=learning_rate, random_state=0).fit(*cancer)
    assert len(model.estimators_) == 300
    assert {record["event"] for record in model.history_} == {"kept"}
    assert all(0 < record["eps"] < 0.5 for record in model.history_)
    assert all(record["leaves"] < record["leaves_grown"] for record in model.history_)


@pytest.mark.parametrize("kind", BOTH)
def test_threads_change_no_bit(kind, cancer):
    one = kind(20, random_state=0, n_jobs=1).fit(*cancer)
    assert_same_model(one, kind(20, random_state=0, n_jobs=2).fit(*cancer))


def test_the_order_of_rows_changes_no_bit(cancer):
    X, y = cancer
    shuffled = np.random.RandomState(1).permutation(len(y))
    model = CBPTClassifier(40, random_state=0)
    assert_same_model(clone(model).fit(X, y), clone(model).fit(X[shuffled], y[shuffled]))


def test_whole_weights_equal_repeated_rows(cancer):
    X, y = cancer
    w = np.random.RandomState(1).randint(0, 4, len(y))
    weighted = CBPTClassifier(40, random_state=0).fit(X, y, w)
    repeated = CBPTClassifier(40, random_state=0).fit(X.repeat(w, axis=0), y.repeat(w))
    assert_same_model(weighted, repeated, but=["n_node_samples", "ess"])  # both count rows


@pytest.mark.parametrize("factor", [1e-6, 1e6])
@pytest.mark.parametrize("whole", [True, False])
def test_a_factor_on_the_weights_changes_no_bit(cancer, factor, whole):
    X, y = cancer
    w = np.random.RandomState(1).uniform(0, 4, len(y))
    w = np.ceil(w) if whole else w
    model = CBPTClassifier(40, random_state=0)
    assert_same_model(clone(model).fit(X, y, w), clone(model).fit(X, y, w * factor))


def test_the_mean_probability_of_a_tree_is_the_prevalence(cancer):
    X, y = cancer
    w = np.random.RandomState(2).randint(1, 4, len(y)).astype(float)
    model = CBPTClassifier(10, random_state=0, class_weight="balanced").fit(X, y, w)
    np.testing.assert_allclose(model.expected_value_[1], np.average(y, weights=w), rtol=1e-14)
    for tree in model.estimators_:
        np.testing.assert_allclose(tree.unweighted_share[0], model.expected_value_, rtol=1e-12)
    mean = np.average(model.predict_proba(X), axis=0, weights=w)
    np.testing.assert_allclose(mean, model.expected_value_, rtol=1e-12)


def test_stages_end_at_the_prediction(cancer):
    X, y = cancer
    model = CBPTClassifier(15, random_state=0).fit(X, y)
    labels, shares = list(model.staged_predict(X)), list(model.staged_predict_proba(X))
    assert len(labels) == len(shares) == 15
    np.testing.assert_array_equal(labels[-1], model.predict(X))
    np.testing.assert_array_equal(shares[-1], model.predict_proba(X))
    first = CBPTClassifier(1, random_state=0)
    first.fit(X, y)
    np.testing.assert_array_equal(labels[0], first.predict(X))


def test_float32_stays_float32(cancer):
    X, y = cancer[0].astype(np.float32), cancer[1]
    model = CBPTClassifier(5, random_state=0).fit(X, y)
    assert model.input_dtype_ == np.float32
    wide = X.astype(np.float64)  # the same numbers
    np.testing.assert_array_equal(model.predict_proba(X), model.predict_proba(wide))


def test_balanced_classes_weigh_the_same_at_first():
    X, y = np.arange(10.0)[:, None] % 3, np.array(["a"] * 8 + ["b"] * 2)
    balanced = CBPTClassifier(1, class_weight="balanced", random_state=0).fit(X, y)
    by_hand = CBPTClassifier(1, class_weight={"a": 1, "b": 4}, random_state=0).fit(X, y)
    root = balanced.estimators_[0].value[0]
    np.testing.assert_allclose(root, [0.5, 0.5], rtol=1e-12)
    assert balanced.estimators_[0].unweighted_share[0].tolist() == [0.8, 0.2]
    np.testing.assert_array_equal(by_hand.predict(X), balanced.predict(X))


def test_stops_when_the_training_error_no_longer_falls(cancer):
    model = CBPTClassifier(300, n_iter_no_change=5, random_state=0).fit(*cancer)
    assert model.stop_reason_ == "no_change"
    X, y = cancer
    errors = [np.mean(labels != y) for labels in model.staged_predict(X)]
    best = int(np.argmin(errors))
    assert len(errors) == best + 6


def test_stops_in_time(cancer):
    model = CBPTClassifier(300, max_time=1e-9, random_state=0).fit(*cancer)
    assert (len(model.estimators_), model.stop_reason_) == (1, "max_time")


def test_the_callback_sees_every_round_and_may_stop(cancer):
    seen = []

    def enough(record):
        seen.append(record)
        return len(seen) == 3

    model = CBPTClassifier(300, callback=enough, random_state=0).fit(*cancer)
    assert (len(model.estimators_), model.stop_reason_) == (3, "callback")
    assert seen == model.history_
    assert set(seen[0]) == {"eps", "theta", "leaves", "leaves_grown", "ess", "event"}


@pytest.mark.parametrize(
    "parameters",
    [
        {"pruning_cost": "gini_sum"},
        {"pruning_match": "alpha"},
        {"pruning_window": None},
        {"penalty": "depth"},
        {"penalty": "impurity"},
        {"hardness_impurity": "entropy"},
        {"weight_update": "eq14"},
        {"max_depth": 3},
        {"n_pruning_folds": 2},
        {"depth_penalty": 2.0, "penalty_floor": 1.5},
    ],
)
def test_every_option_learns_and_makes_another_model(cancer, parameters):
    X, y = cancer
    usual = CBPTClassifier(8, random_state=0).fit(X, y)
    other = CBPTClassifier(8, random_state=0, **parameters).fit(X, y)
    assert other.score(X, y) > 0.9
    assert (usual.predict_proba(X) != other.predict_proba(X)).any()


def test_no_penalty_is_adaboost_of_pruned_trees(cancer):
    X, y = cancer
    none = CBPTClassifier(10, penalty="none", random_state=0).fit(X, y)
    adaboost = AdaBoostPTClassifier(10, random_state=0).fit(X, y)
    np.testing.assert_array_equal(none.predict_proba(X), adaboost.predict_proba(X))


def test_seeds_are_ints_or_random_states(cancer):
    X, y = cancer
    by_int = CBPTClassifier(5, random_state=7).fit(X, y)
    by_state = CBPTClassifier(5, random_state=np.random.RandomState(7)).fit(X, y)
    np.testing.assert_array_equal(by_int.predict_proba(X), by_state.predict_proba(X))
    with pytest.raises(InputError, match="random_state"):
        CBPTClassifier(5, random_state=np.random.default_rng(7)).fit(X, y)


def test_importances_point_at_the_informative_feature():
    random = np.random.RandomState(0)
    X = random.normal(size=(200, 4))
    model = CBPTClassifier(10, random_state=0).fit(X, X[:, 2] + random.normal(0, 0.3, 200) > 0)
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert model.feature_importances_.argmax() == 2


def test_works_in_pipelines_grids_and_data_frames(cancer):
    X, y = pd.DataFrame(cancer[0]).add_prefix("f"), cancer[1]
    pipeline = make_pipeline(StandardScaler(), CBPTClassifier(5, random_state=0))
    grid = GridSearchCV(pipeline, {"cbptclassifier__depth_penalty": [0.5, 1.0]}, cv=2).fit(X, y)
    assert grid.best_score_ > 0.9
    model = CBPTClassifier(5, random_state=0).fit(X, y)
    assert model.feature_names_in_.tolist() == list(X)
    with pytest.raises(InputError, match="feature names"):
        model.predict(X[X.columns[::-1]])


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_estimators": 0},
        {"n_estimators": 1.5},
        {"learning_rate": 0},
        {"learning_rate": float("nan")},
        {"n_pruning_folds": 1},
        {"pruning_cost": "gini"},
        {"pruning_match": "size"},
        {"pruning_window": (0.9, 0.1)},
        {"pruning_window": 0.5},
        {"penalty": None},
        {"depth_penalty": -1},
        {"penalty_floor": 0},
        {"hardness_impurity": "log"},
        {"weight_update": "eq16"},
        {"max_depth": -1},
        {"n_iter_no_change": 0},
        {"max_time": 0},
        {"n_jobs": 0},
        {"class_weight": "heavy"},
        {"class_weight": {5: 1}},
        {"class_weight": {0: -1}},
    ],
)
def test_wrong_parameters_are_named(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        CBPTClassifier(**wrong).fit([[0.0], [1.0]], [0, 1])
