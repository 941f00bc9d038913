"""From raw posts to a model of expressions, its report and its exports, as a user runs them."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace

import numpy as np
import pytest

from whybox.config import ExplainConfig, ExtractConfig, InspectConfig, TrainConfig
from whybox.errors import InputError
from whybox.graph.session import Session, connect
from whybox.model_io import load_card, load_model
from whybox.pipelines import explain, extract, inspect, train
from whybox.pipelines.describe_texts import MASK
from whybox.pipelines.texts import open_posts

SECRET = "zanzibar"
"""Begins a word of every text that no other has."""


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    """A table of 300 posts of 60 users; the word "gazebo" tells one class, but few users have it."""
    rng = np.random.default_rng(5)
    rest = np.array(["the bus", "a train", "my phone", "today", "cake", "rain", "again"])
    path = tmp_path_factory.mktemp("raw") / "posts.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "who", "mood", "words"])
        for k in range(300):
            mood = "glad" if k % 2 else "sad"
            told = mood if rng.random() < 0.8 else "sad"
            words = ["so happy", "loving it"] if told == "glad" else ["not good", "hated that"]
            parts = [
                *rng.choice(rest, 3),
                rng.choice(words),
                SECRET + chr(97 + k // 26) + chr(97 + k % 26),
            ]
            if mood == "glad" and k % 60 < 10:
                parts.append("gazebo")
            writer.writerow([k, f"user{k % 60}", "" if k > 290 else mood, " ".join(parts)])
    return path


@pytest.fixture(scope="module")
def config(raw, tmp_path_factory):
    return TrainConfig(
        source=str(raw),
        model="expressions-tree",
        out=tmp_path_factory.mktemp("models") / "tree.whybox",
        target="mood",
        text_column="words",
        user_column="who",
        id_column="id",
        cv="3",
        n_expressions=5,
        max_words=2,
        scheduler="sync",
        format="csv",
    )


@pytest.fixture(scope="module")
def trained(config):
    return train.run(config)


def test_the_figures_stand_beside_a_filter_all_words_and_the_majority(trained):
    figures = {row["model"]: row for row in trained.values["figures"]}
    assert list(figures) == ["expressions-tree", "chi2-tree", "tfidf-logistic", "majority"]
    assert figures["expressions-tree"]["accuracy_mean"] > figures["majority"]["accuracy_mean"] + 0.2
    assert trained.values["rows"] == 291
    assert trained.values["rows_without_label"] == 9
    assert trained.values["users"] == 60


def test_card_and_file_hold_no_text(trained, config):
    card = json.dumps(load_card(config.out))
    assert SECRET not in card
    assert SECRET.encode() not in config.out.read_bytes()
    model, arrays = load_model(config.out).to_state()
    assert SECRET not in json.dumps(model)
    assert all(SECRET not in str(array) for array in arrays.values())


def test_an_expression_of_few_users_is_counted_and_not_shown(trained, config):
    found = load_card(config.out)["expressions"]
    hidden = [entry for entry in found["found"] if entry["expression"] is None]
    words = load_model(config.out).transformer_.expressions_
    assert found["counted_in"] == "users"
    assert any("gazebo" in each for each in words)
    assert len(hidden) == sum("gazebo" in each for each in words)
    assert all(entry["holders"] < 10 <= sum(entry["texts"]) for entry in hidden)
    shown = json.dumps(trained.values) + str(trained.tables) + str(trained.lines)
    assert MASK in str(trained.tables)
    assert "gazebo" not in shown
    told = inspect.run(InspectConfig(path=config.out))
    assert "gazebo" not in str(told.tables) + json.dumps(told.values)


def test_posts_of_one_user_stay_in_one_fold(trained, config):
    assert load_card(config.out)["figures"]["grouped_by"] == "user"
    with open_posts(replace(config, label_column="mood"), Session()) as posts:
        assert len(set(posts.users)) == 60
        assert len(posts.texts()) == len(posts) == 300


def test_a_folder_with_texts_gives_the_same_model(trained, config, raw, tmp_path):
    given = {
        "text_column": "words",
        "label_column": "mood",
        "user_column": "who",
        "id_column": "id",
    }
    options = {"inputs": (str(raw),), "format": "csv", "scheduler": "sync", **given}
    extract.run(
        ExtractConfig(out=str(tmp_path / "kept"), level="post", allow_text="tests", **options)
    )
    source = str(tmp_path / "kept")
    out = tmp_path / "m.whybox"
    train.run(replace(config, source=source, out=out, target="label", text_column=None))
    one, other = (load_model(path).to_state() for path in (config.out, out))
    assert one[0] == other[0]
    assert all(np.array_equal(one[1][name], other[1][name]) for name in one[1])
    extract.run(ExtractConfig(out=str(tmp_path / "bare"), level="post", **options))
    with pytest.raises(InputError, match="holds no texts"):
        train.run(replace(config, source=str(tmp_path / "bare"), out=out))


def test_workers_write_the_same_bytes(trained, config, cluster_address, tmp_path):
    with connect(cluster_address) as session:
        train.run(replace(config, out=tmp_path / "m.whybox"), session=session)
    assert (tmp_path / "m.whybox").read_bytes() == config.out.read_bytes()


@pytest.mark.parametrize("name", ["logistic", "forest", "knn"])
def test_every_classifier_has_a_model_and_a_report(config, raw, name, tmp_path):
    out = tmp_path / "m.whybox"
    train.run(replace(config, model=f"expressions-{name}", out=out, cv="0"))
    assert load_card(out)["figures"] == "none: the model was not cross-validated"
    explain.run(
        ExplainConfig(model=out, source=str(raw), out=tmp_path / "r.html", scheduler="sync")
    )
    page = (tmp_path / "r.html").read_text("utf-8")
    assert ("What is added for sad" in page) == (name == "logistic")
    assert "The commonest texts and their answers" in page


def test_the_report_shows_expressions_and_rules_and_no_text(trained, config, raw, tmp_path):
    options = {"model": config.out, "source": str(raw), "scheduler": "sync"}
    explain.run(ExplainConfig(out=tmp_path / "r.html", **options))
    page = (tmp_path / "r.html").read_text("utf-8")
    assert SECRET not in page
    assert "gazebo" not in page
    assert "<script" not in page
    assert page.count("<svg") >= 6
    assert "In words and numbers" in page
    assert "on rows the model had not seen" in page.lower()
    for entry in load_card(config.out)["expressions"]["found"]:
        assert entry["expression"] is None or entry["expression"] in page
    explain.run(ExplainConfig(out=tmp_path / "again.html", **options))
    assert (tmp_path / "again.html").read_bytes() == (tmp_path / "r.html").read_bytes()


def test_the_report_shows_texts_for_a_reason(trained, config, raw, tmp_path):
    explain.run(
        ExplainConfig(
            model=config.out,
            source=str(raw),
            out=tmp_path / "r.html",
            allow_text="a study with consent",
            scheduler="sync",
        )
    )
    page = (tmp_path / "r.html").read_text("utf-8")
    assert "a study with consent" in page
    assert SECRET in page
    assert re.search(r"<mark>\w+</mark>", page)


def test_thresholds_are_chosen_inside_the_folds(config, tmp_path):
    grid = tmp_path / "grid.toml"
    grid.write_text("[expressions-tree]\nmin_precision = [0.6, 0.99]\nmax_words = [1]\n")
    train.run(replace(config, grid=str(grid), out=tmp_path / "m.whybox", threshold="youden"))
    card = load_card(tmp_path / "m.whybox")
    search = card["figures"]["nested_search"]
    assert search["candidates"] == 2
    assert search["chosen"]["min_precision"] == card["model"]["parameters"]["min_precision"] == 0.6
    assert card["threshold"]["rule"] == "youden"
    assert card["threshold"]["figures_at"].count(",") == 2


def test_a_large_class_asks_for_more_precision(config, raw, tmp_path):
    lines = raw.read_text("utf-8").splitlines(keepends=True)
    kept = [line for k, line in enumerate(lines) if k % 2 or k < 90]
    (tmp_path / "uneven.csv").write_text("".join(kept), "utf-8")
    source, out = str(tmp_path / "uneven.csv"), tmp_path / "m.whybox"
    outcome = train.run(replace(config, source=source, out=out, cv="0"))
    card = load_card(out)
    counts = card["data"]["class_counts"]
    expected = round((1 + max(counts.values()) / sum(counts.values())) / 2, 2)
    assert card["model"]["parameters"]["min_precision"] == expected > 0.7
    assert any("--min-precision" in line for line in outcome.lines)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"target": "words"}, "no class label"),
        ({"classes": ("glad",)}, "at least 2 are needed"),
        ({"positive": "angry"}, "no row is 'angry'"),
        ({"min_recall": 2.0}, "min_recall"),
        ({"min_precision": 1.0, "min_recall": 0.9}, "lower min_recall"),
        ({"n_expressions": 0}, "n_expressions=0"),
        ({"language": "klingon"}, "klingon"),
        ({"grid": "/nowhere.toml"}, "cannot read the grid"),
        ({"text_column": "nothing"}, "nothing"),
        ({"source": "/nowhere.csv"}, "nowhere"),
    ],
)
def test_what_cannot_be_learnt_from_is_refused_in_a_sentence(config, tmp_path, change, message):
    with pytest.raises(InputError, match=message):
        train.run(replace(config, out=tmp_path / "m.whybox", **change))
    assert not (tmp_path / "m.whybox").exists()


def test_texts_that_labels_were_given_for_are_told_of(timelines, tmp_path):
    outcome = train.run(
        TrainConfig(
            source=str(timelines),
            format="ttdd",
            model="expressions-tree",
            out=tmp_path / "m.whybox",
            cv="0",
            scheduler="sync",
        )
    )
    assert any("--drop-anchors" in line for line in outcome.lines)
    assert load_card(tmp_path / "m.whybox")["data"]["anchors"] > 0


def test_a_grid_of_others_parameters_is_refused(config, tmp_path):
    grid = tmp_path / "grid.toml"
    grid.write_text("[expressions-tree]\nlearning_rate = [0.1]\n")
    with pytest.raises(InputError, match="no learning_rate"):
        train.run(replace(config, grid=str(grid)))
    with pytest.raises(InputError, match="no table of lists"):
        train.run(replace(config, grid=str(grid), model="expressions-knn"))
