"""Where every line of every input went: lines = records + non-records + quarantined.

`Tally` is filled while one input is read; `Counts` is what remains of it, a value that adds up
over slices of a file and over files, in any grouping; `InputCounts` names the file it is about.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from whybox.errors import RunError

__all__ = ["QUARANTINE", "Accounting", "Counts", "InputCounts", "Tally", "line_hash"]

QUARANTINE = pa.schema(
    [
        pa.field("input", pa.int32(), nullable=False),
        pa.field("line", pa.int64(), nullable=False),
        pa.field("reason", pa.string(), nullable=False),
        pa.field("sha256", pa.string(), nullable=False),
    ]
)
"""One row a line that was not understood or contradicts others: where, why, a hash, no text."""


def line_hash(raw: bytes) -> str:
    """Hash a raw line, so that it can be recognised without being shown.

    Parameters
    ----------
    raw : bytes
        The line without its end (of a CSV: the row's fields joined by U+001F, as UTF-8).

    Returns
    -------
    str
        SHA-256, hexadecimal.

    Examples
    --------
    >>> line_hash(b"{broken")[:8]
    'be302461'
    """
    return hashlib.sha256(raw).hexdigest()


def _sum(a: Mapping[str, int], b: Mapping[str, int]) -> dict[str, int]:
    """Add two counts by name, names sorted."""
    return {name: a.get(name, 0) + b.get(name, 0) for name in sorted({*a, *b})}


@dataclass(frozen=True)
class Counts:
    """The accounts of one input, of a slice of it, or of many together.

    Parameters
    ----------
    lines, records : int
        Lines (elements, CSV rows) seen, and posts among them.
    non_records : mapping of str to int
        Lines known and handled by a rule, by kind: ``blank``, ``delete``, ``duplicate``, ...
    quarantined : mapping of str to int
        Lines not understood or contradictory, by reason.
    coerced : mapping of str to int
        Values that had the wrong type or form and were mended (or made null), by field.
    flagged : mapping of str to int
        Values with something to know about, by flag: ``truncated``, ``empty_text``,
        ``invalid_utf8``, ``lone_surrogate``, ``nul``, ``post_id_mismatch``, ...
    encoding : str or None
        The encoding that decoded the input.
    partial : bool
        True if a damaged input was salvaged: its whole lines only.

    Examples
    --------
    >>> a = Counts(lines=3, records=2, non_records={"blank": 1})
    >>> b = Counts(lines=1, quarantined={"not_json": 1})
    >>> (a + b).lines, (a + b).non_records, (a + b).quarantined
    (4, {'blank': 1}, {'not_json': 1})
    """

    lines: int = 0
    records: int = 0
    non_records: Mapping[str, int] = field(default_factory=dict)
    quarantined: Mapping[str, int] = field(default_factory=dict)
    coerced: Mapping[str, int] = field(default_factory=dict)
    flagged: Mapping[str, int] = field(default_factory=dict)
    encoding: str | None = None
    partial: bool = False

    def __add__(self, other: Counts) -> Counts:
        """Add slices in the order of the input (associative)."""
        return Counts(
            self.lines + other.lines,
            self.records + other.records,
            _sum(self.non_records, other.non_records),
            _sum(self.quarantined, other.quarantined),
            _sum(self.coerced, other.coerced),
            _sum(self.flagged, other.flagged),
            self.encoding or other.encoding,
            self.partial or other.partial,
        )

    def check(self, where: str) -> Counts:
        """Insist that every line is accounted for.

        Parameters
        ----------
        where : str
            The input's name, for the message.

        Returns
        -------
        Counts
            Itself.

        Raises
        ------
        RunError
            If lines differ from records + non-records + quarantined.

        Examples
        --------
        >>> Counts(lines=2, records=2).check("posts.jsonl").records
        2
        """
        found = self.records + sum(self.non_records.values()) + sum(self.quarantined.values())
        if found != self.lines:
            raise RunError(
                f"{self.lines} lines were read, but {found} are accounted for",
                where=where,
                remedy="this is a defect of the reader: please report it with the manifest",
            )
        return self

    def without_records(
        self, non_records: Mapping[str, int], quarantined: Mapping[str, int]
    ) -> Counts:
        """Take records out again, as non-records or into quarantine.

        Parameters
        ----------
        non_records, quarantined : mapping of str to int
            How many records leave, by kind and by reason.

        Returns
        -------
        Counts

        Examples
        --------
        >>> Counts(lines=3, records=3).without_records({"duplicate": 1}, {}).records
        2
        """
        leaving = sum(non_records.values()) + sum(quarantined.values())
        return replace(
            self,
            records=self.records - leaving,
            non_records=_sum(self.non_records, non_records),
            quarantined=_sum(self.quarantined, quarantined),
        )

    def as_dict(self) -> dict[str, Any]:
        """Give the manifest's form: plain dicts, names sorted.

        Returns
        -------
        dict

        Examples
        --------
        >>> Counts(lines=1, records=1).as_dict()["lines"]
        1
        """
        return {
            "lines": self.lines,
            "records": self.records,
            "non_records": dict(sorted(self.non_records.items())),
            "quarantined": dict(sorted(self.quarantined.items())),
            "coerced": dict(sorted(self.coerced.items())),
            "flagged": dict(sorted(self.flagged.items())),
            "encoding": self.encoding,
            "partial": self.partial,
        }


@dataclass(frozen=True)
class InputCounts:
    """The accounts of one input file.

    Parameters
    ----------
    path : str
        The name to show: for ttdd the folder and a pseudonym.
    bytes : int
        Size of the file as stored (compressed).
    sha256 : str
        Of the file as stored.
    counts : Counts

    Examples
    --------
    >>> InputCounts("a.csv", 9, "00", Counts(lines=1, records=1)).as_dict()["path"]
    'a.csv'
    """

    path: str
    bytes: int
    sha256: str
    counts: Counts

    def as_dict(self) -> dict[str, Any]:
        """Give the manifest's entry.

        Returns
        -------
        dict

        Examples
        --------
        >>> sorted(InputCounts("a", 0, "", Counts()).as_dict())[:3]
        ['bytes', 'coerced', 'encoding']
        """
        head = {"path": self.path, "bytes": self.bytes, "sha256": self.sha256}
        return head | self.counts.as_dict()


@dataclass(frozen=True)
class Accounting:
    """The accounts of a run: one `InputCounts` an input, and their sum.

    Parameters
    ----------
    inputs : tuple of InputCounts

    Examples
    --------
    >>> accounts = Accounting((InputCounts("a", 0, "", Counts(lines=2, records=2)),))
    >>> accounts.total.records, [entry.path for entry in accounts]
    (2, ['a'])
    """

    inputs: tuple[InputCounts, ...]

    def __iter__(self) -> Iterator[InputCounts]:
        return iter(self.inputs)

    def __len__(self) -> int:
        return len(self.inputs)

    @property
    def total(self) -> Counts:
        """The sum over all inputs."""
        return sum((entry.counts for entry in self.inputs), Counts())

    @property
    def lines(self) -> int:
        """Lines of all inputs."""
        return self.total.lines

    @property
    def records(self) -> int:
        """Posts of all inputs."""
        return self.total.records

    @property
    def non_records(self) -> Mapping[str, int]:
        """Lines handled by a rule, by kind."""
        return self.total.non_records

    @property
    def quarantined(self) -> Mapping[str, int]:
        """Lines in quarantine, by reason."""
        return self.total.quarantined


@dataclass
class Tally:
    """What a reader writes down while it reads one input, or a slice of it.

    Parameters
    ----------
    input : int, default=0
        The input's place in the run's list.

    Examples
    --------
    >>> tally = Tally()
    >>> tally.skip("blank")
    >>> tally.quarantine("not_json", b"{")
    >>> tally.counts().non_records, tally.counts().quarantined
    ({'blank': 1}, {'not_json': 1})
    """

    input: int = 0
    lines: int = 0
    records: int = 0
    non_records: Counter[str] = field(default_factory=Counter)
    quarantined: Counter[str] = field(default_factory=Counter)
    coerced: Counter[str] = field(default_factory=Counter)
    flagged: Counter[str] = field(default_factory=Counter)
    encoding: str | None = None
    damage: str | None = None
    quarantine_rows: list[tuple[int, str, str]] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)

    def skip(self, kind: str) -> None:
        """Count a line that a rule handles."""
        self.lines += 1
        self.non_records[kind] += 1

    def quarantine(self, reason: str, raw: bytes) -> None:
        """Count a line that is not understood, and note where it is."""
        self.lines += 1
        self.quarantined[reason] += 1
        self.quarantine_rows.append((self.lines, reason, line_hash(raw)))

    def counts(self) -> Counts:
        """Give the accounts as a value."""
        return Counts(
            self.lines,
            self.records,
            _sum(self.non_records, {}),
            _sum(self.quarantined, {}),
            _sum(self.coerced, {}),
            _sum(self.flagged, {}),
            self.encoding,
            self.damage is not None,
        )

    def quarantine_table(self) -> pa.Table:
        """Give the quarantined lines as a table of schema `QUARANTINE`."""
        lines, reasons, hashes = (
            zip(*self.quarantine_rows, strict=True) if (self.quarantine_rows) else ((), (), ())
        )
        inputs = [self.input] * len(lines)
        return pa.table([inputs, list(lines), list(reasons), list(hashes)], schema=QUARANTINE)
