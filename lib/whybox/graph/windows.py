"""Many tasks, a few at a time: the scheduler's graph stays small, and one bad task ends nothing.

A task that fails, or whose worker dies each time, is given back as a `Failed` in its place.  The
scheduler blames every task that was on a worker when it died; so those it gave up are tried once
more, each alone, and only what dies alone is to blame.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

from whybox.errors import RunError, WhyboxError

__all__ = ["Failed", "in_turn", "in_windows", "scheduler_there", "window_of", "workers_there"]

_LEAST_WINDOW = 16
_TASKS_A_THREAD = 4


@dataclass(frozen=True)
class Failed:
    """A task without a result.

    Parameters
    ----------
    error : Exception
        What it raised.
    killed : bool
        Its worker died each time.

    Examples
    --------
    >>> Failed(ValueError("two"), False).explained("adding").what
    'adding failed: ValueError: two'
    """

    error: Exception
    killed: bool

    def explained(self, label: str) -> WhyboxError:
        """Give the error as one that explains itself."""
        if isinstance(self.error, WhyboxError):
            return self.error
        error = self._told(label)
        error.__cause__ = self.error
        return error

    def _told(self, label: str) -> RunError:
        """Say in one sentence what happened."""
        if self.killed:
            return RunError(
                f"{label} failed: the worker died each time (killed, or out of memory)",
                remedy="look at the input, give the workers more memory, or run again",
            )
        return RunError(
            f"{label} failed: {type(self.error).__name__}: {self.error}",
            remedy="run again with --debug for the traceback, or with --scheduler sync",
        )


def window_of(client: Any) -> int:
    """Tell how many tasks keep the workers busy.

    Parameters
    ----------
    client : distributed.Client

    Returns
    -------
    int

    Raises
    ------
    RunError
        The scheduler is gone.
    """
    n_threads = sum(int(worker["nthreads"]) for worker in workers_there(client).values())
    return max(_LEAST_WINDOW, _TASKS_A_THREAD * n_threads)


def workers_there(client: Any) -> dict[str, Any]:
    """Ask the scheduler for its workers.

    Parameters
    ----------
    client : distributed.Client

    Returns
    -------
    dict
        By address, what Dask tells of each.

    Raises
    ------
    RunError
        The scheduler is gone.
    """
    from distributed.comm.core import CommClosedError

    with scheduler_there(OSError):
        told = client.scheduler_info(n_workers=-1)
        if "workers" not in told:  # a client that has lost its scheduler knows nothing at all
            raise CommClosedError("no answer")
    workers: dict[str, Any] = told["workers"]
    return workers


def in_turn(tasks: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    """Compute tasks in this process, one after the other.

    Parameters
    ----------
    tasks : iterable of dask.delayed.Delayed

    Yields
    ------
    tuple of int and object
        A task's number, and its result or a `Failed`.

    Examples
    --------
    >>> from dask.delayed import delayed
    >>> [(n, value) for n, value in in_turn([delayed(abs)(-3)])]
    [(0, 3)]
    """
    for number, task in enumerate(tasks):
        try:
            yield number, task.compute(scheduler="synchronous")
        except WhyboxError as error:
            yield number, Failed(error, False)


def in_windows(
    client: Any, tasks: Iterable[Any], window: int, retries: int = 0
) -> Iterator[tuple[int, Any]]:
    """Compute tasks on workers, at most ``window`` of them under way.

    Parameters
    ----------
    client : distributed.Client
    tasks : iterable of dask.delayed.Delayed
        Taken as there is room.
    window : int
    retries : int, default 0
        Further tries of a task that raised something else than a `WhyboxError`.

    Yields
    ------
    tuple of int and object
        A task's number, and its result or a `Failed`, as they are done.  What is under way when
        the caller stops is cancelled.

    Raises
    ------
    RunError
        The scheduler is gone.
    """
    from dask.graph_manipulation import clone

    suspects: dict[int, Any] = {}
    yield from _through(client, enumerate(tasks), window, retries, suspects)
    # under a new name: of the old one the scheduler remembers how often a worker died with it
    alone = ((number, clone(task)) for number, task in sorted(suspects.items()))
    yield from _through(client, alone, 1, retries, None)


def _through(
    client: Any,
    numbered: Iterator[tuple[int, Any]],
    window: int,
    retries: int,
    suspects: dict[int, Any] | None,
) -> Iterator[tuple[int, Any]]:
    """One pass; tasks that the scheduler gave up are held as suspects, if there is a place for them."""
    from distributed import as_completed

    done = as_completed(loop=client.loop, raise_errors=False)
    under_way: dict[Any, tuple[int, Any]] = {}

    def submit(count: int) -> None:
        if not (for_now := list(islice(numbered, count))):
            return  # even an empty graph is a message to the scheduler
        futures = client.compute([task for _, task in for_now], retries=retries)
        under_way.update(zip(futures, for_now, strict=True))
        done.update(futures)

    try:
        with scheduler_there():
            submit(window)
        while under_way:
            with scheduler_there():
                future = next(done)
                number, task = under_way.pop(future)
                result = _result(future)
            if isinstance(result, Failed) and result.killed and suspects is not None:
                suspects[number] = task
            else:
                yield number, result
            with scheduler_there():
                future.release()  # nothing is kept on the workers
                submit(1)
    finally:
        with suppress(*_gone()):
            client.cancel(list(under_way))


@contextmanager
def scheduler_there(*more: type[BaseException]) -> Iterator[None]:
    """Explain what Dask raises in many ways when the scheduler is gone.

    Parameters
    ----------
    *more : type
        Errors that mean the same where nothing but the scheduler is asked: an OSError, which
        elsewhere may be of a file.

    Raises
    ------
    RunError
        In the place of Dask's own errors, and none that is not about the connection.

    Examples
    --------
    >>> from distributed.comm.core import CommClosedError
    >>> with scheduler_there():
    ...     raise CommClosedError("in <TCP (closed) ...>")
    Traceback (most recent call last):
    whybox.errors.RunError: the scheduler is gone, and with it what was under way: run again: ...
    """
    try:
        yield
    except (*_gone(), *more) as error:
        raise RunError(
            "the scheduler is gone, and with it what was under way",
            remedy="run again: what is finished is kept",
        ) from error


def _gone() -> tuple[type[BaseException], ...]:
    """What Dask raises when the scheduler is gone."""
    from distributed import CancelledError
    from distributed.client import ClosedClientError
    from distributed.comm.core import CommClosedError

    return CancelledError, ClosedClientError, CommClosedError


def _result(future: Any) -> Any:
    """What a future has; waits if its worker died with the result, which is then computed again."""
    from distributed import CancelledError, KilledWorker

    try:
        return future.result()
    except CancelledError:
        raise
    except Exception as error:
        return Failed(error, isinstance(error, KilledWorker))
