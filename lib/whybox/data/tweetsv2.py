"""Tweets of Twitter's API v2, made into the tweets of v1.1 that they amount to.

They come in pages ``{data, includes, errors, meta}``, where authors and referenced tweets stand in
``includes``, or flattened, a tweet a line with both inside it.  Tweets in ``includes`` are what
others refer to, and no records.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from whybox.data.loosejson import (
    clean,
    identifier,
    number,
    object_field,
    optional_string,
    text_field,
)
from whybox.data.tweetmodel import Entities, Mention, Original, Tweet, User

if TYPE_CHECKING:
    from whybox.data.accounting import Tally

__all__ = ["Included", "is_page", "is_tweet", "kind_of", "read_tweet"]

_KINDS = (
    ("tweet_count", "count"),
    ("username", "profile"),
    ("member_count", "list"),
    ("follower_count", "list"),
    ("action", "compliance"),
)
"""Keys by which an object of API v2 that is no tweet is told, and its kind."""


@dataclass(frozen=True)
class Included:
    """What a page includes, by id.

    Parameters
    ----------
    tweets, users : mapping of str to mapping

    Examples
    --------
    >>> from whybox.data.accounting import Tally
    >>> page = {"data": [], "includes": {"users": [{"id": "9", "username": "ann"}]}}
    >>> sorted(Included.of(page, Tally()).users)
    ['9']
    """

    tweets: Mapping[str, Mapping[str, Any]]
    users: Mapping[str, Mapping[str, Any]]

    @classmethod
    def of(cls, page: Mapping[str, Any], tally: Tally) -> Included:
        """Take what a page includes; its errors are flagged as ``page_errors``."""
        includes = page.get("includes")
        if not isinstance(includes, dict):
            includes = {}
        errors = page.get("errors")
        if isinstance(errors, list) and errors:
            tally.flagged["page_errors"] += len(errors)
        return cls(_by_id(includes.get("tweets")), _by_id(includes.get("users")))


def _by_id(values: Any) -> dict[str, Mapping[str, Any]]:
    """Give objects by their ids, the first of each."""
    found: dict[str, Mapping[str, Any]] = {}
    for value in _objects(values):
        if isinstance(value.get("id"), str | int):
            found.setdefault(str(value["id"]), value)
    return found


def _objects(values: Any) -> Iterator[Mapping[str, Any]]:
    """Give the objects of what should be a list of them."""
    if isinstance(values, list):
        yield from (value for value in values if isinstance(value, dict))


def is_page(value: Mapping[str, Any]) -> bool:
    """Tell a page of API v2, also one without results.

    Parameters
    ----------
    value : mapping

    Returns
    -------
    bool

    Examples
    --------
    >>> is_page({"data": {"id": "1"}}), is_page({"meta": {"result_count": 0}}), is_page({"id": 1})
    (True, True, False)
    """
    if "text" in value or "user" in value:
        return False
    meta = value.get("meta")
    empty = isinstance(meta, dict) and "result_count" in meta and "data" not in value
    return empty or isinstance(value.get("data"), dict | list)


def is_tweet(value: Mapping[str, Any]) -> bool:
    """Tell a tweet of API v2 that stands alone: it names its author by id only.

    Parameters
    ----------
    value : mapping

    Returns
    -------
    bool

    Examples
    --------
    >>> is_tweet({"id": "1", "text": "a", "author_id": "9"}), is_tweet({"id": 1, "text": "a"})
    (True, False)
    """
    return "user" not in value and "author_id" in value


def kind_of(value: Mapping[str, Any]) -> str | None:
    """Tell which kind of non-record an object of API v2 is.

    Parameters
    ----------
    value : mapping

    Returns
    -------
    {"count", "profile", "list", "compliance"} or None
        None if it may be a tweet.

    Examples
    --------
    >>> kind_of({"id": "9", "username": "ann"}), kind_of({"id": "1", "text": "a"})
    ('profile', None)
    """
    if "text" in value:
        return None
    return next((kind for key, kind in _KINDS if key in value), None)


def read_tweet(value: Mapping[str, Any], included: Included, tally: Tally) -> Tweet:
    """Make the tweet of v1.1 that an object of v2 amounts to.

    Parameters
    ----------
    value : mapping
        An element of ``data``, or a flattened line.
    included : Included
        Of its page.
    tally : Tally
        Takes what had to be coerced or flagged.

    Returns
    -------
    Tweet
        A retweet's text is the original's where the page includes it; likes are favourites.

    Raises
    ------
    Refused
        If a field that cannot be guessed has another type.

    Examples
    --------
    >>> from whybox.data.accounting import Tally
    >>> from whybox.data.tweetmodel import text_of
    >>> page = {"includes": {"tweets": [{"id": "5", "text": "four full"}]}}
    >>> reference = {"type": "retweeted", "id": "5"}
    >>> tweet = {"id": "4", "text": "RT @u: fo…", "referenced_tweets": [reference]}
    >>> text_of(read_tweet(tweet, Included.of(page, Tally()), Tally()))
    'four full'
    """
    metrics = object_field(value.get("public_metrics")) or {}
    note = object_field(value.get("note_tweet")) or {}
    return Tweet(
        id_str=identifier(value.get("id"), None, "post_id", tally),
        created_at=optional_string(value, "created_at", tally),
        full_text=text_field(note, "text", tally),
        text=text_field(value, "text", tally),
        lang=optional_string(value, "lang", tally),
        favorite_count=number(metrics.get("like_count"), "favorite_count", tally),
        retweet_count=number(metrics.get("retweet_count"), "retweet_count", tally),
        user=_author(value, included, tally),
        entities=_entities(value, tally),
        retweeted_status=_original(value, included, tally),
    )


def _author(value: Mapping[str, Any], included: Included, tally: Tally) -> User | None:
    """Make the author, who stands in the tweet or in the page, or is known by id only."""
    own = value.get("author")
    author_id = identifier(value.get("author_id"), None, "user_id", tally)
    found = own if isinstance(own, dict) else included.users.get(author_id or "", {})
    if author_id is None and not found:
        return None
    metrics = object_field(found.get("public_metrics")) or {}
    return User(
        id_str=author_id or identifier(found.get("id"), None, "user_id", tally),
        favourites_count=number(metrics.get("like_count"), "total_favourites", tally),
        friends_count=number(metrics.get("following_count"), "friends", tally),
        followers_count=number(metrics.get("followers_count"), "followers", tally),
        listed_count=number(metrics.get("listed_count"), "listed_count", tally),
    )


def _entities(value: Mapping[str, Any], tally: Tally) -> Entities | None:
    """Make the entities; v2 leaves a kind out of them that the text has none of."""
    found = value.get("entities")
    if found is None:
        return None
    mentions = found.get("mentions", []) if isinstance(found, dict) else None
    if isinstance(mentions, list):
        return Entities([Mention()] * len(mentions))
    tally.coerced["mention_count"] += 1
    return None


def _original(value: Mapping[str, Any], included: Included, tally: Tally) -> Original | None:
    """Make the tweet that is retweeted; without a text if the page does not include it."""
    for reference in _objects(value.get("referenced_tweets")):
        if reference.get("type") == "retweeted":
            found = reference
            if "text" not in found:
                found = included.tweets.get(str(reference.get("id")), {})
            note = found.get("note_tweet")
            texts = [note.get("text") if isinstance(note, dict) else None, found.get("text")]
            full, short = (clean(t, tally) if isinstance(t, str) else None for t in texts)
            return Original(full_text=full, text=short)
    return None
