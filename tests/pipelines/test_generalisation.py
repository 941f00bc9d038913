"""The reversed study: one answer on any scheduler, resumed after a kill, its means checked."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from whybox.errors import InputError
from whybox.graph.session import connect
from whybox.pipelines import generalisation
from whybox.pipelines.generalisation import GeneralisationConfig

JOB = Path(__file__).parents[2] / "jobs" / "sentiment140_generalisation.py"
SMALL = {"min_precision": (0.6, 0.9), "min_recall": (0.05,), "max_words": (2,)}
FILES = ("generalisation.csv", "folds.csv", "columns.csv", "manifest.json")


@pytest.fixture(scope="module")
def posts(tmp_path_factory):
    """A file in the format of Sentiment140, of 240 made texts."""
    rng = np.random.default_rng(2)
    words = np.array(["sun", "rain", "happy", "sad", "train", "bus", "work", "cake", "not"])
    path = tmp_path_factory.mktemp("posts") / "training.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        for k in range(240):
            mood = rng.choice(["happy", "sun"] if k % 2 else ["sad", "rain"])
            text = " ".join([*rng.choice(words, 5), mood])
            day = "Mon Apr 06 22:19:45 PDT 2009"
            writer.writerow([4 * (k % 2), 1000 + k, day, "NO_QUERY", f"u{k % 50}", text])
    return path


def study(posts, out, **given):
    options = {"n_folds": 3, "filters": ("chi2",), "scheduler": "sync", **SMALL, **given}
    return generalisation.run(GeneralisationConfig(source=str(posts), out=out, **options))


def contents(out):
    return [(out / name).read_bytes() for name in FILES]


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_files_are_the_same_here_and_on_workers(posts, cluster_address, tmp_path):
    study(posts, tmp_path / "here")
    config = GeneralisationConfig(
        source=str(posts), out=tmp_path / "there", n_folds=3, filters=("chi2",), **SMALL
    )
    with connect(cluster_address) as session:
        generalisation.run(config, session=session)
    assert contents(tmp_path / "here") == contents(tmp_path / "there")


def test_means_are_those_of_the_folds(posts, tmp_path):
    outcome = study(posts, tmp_path / "out")
    assert outcome.values["documents"] == 240
    folds = rows_of(tmp_path / "out" / "folds.csv")
    assert len(folds) == 3 * 3 * 4
    assert {int(row["n_train"]) for row in folds} == {80}
    assert {int(row["n_test"]) for row in folds} == {160}
    summary = rows_of(tmp_path / "out" / "generalisation.csv")
    for row in summary[:-1]:
        same = [
            each
            for each in folds
            if all(each[name] == row[name] for name in ("method", "min_precision"))
            and row["classifier"] in ("all", each["classifier"])
        ]
        values = np.array([float(each["f1"]) for each in same])
        assert len(values) == (12 if row["classifier"] == "all" else 3)
        assert float(row["f1_mean"]) == pytest.approx(values.mean())
        assert float(row["f1_sd"]) == pytest.approx(values.std(ddof=1))
    assert summary[-1]["method"] == "always positive"
    assert float(summary[-1]["recall_mean"]) == 1
    assert float(summary[-1]["accuracy_mean"]) == pytest.approx(0.5)


def test_a_second_run_computes_nothing_and_a_wider_grid_only_what_is_new(posts, tmp_path):
    out = tmp_path / "out"
    assert study(posts, out).values["tasks_computed"] == 9
    before = contents(out)
    assert study(posts, out).values["tasks_computed"] == 0
    assert contents(out) == before
    assert study(posts, out, filters=("chi2", "gss")).values["tasks_computed"] == 3


def test_partitions_change_nothing(posts, tmp_path):
    study(posts, tmp_path / "one")
    study(posts, tmp_path / "two", partitions=1)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_posts_without_labels_are_refused(tmp_path):
    path = tmp_path / "posts.jsonl"
    path.write_text('{"id_str": "1", "text": "good"}\n', encoding="utf-8")
    with pytest.raises(InputError, match="1 of them without a label"):
        study(path, tmp_path / "out", format="auto")
    assert not (tmp_path / "out").exists()


def test_the_job_goes_on_where_it_was_killed(posts, tmp_path):
    options = ["--folds", "3", "--precision", "0.6", "0.9", "--recall", "0.05", "--words", "2"]
    where = ["--filters", "chi2", "ig", "--scheduler", "sync", "--out"]
    command = [sys.executable, str(JOB), str(posts), *options, *where]
    out, ledger = tmp_path / "out", tmp_path / ".out.tasks.jsonl"
    killed = subprocess.Popen(
        [*command, str(out)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while killed.poll() is None and not (ledger.exists() and ledger.read_bytes().count(b"\n")):
        time.sleep(0.005)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    assert not out.exists()
    done = [json.loads(line)["key"] for line in ledger.read_bytes().split(b"\n")[:-1]]
    assert 0 < len(done) < 12
    again = subprocess.run([*command, str(out)], capture_output=True, text=True, check=True)
    assert f"{12 - len(done)} of 12 tasks were computed" in again.stdout
    entries = [json.loads(line)["key"] for line in (out / "tasks.jsonl").open(encoding="utf-8")]
    assert entries[: len(done)] == done
    assert len(set(entries)) == len(entries) == 12
    study(posts, tmp_path / "whole", filters=("chi2", "ig"))
    assert contents(out) == contents(tmp_path / "whole")
