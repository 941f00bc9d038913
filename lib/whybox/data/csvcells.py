"""CSV files that a spreadsheet opens without running anything that stands in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["csv_text", "safe_cell"]

_RISKY = ("=", "+", "-", "@", "\t", "\r", "\0")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?(?:inf|nan)", re.ASCII)


def safe_cell(value: Any) -> Any:
    r"""Make a cell that no spreadsheet takes for a formula.

    Parameters
    ----------
    value : object

    Returns
    -------
    object
        A text that begins with = + - @, TAB, CR or NUL gets a leading apostrophe; a number stays,
        also one that is written as a text.

    Examples
    --------
    >>> safe_cell('=HYPERLINK("http://x","y")'), safe_cell("-1+1"), safe_cell("\t=1")
    ('\'=HYPERLINK("http://x","y")', "'-1+1", "'\t=1")
    >>> safe_cell(-0.5), safe_cell("-1.5e-3"), safe_cell("a-b")
    (-0.5, '-1.5e-3', 'a-b')
    """
    if isinstance(value, str) and value.startswith(_RISKY) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    r"""Write a table as CSV with safe cells.

    Parameters
    ----------
    header : sequence of str
        Names of columns; they may be data, too, and are made safe as well.
    rows : iterable of sequences
        None is an empty cell.

    Returns
    -------
    str
        Rows end in LF.

    Examples
    --------
    >>> csv_text(["model", "gain"], [["=cbpt", -0.25]])
    "model,gain\n'=cbpt,-0.25\n"
    """
    return "".join(",".join(map(_field, row)) + "\n" for row in (header, *rows))


def _field(value: Any) -> str:
    """Give a cell as it is written: empty ones and those with a line end (a lone CR too) quoted."""
    if value is None:
        return ""
    text = str(safe_cell(value))
    if not text or any(sign in text for sign in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text
