"""Texts a line, with a label a line in another file beside them, as TweetEval has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa

from whybox.data.accounting import Tally
from whybox.data.jsonlines import read_lines
from whybox.data.mapped import MappedRows
from whybox.data.source import Input, Source
from whybox.errors import InputError

if TYPE_CHECKING:
    from whybox.data.blocks import Span

__all__ = ["read"]


def read(entry: Input, source: Source, span: Span | None, tally: Tally) -> Iterator[pa.Table]:
    """Read texts and their labels.

    Parameters
    ----------
    entry : Input
        The file of texts; beside it stand the labels' file, and perhaps ``mapping.txt``, by which
        labels get their names.
    source : Source
    span : Span or None
        Always None: the two files are read side by side.
    tally : Tally
        Takes the accounts. Every line is a record, an empty one too, since it has a label.

    Yields
    ------
    pyarrow.Table
        With the schema `POSTS`.

    Raises
    ------
    InputError
        If there are not as many labels as texts.
    """
    labels = _labels(entry, source)
    rows = MappedRows(["text", "label"], tally)
    for units in read_lines(entry, source, tally):
        for unit in units:
            if tally.lines < len(labels):
                rows.add([_decode(unit, tally), labels[tally.lines]])
            else:
                tally.lines += 1
        if rows.is_full():
            yield rows.table()
    if tally.lines != len(labels) and tally.damage is None:
        raise InputError(
            f"there are {tally.lines} texts, but {len(labels)} labels",
            where=entry.display,
            remedy="each line of the one file belongs to the same line of the other",
        )
    if rows.rows:
        yield rows.table()


def _labels(entry: Input, source: Source) -> list[str]:
    """Read the labels, by their names where a mapping gives them."""
    numbers, *mappings = (list(_plain_lines(path, source)) for path in entry.beside)
    pairs = (line.partition("\t") for mapping in mappings for line in mapping)
    names = {number.strip(): name.strip() for number, tab, name in pairs if tab}
    return [names.get(number.strip(), number.strip()) for number in numbers]


def _plain_lines(path: str, source: Source) -> Iterator[str]:
    """Give the lines of a small file."""
    ignored = Tally()
    for units in read_lines(Input(0, path, 0, path), source, ignored):
        yield from (_decode(unit, ignored) for unit in units)


def _decode(unit: bytes, tally: Tally) -> str:
    """Decode a line; broken UTF-8 becomes U+FFFD and is flagged."""
    unit = unit.removesuffix(b"\r")
    try:
        return unit.decode("utf-8")
    except UnicodeDecodeError:
        tally.flagged["invalid_utf8"] += 1
        return unit.decode("utf-8", "replace")
