"""Coherence is what gensim makes of the same documents."""

from __future__ import annotations

import numpy as np
from gensim.corpora import Dictionary
from gensim.models import CoherenceModel

from made_documents import made_corpus
from whybox.features.coherence import coherence


def _gensim(corpus, topics, measure):
    texts = [
        np.repeat([corpus.vocabulary[w] for w in corpus.words[a:b]], corpus.counts[a:b]).tolist()
        for a, b in zip(corpus.indptr[:-1], corpus.indptr[1:], strict=True)
    ]
    dictionary = Dictionary(texts)
    words = [[corpus.vocabulary[w] for w in topic] for topic in topics]
    options = {"texts": texts, "window_size": 10**6} if measure == "c_v" else {}
    model = CoherenceModel(
        topics=words,
        corpus=[dictionary.doc2bow(text) for text in texts],
        dictionary=dictionary,
        coherence=measure,
        processes=1,
        **options,
    )
    return model.get_coherence_per_topic()


def test_figures_are_those_of_gensim():
    corpus = made_corpus(40, n_words=8)
    topics = np.random.default_rng(0).permuted(np.tile(np.arange(corpus.n_words), (6, 1)), axis=1)[
        :, :5
    ]
    found = coherence(corpus, topics)
    np.testing.assert_allclose(found.u_mass, _gensim(corpus, topics, "u_mass"), rtol=1e-9)
    np.testing.assert_allclose(found.c_v, _gensim(corpus, topics, "c_v"), rtol=1e-6)


def test_words_of_one_theme_go_together_better_than_words_of_three():
    corpus = made_corpus(90, n_words=10)
    theme = [corpus.vocabulary.index(w) for w in ("ball", "goal", "league")]
    mixed = [corpus.vocabulary.index(w) for w in ("ball", "guitar", "soup")]
    found = coherence(corpus, np.array([theme, mixed]))
    assert found.c_v[0] > found.c_v[1]
    assert found.u_mass[0] > found.u_mass[1]
