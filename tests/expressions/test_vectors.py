from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

import expression_strategies as strategies
from whybox.errors import InputError
from whybox.expressions import TermVectors, encode
from whybox.expressions.analysis import Analyzer

THEIRS = {
    "counts": lambda: CountVectorizer(analyzer=list),
    "presence": lambda: CountVectorizer(analyzer=list, binary=True),
    "tfidf": lambda: TfidfVectorizer(analyzer=list),
}


@pytest.mark.parametrize("encoding", THEIRS)
@given(strategies.documents.filter(any), strategies.documents)
def test_vectors_are_those_of_scikit_learn(encoding, docs, others):
    ours, theirs = TermVectors(encoding, analyzer="tokens"), THEIRS[encoding]()
    np.testing.assert_allclose(
        ours.fit_transform(docs).toarray(), theirs.fit_transform(docs).toarray()
    )
    np.testing.assert_allclose(ours.transform(others).toarray(), theirs.transform(others).toarray())
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    corpus = encode(others, Analyzer("tokens"))
    assert (ours.transform(corpus) != ours.transform(others)).nnz == 0


def test_rare_words_and_stop_words_are_left_out():
    vectors = TermVectors(min_documents=2, stop_words="english").fit(
        ["the cats", "a cat", "the dog"]
    )
    assert vectors.vocabulary_ == ["cat"]


@pytest.mark.parametrize(
    ("params", "message"),
    [({"encoding": "binary"}, "encoding"), ({"min_documents": 3}, "no word occurs in 3 documents")],
)
def test_what_leaves_nothing_is_refused(params, message):
    with pytest.raises(InputError, match=message):
        TermVectors(**params).fit(["one", "two"])
