"""How well a topic's words go together, judged by the documents that use them together.

Co-occurrence is within a document: documents are bags, so a window would have no meaning. The
measures are u_mass (Mimno et al. 2011) and c_v (Roder, Both & Hinneburg 2015), the latter with the
whole document for its window; gensim gives the same figures for the same documents.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whybox.features.corpus import Corpus
from whybox.features.lda import Floats

__all__ = ["Coherence", "coherence"]

_EPSILON = 1e-12  # added to a share of documents, so that a pair that never meets has a logarithm


@dataclass(frozen=True, eq=False)
class Coherence:
    """Figures of each topic.

    Parameters
    ----------
    u_mass : float64 array of shape (n_topics,)
        0 or less but for rounding; nearer to 0 is better.
    c_v : float64 array of shape (n_topics,)
        About 0 to 1; larger is better.
    """

    u_mass: Floats
    c_v: Floats


def coherence(corpus: Corpus, topics: NDArray[np.int64]) -> Coherence:
    """Judge topics by their likeliest words.

    Parameters
    ----------
    corpus : Corpus
        Documents in which each of the words occurs.
    topics : int64 array of shape (n_topics, n_words)
        Positions of words in the corpus's vocabulary, likeliest first; 2 words or more.

    Returns
    -------
    Coherence

    Examples
    --------
    >>> import pyarrow as pa
    >>> rows = {"user_id": ["a", "b", "c"], "stems": [[0, 1], [0, 1], [2]], "counts": [[1] * 2] * 3}
    >>> corpus = Corpus.from_tables(pa.table(rows), pa.table({"stem": ["sea", "sun", "war"]}))
    >>> found = coherence(corpus, np.array([[0, 1], [0, 2]]))
    >>> found.c_v.round(2).tolist(), found.u_mass.round(1).tolist()
    ([1.0, 0.03], [0.0, -27.2])
    """
    shares = [_shares(corpus, words) for words in topics]
    return Coherence(
        np.array([_u_mass(joint) for joint in shares]), np.array([_c_v(joint) for joint in shares])
    )


def _shares(corpus: Corpus, words: NDArray[np.int64]) -> Floats:
    """Share of the documents that have each pair of words; on the diagonal, each word."""
    place = np.full(corpus.n_words, -1)
    place[words] = np.arange(len(words))
    known = np.flatnonzero(place[corpus.words] >= 0)
    owners = np.searchsorted(corpus.indptr, known, side="right") - 1
    uses = np.zeros((corpus.n_users, len(words)), np.int64)
    uses[owners, place[corpus.words[known]]] = 1
    shares: Floats = (uses.T @ uses) / max(corpus.n_users, 1)
    return shares


def _u_mass(joint: Floats) -> float:
    """Mean logarithm of P(word | likelier word) over all pairs."""
    later, earlier = np.tril_indices(len(joint), -1)
    return float(np.mean(np.log((joint[later, earlier] + _EPSILON) / np.diag(joint)[earlier])))


def _c_v(joint: Floats) -> float:
    """Mean cosine between each word's associations and those of all words together."""
    alone = np.diag(joint)
    association = np.log((joint + _EPSILON) / np.outer(alone, alone)) / -np.log(joint + _EPSILON)
    together = association.sum(axis=0)
    lengths = np.linalg.norm(association, axis=1) * np.linalg.norm(together)
    return float(np.mean(association @ together / lengths))
