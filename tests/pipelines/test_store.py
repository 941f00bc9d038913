"""The way from posts to a report through folders in a store gives what local folders give."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from scored import file_digests
from whybox.config import DemoConfig, ExplainConfig, ExtractConfig, ScoreConfig, TrainConfig
from whybox.configure import build_config
from whybox.data.versions import fetched
from whybox.errors import InputError, RunError
from whybox.graph.session import connect
from whybox.pipelines import explain, extract, score, train
from whybox.pipelines.dataset import load_dataset

FEATURES, SCORES = "s3://posts/study/features", "s3://posts/study/scores"


def digests(folder: Path) -> dict[str, str]:
    """Every file but the private ones."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and path.parent.name != "private"
    }


@pytest.fixture
def stored(store, timelines):
    """The features, extracted into the store."""
    config = ExtractConfig(inputs=(str(timelines),), out=FEATURES, scheduler="sync")
    return extract.run(config)


def test_extraction_into_a_store_gives_the_bytes_of_a_local_one(stored, features):
    assert stored.values["out"] == FEATURES
    with fetched(FEATURES) as folder:
        assert digests(folder) == digests(features)


@pytest.mark.parametrize("documents", [False, True])
def test_a_dataset_is_the_same_and_only_its_parts_are_read(
    stored, features, proxy, documents, store
):
    here, there = (
        load_dataset(source, target="label", documents=documents) for source in (features, FEATURES)
    )
    assert (here.fingerprint, here.names) == (there.fingerprint, there.names)
    assert here.X.tobytes() == there.X.tobytes() and here.dropped == there.dropped
    posts = [path for path in store.find("posts/study/features") if "/posts/" in path]
    assert posts
    store.rm(posts)
    assert len(load_dataset(FEATURES, documents=documents).X) == len(here.X)


def test_train_score_and_explain_read_and_write_the_store(stored, study, cluster_address, tmp_path):
    model, report = tmp_path / "m.whybox", tmp_path / "report.html"
    given = {"n_estimators": 20, "cv": "3", "contact": "the tests"}
    scored = {"model": model, "source": FEATURES, "out": SCORES, "rows": "unlabelled"}
    with connect(cluster_address) as session:
        train.run(TrainConfig(source=FEATURES, out=model, **given), session=session)
        first = score.run(ScoreConfig(**scored), session=session)
        again = score.run(ScoreConfig(**scored), session=session)
        explain.run(
            ExplainConfig(model=model, source=FEATURES, out=report, scores=SCORES), session=session
        )
    assert model.read_bytes() == (study[0] / "model.whybox").read_bytes()
    assert (first.status, again.status) == ("done", "already done")
    with fetched(SCORES) as folder:
        assert file_digests(folder) == file_digests(study[0] / "scores" / "current")
    assert report.read_bytes() == (study[0] / "report.html").read_bytes()


def test_a_failed_extraction_leaves_what_stood(stored, store, proxy, timelines, monkeypatch):
    monkeypatch.setattr("whybox.data.remote.ATTEMPTS", 2)
    config = ExtractConfig(inputs=(str(timelines),), out=FEATURES, scheduler="sync", min_posts=9)
    proxy.spoil("SlowDown", 1_000, "PUT", "users/")
    with pytest.raises(RunError, match=r"s3://posts/study/features/versions/\w+/users/part"):
        extract.run(config)
    proxy.spoil("none", 0)
    with fetched(FEATURES, lambda _: ()) as folder:
        manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["recipe"]["min_posts"] == 6
    extract.run(config)
    with fetched(FEATURES, lambda _: ()) as folder:
        manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["recipe"]["min_posts"] == 9


def test_a_degraded_extraction_is_not_published(store, tmp_path):
    lines = [json.dumps({"text": f"text {n}"}) if n % 2 else "{broken" for n in range(2000)]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    config = ExtractConfig(
        inputs=(str(tmp_path / "a.jsonl"),), out=FEATURES, format="jsonl", scheduler="sync"
    )
    outcome = extract.run(config)
    assert (outcome.status, outcome.values["out"]) == ("degraded", f"{FEATURES}/degraded")
    assert len(load_dataset(f"{FEATURES}/degraded").X) == 1000
    with pytest.raises(InputError, match="no folder is published there"):
        load_dataset(FEATURES)


def test_errors_of_a_dataset_name_the_address(stored):
    with pytest.raises(InputError, match="no column 'nothing'") as caught:
        load_dataset(FEATURES, target="nothing")
    assert caught.value.where == FEATURES


def test_models_and_other_outputs_stay_local(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for kind, values in (
        (TrainConfig, {"source": FEATURES, "out": "s3://posts/m.whybox"}),
        (ScoreConfig, {"model": "s3://posts/m.whybox", "source": [FEATURES], "out": SCORES}),
        (DemoConfig, {"out": Path("s3://posts/demo")}),
    ):
        with pytest.raises(InputError, match=r"s3://posts/\w.*models and reports are local files"):
            build_config(kind, values)
    assert list(tmp_path.iterdir()) == []
