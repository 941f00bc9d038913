"""Latent Dirichlet allocation by batch variational EM, so that the same documents give the same bits.

Inference within a document is gensim's. What makes gensim's models depend on their history is taken
out: every document starts from the same gamma in every step, so that its topics follow from the
document and the model alone; statistics are summed chunk by chunk in the order of the chunks; the
topics are renewed once all chunks are in (Blei, Ng & Jordan 2003, section 5; Hoffman, Blei & Bach
2010, algorithm 1). BLAS has one thread meanwhile, since the last bits of a product depend on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from whybox.errors import InputError
from whybox.features.corpus import Corpus

__all__ = ["TopicSettings", "cut", "e_step", "factors", "infer", "initial", "m_step", "movement"]

Floats = NDArray[np.float64]

# Limits hold for a process: a thread that is done would lift those of one that is not.
_ALONE = Lock()
_STEP_TOL = 1e-3  # mean change of a document's gamma at which its inference ends, as in gensim
_CHUNK_USERS, _MAX_CHUNKS = 128, 64


@dataclass(frozen=True)
class TopicSettings:
    """How topics are fitted, and how a document's are inferred.

    Parameters
    ----------
    n_topics : int, default 25
        As in Tong et al., Table S1.
    seed : int, default 0
        Of the topics to start from.
    max_iter : int, default 50
        Rounds of expectation and maximisation, at most.
    tol : float, default 0.01
        The rounds end when a topic's words move by less: total variation distance, mean over the
        topics.
    max_steps : int, default 20
        Steps of the inference within a document, at most.
    alpha, eta : float, optional
        Symmetric Dirichlet priors of a document's topics and of a topic's words; by default
        1 / n_topics each.

    Raises
    ------
    InputError
        A value is out of range.

    Examples
    --------
    >>> TopicSettings(n_topics=4).alpha_
    0.25
    """

    n_topics: int = 25
    seed: int = 0
    max_iter: int = 50
    tol: float = 0.01
    max_steps: int = 20
    alpha: float | None = None
    eta: float | None = None

    def __post_init__(self) -> None:
        whole = (self.n_topics, self.seed, self.max_iter, self.max_steps)
        if not all(isinstance(value, int) for value in whole):
            raise InputError(f"n_topics, seed, max_iter or max_steps of {self} is no whole number")
        if not 2 <= self.n_topics <= 1000:
            raise InputError(f"got {self.n_topics} topics", remedy="ask for 2 to 1,000")
        if self.seed < 0 or self.max_iter < 1 or self.max_steps < 1:
            raise InputError(f"seed, max_iter or max_steps of {self} is too small")
        if not (self.tol >= 0 and self.alpha_ > 0 and self.eta_ > 0):
            raise InputError(f"tol, alpha or eta of {self} is out of range")

    @property
    def alpha_(self) -> float:
        """The prior of a document's topics that is used."""
        return 1 / self.n_topics if self.alpha is None else self.alpha

    @property
    def eta_(self) -> float:
        """The prior of a topic's words that is used."""
        return 1 / self.n_topics if self.eta is None else self.eta


def cut(corpus: Corpus) -> list[Corpus]:
    """Cut documents into chunks, by their number alone: at most 128 users each, or 64 chunks.

    Parameters
    ----------
    corpus : Corpus

    Returns
    -------
    list of Corpus
        At least one.

    Examples
    --------
    >>> import pyarrow as pa
    >>> documents = pa.table({"user_id": ["a"] * 130, "stems": [[0]] * 130, "counts": [[1]] * 130})
    >>> [c.n_users for c in cut(Corpus.from_tables(documents, pa.table({"stem": ["sun"]})))]
    [65, 65]
    """
    n_chunks = min(_MAX_CHUNKS, max(1, -(-corpus.n_users // _CHUNK_USERS)))
    return [corpus.take(rows) for rows in np.array_split(np.arange(corpus.n_users), n_chunks)]


def initial(settings: TopicSettings, n_words: int) -> Floats:
    """Draw the topics to start from.

    Parameters
    ----------
    settings : TopicSettings
    n_words : int

    Returns
    -------
    float64 array of shape (n_topics, n_words)
        Dirichlet parameters near 1.

    Examples
    --------
    >>> initial(TopicSettings(n_topics=2), 3).round(2).shape
    (2, 3)
    """
    random = np.random.default_rng(settings.seed)
    return random.gamma(100.0, 0.01, (settings.n_topics, n_words))


def factors(weights: Floats) -> Floats:
    """Turn topics into the factors that inference multiplies: exp(E[log beta]).

    Parameters
    ----------
    weights : float64 array of shape (n_topics, n_words)
        Dirichlet parameters of each topic's words (lambda).

    Returns
    -------
    float64 array of shape (n_topics, n_words)

    Examples
    --------
    >>> factors(np.array([[1.0, 1.0]])).round(4).tolist()
    [[0.3679, 0.3679]]
    """
    from scipy.special import psi

    return np.ascontiguousarray(np.exp(psi(weights) - psi(weights.sum(axis=1, keepdims=True))))


def infer(
    corpus: Corpus, factors: Floats, settings: TopicSettings, *, collect: bool = False
) -> tuple[Floats, Floats | None]:
    """Infer the topics of documents by gensim's inference, from the same start for each.

    Parameters
    ----------
    corpus : Corpus
        In the words of the topics.
    factors : float64 array of shape (n_topics, n_words)
        From :func:`factors`.
    settings : TopicSettings
    collect : bool, default False
        Give the sufficient statistics as well.

    Returns
    -------
    gamma : float64 array of shape (n_users, n_topics)
        Dirichlet parameters of each document's topics; a row depends on its document alone.
    statistics : float64 array of shape (n_topics, n_words), or None
        Expected number of each topic's words, summed in the order of the documents.

    Examples
    --------
    >>> import pyarrow as pa
    >>> documents = pa.table({"user_id": ["a"], "stems": [[0]], "counts": [[8]]})
    >>> corpus = Corpus.from_tables(documents, pa.table({"stem": ["sea", "sun"]}))
    >>> gamma, _ = infer(corpus, np.array([[0.9, 0.1], [0.1, 0.9]]), TopicSettings(n_topics=2))
    >>> gamma.round(1).tolist()
    [[8.5, 0.5]]
    """
    if not corpus.n_users:
        zeros = np.zeros_like(factors) if collect else None
        return np.zeros((0, settings.n_topics)), zeros
    words, counts = corpus.words.tolist(), corpus.counts.tolist()
    ends = corpus.indptr.tolist()
    documents = [
        list(zip(words[start:stop], counts[start:stop], strict=True))
        for start, stop in pairwise(ends)
    ]
    with _ALONE, threadpool_limits(1):
        gamma, statistics = _model(factors, settings).inference(documents, collect_sstats=collect)
    return gamma, statistics


def e_step(corpus: Corpus, factors: Floats, settings: TopicSettings) -> Floats:
    """Expect how many of each word each topic wrote in a chunk of documents.

    Parameters
    ----------
    corpus : Corpus
        A chunk.
    factors : float64 array of shape (n_topics, n_words)
        From :func:`factors`.
    settings : TopicSettings

    Returns
    -------
    float64 array of shape (n_topics, n_words)
        Sums to the chunk's number of words.
    """
    statistics = infer(corpus, factors, settings, collect=True)[1]
    assert statistics is not None
    return statistics


def m_step(statistics: Sequence[Floats], settings: TopicSettings) -> Floats:
    """Renew the topics from the statistics of all chunks.

    Parameters
    ----------
    statistics : sequence of float64 arrays of shape (n_topics, n_words)
        In the order of the chunks, in which they are added.
    settings : TopicSettings

    Returns
    -------
    float64 array of shape (n_topics, n_words)
        Dirichlet parameters (lambda).

    Examples
    --------
    >>> m_step([np.array([[2.0]]), np.array([[1.0]])], TopicSettings(n_topics=2)).tolist()
    [[3.5]]
    """
    total = np.zeros_like(statistics[0])
    for part in statistics:
        total += part
    return total + settings.eta_


def movement(before: Floats, after: Floats) -> float:
    """Measure how far topics moved: total variation distance of their words, mean over topics.

    Parameters
    ----------
    before, after : float64 arrays of shape (n_topics, n_words)
        Dirichlet parameters.

    Returns
    -------
    float
        0 to 1.

    Examples
    --------
    >>> movement(np.array([[1.0, 1.0]]), np.array([[3.0, 1.0]]))
    0.25
    """
    old, new = (part / part.sum(axis=1, keepdims=True) for part in (before, after))
    return float(0.5 * np.abs(new - old).sum(axis=1).mean())


class _SameStart:
    """Stands where gensim draws a document's first gamma: each starts from ones."""

    def gamma(self, shape: float, scale: float, size: tuple[int, int]) -> Floats:
        """Give the start of some documents."""
        return np.ones(size)


def _model(factors: Floats, settings: TopicSettings) -> Any:
    """A gensim model that knows no more than these topics."""
    from gensim.models.ldamodel import LdaModel

    model = LdaModel(
        num_topics=settings.n_topics,
        id2word=dict.fromkeys(range(factors.shape[1])),
        alpha=np.full(settings.n_topics, settings.alpha_),
        iterations=settings.max_steps,
        gamma_threshold=_STEP_TOL,
        random_state=0,
        dtype=np.float64,
    )
    model.expElogbeta = factors
    model.random_state = _SameStart()
    return model
