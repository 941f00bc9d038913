from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import expression_strategies as strategies
import naive_expressions as naive
from whybox.kernels.subsequences import count_matches, count_words, match

LETTERS = "abcdefg"
sequences = st.lists(strategies.words, min_size=1, max_size=4).map(tuple)
gaps = st.sampled_from([None, 0, 1, 2])


def encoded(docs):
    indptr = np.concatenate([[0], np.cumsum([len(doc) for doc in docs])]).astype(np.int64)
    return indptr, np.array([LETTERS.index(w) for doc in docs for w in doc], np.int32)


@given(strategies.documents, sequences, gaps)
def test_a_sequence_is_counted_where_some_positions_hold_it(docs, sequence, gap):
    positive = np.arange(len(docs)) % 2 == 0
    where = np.array([naive.occurs(sequence, doc, gap) for doc in docs])
    ids = np.array([LETTERS.index(w) for w in sequence], np.int32)
    limit = -1 if gap is None else gap
    counts = count_matches(*encoded(docs), np.arange(len(docs)), ids, limit, positive)
    assert counts == ((where & positive).sum(), (where & ~positive).sum())


@given(strategies.documents, st.lists(sequences, min_size=1, max_size=30, unique=True), gaps)
def test_all_sequences_are_found_in_one_walk(docs, wanted, gap):
    uses = [
        [(e, q) for e, s in enumerate(wanted) for q in range(len(s) - 1, -1, -1) if s[q] == letter]
        for letter in LETTERS
    ]
    out, indices = match(
        *encoded(docs),
        np.concatenate([[0], np.cumsum([len(u) for u in uses])]).astype(np.int64),
        np.array([pair for u in uses for pair in u], np.int32).reshape(-1, 2),
        np.array([len(s) for s in wanted], np.int64),
        -1 if gap is None else gap,
    )
    for i, doc in enumerate(docs):
        expected = [e for e, s in enumerate(wanted) if naive.occurs(s, doc, gap)]
        assert indices[out[i] : out[i + 1]].tolist() == expected


@given(strategies.documents, st.data())
def test_words_are_counted_by_use_and_by_document(docs, data):
    labels = [data.draw(st.integers(0, 2)) for _ in docs]
    uses, documents = count_words(*encoded(docs), np.array(labels), 3, len(LETTERS))
    for label in range(3):
        own = [doc for doc, y in zip(docs, labels, strict=True) if y == label]
        assert uses[label].tolist() == [sum(doc.count(w) for doc in own) for w in LETTERS]
        assert documents[label].tolist() == [sum(w in doc for doc in own) for w in LETTERS]
