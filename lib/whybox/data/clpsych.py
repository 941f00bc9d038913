"""CLPsych 2015: archives of anonymised timelines, and one table with what is known of each person.

The table has the columns anonymized_screen_name, age, num_tweets, gender and condition (control,
depression or ptsd); its rows are the non-record ``profile``.  An archive (.tgz) holds files
``<name>.tweets``, JSON lines of tweets, whose author is ``<name>``, whatever the tweets say.
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from whybox.data.accounting import Tally
from whybox.data.csv import raw_row, read_rows
from whybox.data.jsonlines import split_lines
from whybox.data.source import Input, Source
from whybox.data.storage import CHUNK, Damage, read_chunks
from whybox.data.tweets import read_tweets
from whybox.errors import InputError

if TYPE_CHECKING:
    from whybox.data.blocks import Span

__all__ = ["PROFILES", "Person", "read", "read_people", "read_profiles"]

PROFILES = pa.schema([("user_id", pa.string()), ("age", pa.float64()), ("gender", pa.float64())])
"""Age in years; gender 0 for male, 1 for female; null where not known."""

_COLUMNS = ("anonymized_screen_name", "age", "gender", "condition")
_CONDITIONS = frozenset({"control", "depression", "ptsd"})
_GENDERS = {"m": 0.0, "male": 0.0, "f": 1.0, "female": 1.0}
_SUFFIX = ".tweets"


@dataclass(frozen=True)
class Person:
    """What the table says of a person.

    Examples
    --------
    >>> Person("depression", 24.5, 1.0).label
    'depression'
    """

    label: str
    age: float | None
    gender: float | None


def read(entry: Input, source: Source, span: Span | None, tally: Tally) -> Iterator[pa.Table]:
    """Read an archive of timelines, or the table of persons.

    Parameters
    ----------
    entry : Input
    source : Source
    span : Span or None
        Always None: an archive is read whole.
    tally : Tally
        Takes the accounts; the lines of an archive are those of its files, one after the other,
        and a file that holds no tweets is one line, the non-record ``other_file``. A file of a
        person who is not in the table is flagged ``unlisted_user``: its posts have no label.

    Yields
    ------
    pyarrow.Table
        With the schema `POSTS`; none of the table of persons.
    """
    source = replace(source, delimiter=",", quoting="standard")
    if entry.role == "profile":
        read_people(entry, source, tally)
        return
    table = Input(entry.index, entry.beside[0], 0, entry.beside[0])
    people = read_people(table, source, Tally())
    try:
        yield from _archive(entry, source, people, tally)
    except Damage as damage:
        tally.damage = str(damage)
    except tarfile.TarError as error:
        tally.damage = f"is no whole archive ({error})"


def _archive(
    entry: Input, source: Source, people: Mapping[str, Person], tally: Tally
) -> Iterator[pa.Table]:
    """Read the timelines of an archive."""
    stream: Any = _Stream(read_chunks(entry.path, source.storage_options))
    tally.encoding = "utf-8"
    with tarfile.open(fileobj=stream, mode="r|") as archive:
        for member in archive:
            name = member.name.rpartition("/")[2]
            timeline = archive.extractfile(member) if member.isfile() else None
            if timeline is None:
                continue
            if not name.endswith(_SUFFIX) or name.startswith("."):
                tally.skip("other_file")
                continue
            name = name.removesuffix(_SUFFIX)
            person = people.get(name)
            if person is None:
                tally.flagged["unlisted_user"] += 1
            units = split_lines(_chunks(timeline, tally), tally=tally)
            yield from read_tweets(units, tally, person.label if person else None, name)


def _chunks(file: Any, tally: Tally) -> Iterator[bytes]:
    """Give a file's bytes until the archive breaks off, which is noted before its last line."""
    try:
        yield from iter(lambda: file.read(CHUNK), b"")
    except Damage as damage:
        tally.damage = str(damage)
        raise
    except tarfile.TarError as error:
        tally.damage = f"is no whole archive ({error})"
        raise


class _Stream(io.RawIOBase):
    """Chunks as a file that can be read once."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self.chunks, self.rest = chunks, b""

    def read(self, size: int = -1) -> bytes:
        """Give at most ``size`` bytes; none at the end."""
        while not self.rest and (chunk := next(self.chunks, b"")):
            self.rest = chunk
        found, self.rest = self.rest[:size], self.rest[size:]
        return found


def read_people(entry: Input, source: Source, tally: Tally) -> dict[str, Person]:
    """Read the table of persons.

    Parameters
    ----------
    entry : Input
        The table.
    source : Source
    tally : Tally
        Takes the accounts: a row whose condition is not known (``bad_label``), or that
        contradicts an earlier one (``conflicting_profile``), goes to quarantine.

    Returns
    -------
    dict of str to Person
        By name; a person of two contradicting rows is left out.

    Raises
    ------
    InputError
        If a column is missing.
    """
    people: dict[str, Person] = {}
    contradicted: set[str] = set()
    places: dict[str, int] | None = None
    for fields in read_rows(entry, source, tally):
        if fields is None:
            tally.quarantine("csv_error", b"")
        elif not fields:
            tally.skip("blank")
        elif places is None:
            places = _places(fields, entry)
            tally.skip("header")
        elif len(fields) <= max(places.values()):
            tally.quarantine("field_count", raw_row(fields))
        else:
            name, *known = (fields[places[column]].strip() for column in _COLUMNS)
            if known[2] not in _CONDITIONS:
                tally.quarantine("bad_label", raw_row(fields))
                continue
            person = _person(known, tally)
            if people.setdefault(name, person) != person:
                contradicted.add(name)
                tally.quarantine("conflicting_profile", raw_row(fields))
            else:
                tally.skip("profile")
    return {name: person for name, person in people.items() if name not in contradicted}


def _places(header: Sequence[str], entry: Input) -> dict[str, int]:
    """Find the columns."""
    names = [name.strip() for name in header]
    missing = [column for column in _COLUMNS if column not in names]
    if missing:
        raise InputError(
            f"there is no column {', '.join(missing)}",
            where=entry.display,
            remedy="the table of persons has " + ", ".join(_COLUMNS),
        )
    return {column: names.index(column) for column in _COLUMNS}


def _person(known: Sequence[str], tally: Tally) -> Person:
    """Make a person of age, gender and condition; what is no number or gender is null."""
    age, gender, condition = known
    try:
        years = float(age) if age else None
    except ValueError:
        years = None
    if years is not None and not 0 <= years < 150:  # also what is no number at all
        years = None
    coded = _GENDERS.get(gender.lower())
    tally.coerced["age"] += bool(age) and years is None
    tally.coerced["gender"] += bool(gender) and coded is None
    return Person(condition, years, coded)


def read_profiles(inputs: Sequence[Input], source: Source) -> pa.Table:
    """Read age and gender of all persons.

    Parameters
    ----------
    inputs : sequence of Input
    source : Source

    Returns
    -------
    pyarrow.Table
        With the schema `PROFILES`, sorted by user_id, each once.

    Examples
    --------
    >>> read_profiles([], Source("clpsych")).num_rows
    0
    """
    people: dict[str, Person] = {}
    for entry in inputs:
        if entry.role == "profile":
            people = read_people(entry, source, Tally()) | people
    names = sorted(people)
    columns = [
        names,
        [people[name].age for name in names],
        [people[name].gender for name in names],
    ]
    return pa.table(columns, schema=PROFILES)
