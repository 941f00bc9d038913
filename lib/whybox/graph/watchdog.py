"""Somebody who says so when nothing moves: which tasks run where, and for how long all is quiet.

A part that stands still is not ended: it may be the largest, or its worker may be swapping. Whoever
reads the line decides.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from whybox.graph.windows import workers_there
from whybox.progress import Progress

__all__ = ["describe", "watching"]

_MINUTES = 5.0
_SHOWN = 8


@contextlib.contextmanager
def watching(
    client: Any, label: str, progress: Progress, *, minutes: float = _MINUTES
) -> Iterator[Callable[[], None]]:
    """Watch over tasks under way.

    Parameters
    ----------
    client : distributed.Client or None
        None, tasks in this process, is not watched.
    label : str
        What the tasks do.
    progress : Progress
        Hears a line whenever no task was finished for so long, and again after as long.
    minutes : float, default 5

    Yields
    ------
    callable
        To be called when a task is finished.

    Examples
    --------
    >>> from whybox.progress import SILENT
    >>> with watching(None, "reading", SILENT) as moved:
    ...     moved()
    """
    if client is None:
        yield lambda: None
        return
    last, ended = [time.monotonic()], threading.Event()

    def moved() -> None:
        last[0] = time.monotonic()

    def watch() -> None:
        told = last[0]
        while not ended.wait(max(0.05, max(last[0], told) + 60 * minutes - time.monotonic())):
            now = time.monotonic()
            if now - max(last[0], told) >= 60 * minutes:
                told = now
                progress.say(_told(client, label, (now - last[0]) / 60))

    watcher = threading.Thread(target=watch, name="whybox-watchdog", daemon=True)
    watcher.start()
    try:
        yield moved
    finally:
        ended.set()
        watcher.join(timeout=10)


def describe(label: str, minutes: float, running: Mapping[str, Sequence[str]]) -> str:
    """Say what stands still.

    Parameters
    ----------
    label : str
    minutes : float
        How long no task was finished.
    running : mapping of str to sequence of str
        The keys of tasks that each worker has in hand.

    Returns
    -------
    str

    Examples
    --------
    >>> describe("reading", 5, {"a (tcp://127.0.0.1:9)": ["count-posts-0f", "count-posts-1e"]})
    'reading: nothing finished for 5 minutes; a (tcp://127.0.0.1:9) has count-posts-0f (and 1 more)'
    >>> describe("reading", 5, {})
    'reading: nothing finished for 5 minutes; no worker is connected'
    """
    head = f"{label}: nothing finished for {minutes:.3g} minutes; "
    if not running:
        return head + "no worker is connected"
    busy = [(worker, keys) for worker, keys in running.items() if keys]
    if not busy:
        return head + f"no task is on a worker, though {len(running)} are connected"
    shown = [
        f"{worker} has {keys[0]}" + (f" (and {len(keys) - 1} more)" if len(keys) > 1 else "")
        for worker, keys in busy[:_SHOWN]
    ]
    rest = f", and {len(busy) - _SHOWN} more workers" if len(busy) > _SHOWN else ""
    return head + ", ".join(shown) + rest


def _told(client: Any, label: str, minutes: float) -> str:
    """Ask the scheduler what runs where."""
    try:
        running = client.processing()
        known = workers_there(client)
    except Exception as error:  # the watchdog ends no run, whatever ails the connection
        return f"{label}: nothing finished for {minutes:.3g} minutes, and the scheduler: {error}"
    named = {
        f"{known.get(address, {}).get('name', '?')} ({address})": [str(key) for key in keys]
        for address, keys in running.items()
    }
    return describe(label, minutes, named)
