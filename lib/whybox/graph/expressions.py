"""Corpora on a session: parts are tokenised where they are read, merged once, and shared.

All that an encoded corpus depends on is the order of its documents, so that the cut into parts and
the number of workers change no byte. Folds are tasks over the one corpus, which is sent once.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping, Sequence
from typing import Any

import pyarrow as pa
from numpy.typing import ArrayLike

from whybox.expressions.analysis import Analyzer
from whybox.expressions.corpus import Corpus, encode
from whybox.expressions.estimator import DiscriminatoryExpressions
from whybox.graph.search import arrivals
from whybox.graph.session import Session
from whybox.model_selection.generalisation import Design, ReversedFolds, design_key, run_design

__all__ = ["encode_posts", "encode_texts", "fit_on_bag", "run_designs"]


def encode_texts(session: Session, texts: Any, analyzer: Analyzer | None = None) -> Corpus:
    """Encode a bag of texts, a task a partition.

    Parameters
    ----------
    session : Session
    texts : dask.bag.Bag of str
        Or of lists of tokens, if the analyzer says so.
    analyzer : Analyzer, optional
        Default: tweets in English.

    Returns
    -------
    Corpus
        The same, to the last byte, as ``whybox.expressions.encode`` makes of all texts at once.

    Raises
    ------
    InputError
        If the texts are none.

    Examples
    --------
    >>> import dask.bag
    >>> from whybox.graph import connect
    >>> with connect("sync") as session:
    ...     encode_texts(session, dask.bag.from_sequence(["old cats", "cat"], npartitions=2)).words
    ('old', 'cat')
    """
    from dask.delayed import delayed

    work = delayed(encode, pure=False)
    tasks = [work(part, analyzer) for part in texts.to_delayed()]
    return Corpus.merge(session.compute(tasks, "encoding texts"))


def encode_posts(
    session: Session, posts: Any, analyzer: Analyzer | None = None
) -> tuple[Corpus, pa.ChunkedArray]:
    """Encode the texts of posts where they are read.

    Parameters
    ----------
    session : Session
    posts : dask.bag.Bag of pyarrow.Table
        As `whybox.graph.posts_bag` gives it.
    analyzer : Analyzer, optional
        Default: tweets in English.

    Returns
    -------
    Corpus
        Of all posts, in the order of the input.
    pyarrow.ChunkedArray of string
        The label of each, null where it has none.

    Raises
    ------
    InputError
        If an input cannot be read.

    Examples
    --------
    >>> import dask.bag
    >>> from whybox.graph import connect
    >>> table = pa.table({"text": ["old cats", "cat"], "label": ["1", None]})
    >>> with connect("sync") as session:
    ...     corpus, labels = encode_posts(session, dask.bag.from_sequence([table]))
    >>> len(corpus), labels.to_pylist()
    (2, ['1', None])
    """
    from dask.delayed import delayed

    # a CSV file is read whole by one task, but its texts are tokenised by all workers
    n_pieces = 1 if session.client is None else session.n_workers
    cut = delayed(_cut, pure=False, nout=n_pieces)
    work = delayed(_encode_piece, pure=False)
    pieces = [piece for part in posts.to_delayed() for piece in cut(part, n_pieces)]
    found = session.compute([work(piece, analyzer) for piece in pieces], "encoding posts")
    corpora, labels = zip(*found, strict=True)
    return Corpus.merge(corpora), pa.chunked_array(labels, pa.string())


def fit_on_bag(
    session: Session, model: DiscriminatoryExpressions, texts: Any, y: ArrayLike | Any
) -> DiscriminatoryExpressions:
    """Fit expressions on a bag of texts: tokenised on the workers, mined here, where y is.

    Parameters
    ----------
    session : Session
    model : DiscriminatoryExpressions
    texts : dask.bag.Bag of str
    y : array_like (documents,) or dask.bag.Bag
        Labels, in the order of the texts.

    Returns
    -------
    DiscriminatoryExpressions
        `model`, fitted: the same as of a list of all texts.

    Raises
    ------
    InputError
        As ``fit`` raises it.

    Examples
    --------
    >>> import dask.bag
    >>> from whybox.graph import connect
    >>> texts = dask.bag.from_sequence(["so good", "bad"], npartitions=2)
    >>> with connect("sync") as session:
    ...     fit_on_bag(session, DiscriminatoryExpressions(), texts, [1, 0]).expressions_
    [('bad',), ('good',)]
    """
    corpus = encode_texts(session, texts, Analyzer(model.analyzer, model.language))
    if hasattr(y, "to_delayed"):
        parts = session.compute(y.to_delayed(), "gathering labels")
        y = [label for part in parts for label in part]
    return model.fit(corpus, y)


def run_designs(
    session: Session,
    folds: ReversedFolds,
    tasks: Sequence[tuple[Design, int]],
    ledger: MutableMapping[str, dict[str, Any]],
    label: str,
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Run designs on folds of one shared corpus, but not those that the ledger holds.

    Parameters
    ----------
    session : Session
    folds : ReversedFolds
    tasks : sequence of (Design, int)
        The design and the number of the fold that it learns from.
    ledger : mapping of key to figures
        Takes each result when it arrives.
    label : str
        What the work is, for whoever watches.

    Yields
    ------
    int, dict
        Position of a task and its figures, see `run_design`: first what was known, then the others
        as they arrive.

    Raises
    ------
    RunError
        A worker died under a task; what had arrived is in the ledger.
    """
    from dask.delayed import delayed

    fingerprint = folds.fingerprint()
    keys = [design_key(design, fold, fingerprint) for design, fold in tasks]
    missing = [at for at, key in enumerate(keys) if key not in ledger]
    for at in sorted(set(range(len(tasks))) - set(missing)):
        yield at, ledger[keys[at]]
    if not missing:
        return
    run, shared = delayed(run_design, pure=False), session.share(folds)
    for at, figures in arrivals(session, missing, lambda at: run(*tasks[at], shared), label):
        ledger[keys[at]] = figures
        yield at, figures


def _cut(tables: Sequence[pa.Table], n_pieces: int) -> list[pa.Table]:
    """Neighbouring rows of one partition, in as many tables as there are to be tasks."""
    table = pa.concat_tables(list(tables)).select(["text", "label"])
    cuts = [table.num_rows * k // n_pieces for k in range(n_pieces + 1)]
    return [table.slice(cuts[k], cuts[k + 1] - cuts[k]) for k in range(n_pieces)]


def _encode_piece(table: pa.Table, analyzer: Analyzer | None) -> tuple[Corpus, pa.Array]:
    """Module-level, so that a worker finds it."""
    labels = table["label"].cast(pa.string()).combine_chunks()
    return encode(table["text"].to_pylist(), analyzer), labels
