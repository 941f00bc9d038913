"""What is no plain tweet at first sight: mended, classified, or refused, and always counted.

Tweets of API v2 are made into those of v1.1, alone or out of their pages.  Messages of the streams, pages of search results, profiles and direct messages are known and are
non-records.  Numbers written as strings are read; what cannot be read as what it should be, and
objects that are nothing known, go to quarantine.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from whybox.data.loosejson import (
    Refused,
    identifier,
    json_values,
    number,
    object_field,
    optional_string,
    text_field,
)
from whybox.data.tweetmodel import Entities, Extended, Mention, Original, Tweet, User, text_of
from whybox.data.tweetsv2 import Included, is_page, is_tweet, kind_of, read_tweet

if TYPE_CHECKING:
    from whybox.data.accounting import Tally

__all__ = ["examine"]

_MESSAGES = (
    *("delete", "limit", "scrub_geo", "status_withheld", "user_withheld", "disconnect", "warning"),
    *("friends", "friends_str", "event", "direct_message", "control", "for_user", "info"),
    *("error", "errors"),
)
"""Keys that tell a message of the streams, or an error of the API: its kind."""
_PAGES = ("statuses", "results")


def examine(unit: bytes, tally: Tally) -> Iterator[tuple[Tweet, str]]:
    """Look closely at a line (or document): give its tweets, count all else.

    Parameters
    ----------
    unit : bytes
    tally : Tally
        Takes every line that is no tweet; those given are the caller's to count, at once.

    Yields
    ------
    tuple of Tweet and str
        The tweet, with its ids as strings, and its text.

    Examples
    --------
    >>> from whybox.data.accounting import Tally
    >>> tally = Tally()
    >>> [text for _, text in examine(b'[{"id": 1, "text": "a", "user": null}, null]', tally)]
    ['a']
    >>> tally.counts().non_records
    {'not_an_object': 1}
    """
    for value, raw in json_values(unit, tally):
        if isinstance(value, dict) and is_page(value):
            tally.skip("page")
            included = Included.of(value, tally)
            data = value.get("data", [])
            for element in data if isinstance(data, list) else [data]:
                yield from _element(element, included, tally)
            continue
        elements = _page(value)
        if elements is None:
            yield from _single(value, raw, tally)
            continue
        tally.skip("page")
        for element in elements:
            yield from _single(element, json.dumps(element).encode("ascii"), tally)


def _page(value: Any) -> list[Any] | None:
    """Give the elements of a page of search results, None if it is none."""
    if isinstance(value, dict) and "text" not in value:
        for name in _PAGES:
            if isinstance(value.get(name), list):
                return list(value[name])
    return None


def _element(value: Any, included: Included, tally: Tally) -> Iterator[tuple[Tweet, str]]:
    """Give the tweet that an element of a page of API v2 is, or count what else it is."""
    if not isinstance(value, dict):
        tally.skip("not_an_object")
    elif (kind := kind_of(value)) is not None:
        tally.skip(kind)
    else:
        yield from _made(value, None, lambda: read_tweet(value, included, tally), tally)


def _single(value: Any, raw: bytes, tally: Tally) -> Iterator[tuple[Tweet, str]]:
    """Give the tweet that a value is, or count what else it is."""
    if not isinstance(value, dict):
        tally.skip("not_an_object")
        return
    if is_tweet(value):
        yield from _made(value, raw, lambda: read_tweet(value, Included({}, {}), tally), tally)
        return
    kind = _kind(value) or ("compliance" if kind_of(value) == "compliance" else None)
    if kind is not None:
        tally.skip(kind)
        if kind == "delete":
            tally.deleted.extend(_deleted_id(value["delete"]))
        return
    yield from _made(value, raw, lambda: _tweet(value, tally), tally)


def _made(
    value: Mapping[str, Any], raw: bytes | None, make: Callable[[], Tweet], tally: Tally
) -> Iterator[tuple[Tweet, str]]:
    """Give the tweet that an object makes, if it makes one."""
    try:
        tweet = make()
    except Refused as verdict:
        tally.quarantine(str(verdict), raw or json.dumps(value).encode("ascii"))
        return
    text = text_of(tweet)
    known = tweet.id_str is not None or tweet.created_at is not None or tweet.user is not None
    if text is not None and known:
        yield tweet, text
    else:
        has_author = "user" in value or "author_id" in value
        reason = "no_text" if known and has_author else "unknown_object"
        tally.quarantine(reason, raw or json.dumps(value).encode("ascii"))


def _kind(value: Mapping[str, Any]) -> str | None:
    """Tell which kind of non-record an object is, None if it may be a tweet."""
    if "text" in value or "full_text" in value:
        direct = "user" not in value and ("sender" in value or "sender_id" in value)
        return "direct_message" if direct else None
    for name in _MESSAGES:
        if name in value:
            return name.removesuffix("_str") if name.startswith("friends") else name
    return "profile" if "screen_name" in value else None


def _deleted_id(notice: Any) -> list[str]:
    """Give the id of the post that a delete notice takes back."""
    status = notice.get("status") if isinstance(notice, dict) else None
    if not isinstance(status, dict):
        return []
    for found in (status.get("id_str"), status.get("id")):
        if isinstance(found, str | int) and not isinstance(found, bool):
            return [str(found)]
    return []


def _tweet(value: Mapping[str, Any], tally: Tally) -> Tweet:
    """Make a tweet of an object whose fields may have other types."""
    original = value.get("retweeted_status")
    return Tweet(
        id_str=identifier(value.get("id"), value.get("id_str"), "post_id", tally),
        created_at=optional_string(value, "created_at", tally),
        full_text=text_field(value, "full_text", tally),
        text=text_field(value, "text", tally),
        lang=optional_string(value, "lang", tally),
        favorite_count=number(value.get("favorite_count"), "favorite_count", tally),
        retweet_count=number(value.get("retweet_count"), "retweet_count", tally),
        user=_user(value.get("user"), tally),
        entities=_entities(value, tally),
        extended_tweet=_extended(value, tally),
        retweeted_status=_original(original, tally),
    )


def _user(value: Any, tally: Tally) -> User | None:
    """Make the author."""
    found = object_field(value)
    if found is None:
        return None
    return User(
        id_str=identifier(found.get("id"), found.get("id_str"), "user_id", tally),
        favourites_count=number(found.get("favourites_count"), "total_favourites", tally),
        friends_count=number(found.get("friends_count"), "friends", tally),
        followers_count=number(found.get("followers_count"), "followers", tally),
        listed_count=number(found.get("listed_count"), "listed_count", tally),
    )


def _entities(value: Mapping[str, Any], tally: Tally) -> Entities | None:
    """Make the entities; without usable ones, mentions are counted from the text."""
    found = value.get("entities")
    if found is None:
        return None
    mentions = found.get("user_mentions") if isinstance(found, dict) else 0
    if mentions is None or isinstance(mentions, list):
        return Entities(mentions and [Mention()] * len(mentions))
    tally.coerced["mention_count"] += 1
    return None


def _extended(value: Mapping[str, Any], tally: Tally) -> Extended | None:
    """Make the whole of a long tweet."""
    found = object_field(value.get("extended_tweet"))
    if found is None:
        return None
    return Extended(text_field(found, "full_text", tally), _entities(found, tally))


def _original(value: Any, tally: Tally) -> Original | None:
    """Make the tweet that is retweeted."""
    found = object_field(value)
    if found is None:
        return None
    return Original(
        text_field(found, "full_text", tally),
        text_field(found, "text", tally),
        _extended(found, tally),
    )
