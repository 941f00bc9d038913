"""A10: users, topics, scores and SHAP values depend on no partitions, on no order, on no run."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

from digests import digests
from whybox.config import ExtractConfig, ScoreConfig, SynthesisConfig, TrainConfig
from whybox.data.blocks import plan_blocks
from whybox.explain.values import shap_values
from whybox.features.lda import TopicSettings
from whybox.graph.session import connect
from whybox.graph.topics import fit_topics
from whybox.model_io import load_model, load_topics
from whybox.pipelines import extract, score, synth, train
from whybox.pipelines.dataset import load_dataset

ORDER_FREE = ("users", "documents", "dropped")


@pytest.fixture(scope="module")
def timelines(tmp_path_factory):
    """1,500 synthetic users, and the same with the posts of every file in reverse."""
    root = tmp_path_factory.mktemp("timelines")
    config = {"users": 1_500, "posts_per_user": 6, "seed": 11, "layout": "twitter-v1"}
    synth.run(SynthesisConfig(out=root / "given", **config))
    for path in (root / "given").rglob("*.jsonl"):
        other = root / "reversed" / path.relative_to(root / "given")
        other.parent.mkdir(parents=True, exist_ok=True)
        other.write_text("".join(reversed(path.read_text("utf-8").splitlines(keepends=True))))
    return root


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    """A model with topics, fitted once, to other users."""
    root = tmp_path_factory.mktemp("model")
    synth.run(SynthesisConfig(out=root / "t", users=150, posts_per_user=8, seed=12))
    config = ExtractConfig(inputs=(str(root / "t"),), out=root / "f", min_posts=2, scheduler="sync")
    extract.run(config)
    options = {"n_estimators": 10, "cv": "0", "topics": 3, "scheduler": "sync"}
    train.run(TrainConfig(source=str(root / "f"), out=root / "m.whybox", **options))
    return root / "m.whybox"


@pytest.mark.slow
def test_a10_partitions_and_order_change_nothing(
    timelines, model, cluster_address, tmp_path, monkeypatch
):
    small = functools.partial(plan_blocks, block_bytes=500_000)
    monkeypatch.setattr("whybox.pipelines.extract.plan_blocks", small)
    found = []
    runs = [("given", 1), ("given", 7), ("given", 60), ("given", 7), ("reversed", 7)]
    with connect(cluster_address) as session:
        for number, (order, partitions) in enumerate(runs):
            inputs = [str(path) for path in sorted((timelines / order).rglob("*.jsonl"))]
            inputs = inputs if number % 2 else inputs[::-1]  # the order of naming them, too
            out = tmp_path / f"{number}"
            where = {"partitions": partitions}
            extract.run(
                ExtractConfig(inputs=tuple(inputs), out=out / "f", min_posts=2, **where),
                session=session,
            )
            score.run(
                ScoreConfig(model=model, source=str(out / "f"), out=out / "s", **where),
                session=session,
            )
            data = load_dataset(out / "f", target="label", documents=True)
            carried = load_topics(model)
            shares = carried.transform(data.documents)
            frame = data.frame().assign(**dict(zip(carried.columns, shares.T, strict=True)))
            values = shap_values(load_model(model), frame)
            fitted = fit_topics(session, data.documents, TopicSettings(n_topics=4, max_iter=4))
            numbers = [*fitted.to_state()[1].values(), shares, values]
            found.append(
                {
                    "features": digests(out / "f"),
                    "scores": digests(out / "s" / "current"),
                    "words": (fitted.vocabulary, fitted.surfaces),
                    "ids": data.ids.tolist(),
                    "numbers": [array.tobytes() for array in numbers],
                }
            )
    first, last = found[0], found[4]
    assert found[1:4] == [first] * 3
    for name in ("ids", "words", "numbers"):  # its posts are in other parts
        assert last[name] == first[name]
    for name, digest in first["features"].items():
        if name.startswith(ORDER_FREE):
            assert last["features"][name] == digest, name
    assert sum(name.startswith("users/") for name in first["features"]) == 8
