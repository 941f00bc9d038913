"""What to synthesise, and what was synthesised: two frozen values."""

from __future__ import annotations

from dataclasses import dataclass

from whybox.errors import InputError

__all__ = ["LAYOUTS", "MIN_POSTS", "SynthConfig", "SynthSummary"]

LAYOUTS = ("ttdd", "twitter-v1", "sentiment140")
"""The folder layouts that can be written."""

MIN_POSTS = 6
"""The least posts of a user: the least posting number in Table S2 (Tong et al.)."""


@dataclass(frozen=True)
class SynthConfig:
    """A set of synthetic timelines.

    Parameters
    ----------
    users : int
        Number of users, candidates included; at least 1.
    posts_per_user : float, optional
        Mean number of posts of a labelled user, at least 6; the published ratio of the classes'
        means is kept. Default: the published means (187.99 positive, 601.11 negative).
    positive_share : float, default 0.35
        Share of positives among the labelled users, 0 to 1 (34.8 % as published).
    unlabelled_share : float, default 0.2
        Share of candidates without a label among all users, 0 to 1.
    layout : {"ttdd", "twitter-v1", "sentiment140"}, default "ttdd"
        The files to write.
    seed : int, default 0
        Equal configurations give equal bytes (with the same NumPy); not negative.

    Raises
    ------
    InputError
        If a value is outside its range.

    Examples
    --------
    >>> SynthConfig(users=10).layout
    'ttdd'
    >>> SynthConfig(users=0)
    Traceback (most recent call last):
    ...
    whybox.errors.InputError: users is 0 (synth): give a whole number of 1 or more
    """

    users: int
    posts_per_user: float | None = None
    positive_share: float = 0.35
    unlabelled_share: float = 0.2
    layout: str = "ttdd"
    seed: int = 0

    def __post_init__(self) -> None:
        _require_whole("users", self.users, least=1)
        _require_whole("seed", self.seed, least=0)
        if self.posts_per_user is not None and not MIN_POSTS <= self.posts_per_user <= 1e6:
            raise _refusal("posts_per_user", self.posts_per_user, f"{MIN_POSTS} to 1,000,000")
        for name in ("positive_share", "unlabelled_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise _refusal(name, getattr(self, name), "a share between 0 and 1")
        if self.layout not in LAYOUTS:
            raise _refusal("layout", repr(self.layout), "one of " + ", ".join(LAYOUTS))


@dataclass(frozen=True)
class SynthSummary:
    """What was written.

    Attributes
    ----------
    users, positive, negative, unlabelled : int
        Numbers of users: all, and by label.
    posts : int
        Number of distinct posts (an anchor's second copy is not counted).
    files : int
        Number of files written.
    bytes : int
        Their size.

    Examples
    --------
    >>> SynthSummary(users=3, positive=1, negative=1, unlabelled=1, posts=60, files=5, bytes=9).posts
    60
    """

    users: int
    positive: int
    negative: int
    unlabelled: int
    posts: int
    files: int
    bytes: int


def _require_whole(name: str, value: object, *, least: int) -> None:
    """Refuse what is not a whole number of at least ``least``."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise _refusal(name, value, f"a whole number of {least} or more")


def _refusal(name: str, value: object, expected: str) -> InputError:
    """Say which setting is wrong and what it may be."""
    return InputError(f"{name} is {value}", where="synth", remedy=f"give {expected}")
