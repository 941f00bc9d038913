"""The same topics to the last bit on any workers and in any order, and of training users only."""

from __future__ import annotations

import os
import signal

import numpy as np
import pyarrow as pa
import pytest

from made_documents import THEMES, as_corpus, made_corpus, made_counts
from whybox.errors import InputError
from whybox.features.lda import TopicSettings, factors
from whybox.graph.session import connect
from whybox.graph.topics import fit_topics, fold_topics, infer_topics
from whybox.model_selection.splitters import make_splitter

SETTINGS = TopicSettings(n_topics=3, seed=1, max_iter=25)


@pytest.fixture(scope="module")
def corpus():
    return made_corpus(300, n_words=15)  # three chunks


@pytest.fixture(scope="module")
def fitted(corpus):
    with connect("sync") as session:
        return fit_topics(session, corpus, SETTINGS)


def test_workers_and_the_order_of_users_change_no_bit(corpus, fitted, cluster_address):
    order = np.random.default_rng(0).permutation(corpus.n_users)
    with connect(cluster_address) as session:
        there = fit_topics(session, corpus.take(order), SETTINGS)
        assert session.n_workers == 2
    assert there.weights.tobytes() == fitted.weights.tobytes()
    assert there.vocabulary == fitted.vocabulary


def test_partitions_change_no_bit_of_what_is_inferred(corpus, fitted, cluster_address):
    with connect(cluster_address) as session:
        found = [infer_topics(session, fitted, corpus, n).tobytes() for n in (1, 2, 7)]
    assert {fitted.transform(corpus).tobytes()} == set(found)


def test_themes_are_found_again(corpus, fitted):
    found = {frozenset(words) for words in fitted.top_words(6)}
    assert found == {frozenset(words) for words in THEMES}
    shares = fitted.transform(corpus)
    leading = shares.argmax(axis=1)
    by_theme = np.array([int(name[1:]) % 3 for name in corpus.ids.tolist()])
    best = [np.bincount(leading[by_theme == theme]).max() for theme in range(3)]
    assert sum(best) > 0.9 * corpus.n_users


def test_another_seed_starts_from_other_topics(corpus, fitted):
    with connect("sync") as session:
        other = fit_topics(session, corpus, TopicSettings(n_topics=3, seed=2, max_iter=25))
    assert not np.array_equal(other.weights, fitted.weights)


def test_words_of_fewer_than_ten_users_are_no_topics_words():
    counts = made_counts(30)
    rare = pa.table({"user_id": ["u000"], "stem": ["secret"], "count": [500]})
    words = pa.chunked_array([sorted({*counts["stem"].to_pylist(), "secret"})])
    with connect("sync") as session:
        corpus = as_corpus(pa.concat_tables([counts, rare.cast(counts.schema)]))
        corpus = corpus.recoded(words.to_pylist(), words.to_pylist())
        found = fit_topics(session, corpus, SETTINGS)
    assert "secret" not in found.vocabulary
    assert set(found.vocabulary) == {word for theme in THEMES for word in theme}


def test_too_few_users_for_any_word_are_told():
    with connect("sync") as session, pytest.raises(InputError, match="no word is used by 10"):
        fit_topics(session, made_corpus(20).take(np.arange(9)), SETTINGS)


def test_texts_of_test_users_change_no_topic_and_no_word_of_a_fold():
    counts = made_counts(60)
    y = np.array(["a", "b"] * 30)
    folds = make_splitter("3", seed=0).split(y)
    test = {f"u{row:03d}" for row in folds[0].test}
    said = counts.to_pylist()
    changed = [row for row in said if row["user_id"] not in test]
    # test users write of one old word and of a new one, which all of them use
    changed += [
        {"user_id": user, "stem": word, "count": 30}
        for user in sorted(test)
        for word in ("soup", "zoo")
    ]
    other = pa.Table.from_pylist(changed, counts.schema).sort_by("user_id")
    with connect("sync") as session:
        found = [
            fit_topics(session, as_corpus(table).take(folds[0].train), SETTINGS)
            for table in (counts, other)
        ]
        columns = [
            fold_topics(session, as_corpus(table), folds[:1], SETTINGS)[0]
            for table in (counts, other)
        ]
    assert "zoo" in as_corpus(other).vocabulary
    assert found[0].vocabulary == found[1].vocabulary
    assert np.array_equal(found[0].weights, found[1].weights)
    assert np.array_equal(columns[0][folds[0].train], columns[1][folds[0].train])
    assert not np.array_equal(columns[0][folds[0].test], columns[1][folds[0].test])


@pytest.mark.parametrize("n_workers", [1, 2])
def test_a_worker_lost_in_a_round_changes_no_bit(corpus, fitted, n_workers, monkeypatch):
    rounds = []

    def kill_one(weights):
        rounds.append(1)
        if len(rounds) == 4:
            address = next(iter(session.client.scheduler_info()["workers"]))
            pid = session.client.run(os.getpid, workers=[address])[address]
            os.kill(pid, signal.SIGKILL)
        return factors(weights)

    monkeypatch.setattr("whybox.graph.topics.factors", kill_one)
    with connect("local", workers=n_workers) as session:
        there = fit_topics(session, corpus, SETTINGS)
    assert len(rounds) > 4
    assert there.weights.tobytes() == fitted.weights.tobytes()
