"""Inference is the plain algorithm, and a document's topics depend on that document alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy.special import psi

from made_documents import made_corpus
from whybox.errors import InputError
from whybox.features.lda import TopicSettings, cut, e_step, factors, infer, initial, m_step

SETTINGS = TopicSettings(n_topics=3, max_steps=200)


def _slow_gamma(counts: np.ndarray, weights: np.ndarray, alpha: float, steps: int) -> np.ndarray:
    """Coordinate ascent with phi written out (Blei, Ng & Jordan 2003, figure 6)."""
    log_beta = psi(weights) - psi(weights.sum(axis=1, keepdims=True))
    gamma = np.ones(len(weights))
    for _ in range(steps):
        before = gamma
        phi = np.exp(log_beta + (psi(gamma) - psi(gamma.sum()))[:, None])
        phi /= phi.sum(axis=0)
        gamma = alpha + phi @ counts
        if np.abs(gamma - before).mean() < 1e-3:
            break
    return gamma


def _dense(corpus):
    table = np.zeros((corpus.n_users, corpus.n_words))
    for row in range(corpus.n_users):
        entries = slice(corpus.indptr[row], corpus.indptr[row + 1])
        table[row, corpus.words[entries]] = corpus.counts[entries]
    return table


@pytest.fixture(scope="module")
def corpus():
    return made_corpus(30)


@pytest.fixture(scope="module")
def weights(corpus):
    return initial(SETTINGS, corpus.n_words) + np.random.default_rng(1).gamma(
        1.0, 5.0, (3, corpus.n_words)
    )


def test_inference_ends_where_the_plain_algorithm_ends(corpus, weights):
    for steps in (1, 20, 500):
        settings = TopicSettings(n_topics=3, max_steps=steps)
        gamma, _ = infer(corpus, factors(weights), settings)
        slow = [_slow_gamma(row, weights, settings.alpha_, steps) for row in _dense(corpus)]
        np.testing.assert_allclose(gamma, slow, rtol=1e-9)


def test_a_documents_topics_do_not_depend_on_its_neighbours(corpus, weights):
    whole = infer(corpus, factors(weights), SETTINGS)[0]
    order = np.random.default_rng(2).permutation(corpus.n_users)
    shuffled = infer(corpus.take(order), factors(weights), SETTINGS)[0]
    assert np.array_equal(shuffled, whole[order])
    for row in (0, 7, 29):
        alone = infer(corpus.take(np.array([row])), factors(weights), SETTINGS)[0]
        assert np.array_equal(alone[0], whole[row])


def test_what_was_inferred_before_leaves_no_trace(corpus, weights):
    first = infer(corpus, factors(weights), SETTINGS)[0]
    infer(made_corpus(20, seed=9), factors(weights), SETTINGS)
    assert np.array_equal(infer(corpus, factors(weights), SETTINGS)[0], first)


def test_threads_of_one_worker_change_no_bit(corpus, weights):
    whole = infer(corpus, factors(weights), SETTINGS)[0]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: infer(corpus, factors(weights), SETTINGS)[0], range(8)))
    assert all(np.array_equal(gamma, whole) for gamma in found)


def test_expected_words_are_the_words_that_are_there(corpus, weights):
    statistics = e_step(corpus, factors(weights), SETTINGS)
    np.testing.assert_allclose(statistics.sum(axis=0), _dense(corpus).sum(axis=0))


def test_chunks_together_are_the_documents_in_order():
    corpus = made_corpus(300, n_words=3)
    chunks = cut(corpus)
    assert len(chunks) == 3
    assert np.concatenate([chunk.ids for chunk in chunks]).tolist() == corpus.ids.tolist()
    assert max(chunk.n_users for chunk in chunks) <= 128


def test_rounds_raise_the_likelihood(corpus):
    weights = initial(SETTINGS, corpus.n_words)
    words = _dense(corpus)
    likelihood = []
    for _ in range(12):
        gamma, statistics = infer(corpus, factors(weights), SETTINGS, collect=True)
        theta, beta = (part / part.sum(axis=1, keepdims=True) for part in (gamma, weights))
        likelihood.append((words * np.log(theta @ beta)).sum())
        weights = m_step([statistics], SETTINGS)
    assert likelihood[-1] > likelihood[0]
    assert np.all(np.diff(likelihood)[2:] > -1e-2 * abs(likelihood[-1]))


def test_no_documents_have_no_topics_and_no_statistics(corpus, weights):
    gamma, statistics = infer(corpus.take([]), factors(weights), SETTINGS, collect=True)
    assert gamma.shape == (0, 3)
    assert not statistics.any()


@pytest.mark.parametrize(
    "wrong",
    [{"n_topics": 1}, {"n_topics": 2.0}, {"tol": float("nan")}, {"alpha": 0.0}, {"max_iter": 0}],
)
def test_settings_out_of_range_are_refused(wrong):
    with pytest.raises(InputError):
        TopicSettings(**wrong)
