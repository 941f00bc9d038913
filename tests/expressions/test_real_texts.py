"""On the real texts of the reference, where words repeat, entities abound and stems collide."""

from __future__ import annotations

import csv
import re

import numpy as np
import pytest

from whybox.expressions import DiscriminatoryExpressions, encode
from whybox.expressions.analysis import Analyzer
from whybox.expressions.literal import QueueSearch
from whybox.expressions.mining import Settings, WordCounts, count_limit, mine_class
from whybox.expressions.patterns import token_lines
from whybox.expressions.ranking import word_scores
from whybox.expressions.sequences import find_sequence
from whybox.kernels.subsequences import count_words

pytestmark = pytest.mark.reference
N = 3000


@pytest.fixture(scope="module")
def airline(reference):
    path = reference / "data/us_airline/Tweets.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))[:N]
    return [row["text"] for row in rows], np.array([row["airline_sentiment"] for row in rows])


@pytest.fixture(scope="module")
def fitted(airline):
    return DiscriminatoryExpressions(n_expressions=60).fit(*airline)


def test_pattern_growth_finds_what_the_queue_finds(airline):
    corpus = encode(airline[0])
    positive = airline[1] == "positive"
    uses, documents = count_words(
        corpus.indptr, corpus.ids, positive.astype(np.int64), 2, len(corpus.words)
    )
    counts = WordCounts(uses[1], documents[1], documents[0])
    stop = Analyzer().stop_words("english")
    is_stop = np.array([word in stop for word in corpus.words])
    settings = Settings(min_recall=0.02)
    mined = mine_class(corpus, positive, counts, is_stop, settings)
    scores = word_scores(uses[1], documents[0], len(corpus))
    need = count_limit(0.02, int(positive.sum()))
    search = QueueSearch((corpus.indptr, corpus.ids), positive, scores, is_stop, need, settings)
    found = [search.first_accepted(i) for i in np.flatnonzero(positive)]
    assert {f.words for f in mined.found} == set(found) - {None}
    assert mined.n_uncovered == found.count(None)
    assert all((f.tp, f.fp) == search.count(f.words) for f in mined.found)


def test_columns_patterns_and_spans_agree_on_every_tweet(airline, fitted):
    texts = airline[0]
    columns = fitted.transform(texts)
    analyzer, patterns = Analyzer(), [re.compile(p) for p in fitted.to_patterns()]
    for row, text, forms in zip(columns, texts, analyzer.forms(texts), strict=True):
        words = [analyzer.word(form) for form in forms]
        expected = [find_sequence(words, e) is not None for e in fitted.expressions_]
        assert row.toarray()[0].tolist() == expected
        assert [p.search(token_lines(forms)) is not None for p in patterns] == expected
        spans = fitted.spans(text)
        assert [span.column for span in spans] == np.flatnonzero(expected).tolist()
        for span in spans:
            for at, (start, stop) in zip(span.tokens, span.characters, strict=True):
                written = text[start:stop]
                assert "&" in written or analyzer.word(written.lower()) == words[at]


def test_figures_are_those_of_the_columns(airline, fitted):
    columns, frame = fitted.transform(airline[0]).toarray(), fitted.expressions_frame()
    for x, row in enumerate(frame.itertuples()):
        own = airline[1] == frame["class"][x]
        assert (columns[own, x].sum(), columns[~own, x].sum()) == (row.tp, row.fp)
