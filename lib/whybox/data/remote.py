"""Stored objects read in checked pieces: an error is tried again, and short data is an error.

A store may answer with an error of its own (500, SlowDown), break a body off, or not answer at
all.  Every request is tried again with growing pauses; every piece is compared with the length that
was asked for; and what fails for good fails with the object's name.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from typing import Any, TypeVar

from whybox.errors import RunError, WhyboxError

__all__ = ["ATTEMPTS", "RemoteFile", "attempt"]

ATTEMPTS = 6
PAUSE = 0.2
"""Seconds before the second attempt; each further pause is twice as long."""
_FIRST, _LARGEST = 1 << 20, 8 << 20
_FINAL = (FileNotFoundError, PermissionError, IsADirectoryError, WhyboxError)

T = TypeVar("T")


def attempt(operation: Callable[[], T], name: str) -> T:
    """Carry an operation out, up to `ATTEMPTS` times.

    Parameters
    ----------
    operation : callable
        Without arguments; may be repeated.
    name : str
        The object's, for the message.

    Returns
    -------
    object
        What the operation returned.

    Raises
    ------
    FileNotFoundError, PermissionError
        At once: they do not go away.
    RunError
        If every attempt failed.

    Examples
    --------
    >>> answers = iter([OSError("SlowDown"), 7])
    >>> def ask():
    ...     if isinstance(answer := next(answers), OSError):
    ...         raise answer
    ...     return answer
    >>> attempt(ask, "s3://bucket/key")
    7
    """
    for number in range(ATTEMPTS):
        try:
            return operation()
        except _FINAL:
            raise
        except Exception as error:  # stores raise exceptions of many families
            if number == ATTEMPTS - 1:
                raise RunError(
                    f"the store failed {ATTEMPTS} times: {type(error).__name__}: {error}",
                    where=name,
                    remedy="run again when it answers; nothing was published",
                ) from error
            time.sleep(PAUSE * 2**number)
    raise AssertionError("not reached")


class RemoteFile(io.RawIOBase):
    """An object for reading; pieces grow from 1 to 8 MiB, so that a look at the head is cheap.

    The size is that of the opening, and the store is asked for this very version where it can tell
    (S3: by its ETag), so that an object that changes meanwhile is an error.

    Parameters
    ----------
    fs : fsspec.AbstractFileSystem
    path : str
        As the file system knows it.

    Examples
    --------
    >>> import fsspec
    >>> fs = fsspec.filesystem("memory")
    >>> fs.pipe_file("/doctest", b"one two")
    >>> RemoteFile(fs, "/doctest").read(3)
    b'one'
    """

    def __init__(self, fs: Any, path: str) -> None:
        self.name = str(fs.unstrip_protocol(path))
        self._raw = attempt(lambda: fs.open(path, "rb", cache_type="none"), self.name)
        self.size = int(self._raw.size)
        self._place = self._held_from = 0
        self._held = b""
        self._step = _FIRST

    def readable(self) -> bool:
        """Tell that it can be read."""
        return True

    def seekable(self) -> bool:
        """Tell that it can be read from any place."""
        return True

    def tell(self) -> int:
        """Give the place of the next byte."""
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self.size}[whence]
        self._place = max(base + offset, 0)
        return self._place

    def read(self, size: int | None = -1) -> bytes:
        """Give the next bytes, as many as asked for unless the object ends.

        Raises
        ------
        RunError
            If the store fails, or gives fewer bytes than it has.
        """
        wanted = max(self.size - self._place, 0)
        if size is not None and size >= 0:
            wanted = min(wanted, size)
        start = self._place - self._held_from
        if not 0 <= start <= len(self._held) - wanted:
            self._fetch(max(wanted, min(self._step, self.size - self._place)))
            start = 0
        self._place += wanted
        return self._held[start : start + wanted]

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer."""
        found = self.read(len(buffer))
        buffer[: len(found)] = found
        return len(found)

    def close(self) -> None:
        """Let go of it."""
        if not self.closed:
            self._raw.close()
        super().close()

    def _fetch(self, length: int) -> None:
        """Hold the next bytes, all of them."""
        start = self._place

        def piece() -> bytes:
            self._raw.seek(start)
            found: bytes = self._raw.read(length)
            if len(found) != length:
                raise EOFError(f"{len(found)} of {length} bytes came, from byte {start} on")
            return found

        self._held = attempt(piece, self.name)
        self._held_from = start
        self._step = min(2 * self._step, _LARGEST)
