"""What a long search has finished, in a file that survives the run: JSON lines, one a trial."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import Any

from whybox.errors import RunError

__all__ = ["TrialLedger", "open_ledger"]


class TrialLedger(MutableMapping[str, dict[str, Any]]):
    """A mapping of keys to figures that only grows; made by `open_ledger`.

    Of each entry only its place in the file is held in memory, and each new one is on the disk
    before the assignment returns.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._places: dict[str, int] = {}
        self._end = 0
        for line in iter(stream.readline, b""):
            entry = _read(line)
            if entry is None:  # cut by whatever ended the run that wrote it
                break
            self._places[entry["key"]] = self._end
            self._end += len(line)
        stream.truncate(self._end)

    def __getitem__(self, key: str) -> dict[str, Any]:
        self._stream.seek(self._places[key])
        figures: dict[str, Any] = json.loads(self._stream.readline())["figures"]
        return figures

    def __setitem__(self, key: str, figures: dict[str, Any]) -> None:
        entry = {"key": key, "figures": figures}
        self._append(
            key, json.dumps(entry, separators=(",", ":"), allow_nan=False).encode() + b"\n"
        )
        self._sync()

    def __delitem__(self, key: str) -> None:
        raise TypeError("what was done stays done")

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def take_over(self, path: Path) -> None:
        """Add the whole entries of another ledger's file, as far as they are not here."""
        with path.open("rb") as stream:
            for line in stream:
                entry = _read(line)
                if entry is not None and entry["key"] not in self._places:
                    self._append(entry["key"], line)
        self._sync()

    def _append(self, key: str, line: bytes) -> None:
        self._stream.seek(self._end)
        self._stream.write(line)
        self._places[key], self._end = self._end, self._end + len(line)

    def _sync(self) -> None:
        self._stream.flush()
        os.fsync(self._stream.fileno())


@contextlib.contextmanager
def open_ledger(path: str | Path) -> Iterator[TrialLedger]:
    """Open a ledger for one run at a time.

    Parameters
    ----------
    path : path
        Made if it is not there. A last line that was cut is dropped.

    Yields
    ------
    TrialLedger

    Raises
    ------
    RunError
        If another run has it open, or it cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "trials.jsonl")
    ...     with open_ledger(path) as ledger:
    ...         ledger["a"] = {"accuracy": 0.5}
    ...     with open_ledger(path) as ledger:
    ...         ledger["a"], len(ledger)
    ({'accuracy': 0.5}, 1)
    """
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        stream = path.open("r+b")
    except OSError as error:
        raise RunError(f"cannot be written: {error.strerror}", where=str(path)) from error
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RunError(
                "locked: another run is at work here",
                where=str(path),
                remedy="wait for it to end, or write elsewhere",
            ) from error
        yield TrialLedger(stream)


def _read(line: bytes) -> dict[str, Any] | None:
    """One whole entry, or None."""
    if not line.endswith(b"\n"):
        return None
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    whole = isinstance(entry, dict) and entry.keys() >= {"key", "figures"}
    return entry if whole else None
