"""Corpora and folds on a session: the same bytes for any partitions, and nothing done twice."""

from __future__ import annotations

import collections
from itertools import pairwise

import dask.bag
import numpy as np
import pyarrow as pa
import pytest

from whybox.expressions import DiscriminatoryExpressions, encode
from whybox.expressions.analysis import Analyzer
from whybox.graph import expressions
from whybox.graph.expressions import encode_posts, encode_texts, fit_on_bag, run_designs
from whybox.graph.session import connect
from whybox.model_selection.generalisation import Design, ReversedFolds, deal_folds

RNG = np.random.default_rng(11)
WORDS = ["good", "bad", ":)", "😀", "#rain", "mornings", "morning", "ابجد", "not", "@you", "runs"]
TEXTS = ["", *(" ".join(RNG.choice(WORDS, RNG.integers(1, 9))) for _ in range(180))]
Y = np.array([("good" in text) != (RNG.random() < 0.2) for text in TEXTS])
DESIGNS = [Design("expressions", 4, 0.55, 0.02, 2), Design("chi2", 4), Design("or", 4)]


@pytest.fixture(params=["sync", "cluster"])
def session(request):
    scheduler = "sync" if request.param == "sync" else request.getfixturevalue("cluster_address")
    with connect(scheduler) as opened:
        yield opened


@pytest.fixture(scope="module")
def folds():
    return ReversedFolds(encode(TEXTS), Y, deal_folds(Y, 3), seed=5)


def assert_same(one, other):
    """Corpora of the same bytes."""
    assert (one.forms, one.words) == (other.forms, other.words)
    for name in ("indptr", "tokens", "word_of"):
        a, b = getattr(one, name), getattr(other, name)
        assert a.dtype == b.dtype
        assert a.tobytes() == b.tobytes()


@pytest.mark.parametrize("npartitions", [1, 2, 7, len(TEXTS)])
def test_a_bag_of_texts_is_encoded_to_the_bytes_of_a_list(session, npartitions):
    if npartitions > 7 and session.client is not None:
        npartitions = 20
    bag = dask.bag.from_sequence(TEXTS, npartitions=npartitions)
    assert_same(encode_texts(session, bag), encode(TEXTS))


def test_a_bag_of_token_lists_is_encoded_as_it_is(session):
    tokens, analyzer = [text.split() for text in TEXTS], Analyzer("tokens")
    bag = dask.bag.from_sequence(tokens, npartitions=4)
    assert_same(encode_texts(session, bag, analyzer), encode(tokens, analyzer))


@pytest.mark.parametrize("sizes", [[181], [0, 90, 1, 90]])
def test_posts_are_encoded_in_the_order_of_the_input(session, sizes):
    table = pa.table({"text": TEXTS, "label": [None, *map(str, Y[1:])]})
    cuts = np.cumsum([0, *sizes])
    parts = [[table.slice(a, b - a)] for a, b in pairwise(cuts)]
    posts = dask.bag.from_delayed([dask.delayed(part) for part in parts])
    corpus, labels = encode_posts(session, posts)
    assert_same(corpus, encode(TEXTS))
    assert labels.to_pylist() == table["label"].to_pylist()


def test_a_fit_on_a_bag_is_the_fit_on_a_list(session):
    given = {"min_precision": 0.65, "min_recall": 0.02, "n_expressions": 40}
    bag = dask.bag.from_sequence(TEXTS, npartitions=5)
    labels = dask.bag.from_sequence(Y.tolist(), npartitions=3)
    expected = DiscriminatoryExpressions(**given).fit(TEXTS, Y).to_state()
    for y in (Y, labels):
        meta, arrays = fit_on_bag(session, DiscriminatoryExpressions(**given), bag, y).to_state()
        assert meta == expected[0]
        assert all(np.array_equal(arrays[name], expected[1][name]) for name in expected[1])


def test_figures_are_the_same_wherever_they_are_computed(cluster_address, folds):
    tasks = [(design, fold) for design in DESIGNS for fold in range(3)]
    found = []
    for scheduler in ("sync", cluster_address):
        with connect(scheduler) as session:
            found.append(dict(run_designs(session, folds, tasks, {}, "folds")))
    assert len(found[0]) == 9
    assert found[0] == found[1]


def test_no_fold_is_computed_twice(session, folds, monkeypatch):
    tasks = [(design, fold) for design in DESIGNS for fold in range(3)]
    ledger: dict = {}
    started = run_designs(session, folds, tasks, ledger, "folds")
    for _ in range(4):
        next(started)
    started.close()  # as when the run is interrupted
    assert len(ledger) == 4

    computed = collections.Counter()
    real = expressions.arrivals

    def counting(session, items, make, label):
        computed.update(items)
        return real(session, items, make, label)

    monkeypatch.setattr(expressions, "arrivals", counting)
    figures = dict(run_designs(session, folds, tasks, ledger, "folds"))
    assert len(figures) == 9
    assert computed.total() == 5
    assert dict(run_designs(session, folds, tasks, ledger, "folds")) == figures
    assert computed.total() == 5
