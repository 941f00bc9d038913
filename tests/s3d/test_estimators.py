"""The estimators as their users see them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from whybox.errors import InputError
from whybox.s3d import S3DClassifier, S3DRegressor


@pytest.mark.parametrize("kind", [S3DClassifier, S3DRegressor])
def test_scikit_learns_checks_pass(kind):
    results = check_estimator(kind(), on_skip=None, on_fail="raise")
    assert len(results) > 50
    assert all(result["status"] != "xfail" for result in results)


@pytest.fixture(scope="module")
def noisy():
    """Two features that matter, eight that do not."""
    rng = np.random.default_rng(11)
    X = rng.integers(0, 40, (4000, 10)).astype(float)
    y = (rng.uniform(size=4000) < 0.2 + 0.4 * (X[:, 3] > 20) + 0.2 * (X[:, 7] > 10)).astype(int)
    return X, y


def test_features_that_matter_are_chosen_and_noise_is_not(noisy):
    model = S3DClassifier(penalty=0.005).fit(*noisy)
    assert model.selected_features_ == [3, 7]
    assert [cuts.tolist() for cuts in model.splits_] == [[20.0], [10.0]]
    paper, wary = (S3DClassifier(noise_floor=floor).fit(*noisy) for floor in (0, 12))
    assert len(paper.selected_features_) > 4
    assert wary.selected_features_ == [3, 7]


def test_the_last_row_of_the_steps_is_what_would_come_next(noisy):
    one = S3DClassifier(max_features=1).fit(*noisy)
    two = S3DClassifier(max_features=2).fit(*noisy)
    assert one.r2_steps_.shape == (2, 10)
    np.testing.assert_array_equal(one.r2_steps_, two.r2_steps_[:2])
    assert one.r2_steps_[1].argmax() == two.selected_features_[1]
    assert two.r2_steps_[1, 3] == two.r2_steps_[2, 3] == two.r2_steps_[2, 7] == 0
    assert two.r2_ == pytest.approx(two.r2_steps_[0, 3] + two.r2_steps_[1, 7], abs=1e-12)


def test_the_network_has_signed_edges_of_every_chosen_feature():
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 2, (2, 2000)).astype(float)
    copy = np.where(rng.uniform(size=2000) < 0.1, 1 - a, a)
    y = np.where(b == 0, a, 0.2 * a) + 0.3 * b + rng.normal(0, 0.05, 2000)
    model = S3DRegressor().fit(np.column_stack([a, b, copy]), y)
    chosen = model.selected_features_
    assert chosen[:2] == [0, 1]
    edges = {(edge.source, edge.target): edge.weight for edge in model.network_}
    steps = model.r2_steps_
    assert edges[2, 0] == steps[0, 2] - steps[1, 2] > 0.1  # the copy is redundant
    assert edges[1, 0] == steps[0, 1] - steps[1, 1] < 0  # b explains more once a is known
    last = S3DRegressor(max_features=1).fit(np.column_stack([a, b, copy]), y)
    assert {(e.source, e.target): e.weight for e in last.network_} == {
        key: weight for key, weight in edges.items() if key[1] == 0
    }


def test_exact_ties_are_listed_and_the_first_column_wins():
    rng = np.random.default_rng(2)
    x = rng.integers(0, 9, 500).astype(float)
    X = np.column_stack([rng.normal(size=500), -x, np.exp(x), x])
    model = S3DClassifier(penalty=0.01).fit(X, x + rng.normal(0, 2, 500) > 4)
    assert model.ties_[0] == [1, 2, 3]
    assert model.selected_features_[0] == 1


@pytest.mark.parametrize("kind", [S3DClassifier, S3DRegressor])
def test_whole_weights_equal_repeated_rows(kind, noisy):
    X, y = noisy[0][:1500], noisy[1][:1500] * (1 if kind is S3DClassifier else 0.7)
    w = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = kind().fit(X, y, w.astype(float))
    repeated = kind().fit(X.repeat(w, axis=0), y.repeat(w))
    (meta, arrays), (other_meta, other_arrays) = weighted.to_state(), repeated.to_state()
    assert meta == other_meta
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, other_arrays[name], err_msg=name)


def test_halving_all_weights_changes_the_noise_floor_only(noisy):
    X, y = noisy
    full = S3DClassifier(noise_floor=0, max_features=2).fit(X, y)
    half = S3DClassifier(noise_floor=0, max_features=2).fit(X, y, np.full(len(y), 0.5))
    np.testing.assert_allclose(half.r2_steps_, full.r2_steps_, rtol=0, atol=1e-12)
    assert half.grid_.weight[0].tolist() == [len(y) / 2]
    with_floor = S3DClassifier(noise_floor=6).fit(X, y, np.full(len(y), 0.5))
    assert (
        with_floor.selected_features_ == S3DClassifier(noise_floor=12).fit(X, y).selected_features_
    )


def test_the_threshold_counts_blocks_up_to_the_positives(noisy):
    model = S3DClassifier(penalty=0.002, noise_floor=0, max_features=2).fit(*noisy)
    table = model.bin_table_.sort_values("mean", ascending=False)
    positives, reached = noisy[1].sum(), 0.0
    for n, mean in zip(table["n"], table["mean"], strict=True):
        if reached < positives:
            expected = mean
        reached += n
    assert model.threshold_ == expected
    shares = model.predict_proba(noisy[0])[:, 1]
    np.testing.assert_array_equal(model.predict(noisy[0]), (shares >= expected).astype(int))
    assert model.predict(noisy[0]).sum() >= positives


def test_rows_in_empty_or_small_blocks_take_the_deepest_mean_that_has_rows():
    X = np.array([[0, 0]] * 30 + [[1, 0]] * 30 + [[1, 1]] * 4, float)
    y = np.array([0.0] * 30 + [5.0] * 30 + [9.0] * 4)
    model = S3DRegressor(penalty=0.001, noise_floor=0).fit(X, y)
    assert model.selected_features_ == [0, 1]
    empty = [[0.0, 1.0]]
    assert model.transform(empty).tolist() == [[0, 1, -1]]
    assert model.predict(empty).tolist() == [0.0]
    assert model.predict([[1.0, 1.0]]).tolist() == [9.0]
    above = (30 * 5 + 4 * 9) / 34
    careful = clone(model).set_params(min_samples=5).fit(X, y)
    assert careful.predict([[1.0, 1.0], [1.0, 0.0]]).tolist() == [above, 5.0]
    shy = clone(model).set_params(min_samples=35).fit(X, y)
    assert shy.predict([[0.0, 0.0]]).tolist() == [y.mean()]
    for fitted in (model, careful, shy):
        sse = np.square(fitted.predict(X) - y).sum()
        assert fitted.r2_ == pytest.approx(1 - sse / np.square(y - y.mean()).sum(), abs=1e-12)


def test_values_beyond_the_training_range_fall_into_the_outer_bins(noisy):
    model = S3DClassifier().fit(*noisy)
    rows = np.full((2, 10), [[-1e9], [1e9]])
    assert model.transform(rows)[:, 0].tolist() == [0, len(model.splits_[0])]


def test_missing_values_are_a_bin_of_their_own():
    rng = np.random.default_rng(3)
    x = rng.integers(0, 10, 900).astype(float)
    y = (x > 4) * 1.0
    x[rng.uniform(size=900) < 0.3] = np.nan
    y[np.isnan(x)] = 7.0
    model = S3DRegressor().fit(x[:, None], y)
    assert model.bin_table_["x0"].tolist() == ["[0, 4]", "(4, 9]", "missing"]
    assert model.bin_table_["n"].sum() == 900
    assert model.predict([[np.nan], [0.0], [9.0]]).tolist() == [7.0, 0.0, 1.0]
    assert model.r2_ == pytest.approx(1, abs=1e-12)


def test_only_missingness_can_matter():
    x = np.where(np.arange(300) % 3 == 0, np.nan, np.arange(300) % 7)
    model = S3DClassifier().fit(x[:, None], np.isnan(x))
    assert model.splits_[0].tolist() == []
    assert model.bin_table_["x0"].tolist() == ["[0, 6]", "missing"]
    assert model.predict([[np.nan], [3.0]]).tolist() == [True, False]


def test_bins_of_the_user_are_taken_as_they_are(noisy):
    X, y = noisy
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(10)])
    model = S3DClassifier(0.005, user_splits={"f3": [30.5, 12], 7: [9.5]}).fit(frame, y)
    assert [cuts.tolist() for cuts in model.splits_[:2]] == [[12.0, 30.5], [9.5]]
    binned = np.digitize(X[:, 3], [12, 30.5], right=True)
    means = np.array([y[binned == b].mean() for b in range(3)])
    r2 = np.square(means[binned] - y.mean()).sum() / np.square(y - y.mean()).sum()
    assert model.r2_steps_[0, 3] == pytest.approx(r2, abs=1e-12)
    with pytest.raises(InputError, match="'f99'"):
        S3DClassifier(user_splits={"f99": [1]}).fit(frame, y)
    with pytest.raises(InputError, match="finite"):
        S3DClassifier(user_splits={3: [1, np.inf]}).fit(frame, y)


def test_categories_are_ordered_by_their_mean_outcome():
    rng = np.random.default_rng(8)
    frame = pd.DataFrame({"size": rng.normal(size=900), "colour": rng.choice(list("abcd"), 900)})
    frame.loc[:99, "colour"] = None
    level = frame["colour"].map({"a": 3.0, "b": 0.0, "c": 3.1, "d": 0.1})
    y = level.fillna(9).to_numpy() + rng.normal(0, 0.01, 900)
    for kind in ("object", "category", "string"):
        model = S3DRegressor(0.01, max_features=1).fit(frame.astype({"colour": kind}), y)
        assert model.categories_ == {1: ["b", "d", "a", "c"]}
        assert model.bin_table_["colour"].tolist() == ["b, d", "a, c", "missing"]
        odd = pd.DataFrame({"size": [0.0, 0.0], "colour": ["c", "unseen"]}).astype({"colour": kind})
        answers = model.predict(odd)
        assert answers[0] == pytest.approx(3.05, abs=0.05)
        assert answers[1] == pytest.approx(9, abs=0.05)  # as a missing one
    named = S3DRegressor(0.01, max_features=1, categorical_features=[1]).fit(
        frame.to_numpy(object), y
    )
    assert named.categories_ == model.categories_


def test_a_frame_of_text_is_refused_if_nothing_is_categorical():
    frame = pd.DataFrame({"colour": ["a", "b"]})
    with pytest.raises(InputError, match="'colour'"):
        S3DRegressor(categorical_features=None).fit(frame, [0, 1])


def test_three_classes():
    X, y = load_iris(return_X_y=True)
    model = S3DClassifier(penalty=0.02).fit(X, y)
    assert model.threshold_ is None
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1, rtol=1e-12)
    assert model.score(X, y) > 0.9
    block = model.transform(X)[:, -1]
    shares = np.array([(y[block == b][:, None] == np.arange(3)).mean(axis=0) for b in block])
    gini = (
        1
        - np.square((y[:, None] == np.arange(3)) - shares).sum()
        / np.square((y[:, None] == np.arange(3)) - np.bincount(y) / len(y)).sum()
    )
    assert model.r2_ == pytest.approx(gini, abs=1e-9)


def test_all_numbers_of_features_come_from_one_fit(noisy):
    X, y = noisy
    stages = list(S3DClassifier(noise_floor=0, max_features=3).fit(X, y).staged_predict_proba(X))
    assert len(stages) == 4
    for k in (1, 2, 3):
        alone = S3DClassifier(noise_floor=0, max_features=k).fit(X, y).predict_proba(X)
        np.testing.assert_array_equal(stages[k], alone)


def test_it_works_in_pipelines_and_searches():
    X, y = load_breast_cancer(return_X_y=True)
    model = S3DClassifier(0.01, max_features=2, min_samples=10)
    assert cross_val_score(model, X, y, cv=4, scoring="roc_auc").mean() > 0.95
    search = GridSearchCV(S3DRegressor(), {"penalty": [0.01, 0.03]}, cv=3)
    search.fit(*load_diabetes(return_X_y=True))
    make_pipeline(StandardScaler(), S3DClassifier(0.01)).fit(X, y)


def test_columns_keep_their_names_and_types(noisy):
    X, y = noisy
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(10)]).astype({"f3": "int16"})
    frame["f7"] = frame["f7"].astype("Int64")
    frame["f0"] = frame["f0"] > 3
    model = S3DClassifier(0.005).fit(frame, y)
    assert model.get_feature_names_out().tolist() == ["f3_bin", "f7_bin", "block"]
    assert list(model.bin_table_.columns) == ["f3", "f7", "n", "mean"]
    plain = S3DClassifier(0.005).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(frame), plain.predict_proba(X))
    single = S3DClassifier(0.005).fit(X.astype(np.float32), y)
    np.testing.assert_array_equal(single.predict_proba(X), plain.predict_proba(X))
    with pytest.raises(InputError, match="feature names"):
        model.predict(frame.rename(columns={"f3": "g"}))


def test_few_bins_choose_among_their_edges(noisy):
    model = S3DClassifier(max_bins=4).fit(*noisy)
    edges = np.quantile(noisy[0][:, 3], [0.25, 0.5, 0.75], method="inverted_cdf")
    assert set(model.splits_[0]) <= set(edges)


@pytest.mark.parametrize(
    "wrong",
    [
        {"penalty": -1}, {"penalty": np.nan}, {"max_features": 0}, {"stopping": "never"},
        {"patience": 0}, {"noise_floor": "a"}, {"min_samples": -1}, {"max_bins": 1},
        {"max_bins": 70_000}, {"max_blocks": 0}, {"categorical_features": "all"},
        {"user_splits": [1, 2]}, {"categorical_features": ["nope"]}, {"penalty": True},
    ],
)  # fmt: skip
def test_wrong_parameters_are_named(noisy, wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        S3DClassifier(**wrong).fit(*noisy)
