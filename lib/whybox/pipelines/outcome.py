"""What a verb has to tell when it is done: values for a machine, lines and tables for a person."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["Outcome", "Table"]


@dataclass(frozen=True)
class Table:
    """A small table: a title, the names of its columns, rows of cells."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Outcome:
    """The end of a run.

    Parameters
    ----------
    verb : str
    values : dict
        JSON-able: paths, counts, figures.
    lines : tuple of str
        The same for a person, a line each.
    tables : tuple of Table
        Shown before the lines.
    status : {"done", "already done", "degraded"}, default "done"

    Examples
    --------
    >>> Outcome("score", {"rows": 3}, ("3 users scored",)).as_dict()
    {'verb': 'score', 'status': 'done', 'rows': 3}
    """

    verb: str
    values: dict[str, Any]
    lines: tuple[str, ...] = ()
    tables: tuple[Table, ...] = field(default=())
    status: str = "done"

    @property
    def exit_code(self) -> int:
        """0 for what is done, 1 for a degraded run."""
        return int(self.status == "degraded")

    def as_dict(self) -> dict[str, Any]:
        """Return what ``--json`` prints."""
        return {"verb": self.verb, "status": self.status, **self.values}
