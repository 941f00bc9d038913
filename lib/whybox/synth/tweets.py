"""Tweets and users as JSON, in the service's version 1.1: templates filled in, field by field.

Only texts go through a JSON encoder; everything else that is filled in is a number or is made of
letters that need no escaping.
"""

from __future__ import annotations

from collections.abc import Iterator
from json.encoder import encode_basestring as quote

from whybox.synth.clock import created_at
from whybox.synth.timeline import Timeline

__all__ = ["tweet_lines", "user_line"]

_NO_ENTITIES = '{"hashtags":[],"symbols":[],"user_mentions":[],"urls":[]}'
_SOURCES = (
    r'"<a href=\"https://phone.example/app\" rel=\"nofollow\">Client for phones</a>"',
    r'"<a href=\"https://web.example\" rel=\"nofollow\">Web Client</a>"',
)
_NO_REPLY = (
    '"in_reply_to_status_id":null,"in_reply_to_status_id_str":null,"in_reply_to_user_id":null,'
    '"in_reply_to_user_id_str":null,"in_reply_to_screen_name":null,'
)
_NO_PLACE = '"geo":null,"coordinates":null,"place":null,"contributors":null,'
_PROFILE = (
    '"is_translator":false,"is_translation_enabled":false,"profile_background_color":"C0DEED",'
    '"profile_background_image_url":"http://images.example/themes/theme1/bg.png",'
    '"profile_background_image_url_https":"https://images.example/themes/theme1/bg.png",'
    '"profile_background_tile":false,'
    '"profile_image_url":"http://images.example/profiles/{0}/picture_normal.jpg",'
    '"profile_image_url_https":"https://images.example/profiles/{0}/picture_normal.jpg",'
    '"profile_banner_url":"https://images.example/profile_banners/{0}",'
    '"profile_link_color":"1DA1F2","profile_sidebar_border_color":"C0DEED",'
    '"profile_sidebar_fill_color":"DDEEF6","profile_text_color":"333333",'
    '"profile_use_background_image":true,"has_extended_profile":false,"default_profile":true,'
    '"default_profile_image":false,"following":false,"follow_request_sent":false,'
    '"notifications":false,"translator_type":"none",'
)


def tweet_lines(timeline: Timeline, *, full: bool = False) -> Iterator[str]:
    """Write a user's posts, in order of time.

    Parameters
    ----------
    timeline : Timeline
        The user and the posts.
    full : bool, default False
        With the profile's colours and pictures, as the service sends them (about 2.6 KB a line);
        without, about 1.7 KB.

    Yields
    ------
    str
        One JSON object and a line feed.

    Examples
    --------
    >>> import json
    >>> from whybox.synth import SynthConfig
    >>> from whybox.synth.population import Population
    >>> from whybox.synth.timeline import make_timeline
    >>> user = next(iter(Population(SynthConfig(users=1, posts_per_user=20))))
    >>> lines = list(tweet_lines(make_timeline(user, seed=0)))
    >>> len(lines) == user.posts, json.loads(lines[0])["lang"]
    (True, 'en')
    """
    user = _UserTemplate(timeline, full)
    counts, texts = timeline.counts, timeline.texts
    rows = zip(
        *(timeline.ids, created_at(timeline.times), texts.texts, texts.entities, timeline.authors),
        *(counts.retweets.tolist(), counts.favourites.tolist(), timeline.account.tolist()),
        strict=True,
    )
    for post, (number, when, text, found, author, retweets, favourites, account) in enumerate(rows):
        original = ""
        if author:
            original = _original(number - (7 << 22), when, text, found, author, retweets, full)
            text, found = f"RT @{author}: {text}", [f"@{author}", *found]
        yield (
            f"{_body(number, when, text, found)}"
            f'"user":{user.fill(account, post)},{original}'
            f"{_tail(retweets, favourites)}\n"
        )


def user_line(timeline: Timeline) -> str:
    """Write the account as it was at the last post.

    Parameters
    ----------
    timeline : Timeline
        The user.

    Returns
    -------
    str
        One JSON object and a line feed.

    Examples
    --------
    >>> import json
    >>> from whybox.synth import SynthConfig
    >>> from whybox.synth.population import Population
    >>> from whybox.synth.timeline import make_timeline
    >>> user = next(iter(Population(SynthConfig(users=1, posts_per_user=20))))
    >>> json.loads(user_line(make_timeline(user, seed=0)))["screen_name"]
    'raingarden0'
    """
    last = len(timeline.ids) - 1
    return _UserTemplate(timeline, True).fill(timeline.account[last].tolist(), last) + "\n"


class _UserTemplate:
    """The user object, all but the figures that change from post to post."""

    def __init__(self, timeline: Timeline, full: bool) -> None:
        number, name = timeline.user_id, timeline.screen_name
        joined = created_at(timeline.times[:1] - 86_400 * (200 + timeline.traits.number % 1500))[0]
        self._statuses = 500 + 37 * (timeline.traits.number % 400)
        self._head = _user_head(number, name, f"Synthetic user {timeline.traits.number}")
        self._middle = (
            f'"created_at":"{joined}","utc_offset":null,"time_zone":null,"geo_enabled":false,'
            f'"verified":false,"lang":"en","contributors_enabled":false,'
            f"{_PROFILE.replace('{0}', str(number)) if full else ''}"
        )

    def fill(self, account: list[int], post: int) -> str:
        """Give the object as it was at a post."""
        favourites, followers, friends, listed = account
        return (
            f'{self._head}"followers_count":{followers},"friends_count":{friends},'
            f'"listed_count":{listed},{self._middle}"favourites_count":{favourites},'
            f'"statuses_count":{self._statuses + post}}}'
        )


def _user_head(number: int, screen_name: str, name: str) -> str:
    """Begin a user object."""
    return (
        f'{{"id":{number},"id_str":"{number}","name":"{name}","screen_name":"{screen_name}",'
        '"location":"","description":"Made by a program; no real person.","url":null,'
        '"entities":{"description":{"urls":[]}},"protected":false,'
    )


def _body(number: int, when: str, text: str, found: list[str]) -> str:
    """Begin a tweet: what stands before the user object."""
    reply = _NO_REPLY
    if text.startswith("@"):
        name = found[0][1:]
        reply = (
            f'"in_reply_to_status_id":null,"in_reply_to_status_id_str":null,'
            f'"in_reply_to_user_id":{_number_of(name)},'
            f'"in_reply_to_user_id_str":"{_number_of(name)}","in_reply_to_screen_name":"{name}",'
        )
    return (
        f'{{"created_at":"{when}","id":{number},"id_str":"{number}","text":{quote(text)},'
        f'"truncated":false,"entities":{_entities(text, found) if found else _NO_ENTITIES},'
        f'"source":{_SOURCES[number % 2]},{reply}'
    )


def _tail(retweets: int, favourites: int) -> str:
    """End a tweet: what stands behind the user object."""
    return (
        f'{_NO_PLACE}"is_quote_status":false,"retweet_count":{retweets},'
        f'"favorite_count":{favourites},"favorited":false,"retweeted":false,'
        '"possibly_sensitive":false,"lang":"en"}'
    )


def _original(
    number: int, when: str, text: str, found: list[str], author: str, retweets: int, full: bool
) -> str:
    """Write the post that a retweet repeats."""
    account = _number_of(author)
    profile = _PROFILE.replace("{0}", str(account)) if full else ""
    return (
        f'"retweeted_status":{_body(number, when, text, found)}'
        f'"user":{_user_head(account, author, author)}"followers_count":{account % 9973},'
        f'"friends_count":{account % 997},"listed_count":{account % 97},{profile}'
        f'"favourites_count":{account % 7919},"verified":false,'
        f'"statuses_count":{account % 65_537}}},{_tail(retweets, 2 * retweets)},'
    )


def _entities(text: str, found: list[str]) -> str:
    """Write where in the text its mentions, hashtags and links stand, in code points."""
    parts: dict[str, list[str]] = {"@": [], "#": [], "h": []}
    end = 0
    for piece in found:
        start = text.index(piece, end)
        end = start + len(piece)
        if piece[0] == "@":
            name = piece[1:]
            what = (
                f'"screen_name":"{name}","name":"{name}","id":{_number_of(name)},'
                f'"id_str":"{_number_of(name)}"'
            )
        elif piece[0] == "#":
            what = f'"text":"{piece[1:]}"'
        else:
            what = f'"url":"{piece}","expanded_url":"{piece}","display_url":"{piece[8:]}"'
        parts[piece[0]].append(f'{{{what},"indices":[{start},{end}]}}')
    return (
        f'{{"hashtags":[{",".join(parts["#"])}],"symbols":[],'
        f'"user_mentions":[{",".join(parts["@"])}],"urls":[{",".join(parts["h"])}]}}'
    )


def _number_of(name: str) -> int:
    """Give the account number of a ``userNNNNNNNN``: beyond those of the set's own users."""
    return 10_000_000_000 + int(name[4:])
