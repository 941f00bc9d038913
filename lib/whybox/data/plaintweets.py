"""Tweets on plain lines of JSON, as columns: their bytes are scanned, and no object is made.

What is plain, and why most lines are, tells `whybox.kernels.tweets`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

if TYPE_CHECKING:
    from whybox.data.jsonlines import Lines

__all__ = ["PlainTweets", "plain_columns", "scan"]

_ZERO = ("favorite_count", "retweet_count")
"""Counts that are 0 where the tweet has none."""


@dataclass(frozen=True)
class PlainTweets:
    """The tweets of some lines.

    Parameters
    ----------
    strings : list of pyarrow.StringArray of length n
        A column for each name in `whybox.kernels.tweets.STRINGS`.
    counts : int64 array of shape (8, n)
        A row for each name in `whybox.kernels.tweets.COUNTS`; -1 is null.
    """

    strings: list[pa.StringArray]
    counts: NDArray[np.int64]


def scan(lines: Lines) -> tuple[NDArray[np.bool_], NDArray[np.int64], PlainTweets]:
    r"""Find the plain tweets.

    Parameters
    ----------
    lines : Lines

    Returns
    -------
    plain : numpy.ndarray of bool, shape (lines,)
    edges : numpy.ndarray of int64, shape (lines + 1,)
        Where the lines begin, counted from the first one, and where the last one ends.
    tweets : PlainTweets
        Of the plain lines.

    Examples
    --------
    >>> from whybox.data.jsonlines import Lines
    >>> one = b'{"id":7,"id_str":"7","text":"a","user":{"id":9,"id_str":"9"}}\n'
    >>> plain, edges, tweets = scan(Lines(one + b"{}\n", 0, len(one) + 3))
    >>> plain.tolist(), edges.tolist(), plain_columns([tweets])["user_id"].to_pylist()
    ([True, False], [0, 62, 65], ['9'])
    """
    from whybox.kernels.tweets import scan_tweets

    data = np.frombuffer(lines.data, np.uint8, lines.stop - lines.start, lines.start)
    plain, edges, spans, counts = scan_tweets(data)
    if not plain.all():
        spans, counts = spans[:, plain], counts[:, plain]
    return plain, edges, PlainTweets([_strings(data, column) for column in spans], counts)


def _strings(data: NDArray[np.uint8], spans: NDArray[np.int64]) -> pa.StringArray:
    """Copy strings into a column."""
    from whybox.kernels.jsontext import copy_strings

    begin, end = spans.T
    out = np.empty(int((end - begin).sum()), np.uint8)
    offsets = copy_strings(data, spans, out)
    known = begin >= 0
    valid = None if known.all() else pa.py_buffer(np.packbits(known, bitorder="little"))
    buffers = pa.py_buffer(offsets), pa.py_buffer(out)
    return pa.StringArray.from_buffers(len(spans), *buffers, valid)


def plain_columns(tweets: Sequence[PlainTweets]) -> dict[str, pa.Array]:
    """Put tweets together, column by column.

    Parameters
    ----------
    tweets : sequence of PlainTweets
        One or more.

    Returns
    -------
    dict of str to pyarrow.Array
        All columns of `whybox.data.schema.POSTS` that a tweet has; ``created_at`` as written.
    """
    from whybox.kernels.tweets import COUNTS, STRINGS

    columns = {
        name: pa.concat_arrays(parts)
        for name, parts in zip(STRINGS, zip(*(t.strings for t in tweets), strict=True), strict=True)
    }
    counts = np.concatenate([t.counts for t in tweets], axis=1)
    for name, values in zip(COUNTS, counts, strict=True):
        if name == "is_retweet":
            columns[name] = pa.array(values > 0)
        elif name in _ZERO:
            columns[name] = pa.array(np.maximum(values, 0))
        else:
            columns[name] = pa.array(values, mask=values < 0 if values.min(initial=0) < 0 else None)
    return columns
