"""Topics through the pipelines: fitted in folds, carried by the model, inferred from documents."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from made_documents import as_corpus, made_counts
from scored import read_scores
from whybox.config import ExplainConfig, InspectConfig, ScoreConfig, TopicsConfig, TrainConfig
from whybox.errors import InputError
from whybox.features.lda import TopicSettings
from whybox.graph.search import choose_thresholds
from whybox.graph.session import connect
from whybox.model_io import load_card, load_model, load_topics, save_model
from whybox.model_selection.folds import FoldTask, beside, fit_fold
from whybox.model_selection.nested import make_problem
from whybox.model_selection.splitters import make_splitter
from whybox.pipelines import explain, inspect, score, topics, train
from whybox.pipelines.dataset import Dataset, load_dataset
from whybox.pipelines.topic_columns import add_topics

NAMES = ("one", "two", "three", "four")
OPTIONS = {"n_estimators": 5, "cv": "2", "topics": 4, "topic_names": NAMES, "seed": 3}


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def model(features, cluster_address, tmp_path_factory):
    path = tmp_path_factory.mktemp("topics") / "model.whybox"
    with connect(cluster_address) as session:
        train.run(TrainConfig(source=str(features), out=path, **OPTIONS), session=session)
    return path


def test_the_model_is_the_same_bytes_in_this_process(model, features, tmp_path):
    config = TrainConfig(source=str(features), out=tmp_path / "m", scheduler="sync", **OPTIONS)
    train.run(config)
    assert _sha256(tmp_path / "m") == _sha256(model)


def test_the_model_carries_its_topics_and_their_names(model, features):
    found, card = load_topics(model), load_card(model)
    assert found.names == NAMES
    assert card["features"][-4:] == ["topic1", "topic2", "topic3", "topic4"]
    assert list(card["data"]["topics"]["topics"]) == [
        f"topic{n}: {w}" for n, w in enumerate(NAMES, 1)
    ]
    # fitted on the labelled users alone, and on words that 10 of them use
    data = load_dataset(features, target="label", documents=True)
    labelled = data.take(data.has_label).documents
    assert found.vocabulary == labelled.limited().vocabulary
    assert min(labelled.limited().users_of_words()) >= 10


@pytest.mark.parametrize("partitions", [1, 2, 7])
def test_scores_come_from_the_documents_alone_however_they_are_cut(
    model, features, tmp_path, partitions
):
    out = tmp_path / "scores"
    config = ScoreConfig(
        model=model, source=str(features), out=out, scheduler="sync", partitions=partitions, band=0
    )
    score.run(config)
    data = load_dataset(features, documents=True)
    X = np.hstack([data.X, load_topics(model).transform(data.documents)])
    names = load_card(model)["features"]
    expected = load_model(model).predict_proba(pd.DataFrame(X, columns=names))[:, 1]
    found = read_scores(out)["probability"].drop_null().to_numpy()
    assert np.array_equal(np.sort(found), np.sort(expected))


def test_the_report_calls_topics_by_their_names(model, features, tmp_path):
    out = tmp_path / "report.html"
    explain.run(ExplainConfig(model=model, source=str(features), out=out, scheduler="sync"))
    assert "topic1 (one)" in out.read_text("utf-8")


def test_a_table_or_a_folder_without_documents_is_refused(model, features, tmp_path):
    bare = tmp_path / "bare"
    shutil.copytree(features, bare)
    shutil.rmtree(bare / "documents")
    data = load_dataset(features)
    table = tmp_path / "table.csv"
    data.frame().assign(label=["a", "b"] * (len(data.X) // 2)).to_csv(table, index=False)
    for source in (bare, table):
        for run in (
            lambda s: score.run(ScoreConfig(model=model, source=s, out=tmp_path / "s")),
            lambda s: explain.run(ExplainConfig(model=model, source=s, out=tmp_path / "r.html")),
            lambda s: train.run(TrainConfig(source=s, out=tmp_path / "m", **OPTIONS)),
            lambda s: topics.run(TopicsConfig(source=s, out=tmp_path / "t")),
        ):
            with pytest.raises(InputError, match="no documents of users"):
                run(str(source))


def test_ready_made_topics_are_refused_unless_taken_as_given(tmp_path):
    random = np.random.default_rng(0)
    columns = {"age": random.normal(size=60), "topic1": random.random(60), "label": ["a", "b"] * 30}
    source = tmp_path / "t.csv"
    pd.DataFrame(columns).to_csv(source, index=False)
    given = {"source": str(source), "n_estimators": 3, "cv": "2", "scheduler": "sync"}
    with pytest.raises(InputError, match="topic1 is there ready-made"):
        train.run(TrainConfig(out=tmp_path / "m", **given))
    train.run(TrainConfig(out=tmp_path / "m", topics_as_given=True, **given))
    assert load_card(tmp_path / "m")["features"] == ["age", "topic1"]
    train.run(TrainConfig(out=tmp_path / "m", features=("age",), **given))
    out = tmp_path / "scores"
    score.run(ScoreConfig(model=tmp_path / "m", source=str(source), out=out, scheduler="sync"))


def test_one_name_a_topic_is_asked_for(features, tmp_path):
    config = TrainConfig(
        source=str(features), out=tmp_path / "m", topics=4, topic_names=("a", "b"), scheduler="sync"
    )
    with pytest.raises(InputError, match="2 different names for 4 topics"):
        train.run(config)


def test_the_look_shows_the_topics_that_training_makes(model, features, tmp_path):
    out = tmp_path / "topics.whybox"
    config = TopicsConfig(
        source=str(features), num=4, out=out, seed=3, names=NAMES, words=5, scheduler="sync"
    )
    outcome = topics.run(config)
    found, carried = load_model(out), load_topics(model)
    assert np.array_equal(found.weights, carried.weights)
    assert found.names == NAMES
    shown = outcome.values["topics"]
    assert [topic["words"] for topic in shown] == [list(w) for w in found.top_words(5)]
    for label in ("negative", "positive"):
        assert sum(topic["shares"][label] for topic in shown) == pytest.approx(1)
    told = inspect.run(InspectConfig(path=out))
    assert told.values["card"]["topics"] == json.loads(json.dumps(shown))
    with pytest.raises(InputError, match="topics for a look"):
        score.run(ScoreConfig(model=out, source=str(features), out=tmp_path / "s"))
    with pytest.raises(InputError, match="topics for a look"):
        explain.run(ExplainConfig(model=out, source=str(features), out=tmp_path / "r.html"))


def test_topics_of_all_users_and_of_nobody(features, tmp_path):
    given = {"source": str(features), "num": 2, "out": tmp_path / "t", "scheduler": "sync"}
    shown = topics.run(TopicsConfig(rows="all", **given)).values
    assert shown["users"] == 120
    assert "no label" in shown["topics"][0]["shares"]
    with pytest.raises(InputError, match="no user has a label"):
        topics.run(TopicsConfig(classes=("maybe",), **given))


def test_topics_that_were_tampered_with_are_refused(model, tmp_path):
    found = load_topics(model)
    path = tmp_path / "m.whybox"

    class Other:
        def to_state(self):
            meta, arrays = found.to_state()
            return {**meta, "surfaces": ["x"]}, arrays

    save_model(load_model(model), path, topics=Other())
    for load in (load_model, load_topics):
        with pytest.raises(InputError, match=r"topics\.json.*|surface forms"):
            load(path)


def test_no_member_of_the_file_is_a_pickle(model):
    with zipfile.ZipFile(model) as archive:
        arrays = np.load(io.BytesIO(archive.read("topics.npz")), allow_pickle=False)
        assert arrays["weights"].dtype == np.float64


def _dataset(counts: pa.Table, y: np.ndarray) -> Dataset:
    corpus = as_corpus(counts)
    X = np.random.default_rng(0).normal(size=(len(y), 2))
    return Dataset(X, ("a", "b"), corpus.ids, y.astype(object), None, (), "", documents=corpus)


def test_labels_and_texts_of_test_users_change_nothing_that_is_fitted():
    """Topics, vocabulary, trees and threshold of a fold know nothing of its test users."""
    counts = made_counts(90)
    y = np.array(["no", "yes", "yes"] * 30)
    folds = make_splitter("3", seed=0).split(y)
    test = folds[0].test
    random = np.random.default_rng(5)
    other_y = y.copy()
    other_y[test] = np.where(y[test] == "no", "yes", "no")
    names = {f"u{row:03d}" for row in test}
    kept = [row for row in counts.to_pylist() if row["user_id"] not in names]
    said = [(name, word) for name in sorted(names) for word in ("soup", "zoo", "ball")]
    kept += [{"user_id": n, "stem": w, "count": int(random.integers(1, 90))} for n, w in said]
    other = pa.Table.from_pylist(kept, counts.schema).sort_by("user_id")
    found = []
    with connect("sync") as session:
        for data in (_dataset(counts, y), _dataset(other, other_y)):
            labels = data.labels.astype(str)
            columns = add_topics(session, data, folds[:1], TopicSettings(3, max_iter=10)).columns
            task = FoldTask("cbpt", folds[0], ("no", "yes"), 0, {"n_estimators": 5}, "yes")
            fitted, _ = fit_fold(task, beside(data.X, columns[0]), labels)
            problem = make_problem(
                data.X, labels, folds[:1], positive="yes", n_inner=2, columns=columns
            )
            threshold = choose_thresholds(
                session, problem, {("cbpt", 0): {"n_estimators": 5}}, "youden"
            )
            found.append((columns[0][folds[0].train], fitted.to_state(), threshold))
    assert np.array_equal(found[0][0], found[1][0])
    (meta, arrays), (other_meta, other_arrays) = found[0][1], found[1][1]
    assert meta == other_meta
    assert all(np.array_equal(arrays[name], other_arrays[name]) for name in arrays)
    assert found[0][2] == found[1][2]
