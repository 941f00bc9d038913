"""Who runs the trees of a round: this thread, several threads, or whoever gives a function for it.

The trees of a round are parts of one piece of work on one training set. An executor is given the
training set once a fit and may take it wherever the parts will run; with each round come only a
function of (training set, part) and the parts. It answers in their order, so no model depends on it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any

from whybox.cbpt.pruning import TrainingSet

__all__ = ["Executor", "RunParts", "Work", "here", "in_threads"]

Work = Callable[[TrainingSet, int], Any]
RunParts = Callable[[Work, Sequence[int]], Iterable[Any]]
Executor = Callable[[TrainingSet], AbstractContextManager[RunParts]]


def here(data: TrainingSet) -> RunParts:
    """Run the parts one after the other.

    Parameters
    ----------
    data : TrainingSet

    Returns
    -------
    callable
        Of the work and its parts.

    Examples
    --------
    >>> import numpy as np
    >>> data = TrainingSet.of(np.array([[0.0], [1.0]]), np.array([0, 1]), 2)
    >>> list(here(data)(lambda data, part: data.n_classes + part, [0, 5]))
    [2, 7]
    """
    return lambda work, parts: map(partial(work, data), parts)


@contextmanager
def in_threads(data: TrainingSet, n_jobs: int | None = None) -> Iterator[RunParts]:
    """Run the parts in threads, as the kernels hold no lock.

    Parameters
    ----------
    data : TrainingSet
    n_jobs : int, optional
        Threads, 1 by default; -1 means all processors, -2 all but one.

    Yields
    ------
    callable
        Of the work and its parts.

    Examples
    --------
    >>> import numpy as np
    >>> data = TrainingSet.of(np.array([[0.0], [1.0]]), np.array([0, 1]), 2)
    >>> with in_threads(data, 2) as run:
    ...     list(run(lambda data, part: data.n_classes + part, [0, 5]))
    [2, 7]
    """
    n_threads = n_jobs or 1
    if n_threads < 0:
        n_threads = max(1, (os.cpu_count() or 1) + 1 + n_threads)
    if n_threads == 1:
        yield here(data)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        yield lambda work, parts: pool.map(partial(work, data), parts)
