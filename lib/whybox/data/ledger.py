"""What a run has finished, part by part: JSON lines that survive the run.

A part is known by the hash of its input.  What a line says was done is done: the line is written
after the part's file is in its place, and a file is looked at again before it is used.  Lines are
sealed: one that was spoilt is passed over, and its part is computed again.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from io import FileIO
from pathlib import Path
from typing import IO, Any

from whybox._faults import fault_point
from whybox.data.sealed import seal_values, unseal_values
from whybox.errors import RunError

__all__ = ["Entry", "Ledger", "forget", "has_dead_lines", "open_ledger", "read_entries"]


@dataclass(frozen=True)
class Entry:
    """A line: one attempt at a part.

    Parameters
    ----------
    run : str
        Which run made it.
    part : str
        The part's name.
    input : str
        Hash of all that shaped it.
    output : str or None
        SHA-256 of its file; None if the attempt failed.
    attempt : int
        From 1.
    facts : mapping
        What has to be known of the part without opening it, or the error.

    Examples
    --------
    >>> Entry("r", "part-00000", "0a", "0b", 1).output
    '0b'
    """

    run: str
    part: str
    input: str
    output: str | None
    attempt: int
    facts: Mapping[str, Any] = field(default_factory=dict)


class Ledger:
    """The lines of a file that only grows; made by `open_ledger`.

    Parameters
    ----------
    stream : file object
        Opened for appending, without a buffer: what could not be written is not tried again later.
    entries : iterable of Entry
        That it has.
    """

    def __init__(self, stream: FileIO, entries: Iterable[Entry] = ()) -> None:
        self._stream = stream
        self.done: dict[str, Entry] = {}
        self.attempts: Counter[str] = Counter()
        for entry in entries:
            self._note(entry)

    def add(
        self, run: str, part: str, input: str, output: str | None, facts: Mapping[str, Any]
    ) -> Entry:
        """Write a line.

        Parameters
        ----------
        run, part, input, output, facts
            See `Entry`.

        Returns
        -------
        Entry
            With the number of the attempt.
        """
        entry = Entry(run, part, input, output, self.attempts[input] + 1, facts)
        left = memoryview(_line(entry))
        fault_point("ledger.before")
        try:
            while left:
                left = left[self._stream.write(left) :]
        except OSError as error:
            raise RunError(
                f"the ledger cannot be written: {error.strerror}",
                where=str(self._stream.name),
                remedy="make room, and run again: what is finished is kept",
            ) from error
        fault_point("ledger.after")
        self._note(entry)
        return entry

    def _note(self, entry: Entry) -> None:
        self.attempts[entry.input] = max(self.attempts[entry.input], entry.attempt)
        if entry.output is not None:
            self.done[entry.input] = entry


@contextmanager
def open_ledger(path: Path) -> Iterator[Ledger]:
    """Open a ledger; the caller holds the lock of its folder.

    Parameters
    ----------
    path : pathlib.Path
        Made if it is not there.  A last line that was cut is dropped.

    Yields
    ------
    Ledger

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "ledger.jsonl")
    ...     for _ in range(2):
    ...         with open_ledger(path) as ledger:
    ...             attempt = ledger.add("r", "part-00000", "0a", "0b", {}).attempt
    ...     attempt, len(ledger.done)
    (2, 1)
    """
    path.touch()
    with path.open("r+b") as stream:
        entries = list(_entries(stream))
        os.truncate(path, _end_of_lines(stream))
    with path.open("ab", buffering=0) as ledger:
        yield Ledger(ledger, entries)


def read_entries(path: Path) -> list[Entry]:
    """Read a ledger that perhaps is being written.

    Parameters
    ----------
    path : pathlib.Path

    Returns
    -------
    list of Entry
        Empty if there is none.

    Examples
    --------
    >>> read_entries(Path("no/such.jsonl"))
    []
    """
    try:
        with path.open("rb") as stream:
            return list(_entries(stream))
    except FileNotFoundError:
        return []


def has_dead_lines(path: Path, live: Collection[str]) -> bool:
    """Tell whether `forget` would leave something out."""
    return any(entry.input not in live for entry in read_entries(path))


def forget(path: Path, live: Collection[str]) -> None:
    """Leave out the lines about inputs that no version has any more; one atomic step."""
    partial = path.with_name(f"{path.name}.partial.0")
    kept = (entry for entry in read_entries(path) if entry.input in live)
    partial.write_bytes(b"".join(map(_line, kept)))
    fault_point("ledger.rewritten")
    partial.replace(path)


def _line(entry: Entry) -> bytes:
    """A line as it is written; NaN is no JSON."""
    text = json.dumps(seal_values(asdict(entry)), separators=(",", ":"), allow_nan=False)
    return text.encode() + b"\n"


def _entries(stream: IO[bytes]) -> Iterator[Entry]:
    """Whole lines; what was spoilt, or cut at the end, is passed over."""
    for line in stream:
        try:
            entry = Entry(**unseal_values(json.loads(line)))
        except (ValueError, TypeError, RecursionError):
            continue
        if line.endswith(b"\n"):
            yield entry


def _end_of_lines(stream: IO[bytes]) -> int:
    """Where the last line ends that has an end."""
    stream.seek(0)
    return stream.read().rfind(b"\n") + 1
