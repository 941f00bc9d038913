from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as profile
from hypothesis import strategies as st

import expression_strategies as strategies
import naive_expressions as naive
from whybox.errors import InputError, RunError
from whybox.expressions import mining
from whybox.expressions.analysis import Analyzer
from whybox.expressions.corpus import encode
from whybox.expressions.mining import Settings, WordCounts, count_limit, mine_class
from whybox.kernels.subsequences import count_words

ORACLE = json.loads(
    (Path(__file__).parents[1] / "data/expressions/oracle.json").read_text(encoding="utf-8")
)


def mine(
    docs, positive, p, r, alpha, stop=(), search="bfs", seeds="class", repeats=False, max_gap=None
):
    """The product's answer in the twin's form."""
    corpus = encode(docs, Analyzer("tokens"))
    codes = np.array(positive, np.int64)
    uses, documents = count_words(corpus.indptr, corpus.ids, codes, 2, len(corpus.words))
    settings = Settings(p, r, alpha, search, "all" if seeds == "all" else "class", repeats, max_gap)
    is_stop = np.array([word in stop for word in corpus.words], bool)
    counts = WordCounts(uses[1], documents[1], documents[0])
    mined = mine_class(corpus, codes == 1, counts, is_stop, settings)
    found = {tuple(corpus.words[w] for w in f.words): (f.tp, f.fp) for f in mined.found}
    return found, mined.n_uncovered


@given(strategies.corpora(), strategies.settings)
@profile(max_examples=400)
def test_expressions_and_counts_are_those_of_the_printed_algorithm(corpus, options):
    docs, positive = corpus
    expected = naive.Search(docs, positive, **options)
    assert mine(docs, positive, **options) == (expected.found, expected.n_uncovered)


@given(strategies.corpora(), strategies.settings)
def test_without_a_gap_limit_the_queue_is_the_order_of_all_subsets(corpus, options):
    docs, positive = corpus
    queue = naive.Search(docs, positive, **options | {"search": "bfs", "max_gap": None})
    for doc in docs:
        assert queue.first_accepted(doc) == queue.first_of_all_subsets(doc, queue.ranked(doc))


@given(strategies.corpora(), strategies.settings, st.randoms(use_true_random=False))
def test_the_order_of_documents_changes_nothing(corpus, options, random):
    docs, positive = corpus
    order = list(range(len(docs)))
    random.shuffle(order)
    shuffled = [docs[i] for i in order], [positive[i] for i in order]
    assert mine(*shuffled, **options) == mine(docs, positive, **options)


@pytest.mark.parametrize("case", ORACLE["cases"], ids=lambda case: str(case["params"]["p"]))
def test_the_oracle_finds_the_same_set(case):
    given_ = case["params"]
    found, _ = mine(
        ORACLE["docs"], ORACLE["y"], given_["p"], given_["r"], given_["alpha"], given_["stop"],
        search=given_.get("queue", "bfs"),
    )  # fmt: skip
    assert found == {tuple(words): (tp, fp) for words, tp, fp in case["D"]}


@given(strategies.corpora(), strategies.settings)
def test_every_expression_is_an_accepted_one_of_some_seed(corpus, options):
    docs, positive = corpus
    found, n_uncovered = mine(docs, positive, **options)
    need = count_limit(options["r"], sum(positive))
    for expression, (tp, fp) in found.items():
        where = [naive.occurs(expression, doc, options["max_gap"]) for doc in docs]
        assert tp == sum(w and p for w, p in zip(where, positive, strict=True)) >= need
        assert fp == sum(where) - tp
        assert not set(expression) <= set(options["stop"])
    assert 0 <= n_uncovered <= len(docs)


def test_a_count_limit_is_not_raised_by_rounding():
    assert count_limit(0.01, 2300) == 23  # 0.01 * 2300 is 23.000000000000004 or so
    assert count_limit(0.1, 30) == 3
    assert count_limit(0.0, 10) == 1


def test_a_precision_that_is_reached_is_enough():
    docs = [["x"]] * 3 + [["x"]] * 2 + [["y"]]
    found, _ = mine(docs, [True] * 3 + [False] * 3, 0.6, 0.1, 1)
    assert found == {("x",): (3, 2)}


def test_a_search_that_would_not_end_stops_and_says_why(monkeypatch):
    monkeypatch.setattr(mining, "BUDGET", (1000, 1))
    rng = np.random.default_rng(0)
    docs = [[f"w{w}" for w in rng.integers(0, 30, 60)] for _ in range(20)]
    with pytest.raises(RunError, match=r"the longest has 60 tokens.*raise min_recall"):
        mine(docs, [True, False] * 10, 1.0, 0.0, 3)


@pytest.mark.parametrize(
    "wrong",
    [
        {"min_precision": 1.1}, {"min_recall": -0.1}, {"min_precision": "high"}, {"max_words": 0},
        {"max_words": True}, {"max_gap": -1}, {"search": "best"}, {"seed_documents": "none"},
        {"min_recall": float("nan")},
    ],
)  # fmt: skip
def test_settings_out_of_range_are_refused(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        Settings(**wrong)
