"""Corpora give what dictionaries of counts would give."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybox.errors import InputError
from whybox.features.corpus import Corpus

WORDS = ("ash", "bay", "cow", "dew", "elm")

documents = st.dictionaries(
    st.text("abcxyz", min_size=1, max_size=3),
    st.dictionaries(st.sampled_from(WORDS), st.integers(1, 9)),
    max_size=6,
)


def _corpus(plain: dict[str, dict[str, int]]) -> Corpus:
    rows = {
        user: sorted((WORDS.index(w), n) for w, n in found.items()) for user, found in plain.items()
    }
    table = pa.table(
        {
            "user_id": pa.array(list(rows), pa.string()),
            "stems": pa.array([[w for w, _ in r] for r in rows.values()], pa.list_(pa.int32())),
            "counts": pa.array([[n for _, n in r] for r in rows.values()], pa.list_(pa.int32())),
        }
    )
    return Corpus.from_tables(table, pa.table({"stem": WORDS}))


def _plain(corpus: Corpus) -> dict[str, dict[str, int]]:
    found = {}
    for row, user in enumerate(corpus.ids.tolist()):
        entries = slice(corpus.indptr[row], corpus.indptr[row + 1])
        words = [corpus.vocabulary[w] for w in corpus.words[entries]]
        found[user] = dict(zip(words, corpus.counts[entries].tolist(), strict=True))
    return found


@given(documents, st.data())
def test_taking_users_keeps_their_documents(plain, data):
    corpus = _corpus(plain)
    assert _plain(corpus) == plain
    users = list(plain)
    rows = data.draw(st.permutations(range(len(users))))[: data.draw(st.integers(0, len(users)))]
    taken = corpus.take(np.array(rows, np.int64))
    assert list(_plain(taken).items()) == [(users[r], plain[users[r]]) for r in rows]
    mask = np.isin(np.arange(len(users)), rows)
    assert _plain(corpus.take(mask)) == {users[r]: plain[users[r]] for r in rows}


@given(documents)
def test_users_sort_by_id(plain):
    assert list(_plain(_corpus(plain).canonical()).items()) == sorted(plain.items())


@given(documents, st.lists(st.text("abcxyz", min_size=1, max_size=3), unique=True, max_size=5))
def test_a_user_without_words_has_an_empty_document(plain, ids):
    aligned = _corpus(plain).aligned(ids)
    assert _plain(aligned) == {user: plain.get(user, {}) for user in ids}


@given(documents, st.integers(1, 4))
def test_rare_words_are_left_out_with_their_counts(plain, least):
    users = {word: sum(word in found for found in plain.values()) for word in WORDS}
    kept = {word for word in WORDS if users[word] >= least}
    limited = _corpus(plain).limited(least)
    assert limited.vocabulary == tuple(sorted(kept))
    assert _plain(limited) == {
        user: {w: n for w, n in found.items() if w in kept} for user, found in plain.items()
    }


@given(documents, st.sets(st.sampled_from((*WORDS, "fog", "gnu"))))
def test_another_vocabulary_renumbers_words_and_drops_unknown_ones(plain, words):
    other = tuple(sorted(words))
    recoded = _corpus(plain).recoded(other, other)
    assert recoded.vocabulary == other
    assert _plain(recoded) == {
        user: {w: n for w, n in found.items() if w in words} for user, found in plain.items()
    }


def test_surface_forms_are_read_where_they_were_counted():
    table = pa.table({"user_id": ["a"], "stems": [[0]], "counts": [[1]]})
    words = pa.table({"stem": ["earn"], "surface": ["earning"]})
    assert Corpus.from_tables(table, words).surfaces == ("earning",)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"user_id": ["a"], "stems": [[7]], "counts": [[1]]}, "in no vocabulary"),
        ({"user_id": ["a"], "stems": [[0]]}, "no column counts"),
    ],
)
def test_damaged_documents_are_refused(columns, message):
    with pytest.raises(InputError, match=message):
        Corpus.from_tables(pa.table(columns), pa.table({"stem": WORDS}))
