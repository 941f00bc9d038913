"""When the posts were written: bursts within a month, by the hours of public samples of tweets."""

from __future__ import annotations

import datetime as dt

import numpy as np
from numpy.typing import NDArray

from whybox.synth.published import HOUR_SHARES

__all__ = ["NIGHT", "created_at", "post_times", "snowflakes"]

Ints = NDArray[np.int64]

NIGHT = (23, 0, 1, 2, 3, 4, 5)
"""Hours of the night, UTC: 23:00 to 06:00."""

POSTS_A_BURST = 1.6
"""Mean number of posts of one sitting."""

_DAYS = 29  # with the hours of the last day, a little less than 30 days
_FIRST = dt.date(2011, 1, 1).toordinal() - dt.date(1970, 1, 1).toordinal()
_LAST = dt.date(2016, 11, 1).toordinal() - dt.date(1970, 1, 1).toordinal()
_CANDIDATES = dt.date(2016, 12, 1).toordinal() - dt.date(1970, 1, 1).toordinal()
_SNOWFLAKE_EPOCH = 1_288_834_974_657  # milliseconds; the service's own
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")  # not strftime: locales differ
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def post_times(posts: int, at_night: int, labelled: bool, rng: np.random.Generator) -> Ints:
    """Draw the times of a user's posts.

    Parameters
    ----------
    posts, at_night : int
        Their number, and how many of them are of the night.
    labelled : bool
        Labelled users get a month between 2011 and 2016, candidates December 2016.
    rng : numpy.random.Generator
        The user's own.

    Returns
    -------
    ndarray of int64 of shape (posts,)
        Seconds since 1970, ascending, all within 30 days.

    Examples
    --------
    >>> times = post_times(5, 2, True, np.random.default_rng(0))
    >>> sum(int(hour) in NIGHT for hour in times // 3600 % 24)
    2
    """
    first = int(rng.integers(_FIRST, _LAST)) if labelled else _CANDIDATES
    night, day = _burst_times(at_night, True, rng), _burst_times(posts - at_night, False, rng)
    return np.sort(np.concatenate([night, day])) + first * 86_400


def _burst_times(n: int, of_night: bool, rng: np.random.Generator) -> Ints:
    """Draw seconds of the month: sittings of an hour, the posts of one sitting close together."""
    shares = np.array([s * ((hour in NIGHT) == of_night) for hour, s in enumerate(HOUR_SHARES)])
    sittings = max(1, round(n / POSTS_A_BURST))
    cumulative = np.cumsum(shares)
    hours = np.searchsorted(cumulative, rng.random(sittings) * cumulative[-1], side="right")
    starts = rng.integers(0, _DAYS, sittings) * 86_400 + hours * 3600
    of_post = rng.integers(0, sittings, n)
    return np.asarray(starts[of_post] + rng.integers(0, 3600, n), dtype=np.int64)


def snowflakes(times: Ints, number: int, rng: np.random.Generator) -> list[int]:
    """Number posts as the service does: milliseconds, then who and which.

    Parameters
    ----------
    times : ndarray of int64 of shape (posts,)
        Seconds since 1970, ascending.
    number : int
        The user's number in the set.
    rng : numpy.random.Generator
        For the milliseconds.

    Returns
    -------
    list of int
        Distinct, below 2**63.

    Examples
    --------
    >>> snowflakes(np.array([1_400_000_000]), 0, np.random.default_rng(0))[0] > 10**17
    True
    """
    milliseconds = times * 1000 + rng.integers(0, 1000, len(times)) - _SNOWFLAKE_EPOCH
    which = np.arange(len(times), dtype=np.int64) % 1024
    return ((milliseconds << 22) | (number % 4096 << 10) | which).tolist()  # type: ignore[no-any-return]


def created_at(times: Ints, zone: str = "+0000", offset: int = 0) -> list[str]:
    """Write times as the service does, whatever the locale and the machine's zone.

    Parameters
    ----------
    times : ndarray of int64 of shape (posts,)
        Seconds since 1970.
    zone : str, default "+0000"
        What stands for the zone.
    offset : int, default 0
        The zone's distance from UTC in seconds.

    Returns
    -------
    list of str
        One a post.

    Examples
    --------
    >>> created_at(np.array([1_239_056_385]), "PDT", -7 * 3600)
    ['Mon Apr 06 15:19:45 PDT 2009']
    """
    days, seconds = np.divmod(times + offset, 86_400)
    names = {day: _day_name(day) for day in np.unique(days).tolist()}
    return [
        f"{names[day][0]} {second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d} "
        f"{zone} {names[day][1]}"
        for day, second in zip(days.tolist(), seconds.tolist(), strict=True)
    ]


def _day_name(day: int) -> tuple[str, int]:
    """Give the weekday, month and day of a day since 1970, and its year."""
    date = dt.date.fromordinal(dt.date(1970, 1, 1).toordinal() + day)
    return f"{_WEEKDAYS[date.weekday()]} {_MONTHS[date.month - 1]} {date.day:02d}", date.year
