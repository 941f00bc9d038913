"""The mining kernel against its plain twin, on the arrays that it takes."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import expression_strategies as strategies
import naive_expressions as naive
from whybox.kernels.expressions import Rules, arrange, mine

LETTERS = "abcdefg"


def laid_out(docs, positive):
    """(Tokens of all letters, rank of each letter, the documents in the order of the tokens)."""
    rows = np.array(
        [i for i, p in enumerate(positive) if p] + [i for i, p in enumerate(positive) if not p]
    )
    indptr = np.concatenate([[0], np.cumsum([len(doc) for doc in docs])]).astype(np.int64)
    ids = np.array([LETTERS.index(w) for doc in docs for w in doc], np.int32)
    remap = np.arange(len(LETTERS), dtype=np.int32)
    scores = naive.cf_icf(docs, positive)
    rank = np.unique([-scores.get(w, 0.0) for w in LETTERS], return_inverse=True)[1]
    return arrange(indptr, ids, remap, len(LETTERS), rows), rank.astype(np.int64), rows


@given(
    strategies.corpora(),
    st.sampled_from([0.5, 0.75, 1.0]),
    st.integers(1, 3),
    st.integers(1, 4),
    st.sampled_from([-1, 0, 1]),
    st.booleans(),
)
def test_each_seed_gets_the_expression_of_the_printed_search(corpus, p, need, words, gap, every):
    docs, positive = corpus
    tokens, rank, rows = laid_out(docs, positive)
    n_positive = sum(positive)
    rules = Rules(need, p, words, gap, n_positive, len(docs) if every else n_positive, 1 << 30)
    is_stop = np.array([w in strategies.STOP for w in LETTERS])
    owner, found, counts, looked = mine(tokens, rank, is_stop, rules)
    search = naive.Search(
        docs, positive, p, need / n_positive, words, strategies.STOP,
        seeds="all" if every else "class", max_gap=None if gap < 0 else gap,
    )  # fmt: skip
    assert looked >= 0
    for d in range(rules.n_seeds):
        expected = search.first_accepted(docs[rows[d]])
        if owner[d] < 0:
            assert expected is None
            continue
        expression = tuple(LETTERS[w] for w in found[owner[d]] if w >= 0)
        assert expression == expected
        assert tuple(counts[owner[d]]) == search.count(expression)


@given(strategies.corpora())
def test_tokens_know_the_uses_of_their_word_in_their_document(corpus):
    docs, positive = corpus
    tokens, _, rows = laid_out(docs, positive)
    start = 0
    for d, stop in enumerate(tokens.stop):
        doc = docs[rows[d]]
        assert tokens.word[start] == len(LETTERS)
        assert [LETTERS[w] for w in tokens.word[start + 1 : stop]] == doc
        assert tokens.place[start:stop].tolist() == list(range(-1, len(doc)))
        assert (tokens.doc[start:stop] == d).all()
        for k in range(len(doc)):
            assert tokens.first[start + 1 + k] == start + 1 + doc.index(doc[k])
            before = [q for q in range(k) if doc[q] == doc[k]]
            assert tokens.prev[start + 1 + k] == (start + 1 + before[-1] if before else -1)
        start = stop


def test_a_small_budget_ends_the_search_and_shows_in_the_sign():
    docs = [list("abcdefg") * 3, list("gfedcba") * 3]
    tokens, rank, _ = laid_out(docs, [True, False])
    rules = Rules(1, 1.0, 4, -1, 1, 1, 10)
    assert mine(tokens, rank, np.zeros(7, bool), rules)[3] < -10
