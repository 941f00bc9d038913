"""How a user's figures fall on single posts: integers whose mean over the posts is the figure.

Totals come first (figure times posts, rounded up or down at random so that they are right on
average) and are then dealt out. A user's measured mean thus stays at the figure however few posts
there are; drawing each post by itself would blur the users of small sets.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whybox.synth.population import Traits

__all__ = ["PostCounts", "deal", "post_counts"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

RETWEET_SHARE = (2.0, 7.0)
"""Beta parameters of a user's share of retweets: mean .22, the share in public timelines."""

_OWN_RETWEETS = 0.1  # retweets that an own post gathers, per favourite


@dataclass(frozen=True, eq=False)
class PostCounts:
    """Integers per post, arrays of shape (posts,), in order of time.

    Attributes
    ----------
    is_retweet : ndarray of bool
        The post repeats another's; never the last one.
    at_night : int
        Number of posts of the night.
    favourites, retweets, mentions : ndarray of int64
        As the service counts them: a retweet has the original's retweets and no favourites, and
        mentions the original's author.
    negative, positive, emoji, emoticons : ndarray of int64
        Signed words, emoji and emoticons of the text.
    """

    is_retweet: NDArray[np.bool_]
    at_night: int
    favourites: Ints
    retweets: Ints
    mentions: Ints
    negative: Ints
    positive: Ints
    emoji: Ints
    emoticons: Ints


def post_counts(traits: Traits, rng: np.random.Generator) -> PostCounts:
    """Deal a user's figures out over the posts.

    Parameters
    ----------
    traits : Traits
        The user.
    rng : numpy.random.Generator
        The user's own.

    Returns
    -------
    PostCounts
        Their means are the user's figures but for the rounding of totals.

    Examples
    --------
    >>> from whybox.synth import SynthConfig
    >>> from whybox.synth.population import Population
    >>> user = next(iter(Population(SynthConfig(users=1, posts_per_user=500))))
    >>> counts = post_counts(user, np.random.default_rng(0))
    >>> bool(abs(counts.negative.mean() - user.figures["negative_words"]) < 1 / user.posts)
    True
    """
    n = traits.posts
    total = {name: _round(value * n, rng) for name, value in traits.figures.items()}
    is_retweet = _choose_retweets(n, total["retweet_count"], total["mention_count"], rng)
    own = np.where(is_retweet, 0.0, rng.lognormal(0.0, 1.2, n))
    favourites = deal(total["favourites_count"], own, rng)
    mentions = is_retweet + deal(
        total["mention_count"] - int(is_retweet.sum()), rng.gamma(1.0, 1.0, n), rng
    )
    return PostCounts(
        is_retweet=is_retweet,
        at_night=min(total["time_distribution"], n),
        favourites=favourites,
        retweets=_deal_retweets(total["retweet_count"], is_retweet, favourites, rng),
        mentions=mentions,
        negative=deal(total["negative_words"], np.ones(n), rng),
        positive=deal(total["positive_words"], np.ones(n), rng),
        emoji=deal(total["emoji_number"], rng.gamma(0.5, 1.0, n), rng),
        emoticons=deal(total["emoticons"], np.ones(n), rng),
    )


def deal(total: int, weights: Floats, rng: np.random.Generator) -> Ints:
    """Split a total into integers.

    Parameters
    ----------
    total : int
        What to split, not negative.
    weights : ndarray of shape (posts,)
        Not negative; a post's expected part is in proportion. Not all 0.
    rng : numpy.random.Generator
        Where chance comes from.

    Returns
    -------
    ndarray of int64 of shape (posts,)
        Summing to ``total``.

    Examples
    --------
    >>> int(deal(7, np.array([1.0, 0.0, 2.0]), np.random.default_rng(0)).sum())
    7
    """
    return rng.multinomial(total, weights / weights.sum())


def _round(value: float, rng: np.random.Generator) -> int:
    """Round up or down at random, right on average."""
    return int(value + rng.random())


def _choose_retweets(
    n: int, retweets: int, mentions: int, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Choose which posts are retweets: each takes one mention and one retweet; the last is own."""
    wanted = max(int(rng.binomial(n, rng.beta(*RETWEET_SHARE))), 1 if retweets > n else 0)
    number = min(wanted, retweets, mentions, n - 1)
    chosen = np.zeros(n, dtype=np.bool_)
    chosen[rng.permutation(n - 1)[:number]] = True
    return chosen


def _deal_retweets(
    total: int, is_retweet: NDArray[np.bool_], favourites: Ints, rng: np.random.Generator
) -> Ints:
    """Give retweets nearly all, very unevenly; own posts a few, where they have favourites."""
    number = int(is_retweet.sum())
    if number == 0:
        return deal(total, favourites.astype(np.float64) + 0.1, rng)
    own = min(total - number, rng.binomial(int(favourites.sum()), _OWN_RETWEETS))
    uneven = np.where(is_retweet, rng.lognormal(0.0, 1.8, len(is_retweet)), 0.0)
    popular = np.where(is_retweet, 0.0, favourites.astype(np.float64) + 0.01)
    dealt: Ints = is_retweet + deal(total - number - own, uneven, rng) + deal(own, popular, rng)
    return dealt
