"""Topics on a session: chunks of documents stay on the workers, only the topics travel.

Chunks are cut from users sorted by id, by their number alone, and their statistics are added in the
order of the chunks: the same topics to the last bit on one worker or many, in any order of input.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from whybox.errors import InputError
from whybox.features.corpus import MIN_USERS, Corpus
from whybox.features.lda import TopicSettings, cut, e_step, factors, initial, m_step, movement
from whybox.features.topics import TopicModel
from whybox.graph.calls import calling
from whybox.graph.session import Session
from whybox.model_selection.splitters import Fold
from whybox.progress import SILENT

__all__ = ["fit_topics", "fold_topics", "infer_topics"]

_INFERRED_USERS = 512


def fit_topics(session: Session, corpus: Corpus, settings: TopicSettings) -> TopicModel:
    """Fit topics to documents.

    Parameters
    ----------
    session : Session
    corpus : Corpus
        The documents to learn from, and no others: also the vocabulary is limited to words that 10
        of these users use.
    settings : TopicSettings

    Returns
    -------
    TopicModel
        The same to the last bit wherever it ran, in whatever order the users came.

    Raises
    ------
    InputError
        No word is used by 10 users.
    """
    from dask.delayed import delayed

    corpus = corpus.canonical().limited()
    if not corpus.n_words:
        raise InputError(
            f"no word is used by {MIN_USERS} of the {corpus.n_users} users that topics are "
            "fitted on",
            remedy="give more users, or leave --topics out",
        )
    quiet, step = replace(session, progress=SILENT), delayed(e_step, pure=False)
    chunks = [session.share(chunk) for chunk in cut(corpus)]  # each stays on one worker
    weights = initial(settings, corpus.n_words)
    label = f"fitting {settings.n_topics} topics to {corpus.n_users} users"
    with session.progress.track(label, settings.max_iter) as advance:
        for done in range(settings.max_iter):
            shared = quiet.share(factors(weights))
            parts = quiet.compute([step(chunk, shared, settings) for chunk in chunks], label)
            before, weights = weights, m_step(parts, settings)
            if movement(before, weights) < settings.tol:
                advance(settings.max_iter - done)
                break
            advance(1)
    return TopicModel(weights, corpus.vocabulary, corpus.surfaces, settings)


def infer_topics(
    session: Session, model: TopicModel, corpus: Corpus, partitions: int | None = None
) -> np.ndarray:
    """Infer what each user writes about.

    Parameters
    ----------
    session : Session
    model : TopicModel
    corpus : Corpus
    partitions : int, optional
        At most so many tasks; by default one for each 512 users.

    Returns
    -------
    float64 array of shape (n_users, n_topics)
        Shares; the same however the users are cut.
    """
    n_blocks = partitions or -(-corpus.n_users // _INFERRED_USERS)
    blocks = np.array_split(np.arange(corpus.n_users), max(1, min(n_blocks, corpus.n_users)))
    shared = session.share(model)
    tasks = [calling(_infer, corpus.take(rows))(shared) for rows in blocks]
    return np.concatenate(session.compute(tasks, "inferring topics"))


def fold_topics(
    session: Session, corpus: Corpus, folds: Sequence[Fold], settings: TopicSettings
) -> dict[int, np.ndarray]:
    """Fit topics inside each fold, on the documents of its training users alone.

    Parameters
    ----------
    session : Session
    corpus : Corpus
        A document a row of the table that is cross-validated.
    folds : sequence of Fold
    settings : TopicSettings

    Returns
    -------
    dict of int to float64 array of shape (n_users, n_topics)
        By the fold's number, the shares of all users under that fold's topics.
    """
    return {
        fold.number: infer_topics(
            session, fit_topics(session, corpus.take(fold.train), settings), corpus
        )
        for fold in folds
    }


def _infer(corpus: Corpus, model: TopicModel) -> np.ndarray:
    """Module-level, so that a worker finds it."""
    return model.transform(corpus)
