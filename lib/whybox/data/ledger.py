"""What a run has finished, part by part: JSON lines that survive the run.

A part is known by the hash of its input.  What a line says was done is done: the line is written
after the part's file is in its place, and a file is looked at again before it is used.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

from whybox._faults import fault_point
from whybox.errors import RunError

__all__ = ["Entry", "Ledger", "open_ledger", "read_entries"]


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
        Opened for reading and writing.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.done: dict[str, Entry] = {}
        self.attempts: Counter[str] = Counter()
        end = 0
        for entry, length in _entries(stream):
            self._note(entry)
            end += length
        stream.truncate(end)  # a last line that was cut
        stream.seek(end)

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
        line = json.dumps(asdict(entry), separators=(",", ":"), allow_nan=False)
        fault_point("ledger.before")
        try:
            self._stream.write(line.encode() + b"\n")
            self._stream.flush()
        except OSError as error:
            raise RunError(f"the ledger cannot be written: {error.strerror}") from error
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
        yield Ledger(stream)


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
            return [entry for entry, _ in _entries(stream)]
    except FileNotFoundError:
        return []


def forget(path: Path, live: Collection[str]) -> None:
    """Leave out the lines about inputs that no version has any more; one atomic step."""
    kept = [entry for entry in read_entries(path) if entry.input in live]
    partial = path.with_name(path.name + ".new")
    lines = [json.dumps(asdict(entry), separators=(",", ":")) + "\n" for entry in kept]
    partial.write_text("".join(lines), "utf-8")
    fault_point("ledger.rewritten")
    partial.replace(path)


def _entries(stream: IO[bytes]) -> Iterator[tuple[Entry, int]]:
    """Whole lines with their lengths, up to the first that is not."""
    for line in iter(stream.readline, b""):
        try:
            entry = Entry(**json.loads(line))
        except (ValueError, TypeError):
            return
        if not line.endswith(b"\n"):
            return
        yield entry, len(line)
