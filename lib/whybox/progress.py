"""How long work tells of itself: a protocol that the command line fills and libraries ignore."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

__all__ = ["SILENT", "Progress"]


class Progress(Protocol):
    """Somebody who wants to hear how far the work is."""

    def track(self, label: str, total: int) -> AbstractContextManager[Callable[[int], None]]:
        """Open a step of ``total`` pieces; call what it gives with the pieces just done."""

    def say(self, message: str) -> None:
        """Tell one line."""


class _Silent:
    """Listens to nothing.

    Examples
    --------
    >>> with SILENT.track("reading", 3) as advance:
    ...     advance(1)
    """

    @contextmanager
    def track(self, label: str, total: int) -> Iterator[Callable[[int], None]]:
        yield lambda n: None

    def say(self, message: str) -> None:
        return None


SILENT: Progress = _Silent()
