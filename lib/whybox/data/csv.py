"""CSV files as they are found: any encoding, any row end, line ends inside fields, quoted or not.

The encoding is strict UTF-8 over the whole file, else latin-1, unless one is given.  The row end
(CR LF, LF or CR) is that of the first row; all other line ends are data.  Python's csv module
takes both CR and LF for a row end wherever they stand outside quotation marks, so those that are
data travel through it as lone surrogates, which no decoded text can hold.
"""

from __future__ import annotations

import codecs
import csv
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from whybox.data.loosejson import Refused
from whybox.data.mapped import MappedRows
from whybox.data.source import ColumnMap
from whybox.data.storage import CHUNK, Damage, read_chunks
from whybox.errors import InputError

if TYPE_CHECKING:
    from whybox.data.accounting import Tally
    from whybox.data.blocks import Span
    from whybox.data.source import Input, Source

__all__ = ["find_encoding", "find_row_end", "raw_row", "read", "read_mapped", "read_rows"]

_CR, _LF = "\ud800", "\ud801"
_LONGEST_NAME = 40


def find_encoding(chunks: Iterable[bytes]) -> str:
    r"""Find out how a file is encoded: UTF-8 if all of it decodes so, else latin-1.

    Parameters
    ----------
    chunks : iterable of bytes
        The whole file.

    Returns
    -------
    {"utf-8", "utf-8-sig", "latin-1"}
        "utf-8-sig" with a byte order mark.

    Examples
    --------
    >>> find_encoding([b"caf\xc3", b"\xa9"]), find_encoding([b"caf\xe9"])
    ('utf-8', 'latin-1')
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    encoding = "utf-8"
    seen = False
    try:
        for chunk in chunks:
            text = decoder.decode(chunk)
            if text and not seen:
                seen, encoding = True, "utf-8-sig" if text[0] == "\ufeff" else "utf-8"
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return "latin-1"
    except Damage:
        pass  # what there is decodes; reading it will tell of the damage
    return encoding


def find_row_end(head: str, quoting: str = "standard") -> str:
    r"""Find out how rows end, from the first one.

    Parameters
    ----------
    head : str
        The beginning of the file.
    quoting : {"standard", "none"}

    Returns
    -------
    {"\r\n", "\n", "\r"}
        LF if there is no line end at all.

    Examples
    --------
    >>> find_row_end('"a\n",b\r\nc,d\r\n'), find_row_end("a,b\rc\nd,e\r")
    ('\r\n', '\r')
    """
    inside = False
    for i, sign in enumerate(head):
        if sign == '"' and quoting == "standard":
            inside = not inside
        elif sign in "\r\n" and not inside:
            return "\r\n" if head[i : i + 2] == "\r\n" else sign
    return "\n"


def _decoded(entry: Input, source: Source, tally: Tally) -> Iterator[str]:
    """Give the text of a file in chunks, and note its encoding."""
    path, options = entry.path, source.storage_options
    tally.encoding = source.encoding or find_encoding(read_chunks(path, options))
    try:
        decoder = codecs.getincrementaldecoder(tally.encoding)()
        try:
            yield from map(decoder.decode, read_chunks(path, options))
        except Damage as damage:
            tally.damage = str(damage)
            return
        yield decoder.decode(b"", final=True)
    except LookupError:
        raise InputError(
            f"encoding {source.encoding!r} is not known", remedy="for example utf-8 or latin-1"
        ) from None
    except UnicodeDecodeError as error:
        raise InputError(
            f"the file is not {source.encoding}: {error.reason}",
            where=entry.display,
            remedy="leave the encoding out to have it found, or give another",
        ) from None


class _Feed:
    """The lines that the csv module is given: each ends in LF, whatever the file's row end is."""

    def __init__(self, texts: Iterator[str], quoting: str, tally: Tally) -> None:
        head = next(texts, "")
        while len(head) < CHUNK and (more := next(texts, "")):
            head += more
        self.row_end = find_row_end(head, quoting)
        self.texts = itertools.chain([head], texts)
        self.tally = tally
        self.cut_off = False  # a damaged file has ended: the row being read is not whole

    def lines(self) -> Iterator[str]:
        """Give the lines."""
        carry = ""
        for text in self.texts:
            text = carry + text
            held = "\r" if text.endswith("\r") else ""  # its LF may be in the next chunk
            lines = self._mark(text.removesuffix("\r")).split("\n")
            carry = lines.pop() + held
            yield from (line + "\n" for line in lines)
        if self.tally.damage is not None:
            *lines, _ = self._mark(carry).split("\n")
            yield from (line + "\n" for line in lines)
            self.cut_off = True
        elif carry:
            yield from self._mark(carry).removesuffix("\n").split("\n")

    def _mark(self, text: str) -> str:
        """Make every row end LF, and every other line end a sign that passes as data."""
        if self.row_end == "\n":
            return text.replace("\r", _CR)
        if self.row_end == "\r":
            return text.replace("\n", _LF).replace("\r", "\n")
        pieces = text.split("\r\n")
        return "\n".join(piece.replace("\r", _CR).replace("\n", _LF) for piece in pieces)

    def restore(self, value: str) -> str:
        """Give a field its own line ends back."""
        if "\n" in value:
            value = value.replace("\n", self.row_end)
        if _CR in value or _LF in value:
            value = value.replace(_CR, "\r").replace(_LF, "\n")
        return value


def read_rows(entry: Input, source: Source, tally: Tally) -> Iterator[list[str] | None]:
    """Give the rows of a file.

    Parameters
    ----------
    entry : Input
    source : Source
        Its `encoding`, `delimiter` and `quoting` are used.
    tally : Tally
        Takes the encoding, and the damage of a compressed file that is cut or corrupt.

    Yields
    ------
    list of str, or None
        The fields, empty for a blank row; None for a row that cannot be taken apart (a field of
        more than 131,072 characters, as a quotation mark makes that is never closed).

    Raises
    ------
    InputError
        If the encoding given is not known or does not decode the file.
    """
    feed = _Feed(_decoded(entry, source, tally), source.quoting, tally)
    if source.quoting == "none":
        rows = csv.reader(feed.lines(), delimiter=source.delimiter, quoting=csv.QUOTE_NONE)
    else:
        rows = csv.reader(feed.lines(), delimiter=source.delimiter)
    while True:
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error:
            yield None
            continue
        if feed.cut_off:
            return
        yield [feed.restore(value) for value in row]


def raw_row(fields: Sequence[str]) -> bytes:
    r"""Give the bytes by which a row is hashed: its fields joined by U+001F.

    Parameters
    ----------
    fields : sequence of str

    Returns
    -------
    bytes

    Examples
    --------
    >>> raw_row(["a", "b"])
    b'a\x1fb'
    """
    return "\x1f".join(fields).encode("utf-8", "replace")


@dataclass(frozen=True)
class _Layout:
    """Where the wanted columns are in a row, and how many fields it has."""

    positions: tuple[int, ...]
    width: int
    has_header: bool


def read(entry: Input, source: Source, span: Span | None, tally: Tally) -> Iterator[pa.Table]:
    """Read a CSV file with a column map.

    Parameters
    ----------
    entry : Input
    source : Source
        Columns named by decimal numbers are positions from 0, and the file has no header then.
    span : Span or None
        Always None: a CSV file is read whole.
    tally : Tally
        Takes the accounts: the header and blank rows are non-records, rows with another number
        of fields than the first go to quarantine (``field_count``).

    Yields
    ------
    pyarrow.Table
        With the schema `POSTS`.

    Raises
    ------
    InputError
        If a column of the map is not there; the message names those that are.
    """
    yield from read_mapped(entry, source, source.columns or ColumnMap(), tally)


def read_mapped(
    entry: Input,
    source: Source,
    columns: ColumnMap,
    tally: Tally,
    *,
    keep: Callable[[Sequence[str], Tally], bool] = lambda fields, tally: True,
    width: int | None = None,
) -> Iterator[pa.Table]:
    """Read a CSV file with a given column map and a rule for rows (see `read`).

    Parameters
    ----------
    entry : Input
    source : Source
    columns : ColumnMap
    tally : Tally
    keep : callable, optional
        Takes the fields of a row; if it returns False it has counted the row itself.
    width : int, optional
        How many fields a row has; by default as many as the first.

    Yields
    ------
    pyarrow.Table
    """
    layout: _Layout | None = None
    waiting = MappedRows(list(columns.named()), tally)
    for fields in read_rows(entry, source, tally):
        if fields is None:
            tally.quarantine("csv_error", b"")
        elif not fields:
            tally.skip("blank")
        elif layout is None and (layout := _layout(fields, columns, entry, width)).has_header:
            tally.skip("header")
        elif len(fields) != layout.width:
            tally.quarantine("field_count", raw_row(fields))
        elif keep(fields, tally):
            try:
                waiting.add([fields[i] for i in layout.positions])
            except Refused as verdict:
                tally.quarantine(str(verdict), raw_row(fields))
        if waiting.is_full():
            yield waiting.table()
    if waiting.rows:
        yield waiting.table()


def _layout(first: Sequence[str], columns: ColumnMap, entry: Input, width: int | None) -> _Layout:
    """Find the wanted columns in the first row, which is the header unless positions are given."""
    wanted = columns.named()
    by_position = all(name.isascii() and name.isdecimal() for name in wanted.values())
    there = [str(i) for i in range(width or len(first))] if by_position else list(first)
    missing = [name for name in wanted.values() if name not in there]
    if missing:
        raise InputError(
            f"there is no column {', '.join(map(repr, missing))}",
            where=entry.display,
            remedy=f"the columns are {_shown(there)}; name the one that holds the text, or give "
            "positions (0, 1, ...) if the file has no header",
        )
    positions = tuple(there.index(name) for name in wanted.values())
    return _Layout(positions, width or len(first), not by_position)


def _shown(names: Sequence[str]) -> str:
    """Name columns; a long one may be a post of a file without a header, and is not shown."""
    return ", ".join(
        repr(name) if len(name) <= _LONGEST_NAME else f"(one of {len(name)} characters)"
        for name in names
    )
