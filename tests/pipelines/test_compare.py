"""Comparisons: complete, reproducible byte for byte, resumable after a kill, honest."""

from __future__ import annotations

import csv
import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from whybox.config import CompareConfig, TrainConfig
from whybox.errors import InputError
from whybox.graph.session import connect
from whybox.model_io import load_card, load_model
from whybox.model_selection.ledger import open_ledger
from whybox.model_selection.summary import corrected_t_test
from whybox.pipelines import compare, train

GRID = "[cbpt]\nlearning_rate = [0.1, 0.5]\nn_estimators = [4]\n[tree]\nmax_depth = [1, 3]\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table of three classes with groups, and a grid."""
    folder = tmp_path_factory.mktemp("compare")
    rng = np.random.default_rng(3)
    y = np.repeat(["a", "b", "c"], [60, 60, 30])
    pd.DataFrame(
        {
            "night": rng.normal(size=150) + (y == "a"),
            "emoji": rng.normal(size=150) + 2 * (y == "c"),
            "noise": rng.normal(size=150),
            "person": np.arange(150) // 3,
            "kind": y,
        }
    ).to_csv(folder / "t.csv", index=False)
    (folder / "grid.toml").write_text(GRID)
    return folder


def config_of(folder, out, **kwargs):
    given = {
        "source": str(folder / "t.csv"),
        "target": "kind",
        "models": ("cbpt", "tree"),
        "features": ("night", "emoji", "noise"),
        "cv": "3",
        "scheduler": "sync",
    }
    return CompareConfig(out=out, **{**given, **kwargs})


def rows_of(path):
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture(scope="module")
def nested(folder):
    """A nested, grouped comparison with everything on."""
    config = config_of(
        folder, folder / "nested", grid=str(folder / "grid.toml"), group="person",
        learning_curve=True,
    )  # fmt: skip
    return config, compare.run(config)


def test_every_model_and_the_majority_have_a_row_held_against_the_first(nested):
    config, outcome = nested
    rows = rows_of(config.out / "comparison.csv")
    assert [row["model"] for row in rows] == ["cbpt", "tree", "majority"]
    assert rows[0]["accuracy_difference"] == ""
    folds = rows_of(config.out / "folds.csv")
    accuracy = {
        model: [float(row["accuracy"]) for row in folds if row["model"] == model]
        for model in ("cbpt", "tree")
    }
    differences = np.subtract(accuracy["tree"], accuracy["cbpt"])
    assert float(rows[1]["accuracy_mean"]) == pytest.approx(np.mean(accuracy["tree"]))
    assert float(rows[1]["accuracy_sd"]) == pytest.approx(np.std(accuracy["tree"], ddof=1))
    assert float(rows[1]["accuracy_difference"]) == pytest.approx(np.mean(differences))
    ratio = np.mean([int(row["n_test"]) / int(row["n_train"]) for row in folds[:3]])
    t, p = corrected_t_test(differences, ratio)
    assert float(rows[1]["accuracy_t"]) == pytest.approx(t)
    assert float(rows[1]["accuracy_p"]) == pytest.approx(p)
    assert float(rows[2]["auc_mean"]) == 0.5
    assert rows[2]["importance_rank_correlation"] == ""
    assert -1 <= float(rows[0]["shap_rank_correlation"]) <= 1
    # 3 folds: 4 candidates on 3 inner folds, 3 models on 5 shares of the train rows
    assert outcome.values["trials_computed"] == 3 * (4 * 3 + 3 * 5)


def test_parameters_of_each_fold_are_told_and_are_candidates(nested):
    config, _ = nested
    for row in rows_of(config.out / "folds.csv"):
        params = json.loads(row["params"])
        if row["model"] == "tree":
            assert params["max_depth"] in (1, 3)


def test_the_table_has_the_same_bytes_for_any_number_of_workers(nested, cluster_address, tmp_path):
    config, _ = nested
    one = config_of(
        tmp_path, tmp_path / "x", source=config.source, grid=config.grid, group="person",
        learning_curve=True,
    )  # fmt: skip
    with connect(cluster_address) as session:
        compare.run(one, session=session)
    for name in ("comparison.csv", "folds.csv"):
        assert (one.out / name).read_bytes() == (config.out / name).read_bytes()
    assert "seconds" not in (one.out / "comparison.csv").read_text("utf-8")


def test_the_same_again_touches_nothing_and_one_more_model_only_adds(nested):
    config, _ = nested
    before = {path: path.stat().st_mtime_ns for path in config.out.iterdir()}
    assert compare.run(config).status == "already done"
    assert {path: path.stat().st_mtime_ns for path in config.out.iterdir()} == before
    more = config_of(
        config.out.parent, config.out, models=("cbpt", "tree", "logistic"), grid=config.grid,
        group="person", learning_curve=True,
    )  # fmt: skip
    assert compare.run(more).values["trials_computed"] == 3 * 5
    assert [row["model"] for row in rows_of(config.out / "comparison.csv")][2] == "logistic"


def test_the_page_holds_the_three_pictures_and_nothing_from_elsewhere(nested):
    page = (nested[0].out / "comparison.html").read_text("utf-8")
    assert page.count("<svg") == 3
    for title in ("Error by round", "Learning curves", "Who is taken for whom (cbpt)"):
        assert title in page
    assert "<script" not in page
    assert "http://" not in page.replace("http://www.w3.org", "")


def test_of_two_classes_the_page_has_curves_decisions_and_the_trivial_models(folder, tmp_path):
    table = pd.read_csv(folder / "t.csv")
    table = table.rename(columns={"night": "friends", "emoji": "negative_words"})
    table.loc[table["kind"] == "b", "kind"] = None
    table.to_csv(tmp_path / "t.csv", index=False)
    config = config_of(
        folder, tmp_path / "out", source=str(tmp_path / "t.csv"), n_estimators=3,
        models=("cbpt", "metadata-only", "keyword-only"), grid=f"{folder}/grid.toml",
        features=("friends", "negative_words", "noise"),
    )  # fmt: skip
    compare.run(config)
    rows = {row["model"]: row for row in rows_of(config.out / "comparison.csv")}
    assert list(rows) == ["cbpt", "metadata-only", "keyword-only", "majority"]
    for row in rows.values():
        low, mean, high = (float(row[f"accuracy_{end}"]) for end in ("low", "mean", "high"))
        assert low <= mean <= high
    page = (config.out / "comparison.html").read_text("utf-8")
    assert page.count("<svg") == 5
    for title in ("(ROC)", "(precision and recall)", "(calibration)", "What decisions are worth"):
        assert title in page
    assert "no label, or of another class: 60" in page
    assert "learning_rate = 0.5" in page or "learning_rate = 0.1" in page
    anchors = set(re.findall(r'href="#([\w-]+)"', page))
    assert anchors <= set(re.findall(r'id="([\w-]+)"', page))


def test_all_pairs_are_as_many_tasks(folder):
    config = config_of(folder, folder / "pairs", classes=("all-pairs",), n_estimators=3)
    compare.run(config)
    rows = rows_of(config.out / "comparison.csv")
    assert [row["task"] for row in rows[::3]] == ["a vs b", "a vs c", "b vs c"]
    assert all(row["f1_positive_mean"] for row in rows)
    folds = rows_of(config.out / "folds.csv")
    assert {int(row["n_train"]) + int(row["n_test"]) for row in folds} == {120, 90}


@pytest.mark.slow
@pytest.mark.parametrize("place", ["sync", "cluster"])
def test_a_killed_search_goes_on_and_ends_in_the_same_bytes(folder, tmp_path, place, request):
    """Kill it without warning in the middle: nothing that was done is done again."""
    scheduler = "sync" if place == "sync" else request.getfixturevalue("cluster_address")
    (tmp_path / "grid.toml").write_text(
        "[cbpt]\nn_estimators = [40]\nlearning_rate = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]\n"
    )
    config = config_of(folder, tmp_path / "out", models=("cbpt",), grid=f"{tmp_path}/grid.toml")
    total = 3 * 6 * 3 + 3 * 2
    ledger = tmp_path / ".out.trials.jsonl"
    command = [
        sys.executable, "-m", "whybox", "compare", config.source, "--target", "kind", "--models",
        "cbpt", "--features", "night,emoji,noise", "--cv", "3", "--grid", config.grid,
        "--scheduler", scheduler, "--out", str(config.out),
    ]  # fmt: skip
    running = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    until = time.monotonic() + 120
    while not ledger.exists() or ledger.read_bytes().count(b"\n") < 7:
        assert running.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < until
        time.sleep(0.002)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    done = ledger.read_bytes().count(b"\n")
    assert 7 <= done < total
    assert not config.out.exists()

    assert compare.run(config).values["trials_computed"] == total - done
    keys = [json.loads(line)["key"] for line in (config.out / "trials.jsonl").open("rb")]
    assert len(keys) == len(set(keys)) == total
    assert not ledger.exists()
    undisturbed = config_of(folder, tmp_path / "twin", models=("cbpt",), grid=config.grid)
    compare.run(undisturbed)
    for name in ("comparison.csv", "folds.csv"):
        assert (undisturbed.out / name).read_bytes() == (config.out / name).read_bytes()


def test_two_at_once_are_refused(folder, tmp_path):
    config = config_of(folder, tmp_path / "out")
    with open_ledger(tmp_path / ".out.trials.jsonl"), pytest.raises(Exception, match="locked"):
        compare.run(config)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"models": ("cpbt",)}, "no model 'cpbt'"),
        ({"models": ()}, "no model"),
        ({"cv": "0"}, "nothing can be compared without folds"),
        ({"select_by": "beauty"}, "no figure"),
        ({"positive": "z"}, "no row is 'z'"),
        ({"grid": "signs.toml"}, "no feature 'moon'"),
        ({"grid": "typo.toml"}, "does not take these parameters"),
    ],
)
def test_what_cannot_be_compared_is_refused_before_anything_runs(
    folder, tmp_path, monkeypatch, change, message
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "signs.toml").write_text("[kigb]\nsigns = [{ moon = 1 }]\n")
    (tmp_path / "typo.toml").write_text("[tree]\nmax_deep = [1]\n")
    if change.get("grid") == "signs.toml":
        pytest.importorskip("lightgbm")
        change = {**change, "models": ("kigb",)}
    with pytest.raises(InputError, match=message):
        compare.run(config_of(folder, tmp_path / "out", **change))
    assert not (tmp_path / ".out.trials.jsonl").exists()


def test_signs_of_a_grid_reach_the_model_by_the_names_of_features(folder, tmp_path):
    pytest.importorskip("lightgbm")
    (tmp_path / "signs.toml").write_text("[kigb]\nsigns = [{ emoji = 1 }]\nn_estimators = [5]\n")
    config = config_of(
        folder, tmp_path / "out", models=("kigb",), grid=f"{tmp_path}/signs.toml",
        classes=("a", "c"),
    )  # fmt: skip
    compare.run(config)
    params = json.loads(rows_of(config.out / "folds.csv")[0]["params"])
    assert params == {"n_estimators": 5, "signs": {"1": 1}}


@pytest.mark.parametrize("threshold", ["youden", "cost:5/1"])
def test_train_chooses_parameters_and_the_threshold_in_the_inner_folds(folder, tmp_path, threshold):
    config = TrainConfig(
        source=str(folder / "t.csv"), target="kind", classes=("a", "b"), group="person", cv="3",
        features=("night", "emoji", "noise"), n_estimators=4, grid=str(folder / "grid.toml"),
        threshold=threshold, out=tmp_path / "m.whybox", scheduler="sync",
    )  # fmt: skip
    train.run(config)
    card = load_card(config.out)
    search = card["figures"]["nested_search"]
    assert search["candidates"] == 2
    assert sum(search["chosen_in_folds"].values()) == 3
    model = load_model(config.out)
    assert model.get_params()["learning_rate"] == search["chosen"]["learning_rate"]
    assert len(card["threshold"]["figures_at"].split(",")) == 3
    assert "out-of-fold" in card["threshold"]["reason"]


def test_topics_are_more_features_of_each_fold(features, tmp_path):
    config = CompareConfig(
        source=str(features), models=("tree",), cv="3", topics=3, out=tmp_path / "out",
        scheduler="sync",
    )  # fmt: skip
    compare.run(config)
    figures = [json.loads(line)["figures"] for line in (config.out / "trials.jsonl").open("rb")]
    assert {len(found["importance"]) for found in figures} == {13 + 3}
    plain = dataclasses.replace(config, topics=0)
    assert compare.run(plain).values["trials_computed"] == 6  # nothing of it is taken for the other


def test_ready_made_topics_are_refused_unless_they_are_asked_for(folder, tmp_path):
    table = pd.read_csv(folder / "t.csv").rename(columns={"noise": "topic1"})
    table.to_csv(tmp_path / "t.csv", index=False)
    config = config_of(tmp_path, tmp_path / "out", features=("night", "topic1"), models=("tree",))
    with pytest.raises(InputError, match="topic1 is there ready-made"):
        compare.run(config)
    compare.run(dataclasses.replace(config, topics_as_given=True))
