"""Lines out of bytes, for JSON lines: bounded memory, and any byte range gives its own lines.

A line ends at LF (CR LF); never at U+2028, U+2029 or U+0085, which are data.  A file whose first
line is no JSON value by itself may be one document spread over many lines (a pretty-printed array,
say): then it is one unit, which the readers take apart.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import msgspec

from whybox.data.storage import CHUNK, Damage, read_chunks

if TYPE_CHECKING:
    from whybox.data.accounting import Tally
    from whybox.data.blocks import Span
    from whybox.data.source import Input, Source

__all__ = [
    "MAX_DOCUMENT",
    "MAX_LINE",
    "Lines",
    "is_document",
    "is_json",
    "read_lines",
    "read_units",
    "split_lines",
]

MAX_LINE = 32 << 20
"""A longer line is cut to ``MAX_LINE + 1`` bytes, by which readers know and quarantine it."""
MAX_DOCUMENT = 256 << 20
"""A longer file is never taken for one document."""
_BOM = b"\xef\xbb\xbf"


class Lines:
    r"""Whole lines, one behind the other in a chunk of bytes.

    Parameters
    ----------
    data : bytes
    start, stop : int
        ``data[start:stop]`` is the lines, each with its LF.

    Examples
    --------
    >>> list(Lines(b"a\nb\n", 0, 4))
    [b'a', b'b']
    """

    __slots__ = ("data", "start", "stop")

    def __init__(self, data: bytes, start: int, stop: int) -> None:
        self.data, self.start, self.stop = data, start, stop

    def between(self, start: int, stop: int) -> bytes:
        """Give the line that begins at ``start`` and whose LF ends at ``stop``, without its LF."""
        return self.data[self.start + start : self.start + stop - 1]

    def __iter__(self) -> Iterator[bytes]:
        find, start = self.data.find, self.start
        while start < self.stop:
            end = find(b"\n", start)
            yield self.data[start:end]
            start = end + 1


def read_units(
    entry: Input, source: Source, span: Span | None, tally: Tally
) -> Iterator[Iterable[bytes]]:
    """Give the lines of a file or of a range of it, or the one document that it is.

    Parameters
    ----------
    entry : Input
    source : Source
    span : Span or None
        None for the whole file.
    tally : Tally
        Takes the encoding, and the damage of a compressed file that is cut or corrupt.

    Yields
    ------
    iterable of bytes
        Lines without LF, for one pass; a last line without LF counts unless it is empty.
    """
    tally.encoding = "utf-8"
    if span is None:
        yield from _whole(
            _until_damage(read_chunks(entry.path, source.storage_options), tally), tally
        )
    elif span.start == 0:
        yield from split_lines(read_chunks(entry.path, source.storage_options), span.stop)
    else:
        chunks = read_chunks(entry.path, source.storage_options, span.start - 1)
        rest, length = _after_line_end(chunks, span.stop - span.start + 1)
        if length > 0:
            yield from split_lines(rest, length, at_start=False)


def read_lines(entry: Input, source: Source, tally: Tally) -> Iterator[Iterable[bytes]]:
    """Give the lines of a whole file, whatever they hold.

    Parameters
    ----------
    entry : Input
    source : Source
    tally : Tally
        Takes the encoding, and the damage of a compressed file that is cut or corrupt.

    Yields
    ------
    iterable of bytes
        Lines without LF, for one pass; a last line without LF counts unless it is empty.
    """
    tally.encoding = "utf-8"
    chunks = _until_damage(read_chunks(entry.path, source.storage_options), tally)
    yield from split_lines(chunks, tally=tally)


def _until_damage(chunks: Iterator[bytes], tally: Tally) -> Iterator[bytes]:
    """Give chunks until the compressed stream breaks off, which is noted."""
    try:
        yield from chunks
    except Damage as damage:
        tally.damage = str(damage)


def _whole(chunks: Iterator[bytes], tally: Tally) -> Iterator[Iterable[bytes]]:
    """Give the lines of a whole file, or the document that it is."""
    head = next(chunks, b"")
    while b"\n" not in head.lstrip() and len(head) < CHUNK and (more := next(chunks, b"")):
        head += more
    chunks = itertools.chain([head], chunks)
    if is_document(head):
        held = list(_at_most(chunks, MAX_DOCUMENT))
        if sum(map(len, held)) < MAX_DOCUMENT:
            document = b"".join(held).removeprefix(_BOM)
            if is_json(document):
                yield [document]
                return
        chunks = itertools.chain(held, chunks)
    yield from split_lines(chunks, tally=tally)


def _at_most(chunks: Iterator[bytes], limit: int) -> Iterator[bytes]:
    """Give chunks until a limit is reached."""
    for chunk in chunks:
        yield chunk
        limit -= len(chunk)
        if limit <= 0:
            return


def is_document(head: bytes) -> bool:
    r"""Tell whether a file may be one JSON value spread over many lines, or on one very long line.

    Parameters
    ----------
    head : bytes
        The file's first MiB, or all of it.

    Returns
    -------
    bool
        True if it begins like an array or an object, and its first line is no JSON by itself.

    Examples
    --------
    >>> is_document(b'[\n {"id": 1}\n]'), is_document(b'{"id": 1}\n{"id": 2}\n')
    (True, False)
    """
    head = head.removeprefix(_BOM).lstrip()
    if not head.startswith((b"[", b"{")):
        return False
    line, end, _ = head.partition(b"\n")
    return not is_json(line) if end else len(head) >= CHUNK - 1


def is_json(raw: bytes) -> bool:
    """Tell whether bytes are one well-formed JSON value (strings are not looked into).

    Parameters
    ----------
    raw : bytes

    Returns
    -------
    bool

    Examples
    --------
    >>> is_json(b"[1, 2]"), is_json(b"[1, 2")
    (True, False)
    """
    try:
        msgspec.json.decode(raw, type=msgspec.Raw)
    except (msgspec.MsgspecError, RecursionError):
        return False
    return True


def split_lines(
    chunks: Iterable[bytes],
    length: int | None = None,
    *,
    at_start: bool = True,
    tally: Tally | None = None,
) -> Iterator[Iterable[bytes]]:
    r"""Cut chunks at LF.

    Parameters
    ----------
    chunks : iterable of bytes
    length : int, optional
        Give only the lines that start in the first `length` bytes (the last one whole).
    at_start : bool, default=True
        The chunks start a file: leave a byte order mark out.
    tally : Tally, optional
        If it notes damage at the end, an unfinished last line is not given.

    Yields
    ------
    iterable of bytes
        Lines without LF, each at most ``MAX_LINE + 1`` bytes long: `Lines` of a chunk, or a list of
        the one line that lay across two chunks.

    Examples
    --------
    >>> [list(lines) for lines in split_lines([b"a\nb", b"c\n"])]
    [[b'a'], [b'bc']]
    >>> [list(lines) for lines in split_lines([b"a\nbc\nd"], 3)]
    [[b'a'], [b'bc']]
    """
    carry, is_first = b"", at_start
    left = length
    for chunk in chunks:
        end = -1
        if left is not None:
            if len(chunk) >= left:
                end = chunk.find(b"\n", max(left - 1, 0))
            left -= len(chunk)
        first, last = chunk.find(b"\n"), chunk.rfind(b"\n") if end < 0 else end
        if first < 0:
            carry = (carry + chunk)[: MAX_LINE + 1]
            continue
        if carry or is_first:
            yield [_bare((carry + chunk[:first])[: MAX_LINE + 1], is_first)]
        else:
            first = -1
        if first < last:
            yield Lines(chunk, first + 1, last + 1)
        if end >= 0:
            return
        carry, is_first = chunk[last + 1 :], False
    carry = _bare(carry, is_first)
    if carry and (tally is None or tally.damage is None):
        yield [carry]


def _bare(line: bytes, is_first: bool) -> bytes:
    """Leave a byte order mark out of a file's first line."""
    return line.removeprefix(_BOM) if is_first else line


def _after_line_end(chunks: Iterator[bytes], length: int) -> tuple[Iterator[bytes], int]:
    """Skip to behind the first LF; also give how much of ``length`` is left then."""
    for chunk in chunks:
        end = chunk.find(b"\n")
        if end >= 0:
            return itertools.chain([chunk[end + 1 :]], chunks), length - end - 1
        length -= len(chunk)
        if length <= 0:
            break
    return iter(()), 0
