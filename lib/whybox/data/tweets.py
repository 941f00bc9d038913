"""Tweets of Twitter's APIs, a JSON value a line: the fast path of v1.1, and tables out of it.

Only the fields that are needed are decoded, into typed structs.  Whatever does not fit at once
(other types, broken UTF-8, stream messages, arrays, pages, API v2) goes through
`whybox.data.tolerant`, which mends it, classifies it or refuses it, and says so in the accounts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa

from whybox.data.jsonlines import read_units
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


class _Waiting:
    """Tweets of one input that wait to become a table."""

    def __init__(self, tally: Tally, label: str | None, user_id: str | None) -> None:
        self.tally, self.label, self.user_id = tally, label, user_id
        self.tweets: list[Tweet] = []
        self.texts: list[str] = []
        self.lines: list[int] = []

    def add(self, tweet: Tweet, text: str) -> None:
        """Take one record."""
        self.tally.lines += 1
        self.lines.append(self.tally.lines)
        self.tweets.append(tweet)
        self.texts.append(text)

    def table(self) -> pa.Table:
        """Make the table and start again."""
        tweets = self.tweets
        users = [t.user or User() for t in tweets]
        columns: dict[str, Any] = {
            "post_id": [t.id_str for t in tweets],
            "user_id": [self.user_id or u.id_str for u in users],
            "created_at": [t.created_at for t in tweets],
            "lang": [t.lang for t in tweets],
            "label": [self.label] * len(tweets),
            "is_retweet": [t.retweeted_status is not None for t in tweets],
            "favorite_count": [t.favorite_count or 0 for t in tweets],
            "retweet_count": [t.retweet_count or 0 for t in tweets],
            "mention_count": list(map(mentions_of, tweets)),
            "total_favourites": [u.favourites_count for u in users],
            "friends": [u.friends_count for u in users],
            "followers": [u.followers_count for u in users],
            "listed_count": [u.listed_count for u in users],
        }
        table = posts_table(self.tally, self.lines, self.texts, columns)
        self.tweets, self.texts, self.lines = [], [], []
        return table


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
    blocks: Iterable[list[bytes]], tally: Tally, label: str | None, user_id: str | None = None
) -> Iterator[pa.Table]:
    """Make tables of lines that hold tweets.

    Parameters
    ----------
    blocks : iterable of list of bytes
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
    decode = msgspec.json.Decoder(Tweet).decode
    waiting = _Waiting(tally, label, user_id)
    for units in blocks:
        for unit in units:
            try:
                tweet = decode(unit)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                tweet = None
            if tweet is not None and _is_plain(tweet) and (text := text_of(tweet)) is not None:
                waiting.add(tweet, text)
                continue
            for mended, found in examine(unit, tally):
                waiting.add(mended, found)
        if len(waiting.tweets) >= ROWS:
            yield waiting.table()
    if waiting.tweets:
        yield waiting.table()


def _is_plain(tweet: Tweet) -> bool:
    """Tell whether the ids are there and agree, so that nothing is to be mended or flagged."""
    user = tweet.user
    return (
        bool(tweet.id_str)
        and tweet.id_str == str(tweet.id)
        and user is not None
        and bool(user.id_str)
        and user.id_str == str(user.id)
    )


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
