"""Training decompositions: what is learnt from, what is chosen where, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from made_passengers import passengers
from whybox.config import TrainConfig
from whybox.errors import InputError
from whybox.graph.s3d_tuning import tune
from whybox.graph.session import connect
from whybox.model_io import load_card, load_model, load_validation, model_hash
from whybox.model_selection import evaluate, make_splitter
from whybox.model_selection.regression import outcome_figures, regression_folds
from whybox.pipelines import train
from whybox.s3d import S3DClassifier, S3DRegressor

PENALTIES = [0.05, 0.005]


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    folder = tmp_path_factory.mktemp("passengers")
    passengers().to_csv(folder / "passengers.csv", index=False)
    (folder / "grid.toml").write_text(f"[s3d]\npenalty = {PENALTIES}\n")
    return TrainConfig(
        source=str(folder / "passengers.csv"),
        target="survived",
        model="s3d",
        features=("age", "deck", "sex", "port"),
        grid=str(folder / "grid.toml"),
        cv="3",
        out=folder / "survived.whybox",
        scheduler="sync",
    )


@pytest.fixture(scope="module")
def survived(config):
    return train.run(config).values


@pytest.fixture(scope="module")
def paid(config):
    return train.run(
        replace(config, target="paid", out=config.out.with_name("paid.whybox"), group="cabin")
    ).values


def rows_of(target):
    """The labelled rows as a model sees them: numbers first, then words."""
    table = passengers()
    table = table[table[target].notna()].reset_index(drop=True)
    return table[["age", "deck", "sex", "port"]], table


def test_words_are_features_and_rows_without_a_class_are_counted(survived, config):
    assert survived["task"] == "classification"
    assert survived["features"] == ["age", "deck", "sex", "port"]
    assert survived["categorical"] == ["sex", "port"]
    assert survived["rows_without_label"] == 7
    model = load_model(config.out)
    assert "sex" in survived["chosen"]
    assert sorted(model.categories_[2]) == ["female", "male"]


def test_every_outer_fold_is_tuned_on_its_own_train_rows(survived):
    """The figures are those of tuning, fitting and judging by hand, fold by fold."""
    X, table = rows_of("survived")
    y = table["survived"].to_numpy(dtype=str)
    accuracies, sensitivities = [], []
    with connect("sync") as session:
        for fold in make_splitter("3").split(y):
            model = tune(
                session, S3DClassifier(min_samples=5), X.iloc[fold.train], y[fold.train],
                penalties=PENALTIES,
            )  # fmt: skip
            share = model.predict_proba(X.iloc[fold.test])
            figures = evaluate(
                y[fold.test], model.predict(X.iloc[fold.test]), share, ["no", "yes"],
                threshold=model.threshold_,
            )  # fmt: skip
            accuracies.append(figures["accuracy"])
            sensitivities.append(figures["sensitivity"])
    row = survived["figures"][0]
    assert row["model"] == "s3d"
    assert row["accuracy_mean"] == pytest.approx(np.mean(accuracies), abs=1e-12)
    assert row["sensitivity_mean"] == pytest.approx(np.mean(sensitivities), abs=1e-12)


def test_the_final_model_is_tuned_on_all_rows_and_keeps_the_surface(survived, config):
    X, table = rows_of("survived")
    y = table["survived"].to_numpy(dtype=str)
    with connect("sync") as session:
        by_hand = tune(session, S3DClassifier(min_samples=5), X, y, penalties=PENALTIES)
    model = load_model(config.out)
    assert (model.penalty, model.max_features) == (by_hand.penalty, by_hand.max_features)
    np.testing.assert_array_equal(model.predict_proba(X), by_hand.predict_proba(X))
    assert model.tuning_.equals(by_hand.tuning_)


def test_the_card_says_what_scoring_needs(survived, config):
    card, model = load_card(config.out), load_model(config.out)
    assert card["features"] == list(model.feature_names_in_)
    assert card["data"]["categorical"] == ["sex", "port"]
    assert card["data"]["positive"] == "yes"
    assert card["data"]["low"] == [1.0, 1.0, None, None]
    counts = card["data"]["distribution"]["counts"]
    assert [sum(bins) for bins in counts] == [413, 413]  # of the numbers
    assert (card["threshold"]["rule"], card["threshold"]["value"]) == ("auto", model.threshold_)
    assert sum(card["figures"]["nested_search"]["chosen_in_folds"].values()) == 3


def test_peers_are_judged_on_the_same_folds(survived):
    names = [row["model"] for row in survived["figures"]]
    assert names == ["s3d", "tree", "logistic", "hist-gradient-boosting", "majority"]
    logistic, majority = (survived["figures"][names.index(n)] for n in ("logistic", "majority"))
    assert logistic["auc_mean"] > 0.7 > majority["auc_mean"] == 0.5


def test_workers_and_this_process_give_the_same_bytes(survived, config, cluster_address, tmp_path):
    there = replace(config, scheduler=cluster_address, out=tmp_path / "there.whybox")
    assert train.run(there).values["model_sha256"] == model_hash(config.out)


def test_a_target_of_many_numbers_is_a_regression(paid, config):
    model = load_model(paid["model"])
    card = load_card(paid["model"])
    assert isinstance(model, S3DRegressor)
    assert paid["task"] == card["data"]["task"] == "regression"
    assert card["threshold"] is None
    assert card["figures"]["grouped_by"] == "cabin"
    names = [row["model"] for row in paid["figures"]]
    assert names == ["s3d", "tree", "ridge", "hist-gradient-boosting", "mean"]
    assert paid["figures"][0]["r2_mean"] > 0.8
    assert abs(paid["figures"][-1]["r2_mean"]) < 0.1


def test_grouped_regression_is_tuned_inside_its_folds(paid):
    X, table = rows_of("paid")
    y, groups = table["paid"].to_numpy(), table["cabin"].astype(str).to_numpy()
    found = []
    with connect("sync") as session:
        for fold in regression_folds(make_splitter("3"), y, groups):
            model = tune(
                session, S3DRegressor(min_samples=5), X.iloc[fold.train], y[fold.train],
                penalties=PENALTIES, groups=groups[fold.train],
            )  # fmt: skip
            found.append(outcome_figures(y[fold.test], model.predict(X.iloc[fold.test]))["r2"])
            assert not set(groups[fold.train]) & set(groups[fold.test])
    assert paid["figures"][0]["r2_mean"] == pytest.approx(np.mean(found), abs=1e-12)


def test_out_of_fold_answers_tell_of_no_row(paid):
    kept = load_validation(paid["model"])
    assert (np.diff(kept["answers"]) >= 0).all()
    assert sorted(kept["outcomes"]) == sorted(passengers()["paid"])


@pytest.mark.parametrize(
    ("threshold", "value"), [("0.3", 0.3), ("youden", None), ("capacity:40", None)]
)
def test_a_threshold_that_is_asked_for_is_taken(config, tmp_path, threshold, value):
    out = tmp_path / "m.whybox"
    train.run(replace(config, grid="none", threshold=threshold, out=out))
    card, kept = load_card(out), load_validation(out)
    assert card["threshold"]["rule"] == threshold
    if value is not None:
        assert card["threshold"]["value"] == value
    if threshold.startswith("capacity"):
        assert (kept["scores"] >= card["threshold"]["value"]).sum() <= 40
    if value is None:
        assert card["threshold"]["figures_at"].count(",") == 2


def test_the_positive_class_may_be_the_first_one(config, tmp_path):
    out = tmp_path / "m.whybox"
    train.run(replace(config, grid="none", positive="no", cv="0", out=out))
    X, _ = rows_of("survived")
    model, card = load_model(out), load_card(out)
    flagged = model.predict_proba(X)[:, 0] >= card["threshold"]["value"]
    np.testing.assert_array_equal(flagged, model.predict(X) == "no")
    assert card["figures"].startswith("none")


def test_numbers_can_be_categories(config, tmp_path):
    found = train.run(
        replace(config, categorical=("deck",), grid="none", cv="0", out=tmp_path / "m.whybox")
    ).values
    assert found["categorical"] == ["deck", "sex", "port"]
    model = load_model(tmp_path / "m.whybox")
    at = model.feature_labels_.index("deck")
    assert sorted(model.categories_[at]) == ["1", "2", "3", "4", "5"]


def test_more_than_two_classes_are_learnt(config, tmp_path):
    out = tmp_path / "m.whybox"
    found = train.run(
        replace(config, target="port", features=("paid", "deck"), grid="none", cv="2", out=out)
    ).values
    assert len(found["classes"]) == 3
    assert load_card(out)["threshold"] is None
    assert found["figures"][0]["accuracy_mean"] > found["figures"][-1]["accuracy_mean"] + 0.1


def test_an_extracted_folder_is_learnt_from(features, config, tmp_path):
    found = train.run(
        replace(
            config, source=str(features), target="label", features=(), grid="none", cv="2",
            out=tmp_path / "m.whybox",
        )
    ).values  # fmt: skip
    assert found["classes"].keys() == {"negative", "positive"}
    assert load_card(tmp_path / "m.whybox")["recipe"]["night"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"topics": 3}, "does not fit topics"),
        ({"target": "paid", "threshold": "youden"}, "none is decided on"),
        ({"target": "paid", "positive": "20"}, "none is positive"),
        ({"target": "sex", "task": "regression"}, "not all numbers"),
        ({"target": "paid", "task": "classification"}, "no class label"),
        ({"penalty": -1.0, "grid": "none"}, "penalty is -1.0"),
        ({"min_samples": -1.0, "grid": "none"}, "min_samples is -1.0"),
        ({"categorical": ("none",)}, "no column 'none'"),
        ({"model": "cbpt", "task": "regression"}, "learns classes"),
        ({"model": "s4d"}, "no model 's4d'"),
    ],
)
def test_what_makes_no_sense_is_refused(config, tmp_path, changes, message):
    with pytest.raises(InputError, match=message):
        train.run(replace(config, out=tmp_path / "m.whybox", **changes))
    assert not (tmp_path / "m.whybox").exists()


def test_a_grid_lists_penalties_alone(config, tmp_path):
    (tmp_path / "grid.toml").write_text("[s3d]\nmax_features = [1]\n")
    with pytest.raises(InputError, match="lists max_features"):
        train.run(replace(config, grid=str(tmp_path / "grid.toml")))
