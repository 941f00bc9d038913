from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import expression_strategies as strategies
from text_strategies import torture
from whybox.errors import InputError
from whybox.expressions import Corpus, encode
from whybox.expressions.analysis import Analyzer


def words(corpus):
    """Each document as a list of words."""
    every = [corpus.words[w] for w in corpus.ids]
    return [every[a:b] for a, b in zip(corpus.indptr, corpus.indptr[1:], strict=False)]


def forms(corpus):
    every = [corpus.forms[f] for f in corpus.tokens]
    return [every[a:b] for a, b in zip(corpus.indptr, corpus.indptr[1:], strict=False)]


@given(st.lists(torture, max_size=5))
def test_encoding_keeps_every_token_and_its_stem(texts):
    analyzer, corpus = Analyzer(), encode(texts)
    assert forms(corpus) == analyzer.forms(texts)
    assert words(corpus) == [[analyzer.word(f) for f in doc] for doc in analyzer.forms(texts)]


@given(st.lists(st.lists(torture, max_size=3), min_size=1, max_size=3))
def test_merged_parts_are_the_whole(parts):
    merged = Corpus.merge([encode(texts) for texts in parts])
    whole = encode([text for texts in parts for text in texts])
    assert (words(merged), forms(merged)) == (words(whole), forms(whole))
    assert len(set(merged.words)) == len(merged.words)


@given(strategies.documents, st.data())
def test_any_documents_can_be_taken_in_any_order(docs, data):
    rows = data.draw(st.lists(st.integers(0, len(docs) - 1)))
    corpus = encode(docs, Analyzer("tokens"))
    assert words(corpus.take(rows) if rows else corpus.take([False] * len(docs))) == [
        docs[row] for row in rows
    ]


def test_the_way_to_a_worker_is_without_the_numbers_of_words():
    corpus = encode(["old cats", "cat"])
    assert corpus.numbers == {"old": 0, "cat": 1}
    sent = pickle.loads(pickle.dumps(corpus))
    assert "numbers" not in vars(sent)
    assert sent.numbers == corpus.numbers
    assert words(sent) == words(corpus)


def test_no_parts_are_refused():
    with pytest.raises(InputError, match="no parts"):
        Corpus.merge([])


@pytest.mark.parametrize(
    ("texts", "message"),
    [("abc", "got one str"), (5, "got a int"), (["abc"], "got a str, expected a list of tokens"),
     ([[1]], "got a token of type int"), ([None], "got a NoneType")],
)  # fmt: skip
def test_what_is_no_list_of_token_lists_is_refused(texts, message):
    with pytest.raises(InputError, match=message):
        encode(texts, Analyzer("tokens"))
