"""Rows with a column map: values of any type and form become the columns of posts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from whybox.data.loosejson import Refused, clean, number
from whybox.data.schema import posts_table

if TYPE_CHECKING:
    from whybox.data.accounting import Tally

__all__ = ["ROWS", "MappedRows"]

ROWS = 8192
"""Rows of a table."""

_TRUE, _FALSE = {"true", "1", "yes", "t"}, {"false", "0", "no", "f", ""}


def _label(value: Any, field: str, tally: Tally) -> str | None:
    """Read a name of any kind as a string; an empty one is none."""
    if isinstance(value, dict | list):
        raise Refused("wrong_type")
    if isinstance(value, bool):
        return str(value).lower()
    return None if value is None or value == "" else clean(str(value), tally)


def _text(value: Any, field: str, tally: Tally) -> str:
    """Read the text."""
    if value is None:
        raise Refused("no_text")
    if not isinstance(value, str):
        raise Refused("wrong_type")
    return clean(value, tally)


def _time(value: Any, field: str, tally: Tally) -> str | None:
    """Read a time as it stands; whether it is one is seen later, a column at once."""
    if value is None or isinstance(value, str):
        return clean(value.strip(), tally) or None if value else None
    tally.coerced[field] += 1
    return None


def _flag(value: Any, field: str, tally: Tally) -> bool:
    """Read a truth value, also one written as a word."""
    word = str(value).strip().lower()
    if value is None or word in _FALSE:
        return False
    if word in _TRUE:
        return True
    raise Refused("wrong_type")


def _number(value: Any, field: str, tally: Tally) -> int | None:
    """Read a count; an empty one is none."""
    if isinstance(value, str):  # of a CSV: digits are the rule there, and no coercion
        value = value.strip()
        if value.isascii() and value.isdecimal() and len(value) < 19:
            return int(value)
        if not value:
            return None
        value = float(value) if value.removesuffix(".0").isdecimal() else value
    return number(value, field, tally)


_READERS: dict[str, Callable[[Any, str, Tally], Any]] = {
    "text": _text,
    "created_at": _time,
    "is_retweet": _flag,
    **dict.fromkeys(("label", "user_id", "lang", "post_id", "timezone"), _label),
}


class MappedRows:
    """Rows of one input that wait to become a table.

    Parameters
    ----------
    names : sequence of str
        Columns of `POSTS`, in the order in which the values will come; "text" is among them.
    tally : Tally
        Takes the accounts.

    Examples
    --------
    >>> from whybox.data.accounting import Tally
    >>> rows = MappedRows(["text", "friends"], Tally())
    >>> rows.add(["good", "12"])
    >>> rows.table().select(["text", "friends"]).to_pylist()
    [{'text': 'good', 'friends': 12}]
    """

    def __init__(self, names: Sequence[str], tally: Tally) -> None:
        self.names, self.tally = list(names), tally
        self.readers = [_READERS.get(name, _number) for name in self.names]
        self.lines: list[int] = []
        self.rows: list[list[Any]] = []

    def add(self, values: Sequence[Any]) -> None:
        """Take a row; raise `Refused` with the reason if it is to go to quarantine."""
        row = [
            read(value, name, self.tally)
            for read, value, name in zip(self.readers, values, self.names, strict=True)
        ]
        self.tally.lines += 1
        self.lines.append(self.tally.lines)
        self.rows.append(row)

    def is_full(self) -> bool:
        """Tell whether it is time for a table."""
        return len(self.rows) >= ROWS

    def table(self) -> pa.Table:
        """Make the table and start again."""
        columns = dict(zip(self.names, map(list, zip(*self.rows, strict=True)), strict=True))
        table = posts_table(self.tally, self.lines, columns.pop("text"), columns)
        self.lines, self.rows = [], []
        return table
