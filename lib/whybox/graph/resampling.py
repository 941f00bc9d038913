"""One fit spread over workers: the training set is sent once, each round's trees are tasks.

This is for a fit that outgrows a process; many fits (folds, candidates) are better run side by
side, each in one process. ``docs/benchmarks.md`` says from which size it pays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from whybox.cbpt.ensemble import PrunedTreeBoosting
from whybox.cbpt.executors import RunParts, Work
from whybox.cbpt.pruning import TrainingSet
from whybox.graph.session import Session
from whybox.progress import SILENT

__all__ = ["fit_on_workers", "resident"]

Model = TypeVar("Model", bound=PrunedTreeBoosting)


def fit_on_workers(
    session: Session, estimator: Model, X: object, y: object, sample_weight: object = None
) -> Model:
    """Fit a boosting of pruned trees, the trees of each round being grown on a session's workers.

    Call it from where the session was opened, never inside a task.

    Parameters
    ----------
    session : Session
    estimator : CBPTClassifier or AdaBoostPTClassifier
        Its ``n_jobs`` is not looked at.
    X : array-like or DataFrame (rows, features)
        Held by every worker, some 20 bytes a value, until the fit ends.
    y : array-like (rows,)
    sample_weight : array-like (rows,), optional

    Returns
    -------
    estimator
        Fitted: the same model, to the last bit, as ``fit`` gives.

    Raises
    ------
    InputError
        As ``fit`` raises it.
    RunError
        A worker was lost.

    Examples
    --------
    >>> from whybox.cbpt import CBPTClassifier
    >>> from whybox.graph import connect
    >>> with connect("sync") as session:
    ...     model = fit_on_workers(session, CBPTClassifier(random_state=0), [[0.0], [1.0]], [3, 7])
    >>> model.predict([[2.0]])
    array([7])
    """
    with session.progress.track("boosting rounds", estimator.n_estimators) as advance:
        return estimator.fit_by(partial(resident, session, advance=advance), X, y, sample_weight)


@contextmanager
def resident(
    session: Session, data: TrainingSet, advance: Callable[[int], object] | None = None
) -> Iterator[RunParts]:
    """Run the parts of a round where the training set is: on all workers, sent once.

    A round is one task a worker, which does several parts, so that the weights travel once a
    worker. An executor as ``fit_by`` of the classifiers takes it, with the session bound.

    Parameters
    ----------
    session : Session
    data : TrainingSet
    advance : callable, optional
        Told of each round.

    Yields
    ------
    callable
        Of the work and its parts.

    Examples
    --------
    >>> from whybox.graph import connect
    >>> data = TrainingSet.of(np.array([[0.0], [1.0]]), np.array([0, 1]), 2)
    >>> with connect("sync") as session, resident(session, data) as run:
    ...     run(lambda data, part: data.n_classes + part, [0, 5])
    [2, 7]
    """
    from dask.delayed import delayed

    quiet, shared, task = replace(session, progress=SILENT), session.share(data), delayed(_run_all)
    n_workers = session.n_workers

    def run(work: Work, parts: Any) -> list[Any]:
        hands = np.array_split(np.asarray(parts), min(n_workers, len(parts)))
        answers = quiet.compute(
            [task(shared, work, hand.tolist(), pure=False) for hand in hands], "growing trees"
        )
        if advance is not None:
            advance(1)
        return [answer for hand in answers for answer in hand]

    yield run


def _run_all(data: TrainingSet, work: Work, parts: list[int]) -> list[Any]:
    """Module-level, so that a worker finds it."""
    return [work(data, part) for part in parts]
