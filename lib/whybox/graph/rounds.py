"""Scoring all parts on a session: look at each, compute what is not there yet, note it in the ledger."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whybox.data.dealing import part_name
from whybox.data.ledger import Ledger
from whybox.data.storage import file_sha256
from whybox.data.versions import fetched, is_store
from whybox.data.workplace import Workplace
from whybox.errors import RunError
from whybox.graph.calls import calling
from whybox.graph.parts import Scoring, look_at_part, score_part
from whybox.graph.people import Crowd
from whybox.graph.session import Session
from whybox.graph.windows import Failed

__all__ = ["Failure", "FinishedPart", "Round", "is_whole", "score_parts"]


@dataclass(frozen=True)
class FinishedPart:
    """A part that is done.

    Parameters
    ----------
    number : int
    input, output : str
        Hashes of all that shaped it, and of its file.
    path : pathlib.Path
        The file.
    facts : mapping
        See `whybox.graph.parts.Scored`.
    """

    number: int
    input: str
    output: str
    path: Path
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class Failure:
    """A part that could not be done.

    Parameters
    ----------
    name : str
    n_people : int
    why : str
    """

    name: str
    n_people: int
    why: str


@dataclass(frozen=True)
class Round:
    """What became of all parts.

    Parameters
    ----------
    parts : list of FinishedPart
        By number.
    failed : list of Failure
    """

    parts: list[FinishedPart]
    failed: list[Failure]


@dataclass(frozen=True)
class _Seen:
    """A part whose input is known."""

    number: int
    input: str
    version: str
    n_people: int


def score_parts(
    session: Session,
    place: Workplace,
    ledger: Ledger,
    crowd: Crowd,
    scoring: Scoring,
    run: str,
) -> Round:
    """Score the people of every part that is not done yet.

    Parameters
    ----------
    session : Session
    place : Workplace
        Its subfolder ``parts`` has the files.
    ledger : Ledger
        Of what earlier runs have done; a line is added for each part that is computed.
    crowd : Crowd
    scoring : Scoring
    run : str
        For the ledger.

    Returns
    -------
    Round
        A part that failed, or kills its worker each time, hinders no other.
    """
    folder = place.folder("parts")
    seen, failed = _look(session, crowd, scoring)
    done: dict[int, FinishedPart] = {}
    for part in seen:
        entry = ledger.done.get(part.input)
        path = folder / f"{part.input}.parquet"
        if entry is not None and entry.output is not None and _has(path, entry.output):
            done[part.number] = FinishedPart(
                part.number, part.input, entry.output, path, entry.facts
            )
    missing = [part for part in seen if part.number not in done]
    tasks = _tasks(crowd, scoring, missing, folder)
    for number, result in session.stream(tasks, "scoring parts", len(missing)):
        part = missing[number]
        name = part_name(part.number)
        if isinstance(result, Failed):
            why = str(result.explained(f"scoring {name}"))
            ledger.add(run, name, part.input, None, {"error": why})
            failed.append(Failure(name, part.n_people, why))
            continue
        ledger.add(run, name, part.input, result.output, result.facts)
        path = folder / f"{part.input}.parquet"
        done[part.number] = FinishedPart(part.number, part.input, result.output, path, result.facts)
    _check_rows(seen, done)
    return Round([done[number] for number in sorted(done)], failed)


def is_whole(out: str, parts: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether the files of the version that stands are what they were; a store's are trusted.

    Parameters
    ----------
    out : str
    parts : sequence of mapping
        Of its manifest.

    Returns
    -------
    bool
    """
    if is_store(out):
        return True
    with fetched(out) as folder:
        return all(_has(folder / part["path"], part["sha256"]) for part in parts)


def _look(session: Session, crowd: Crowd, scoring: Scoring) -> tuple[list[_Seen], list[Failure]]:
    """Learn each part's input."""
    digest = scoring.digest()
    tasks = (
        calling(look_at_part, crowd.for_task(part), part, digest)() for part in range(crowd.n_parts)
    )
    seen: list[_Seen] = []
    failed: list[Failure] = []
    for number, result in session.stream(tasks, "looking at parts", crowd.n_parts):
        if isinstance(result, Failed):
            name = part_name(number)
            failed.append(Failure(name, 0, str(result.explained(f"reading {name}"))))
        else:
            seen.append(_Seen(number, *result))
    return sorted(seen, key=lambda part: part.number), failed


def _tasks(crowd: Crowd, scoring: Scoring, parts: Sequence[_Seen], folder: Path) -> Iterable[Any]:
    """A task a part, made when it is asked for."""
    for part in parts:
        mine = crowd.for_task(part.number)
        yield calling(
            score_part, mine, part.number, part.version, scoring, part.input, str(folder)
        )()


def _has(path: Path, sha256: str) -> bool:
    """Tell whether a file is there, and is what it was."""
    return path.is_file() and file_sha256(str(path)) == sha256


def _check_rows(seen: Sequence[_Seen], done: Mapping[int, FinishedPart]) -> None:
    """Rows out are users in, part by part."""
    for part in seen:
        if part.number in done and done[part.number].facts["rows"] != part.n_people:
            raise RunError(
                f"{part_name(part.number)} has {done[part.number].facts['rows']} rows for "
                f"{part.n_people} users",
                remedy="this is a defect: please report it",
            )
