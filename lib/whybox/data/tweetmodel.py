"""The fields of a tweet that posts are made of, and the rules for its text and mentions."""

from __future__ import annotations

from typing import Annotated

import msgspec

__all__ = ["Entities", "Extended", "Mention", "Original", "Tweet", "User", "mentions_of", "text_of"]

Number = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]


class Mention(msgspec.Struct, gc=False):
    """A mention, of which nothing is asked (and which holds on to no line)."""


class Entities(msgspec.Struct, gc=False):
    """What Twitter found in a text."""

    user_mentions: list[Mention] | None = None


class Extended(msgspec.Struct, gc=False):
    """The whole of a long tweet."""

    full_text: str | None = None
    entities: Entities | None = None


class User(msgspec.Struct, gc=False):
    """The author, as at the time of the tweet."""

    id_str: str | None = None
    id: int | float | str | None = None
    favourites_count: Number | None = None
    friends_count: Number | None = None
    followers_count: Number | None = None
    listed_count: Number | None = None


class Original(msgspec.Struct, gc=False):
    """The tweet that is retweeted."""

    full_text: str | None = None
    text: str | None = None
    extended_tweet: Extended | None = None


class Tweet(msgspec.Struct, gc=False):
    """A tweet: the fields that posts are made of."""

    id_str: str | None = None
    id: int | float | str | None = None
    created_at: str | None = None
    full_text: str | None = None
    text: str | None = None
    lang: str | None = None
    favorite_count: Number | None = None
    retweet_count: Number | None = None
    user: User | None = None
    entities: Entities | None = None
    extended_tweet: Extended | None = None
    retweeted_status: Original | None = None


def _own_text(tweet: Tweet | Original) -> str | None:
    """Give the longest form of a tweet's own text."""
    extended = tweet.extended_tweet
    if extended is not None and extended.full_text is not None:
        return extended.full_text
    return tweet.text if tweet.full_text is None else tweet.full_text


def text_of(tweet: Tweet) -> str | None:
    """Give a tweet's text: of a retweet the original's, else its own, always the longest form.

    Parameters
    ----------
    tweet : Tweet

    Returns
    -------
    str or None
        None if it has no text.

    Examples
    --------
    >>> text_of(Tweet(text="cut…", extended_tweet=Extended(full_text="long one")))
    'long one'
    """
    original = tweet.retweeted_status
    if original is not None and (text := _own_text(original)) is not None:
        return text
    return _own_text(tweet)


def mentions_of(tweet: Tweet) -> int | None:
    """Count the mentions that Twitter found in the tweet itself (a retweet mentions its author).

    Parameters
    ----------
    tweet : Tweet

    Returns
    -------
    int or None
        None if there are no entities: then mentions are to be counted from the text.

    Examples
    --------
    >>> mentions_of(Tweet()) is None, mentions_of(Tweet(entities=Entities([])))
    (True, 0)
    """
    entities = tweet.entities
    extended = tweet.extended_tweet
    if extended is not None and extended.entities is not None:
        entities = extended.entities
    if entities is None or entities.user_mentions is None:
        return None
    return len(entities.user_mentions)
