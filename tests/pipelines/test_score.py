"""Scores: exactly once, in versions that appear whole, and of changed inputs only what they change."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from scored import file_digests, make_crawl, make_model, read_scores, scores_digest, touched
from whybox.config import ExtractConfig, ScoreConfig
from whybox.data.ledger import read_entries
from whybox.data.workplace import workplace
from whybox.errors import InputError, RunError
from whybox.pipelines import extract, score

PARTS = 8


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return make_model(tmp_path_factory.mktemp("model") / "m.whybox")


@pytest.fixture
def crawl(tmp_path):
    return make_crawl(tmp_path / "crawl")


@pytest.fixture
def run(model, tmp_path):
    def run_it(source, out="out", **options):
        given = {"scheduler": "sync", "parts": PARTS, "report": False, **options}
        config = ScoreConfig(
            model=model, source=tuple(map(str, source)), out=str(tmp_path / out), **given
        )
        return score.run(config)

    return run_it


def computed(out, run):
    """Names of the parts that a run computed, as the ledger says."""
    return {e.part for e in read_entries(out / "work" / "ledger.jsonl") if e.run == run}


def test_raw_posts_give_the_scores_of_extracted_features(model, crawl, run, tmp_path):
    folder = tmp_path / "features"
    extract.run(
        ExtractConfig(inputs=tuple(map(str, crawl)), out=str(folder), min_posts=3, scheduler="sync")
    )
    run(crawl)
    run([folder], "features-out")
    assert read_scores(tmp_path / "out").equals(read_scores(tmp_path / "features-out"))


def test_every_user_is_there_once_scored_or_abstained(crawl, run, tmp_path):
    few = tmp_path / "few.jsonl"
    few.write_text('{"id_str":"1","text":"a","user":{"id_str":"one post"}}\n')
    outcome = run([*crawl, few], band=0.1)
    rows = read_scores(tmp_path / "out").to_pandas()
    assert len(rows) == outcome.values["users"] == 41
    assert rows["user"].is_unique
    assert (rows["decision"].notna() ^ rows["abstention"].notna()).all()
    assert outcome.values["abstentions"]["too few posts"] == 1
    silent = rows[rows["abstention"] == "too few posts"].iloc[0]
    assert np.isnan(silent["probability"]) and silent["reasons"] is None


def test_reasons_are_the_largest_shapley_values_of_the_row(model, crawl, run, tmp_path):
    from whybox.model_io import load_model
    from whybox.trees.shap import ensemble_shap_values

    folder = tmp_path / "features"
    extract.run(
        ExtractConfig(inputs=tuple(map(str, crawl)), out=str(folder), min_posts=3, scheduler="sync")
    )
    run([folder], reasons=2)
    from whybox.pipelines.dataset import load_dataset

    data, fitted = load_dataset(str(folder)), load_model(model)
    values = ensemble_shap_values(fitted.estimators_, fitted.estimator_weights_, data.X)[:, :, 1]
    wanted = sorted(
        [
            (data.names[i], data.X[row, i], values[row, i])
            for i in np.argsort(-np.abs(values[row]), kind="stable")[:2]
        ]
        for row in range(len(data.X))
    )
    found = sorted(
        [(r["feature"], r["value"], r["shap"]) for r in reasons]
        for reasons in read_scores(tmp_path / "out")["reasons"].to_pylist()
    )
    assert found == wanted


@pytest.mark.parametrize("partitions", [1, 7])
def test_bytes_are_the_same_on_workers_and_in_any_order(
    crawl, run, tmp_path, cluster_address, partitions
):
    run(crawl, report=True)
    there = {"scheduler": cluster_address, "partitions": partitions, "report": True}
    run(crawl[::-1], "there", **there)
    assert file_digests(tmp_path / "there" / "current") == file_digests(
        tmp_path / "out" / "current"
    )


def test_equal_inputs_touch_no_file(crawl, run, tmp_path):
    first = run(crawl)
    before = touched(tmp_path / "out")
    assert run(crawl).status == "already done"
    assert touched(tmp_path / "out") == before
    assert first.status == "done"


def test_of_a_changed_file_only_the_parts_of_its_users_are_computed(crawl, run, tmp_path):
    run(crawl)
    lines = crawl[0].read_text("utf-8").splitlines()
    post = json.loads(lines[0])
    post["text"] = "happy great sun"
    crawl[0].write_text("\n".join([json.dumps(post), *lines[1:]]) + "\n", "utf-8")
    again = run(crawl)
    assert len(computed(tmp_path / "out", again.values["run"])) == 1
    run(crawl, "anew")
    assert scores_digest(tmp_path / "out") == scores_digest(tmp_path / "anew")


def test_a_post_that_another_file_takes_back_is_summed_again(crawl, run, tmp_path):
    run(crawl)
    notice = tmp_path / "notice.jsonl"
    notice.write_text('{"delete":{"status":{"id_str":"1003","user_id_str":"3"}}}\n')
    again = run([*crawl, notice])
    assert len(computed(tmp_path / "out", again.values["run"])) == 1
    run([*crawl, notice], "anew")
    assert scores_digest(tmp_path / "out") == scores_digest(tmp_path / "anew")


def test_a_folder_and_a_pattern_are_posts_too(crawl, run, tmp_path):
    run(crawl)
    for number, source in enumerate((tmp_path / "crawl", tmp_path / "crawl" / "*.jsonl")):
        run([source], f"{number}")
        assert scores_digest(tmp_path / f"{number}") == scores_digest(tmp_path / "out")


def test_a_file_that_is_there_twice_counts_once(crawl, run, tmp_path, cluster_address):
    run(crawl)
    copy = tmp_path / "crawl" / "copy.jsonl"
    copy.write_bytes(crawl[2].read_bytes())
    run([*crawl, copy], "twice", scheduler=cluster_address)
    assert scores_digest(tmp_path / "twice") == scores_digest(tmp_path / "out")


def test_windows_end_where_the_posts_of_all_files_do(crawl, tmp_path):
    model = make_model(tmp_path / "w.whybox", window="5d", min_posts=1)
    features = tmp_path / "features"
    extract.run(
        ExtractConfig(
            inputs=tuple(map(str, crawl)),
            out=str(features),
            min_posts=1,
            window="5d",
            scheduler="sync",
        )
    )
    given = {"model": model, "scheduler": "sync", "parts": PARTS}
    out = str(tmp_path / "out")
    score.run(ScoreConfig(source=tuple(map(str, crawl[:4])), out=out, **given))
    score.run(ScoreConfig(source=tuple(map(str, crawl)), out=out, **given))
    score.run(ScoreConfig(source=(str(features),), out=str(tmp_path / "f"), **given))
    assert scores_digest(out) == scores_digest(tmp_path / "f")


def test_versions_stand_one_behind_the_other_and_the_oldest_go(crawl, run, tmp_path):
    names = [run(crawl[:n], keep=2).values["version"] for n in (3, 4, 5)]
    versions = tmp_path / "out" / "versions"
    assert sorted(path.name for path in versions.iterdir()) == sorted(names[1:])
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert (manifest["name"], manifest["previous"]) == (names[2], names[1])
    live = {
        part["input_sha256"]
        for name in names[1:]
        for part in json.loads((versions / name / "manifest.json").read_text())["parts"]
        if "input_sha256" in part
    }
    assert {path.stem for path in (tmp_path / "out" / "work" / "parts").iterdir()} == live


def test_a_second_run_is_locked_out_and_a_dead_one_locks_nobody(crawl, run, tmp_path):
    with workplace(str(tmp_path / "out")), pytest.raises(RunError, match="locked"):
        run(crawl)
    code = (
        "import os, signal, sys; from whybox.data.workplace import workplace\n"
        "with workplace(sys.argv[1]): os.kill(os.getpid(), signal.SIGKILL)"
    )
    dead = subprocess.run([sys.executable, "-c", code, str(tmp_path / "out")])
    assert dead.returncode == -9
    assert run(crawl).status == "done"


def test_a_part_that_was_spoilt_is_written_again(crawl, run, tmp_path):
    run(crawl)
    whole = file_digests(tmp_path / "out" / "current")
    part = next((tmp_path / "out" / "current" / "scores").iterdir())
    data = bytearray(part.read_bytes())
    data[len(data) // 2] ^= 1
    part.write_bytes(bytes(data))
    again = run(crawl)
    assert again.status == "done"
    assert file_digests(tmp_path / "out" / "current") == whole
    assert len(read_entries(tmp_path / "out" / "work" / "ledger.jsonl")) == PARTS + 1


@pytest.mark.parametrize("keep", [1, 2])
def test_a_mended_version_tells_the_drift_that_was_measured(crawl, run, tmp_path, keep):
    given = {"keep": keep, "report": True}
    run(crawl[:4], **given)
    run(crawl, **given)
    whole = file_digests(tmp_path / "out" / "current")
    next((tmp_path / "out" / "current" / "scores").iterdir()).write_bytes(b"")
    assert run(crawl, **given).status == "done"
    assert file_digests(tmp_path / "out" / "current") == whole


@pytest.mark.parametrize("name", ["manifest.json", "drift.json", "scores/part-00000.parquet"])
def test_a_version_that_was_spoilt_hinders_no_other(crawl, run, tmp_path, name):
    run(crawl[:4])
    spoilt = tmp_path / "out" / "current" / name
    spoilt.write_bytes(spoilt.read_bytes()[:-9])
    assert run(crawl).status == "done"
    run(crawl, "anew")
    assert scores_digest(tmp_path / "out") == scores_digest(tmp_path / "anew")
    found = json.loads((tmp_path / "out" / "current" / "drift.json").read_text())
    assert {row["against"] for row in found["rows"]} == {"training"}
    assert run(crawl).status == "already done"


def test_a_list_of_what_was_read_that_was_spoilt_costs_nothing(crawl, run, tmp_path):
    run(crawl)
    (index,) = (tmp_path / "out" / "work" / "index").iterdir()
    index.write_bytes(b"{")
    before = touched(tmp_path / "out")
    assert run(crawl).status == "already done"
    assert touched(tmp_path / "out") == before


def test_what_a_dead_run_left_goes_with_the_next(crawl, run, tmp_path):
    run(crawl)
    work = tmp_path / "out" / "work"
    (tmp_path / "out" / "versions" / ".new").mkdir()
    (work / "parts" / "aa.parquet.partial.1.2").write_bytes(b"half")
    (work / "parked" / "aa").mkdir(parents=True)
    assert run(crawl).status == "already done"
    assert not (tmp_path / "out" / "versions" / ".new").exists()
    assert not list(work.glob("*/*.partial.*")) and not list((work / "parked").iterdir())


def test_a_folder_with_other_things_is_left_alone(crawl, run, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "letter.txt").write_text("dear")
    with pytest.raises(InputError, match=r"other things: letter\.txt"):
        run(crawl)


def test_an_input_that_cannot_be_read_is_named_and_the_others_are_kept(crawl, run, tmp_path):
    import gzip

    cut = tmp_path / "crawl" / "cut.jsonl.gz"
    cut.write_bytes(gzip.compress(crawl[0].read_bytes())[:200])
    with pytest.raises(RunError, match=r"cut short") as caught:
        run([*crawl, cut])
    assert caught.value.where == str(cut)
    assert "the other 6 are done and kept" in caught.value.what
    cells = tmp_path / "out" / "work" / "cells"
    kept = {path: path.stat().st_mtime_ns for path in cells.glob("*.npz")}
    assert len(kept) == 6
    cut.unlink()
    run(crawl)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept


def test_drift_is_measured_against_training_and_the_version_before(crawl, run, tmp_path):
    run(crawl[:5])
    outcome = run(crawl, max_drift=0.25)
    assert outcome.status == "degraded" and outcome.exit_code == 1
    found = json.loads((tmp_path / "out" / "current" / "drift.json").read_text())
    against = {(row["feature"], row["against"]) for row in found["rows"]}
    assert ("retweet_count", "training") in against and ("score", "previous") in against
    assert found["users"] == {"gone": 0, "new": 0, "stayed": 40}
    assert "retweet_count" in found["exceeded"]
    assert any("--max-drift 0.25" in line for line in outcome.lines)
    assert read_scores(tmp_path / "out").num_rows == 40  # published all the same


def test_posts_of_another_recipe_than_this_software_has_are_refused(crawl, tmp_path):
    from whybox.model_io import load_card, load_model, save_model

    made = make_model(tmp_path / "old.whybox")
    card = load_card(made)
    card["recipe"]["lexicon_sha256"] = "0" * 64
    save_model(load_model(made), made, card=card)
    with pytest.raises(InputError, match=r"recipe_mismatch.*lexicon_sha256"):
        score.run(
            ScoreConfig(
                model=made,
                source=tuple(map(str, crawl)),
                out=str(tmp_path / "o"),
                scheduler="sync",
            )
        )


def test_posts_without_users_cannot_be_scored_as_users(run, tmp_path):
    bare = tmp_path / "bare.jsonl"
    bare.write_text('{"id_str":"1","text":"a"}\n')
    with pytest.raises(InputError, match="no post has a user"):
        run([bare], format="twitter-v1")


def test_a_space_decomposition_is_scored_with_the_rules_of_its_blocks(tmp_path):
    import pandas as pd

    from whybox.model_io import save_model
    from whybox.s3d import S3DClassifier

    random = np.random.default_rng(0)
    frame = pd.DataFrame({"age": random.uniform(18, 80, 200), "town": ["A", "B"] * 100})
    y = np.where((frame["age"] > 40) ^ (frame["town"] == "A"), "yes", "no")
    card = {
        "features": ["age", "town"],
        "recipe": {},
        "threshold": {"value": 0.5},
        "data": {
            "target": "y",
            "positive": "yes",
            "categorical": ["town"],
            "low": [18.0, None],
            "high": [80.0, None],
        },
    }
    save_model(S3DClassifier().fit(frame, y), tmp_path / "s.whybox", card=card)
    frame.to_csv(tmp_path / "t.csv", index=False)
    outcome = score.run(
        ScoreConfig(
            model=tmp_path / "s.whybox",
            source=(str(tmp_path / "t.csv"),),
            out=str(tmp_path / "o"),
            scheduler="sync",
            parts=3,
        )
    )
    rows = read_scores(tmp_path / "o").to_pandas()
    assert outcome.values["users"] == len(rows) == 200
    assert all("age" in row[0]["feature"] for row in rows["reasons"])


def test_a_store_has_the_same_bytes_and_parts_are_kept_here(
    crawl, run, store, tmp_path, monkeypatch
):
    from whybox.data.versions import fetched

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    run(crawl[:5], report=True)
    run(crawl, report=True)
    made = make_model(tmp_path / "m.whybox")
    for files in (crawl[:5], crawl):
        score.run(
            ScoreConfig(
                model=made,
                scheduler="sync",
                parts=PARTS,
                source=tuple(map(str, files)),
                out="s3://posts/scores",
            )
        )
    with fetched("s3://posts/scores") as folder:
        assert file_digests(folder) == file_digests(tmp_path / "out" / "current")
    entries = [
        entry
        for ledger in (tmp_path / "cache").rglob("ledger.jsonl")
        for entry in read_entries(ledger)
    ]
    assert 0 < len(entries) <= 2 * PARTS


def test_kept_sums_that_were_spoilt_are_made_again(crawl, run, tmp_path):
    run(crawl[:5])
    cells = tmp_path / "out" / "work" / "cells"
    for pattern in ("*.npz", "*.sums.arrow", "*.json"):
        path = sorted(cells.glob(pattern))[0]
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 0xFF
        path.write_bytes(bytes(data))
    run(crawl)
    run(crawl, "anew")
    assert scores_digest(tmp_path / "out") == scores_digest(tmp_path / "anew")
