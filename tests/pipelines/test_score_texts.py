"""`whybox score` of texts: what the model itself says, in parts that hold no text."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from scored import file_digests, read_scores, touched
from whybox.config import ExtractConfig, ScoreConfig, TrainConfig
from whybox.data.dealing import part_name
from whybox.data.ledger import read_entries
from whybox.data.pseudonym import load_key, pseudonym
from whybox.errors import InputError
from whybox.model_io import load_model
from whybox.pipelines import extract, score, train

SECRET = "zanzibar"
"""Begins a word of every text that no other has."""

COLUMNS = {"text_column": "words", "user_column": "who", "id_column": "id"}
HEADS = ("tree", "logistic", "forest", "knn")


def write_posts(path, n, seed):
    """Write posts of 60 users; "gazebo" tells one class, but few users have it. Give the texts."""
    rng = np.random.default_rng(seed)
    rest = np.array(["the bus", "a train", "my phone", "today", "cake", "rain", "again"])
    texts = []
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "who", "mood", "words"])
        for k in range(n):
            mood = "glad" if k % 2 else "sad"
            told = mood if rng.random() < 0.8 else "sad"
            words = ["so happy", "loving it"] if told == "glad" else ["not good", "hated that"]
            secret = SECRET + chr(97 + k // 26) + chr(97 + k % 26)
            parts = [*rng.choice(rest, 3), secret]
            parts += [] if k % 11 == 0 else [rng.choice(words)]
            parts += ["gazebo"] if mood == "glad" and k % 60 < 10 else []
            texts.append(" ".join(parts))
            writer.writerow([f"{seed}-{k}", f"user{k % 60}", mood, texts[-1]])
    return texts


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A model of each kind, trained on the same posts."""
    folder = tmp_path_factory.mktemp("models")
    write_posts(folder / "posts.csv", 300, 1)
    for head in HEADS:
        train.run(
            TrainConfig(
                source=str(folder / "posts.csv"),
                model=f"expressions-{head}",
                out=folder / f"{head}.whybox",
                target="mood",
                cv="0",
                n_expressions=5,
                max_words=2,
                scheduler="sync",
                format="csv",
                **COLUMNS,
            )
        )
    return folder


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """Posts that the models have not seen, in two files; and their texts."""
    folder = tmp_path_factory.mktemp("fresh")
    texts = [write_posts(folder / f"{seed}.csv", 90, seed) for seed in (2, 3)]
    return [folder / "2.csv", folder / "3.csv"], texts[0] + texts[1]


@pytest.fixture
def run(models, fresh, tmp_path):
    def run_it(head="tree", out="out", source=None, **options):
        sources = tuple(map(str, source or fresh[0]))
        given = {"scheduler": "sync", "parts": 6, "report": False, **options}
        return score.run(
            ScoreConfig(
                model=models / f"{head}.whybox", source=sources, out=str(tmp_path / out), **given
            )
        )

    return run_it


@pytest.mark.parametrize("head", HEADS)
def test_probabilities_are_the_models_own(models, fresh, run, tmp_path, head):
    outcome = run(head)
    assert outcome.tables[0].rows[0] == ("posts", 180)
    rows = read_scores(tmp_path / "out").to_pandas().set_index("user")
    model, key = load_model(models / f"{head}.whybox"), load_key(None)
    names = [pseudonym(key, f"p{seed}-{k}") for seed in (2, 3) for k in range(90)]
    found = rows.loc[names]
    assert len(rows) == 180
    proba = model.predict_proba(fresh[1])[:, model.classes_.tolist().index("sad")]
    np.testing.assert_array_equal(found["probability"], proba)
    empty = np.diff(model.transformer_.transform(fresh[1]).indptr) == 0
    assert 0 < empty.sum() < 180
    assert ((found["abstention"] == "no expression") == empty).all()
    assert (found["decision"].notna() ^ found["abstention"].notna()).all()


def test_a_trees_reason_is_its_rule(run, tmp_path):
    run("tree")
    rows = read_scores(tmp_path / "out").to_pylist()
    for row in rows:
        (reason,) = row["reasons"]
        assert reason["feature"].startswith("the text ")
        assert reason["shap"] is reason["value"] is None
    by_rule = {row["reasons"][0]["feature"]: row["probability"] >= 0.5 for row in rows}
    assert all((row["probability"] >= 0.5) == by_rule[row["reasons"][0]["feature"]] for row in rows)


def test_other_reasons_are_what_the_probability_owes_to_each_expression(
    models, fresh, run, tmp_path
):
    run("logistic", reasons=9)
    model = load_model(models / "logistic.whybox")
    column = model.classes_.tolist().index("sad")
    rows = read_scores(tmp_path / "out").to_pandas().set_index("user")
    matrix = model.transformer_.transform(fresh[1]).toarray()
    for k in range(90):
        reasons = rows.loc[pseudonym(load_key(None), f"p2-{k}"), "reasons"]
        wanted = []
        for place in np.flatnonzero(matrix[k]).tolist():
            without = matrix[k].copy()
            without[place] = False
            pair = model.head_.proba(np.stack([matrix[k], without]))[:, column]
            wanted.append(pair[0] - pair[1])
        assert [r["shap"] for r in reasons] == sorted(wanted, key=lambda adds: -abs(adds))


def test_no_file_holds_a_text_or_what_few_users_wrote(models, run, tmp_path):
    words = load_model(models / "logistic.whybox").transformer_.expressions_
    assert any("gazebo" in each for each in words)
    for head in HEADS[:2]:
        run(head, head, report=True, reasons=9)
        files = [path for path in (tmp_path / head).rglob("*") if path.is_file()]
        assert any(path.name == "report.html" for path in files)
        assert not any(
            word in path.read_bytes() for path in files for word in (b"zanzibar", b"gazebo")
        )
        told = [
            r["feature"] for row in read_scores(tmp_path / head)["reasons"].to_pylist() for r in row
        ]
        assert any("▒▒▒" in name for name in told)


@pytest.mark.parametrize("partitions", [1, 2, 7])
def test_bytes_are_the_same_on_workers_and_in_any_order(
    fresh, run, tmp_path, cluster_address, partitions
):
    run("logistic")
    run("logistic", "there", fresh[0][::-1], scheduler=cluster_address, partitions=partitions)
    assert file_digests(tmp_path / "there" / "current") == file_digests(
        tmp_path / "out" / "current"
    )


def test_equal_posts_touch_no_file(run, tmp_path):
    run()
    before = touched(tmp_path / "out")
    assert run().status == "already done"
    assert touched(tmp_path / "out") == before


def test_a_killed_run_goes_on_where_it_stopped(models, fresh, run, tmp_path):
    run("tree", "quiet")
    command = [sys.executable, "-m", "whybox", "score", str(models / "tree.whybox")]
    command += [*map(str, fresh[0]), "--out", str(tmp_path / "out"), "--scheduler", "sync"]
    killed = subprocess.run(
        [*command, "--parts", "6", "--no-report"],
        env={**os.environ, "WHYBOX_FAULT": f"{part_name(3)}:1"},
        capture_output=True,
    )
    assert killed.returncode == -signal.SIGKILL
    n_before = len(read_entries(tmp_path / "out" / "work" / "ledger.jsonl"))
    assert 0 < n_before < 6
    left = tmp_path / "out" / "work" / "texts" / "whybox-killed-while-it-read"
    left.mkdir()
    (left / "texts").write_text(SECRET)
    assert run("tree").status == "done"
    assert len(read_entries(tmp_path / "out" / "work" / "ledger.jsonl")) == 6
    assert not list((tmp_path / "out" / "work" / "texts").iterdir())
    assert file_digests(tmp_path / "out" / "current") == file_digests(
        tmp_path / "quiet" / "current"
    )


def test_a_folder_with_texts_gives_the_same_scores(fresh, run, tmp_path):
    extract.run(
        ExtractConfig(
            inputs=tuple(map(str, fresh[0])),
            out=str(tmp_path / "folder"),
            level="post",
            allow_text="a test",
            format="csv",
            scheduler="sync",
            **COLUMNS,
        )
    )
    run("tree", "raw")
    run("tree", "out", [tmp_path / "folder"])
    assert read_scores(tmp_path / "raw").equals(read_scores(tmp_path / "out"))


def test_posts_need_no_labels_and_only_those_without_may_be_asked_for(fresh, run, tmp_path):
    with fresh[0][0].open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    bare, some = tmp_path / "bare.csv", tmp_path / "some.csv"
    with bare.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([*row[:2], row[3]] for row in rows)
    with some.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(
            [*row[:2], "" if k > 80 else row[2], row[3]] for k, row in enumerate(rows)
        )
    run("tree", "out", [fresh[0][0]])
    run("tree", "bare", [bare])
    names = ["user", "probability", "decision", "reasons"]
    assert (
        read_scores(tmp_path / "bare")
        .select(names)
        .equals(read_scores(tmp_path / "out").select(names))
    )
    assert run("tree", "some", [some], rows="unlabelled").values["users"] == 10


def test_a_model_of_three_classes_is_refused(run, models, tmp_path):
    path = tmp_path / "three.csv"
    lines = [f"{k},{'abc'[k % 3]},word{'abc'[k % 3]} and more" for k in range(60)]
    path.write_text("\n".join(["id,label,text", *lines]), encoding="utf-8")
    train.run(
        TrainConfig(
            source=str(path), model="expressions-tree", out=models / "three.whybox", cv="0",
            scheduler="sync", format="csv", text_column="text", id_column="id", label_column="label",
        )
    )  # fmt: skip
    with pytest.raises(InputError, match="knows 3 classes"):
        run("three")


def test_a_folder_without_texts_is_refused(fresh, run, tmp_path):
    extract.run(
        ExtractConfig(
            inputs=(str(fresh[0][0]),), out=str(tmp_path / "folder"), level="post", format="csv",
            scheduler="sync", **COLUMNS,
        )
    )  # fmt: skip
    with pytest.raises(InputError, match="holds no texts"):
        run("tree", "out", [tmp_path / "folder"])
