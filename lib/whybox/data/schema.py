"""The table of posts: what every reader gives, column by column, whatever the format was.

A reader fills a `PostColumns`, which cleans texts (NUL to U+FFFD, cut at `MAX_TEXT` code points),
parses times, and lets the accounts know of all that it had to change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from whybox.data.accounting import Tally
from whybox.data.times import parse_times
from whybox.data.zones import zone_column

__all__ = ["MAX_TEXT", "POSTS", "posts_table", "string_column"]

MAX_TEXT = 10_000
"""Texts are cut at this many code points (and flagged)."""

POSTS = pa.schema(
    [
        pa.field("input", pa.int32(), nullable=False),
        pa.field("line", pa.int64(), nullable=False),
        ("post_id", pa.string()),
        ("user_id", pa.string()),
        ("created_at", pa.timestamp("s", tz="UTC")),
        pa.field("text", pa.string(), nullable=False),
        ("lang", pa.string()),
        ("label", pa.string()),
        pa.field("is_retweet", pa.bool_(), nullable=False),
        ("favorite_count", pa.int64()),
        ("retweet_count", pa.int64()),
        ("mention_count", pa.int64()),
        ("total_favourites", pa.int64()),
        ("friends", pa.int64()),
        ("followers", pa.int64()),
        ("listed_count", pa.int64()),
        pa.field("truncated", pa.bool_(), nullable=False),
        pa.field("anchor", pa.bool_(), nullable=False),
        ("timezone", pa.string()),
    ]
)
"""One row a record.  Counts are null where the format has none; a null `mention_count` means that
mentions are to be counted from the text; `timezone` is the author's IANA zone, where it is given."""

_STRINGS = ("post_id", "user_id", "lang", "label")


def string_column(values: Sequence[str | None], tally: Tally) -> pa.Array:
    r"""Make a column of strings, every NUL replaced by U+FFFD and counted as the flag ``nul``.

    Parameters
    ----------
    values : sequence of str or None
    tally : Tally
        Takes the flag once for each value changed.

    Returns
    -------
    pyarrow.StringArray

    Examples
    --------
    >>> tally = Tally()
    >>> [value.as_py() for value in string_column(["a", None, "b\x00"], tally)]
    ['a', None, 'b\ufffd']
    >>> tally.flagged["nul"]
    1
    """
    column = pa.array(values, pa.string())
    data = column.buffers()[2]
    if data is None or np.frombuffer(data, np.uint8).all():
        return column
    tally.flagged["nul"] += sum(value is not None and "\0" in value for value in values)
    return pa.array([value and value.replace("\0", "\ufffd") for value in values], pa.string())


def posts_table(
    tally: Tally,
    lines: Sequence[int],
    texts: Sequence[str] | pa.StringArray,
    columns: Mapping[str, Sequence[Any]],
) -> pa.Table:
    """Make a table of posts out of plain columns, and count its rows as records.

    Parameters
    ----------
    tally : Tally
        The accounts of the input that the rows come from.
    lines : sequence of int
        1-based line (or element) numbers, shape (rows,).
    texts : sequence of str or pyarrow.StringArray
        Raw texts; they are cleaned and cut here. An array is taken as it is: without NUL, and of
        texts that are neither blank nor long.
    columns : mapping of str to sequence
        Other columns of `POSTS` by name, each of shape (rows,); ``created_at`` holds strings in
        any form that `whybox.data.times.parse_times` reads.  What is absent is null (False); of the
        others, an Arrow array of the column's type is taken as it is.

    Returns
    -------
    pyarrow.Table
        With the schema `POSTS`.

    Examples
    --------
    >>> table = posts_table(Tally(), [1, 2], ["good", "bad"], {"label": ["1", "0"]})
    >>> table.schema.equals(POSTS), table.num_rows
    (True, 2)
    """
    tally.records += len(texts)
    cut = np.zeros(len(texts), bool)
    if not isinstance(texts, pa.StringArray):
        texts, cut = _cleaned(texts, tally)
    made: dict[str, pa.Array] = {
        "input": pa.array(np.full(len(texts), tally.input, np.int32)),
        "line": pa.array(lines, pa.int64()),
        "text": texts,
        "truncated": pa.array(cut),
    }
    for name, values in columns.items():
        if name == "created_at":
            made[name] = _time_column(values, tally)
        elif isinstance(values, pa.Array):
            made[name] = values
        elif name == "timezone":
            made[name] = zone_column(values, tally)
        elif name in _STRINGS:
            made[name] = string_column(values, tally)
        else:
            made[name] = pa.array(values, POSTS.field(name).type)
    return pa.Table.from_arrays(
        [made[f.name] if f.name in made else _absent(f, len(texts)) for f in POSTS],
        schema=POSTS,
    )


def _cleaned(texts: Sequence[str], tally: Tally) -> tuple[pa.StringArray, NDArray[np.bool_]]:
    """Cut texts and replace NULs, and tell which were cut."""
    cut = np.zeros(len(texts), bool)
    if max(map(len, texts), default=0) > MAX_TEXT:
        cut = np.fromiter((len(text) > MAX_TEXT for text in texts), bool, len(texts))
        tally.flagged["truncated"] += int(cut.sum())
        texts = [text[:MAX_TEXT] for text in texts]
    if empty := sum(map(str.isspace, texts)) + sum(not text for text in texts):
        tally.flagged["empty_text"] += empty
    return string_column(texts, tally), cut


def _absent(field: pa.Field, rows: int) -> pa.Array:
    """Make a column that the format does not have."""
    if pa.types.is_boolean(field.type):
        return pa.array(np.zeros(rows, bool))
    return pa.nulls(rows, field.type)


def _time_column(values: Sequence[str | None] | pa.StringArray, tally: Tally) -> pa.Array:
    """Parse the times; one that is given but not understood is null, and counted as coerced."""
    seconds, known = parse_times(values)
    if known.all():
        return pa.array(seconds, pa.timestamp("s", tz="UTC"))
    bad = len(values) - pa.array(values, pa.string()).null_count - int(known.sum())
    if bad:
        tally.coerced["created_at"] += bad
    return pa.array(seconds, pa.timestamp("s", tz="UTC"), mask=~known)
