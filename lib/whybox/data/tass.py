"""TASS: Spanish tweets in XML, in the layouts of the general corpus and of InterTASS.

A ``tweet`` holds ``tweetid``, ``user``, ``content``, ``date`` and ``lang``; its label is the first
``value`` of a ``polarity`` below ``sentiments`` (general corpus) or ``sentiment`` (InterTASS) that
is about no single entity.  Labels stay as given (P+, P, NEU, N, N+, NONE).  The parser expands no
entities and opens no other file: a document that declares entities is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

import pyarrow as pa

from whybox.data.loosejson import Refused
from whybox.data.mapped import MappedRows
from whybox.data.storage import Damage, read_chunks

if TYPE_CHECKING:
    from whybox.data.accounting import Tally
    from whybox.data.blocks import Span
    from whybox.data.source import Input, Source

__all__ = ["read"]

_FIELDS = {
    "tweetid": "post_id",
    "user": "user_id",
    "content": "text",
    "date": "created_at",
    "lang": "lang",
}
_COLUMNS = (*_FIELDS.values(), "label")
_POLARITIES = (["sentiments", "polarity", "value"], ["sentiment", "polarity", "value"])
_ENTITIES = (["sentiments", "polarity", "entity"], ["sentiment", "polarity", "entity"])
_LONGEST = 1 << 20


class _Unsafe(Exception):  # noqa: N818  (a finding, judged below)
    """A document declares entities."""


class _Tweets:
    """Tweets out of the events of a parser.

    Only what is below ``tweet`` is kept, and of each element its first `_LONGEST` characters.
    """

    def __init__(self) -> None:
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.EntityDeclHandler = self.refuse
        self.parser.XmlDeclHandler = self.declaration
        self.encoding = "utf-8"
        self.found: list[dict[str, str]] = []
        self.path: list[str] | None = None  # below the tweet that is being read
        self.tweet: dict[str, str] = {}
        self.text = ""
        self.is_about_entity = False

    def declaration(self, version: str, encoding: str | None, standalone: int) -> None:
        """Note the encoding."""
        self.encoding = (encoding or "utf-8").lower()

    def refuse(self, *declaration: Any) -> None:
        """Read no document that could expand."""
        raise _Unsafe

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Begin an element."""
        self.text = ""
        if self.path is not None:
            self.path.append(name)
            self.is_about_entity &= name != "polarity"
        elif name == "tweet":
            self.path, self.tweet = [], {}

    def characters(self, text: str) -> None:
        """Take text."""
        if self.path is not None and len(self.text) < _LONGEST:
            self.text += text

    def end(self, name: str) -> None:
        """End an element: keep what is wanted of it."""
        if self.path is None:
            return
        if not self.path:
            self.found.append(self.tweet)
            self.path = None
        elif len(self.path) == 1 and name in _FIELDS:
            text = self.text if name == "content" else self.text.strip()
            self.tweet.setdefault(_FIELDS[name], text)
        elif self.path in _ENTITIES:
            self.is_about_entity = True
        elif self.path in _POLARITIES and not self.is_about_entity:
            self.tweet.setdefault("label", self.text.strip())
        if self.path:
            self.path.pop()
        self.text = ""


def read(entry: Input, source: Source, span: Span | None, tally: Tally) -> Iterator[pa.Table]:
    """Read a file of tweets; each ``tweet`` element is a line.

    Parameters
    ----------
    entry : Input
    source : Source
    span : Span or None
        Always None: a document is read whole.
    tally : Tally
        Takes the accounts. A document that is not well-formed is damage: the tweets before the
        place are kept only if the run salvages.

    Yields
    ------
    pyarrow.Table
        With the schema `POSTS`.
    """
    tweets = _Tweets()
    rows = MappedRows(_COLUMNS, tally)
    for found in _parsed(entry, source, tweets, tally):
        for tweet in found:
            try:
                rows.add([tweet.get(name) for name in _COLUMNS])
            except Refused as verdict:
                tally.quarantine(str(verdict), tweet.get("post_id", "").encode())
        if rows.is_full():
            yield rows.table()
    if rows.rows:
        yield rows.table()


def _parsed(
    entry: Input, source: Source, tweets: _Tweets, tally: Tally
) -> Iterator[list[dict[str, str]]]:
    """Give the tweets of a document, chunk by chunk, until it ends or breaks off."""
    try:
        for chunk in read_chunks(entry.path, source.storage_options):
            tweets.parser.Parse(chunk, False)
            yield _taken(tweets)
        tweets.parser.Parse(b"", True)
    except Damage as damage:
        tally.damage = str(damage)
    except expat.ExpatError as error:
        what = expat.ErrorString(error.code)
        tally.damage = f"is not well-formed ({what}, line {error.lineno}, column {error.offset})"
    except _Unsafe:
        tally.damage = "declares entities, which are never expanded"
    tally.encoding = tweets.encoding
    yield _taken(tweets)


def _taken(tweets: _Tweets) -> list[dict[str, str]]:
    """Take the tweets that are complete."""
    found, tweets.found = tweets.found, []
    return found
