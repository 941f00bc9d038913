"""A user's whole timeline: who, when, what, and how often it was liked and repeated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whybox.synth.clock import post_times, snowflakes
from whybox.synth.counts import PostCounts, post_counts
from whybox.synth.population import Traits
from whybox.synth.texts import Texts, compose
from whybox.synth.vocabulary import TOPICS

__all__ = ["Timeline", "make_timeline"]

ACCOUNT = ("total_favourites", "followers", "friends", "listed_count")
"""Figures of the account, the columns of ``Timeline.account``."""

_DRIFT = 0.01  # standard deviation of an account figure's relative change over the month


@dataclass(frozen=True, eq=False)
class Timeline:
    """A user and the posts, in order of time; the last one is the anchor.

    Attributes
    ----------
    traits : Traits
        The user.
    screen_name : str
        Unique in the set.
    user_id : int
        Unique in the set.
    ids : list of int
        The posts' numbers.
    times : ndarray of int64 of shape (posts,)
        Seconds since 1970.
    counts : PostCounts
        The integers of each post.
    texts : Texts
        What was written.
    authors : list of str
        Of a retweet, the original's author; else empty.
    account : ndarray of int64 of shape (posts, 4)
        The account's figures at each post (``ACCOUNT``): they drift a little.
    salt : int
        A signed number for file names.
    """

    traits: Traits
    screen_name: str
    user_id: int
    ids: list[int]
    times: NDArray[np.int64]
    counts: PostCounts
    texts: Texts
    authors: list[str]
    account: NDArray[np.int64]
    salt: int


def make_timeline(traits: Traits, seed: int, *, plain: bool = False) -> Timeline:
    """Write one user's timeline.

    Parameters
    ----------
    traits : Traits
        The user.
    seed : int
        The set's seed; the user's own stream of chance hangs on it and on the user's number.
    plain : bool, default False
        Leave out emoji and emoticons.

    Returns
    -------
    Timeline
        Of ``traits.posts`` posts.

    Examples
    --------
    >>> from whybox.synth import SynthConfig
    >>> from whybox.synth.population import Population
    >>> users = list(Population(SynthConfig(users=2, posts_per_user=20)))
    >>> [len(make_timeline(user, seed=0).ids) == user.posts for user in users]
    [True, True]
    """
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0, traits.number)))
    counts = post_counts(traits, rng)
    times = post_times(traits.posts, counts.at_night, traits.label is not None, rng)
    authors = rng.integers(0, 10**8, traits.posts).tolist()
    return Timeline(
        traits=traits,
        screen_name=_screen_name(traits.number),
        user_id=10_000_000 + 7919 * traits.number,
        ids=snowflakes(times, traits.number, rng),
        times=times,
        counts=counts,
        texts=compose(traits, counts, rng, plain=plain),
        authors=[
            f"user{author:08d}" if again else ""
            for author, again in zip(authors, counts.is_retweet.tolist(), strict=True)
        ],
        account=_account(traits, times, rng),
        salt=int(rng.integers(-(2**31), 2**31)),
    )


def _screen_name(number: int) -> str:
    """Make a name of two everyday words and the user's number."""
    weather, pastimes = TOPICS["weather"], TOPICS["pastimes"]
    first = weather[number % len(weather)]
    return f"{first}{pastimes[number // len(weather) % len(pastimes)]}{number}"


def _account(
    traits: Traits, times: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Let the account's figures drift over the month around the user's own."""
    elapsed = (times - times.mean()) / (30 * 86_400)
    change = 1 + elapsed[:, None] * rng.normal(0.0, _DRIFT, len(ACCOUNT))
    figures = np.array([traits.figures[name] for name in ACCOUNT])
    return np.asarray(np.rint(change * figures), dtype=np.int64)
