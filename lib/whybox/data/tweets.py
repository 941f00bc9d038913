"""Tweets of Twitter's APIs, a JSON value a line: the fast path of v1.1, and tables out of it.

Plain lines are scanned in their bytes by compiled code.  The others are decoded into typed structs
of the fields that are needed, and whatever does not fit these (other types, broken UTF-8, stream
messages, arrays, pages, API v2) goes through `whybox.data.tolerant`, which mends it, classifies it
or refuses it, and says so in the accounts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from whybox.data.jsonlines import Lines, read_units
from whybox.data.plaintweets import PlainTweets, plain_columns, scan
from whybox.data.schema import posts_table
from whybox.data.tolerant import examine
from whybox.data.tweetmodel import Tweet, User, mentions_of, text_of

if TYPE_CHECKING:
    from whybox.data.accounting import Tally
    from whybox.data.blocks import Span
    from whybox.data.source import Input, Source

__all__ = ["note_anchor", "read", "read_tweets"]

ROWS = 4096
"""Rows of a table: enough for NumPy to pay, few enough to stay in the cache."""
_DECODER = msgspec.json.Decoder(Tweet)
_NOBODY = User()
_NAMES = (
    *("line", "text", "is_retweet", "mention_count"),
    *("post_id", "created_at", "lang", "favorite_count", "retweet_count"),
    *("user_id", "total_favourites", "friends", "followers", "listed_count"),
)
"""The columns that a row holds, in order."""


class _Waiting:
    """Tweets of one input that wait to become a table: what is needed of them, and not they."""

    def __init__(self, tally: Tally, label: str | None, user_id: str | None) -> None:
        self.tally, self.label, self.user_id = tally, label, user_id
        self.rows: list[tuple[Any, ...]] = []
        self.scanned: list[PlainTweets] = []
        self.lines: list[NDArray[np.int64]] = []

    def __len__(self) -> int:
        return len(self.rows) + sum(map(len, self.lines))

    def add(self, tweet: Tweet, text: str) -> None:
        """Take one record."""
        self.tally.lines = line = self.tally.lines + 1
        user = tweet.user or _NOBODY
        row = (
            line,
            text,
            tweet.retweeted_status is not None,
            mentions_of(tweet),
            tweet.id_str,
            tweet.created_at,
            tweet.lang,
            tweet.favorite_count,
            tweet.retweet_count,
            user.id_str,
            user.favourites_count,
            user.friends_count,
            user.followers_count,
            user.listed_count,
        )
        self.rows.append(row)

    def skip_plain(self, n: int) -> None:
        """Number the next n lines, whose tweets come with `extend`."""
        first = self.tally.lines + 1
        self.tally.lines += n
        self.lines.append(np.arange(first, first + n))

    def extend(self, tweets: PlainTweets) -> None:
        """Take the records of plain lines."""
        self.scanned.append(tweets)

    def table(self) -> pa.Table:
        """Make the table, in the order of the lines, and start again."""
        parts = []
        if self.rows:
            columns = dict(zip(_NAMES, zip(*self.rows, strict=True), strict=True))
            for name in ("favorite_count", "retweet_count"):
                columns[name] = pa.array(columns[name], pa.int64()).fill_null(0)
            parts.append(self._table(columns))
        if self.scanned:
            lines = pa.array(np.concatenate(self.lines))
            parts.append(self._table({"line": lines, **plain_columns(self.scanned)}))
        self.rows, self.scanned, self.lines = [], [], []
        if len(parts) == 1:
            return parts[0]
        both = pa.concat_tables(parts)
        return both.take(np.argsort(both["line"].to_numpy())).combine_chunks()

    def _table(self, columns: dict[str, Any]) -> pa.Table:
        """Make a table of columns."""
        lines, texts = columns.pop("line"), columns.pop("text")
        columns["label"] = pa.repeat(pa.scalar(self.label, pa.string()), len(texts))
        if self.user_id is not None:
            columns["user_id"] = pa.repeat(pa.scalar(self.user_id, pa.string()), len(texts))
        return posts_table(self.tally, lines, texts, columns)


def read(entry: Input, source: Source, span: Span | None, tally: Tally) -> Iterator[pa.Table]:
    """Read tweets of v1.1 or v2.

    Parameters
    ----------
    entry : Input
        Its label is given to every post.
    source : Source
    span : Span or None
        The byte range, or None for the whole file.
    tally : Tally
        Takes the accounts; ids of delete notices go to its ``deleted``.

    Yields
    ------
    pyarrow.Table
        With the schema `POSTS`.  A tweet without `favorite_count` or `retweet_count` has 0.
    """
    yield from read_tweets(read_units(entry, source, span, tally), tally, entry.label)


def read_tweets(
    blocks: Iterable[Iterable[bytes]], tally: Tally, label: str | None, user_id: str | None = None
) -> Iterator[pa.Table]:
    """Make tables of lines that hold tweets.

    Parameters
    ----------
    blocks : iterable of iterables of bytes
        Lines, or documents of many tweets.
    tally : Tally
        Takes the accounts; ids of delete notices go to its ``deleted``.
    label : str or None
        Given to every post.
    user_id : str, optional
        Given to every post, instead of its author's id.

    Yields
    ------
    pyarrow.Table
        With the schema `POSTS`.

    Examples
    --------
    >>> from whybox.data.accounting import Tally
    >>> table = next(read_tweets([[b'{"id": 1, "text": "a", "user": null}']], Tally(), "x", "ann"))
    >>> table.select(["user_id", "label", "text"]).to_pylist()
    [{'user_id': 'ann', 'label': 'x', 'text': 'a'}]
    """
    waiting = _Waiting(tally, label, user_id)
    for units in blocks:
        if isinstance(units, Lines):
            _take_lines(units, waiting)
        else:
            _look_closely(units, waiting)
        if len(waiting) >= ROWS:
            yield waiting.table()
    if len(waiting):
        yield waiting.table()


def _take_lines(lines: Lines, waiting: _Waiting) -> None:
    """Take the plain lines together, and look closely at each of the others."""
    plain, edges, tweets = scan(lines)
    after = 0
    for odd in np.flatnonzero(~plain).tolist():
        waiting.skip_plain(odd - after)
        _look_closely([lines.between(edges[odd], edges[odd + 1])], waiting)
        after = odd + 1
    waiting.skip_plain(len(plain) - after)
    waiting.extend(tweets)


def _look_closely(units: Iterable[bytes], waiting: _Waiting) -> None:
    """Take lines or documents that may have to be mended, classified or refused."""
    for unit in units:
        try:
            tweet = _DECODER.decode(unit)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            tweet = Tweet()
        if _has_ids(tweet) and (text := text_of(tweet)) is not None:
            waiting.add(tweet, text)
            continue
        for mended, found in examine(unit, waiting.tally):
            waiting.add(mended, found)


def _has_ids(tweet: Tweet) -> bool:
    """Tell whether the ids are there and agree, so that nothing is to be mended or flagged."""
    user, post_id = tweet.user, tweet.id_str
    if user is None or not post_id or post_id != str(tweet.id):
        return False
    return bool(user.id_str) and user.id_str == str(user.id)


def note_anchor(unit: bytes, tally: Tally) -> None:
    """Note the id of an anchor, which marks the same post in a timeline.

    Parameters
    ----------
    unit : bytes
        A tweet; its line is counted as the non-record ``anchor``.
    tally : Tally
        Takes the id in ``anchors``.

    Examples
    --------
    >>> from whybox.data.accounting import Tally
    >>> tally = Tally()
    >>> note_anchor(b'{"id_str": "7", "text": "a", "user": null}', tally)
    >>> tally.anchors, tally.counts().non_records
    (['7'], {'anchor': 1})
    """
    for tweet, _ in examine(unit, tally):
        tally.skip("anchor")
        if tweet.id_str is not None:
            tally.anchors.append(tweet.id_str)
