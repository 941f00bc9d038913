"""Who the users are: their classes, and their figures by a Gaussian copula.

Within a class the figures share one latent factor. Its loadings follow the differences between the
classes, so that the features repeat each other: without it the published margins, taken as
independent, would tell the classes apart far better than any published classifier does.
Values are drawn in blocks of 64 users, one from each 64th of a margin, so that a class's means and
medians are right in small sets too; a user's values do not depend on how many users follow.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from whybox.synth.config import MIN_POSTS, SynthConfig
from whybox.synth.margins import ClippedLognormal, ClippedNormal, Margin, fit_lognormal
from whybox.synth.published import TABLE_S3, TOPIC_SHARES

__all__ = ["Population", "Traits", "margins", "topic_shares"]

FIGURES = tuple(TABLE_S3)
"""Names of a user's figures, in the order of Table S3."""

SPREADS = {
    "mention_count": 0.32,
    "time_distribution": 0.13,
    "negative_words": 0.27,
    "positive_words": 0.38,
}
"""Standard deviations over users where mean and median nearly agree (ours; not published)."""

SHARED_FACTOR = 0.53
"""Loading of the shared factor per standard deviation between the classes."""

TOPIC_CONCENTRATION = 5.5
"""Sum of a user's Dirichlet parameters: the smaller, the fewer topics a user has."""

TOPIC_RATIO = 2.5
"""Largest ratio of the classes' shares of a topic; without a bound, one topic tells the classes."""

_BLOCK = 64
_GOLDEN = (5**0.5 - 1) / 2  # its multiples, modulo 1, are spread evenly
_RETWEET_MEDIANS = {True: 1.04, False: 0.96}  # keeps the feature's AUC below .80


@dataclass(frozen=True, eq=False)
class Traits:
    """One user before any post is written.

    Attributes
    ----------
    number : int
        Position in the set, from 0.
    label : {"positive", "negative"} or None
        None for a candidate.
    positive : bool
        The class whose margins the user follows; a candidate has one too, but no label.
    posts : int
        Number of posts.
    figures : dict of str to float
        Feature name -> the value to aim at, in the feature's unit.
    topics : ndarray of shape (25,)
        Shares of the topics, summing to 1.
    """

    number: int
    label: str | None
    positive: bool
    posts: int
    figures: dict[str, float]
    topics: NDArray[np.float64]


class Population:
    """All users of a set, made one after the other.

    Parameters
    ----------
    config : SynthConfig
        What to make.

    Examples
    --------
    >>> users = list(Population(SynthConfig(users=5, posts_per_user=20, unlabelled_share=0.4)))
    >>> [user.label for user in users]
    ['negative', 'negative', None, 'positive', None]
    """

    def __init__(self, config: SynthConfig) -> None:
        self._config = config
        self._margins = {positive: margins(positive) for positive in (True, False)}
        self._loadings = _loadings(self._margins)
        self._topics = {positive: topic_shares(positive) for positive in (True, False)}
        self._scales = {positive: self._scale(positive) for positive in (True, False)}
        self._blocks: dict[tuple[bool, bool], tuple[int, NDArray[np.float64]]] = {}

    def __iter__(self) -> Iterator[Traits]:
        seen = dict.fromkeys(((a, b) for a in (True, False) for b in (True, False)), 0)
        for number, (labelled, positive) in enumerate(_roles(self._config)):
            yield self._traits(number, labelled, positive, seen[labelled, positive])
            seen[labelled, positive] += 1

    def _traits(self, number: int, labelled: bool, positive: bool, index: int) -> Traits:
        """Make the user that is the ``index``-th of its label and class."""
        block, row = divmod(index, _BLOCK)
        if self._blocks.get((labelled, positive), (-1,))[0] != block:
            self._blocks[labelled, positive] = block, self._draw(labelled, positive, block)
        values = self._blocks[labelled, positive][1][row]
        figures = dict(zip(FIGURES, values[: len(FIGURES)].tolist(), strict=True))
        posts = max(MIN_POSTS, round(figures["posting_number"] * self._scales[positive]))
        label = ("positive" if positive else "negative") if labelled else None
        return Traits(number, label, positive, posts, figures, values[len(FIGURES) :])

    def _draw(self, labelled: bool, positive: bool, block: int) -> NDArray[np.float64]:
        """Draw one block: rows are users, columns the figures and the shares of topics."""
        key = (int(labelled), int(positive))
        shift = _rng(self._config.seed, 1, *key).random(len(FIGURES))
        rng = _rng(self._config.seed, 2, *key, block)
        factor = rng.standard_normal((_BLOCK, 1))
        noise = rng.standard_normal((_BLOCK, len(FIGURES)))
        scores = factor * self._loadings + noise * np.sqrt(1 - self._loadings**2)
        strata = scores.argsort(axis=0).argsort(axis=0)
        within = 0.02 + 0.96 * ((shift + block * _GOLDEN) % 1)  # blocks fill each other's gaps
        u = (strata + within) / _BLOCK
        columns = [self._margins[positive][n].quantile(u[:, j]) for j, n in enumerate(FIGURES)]
        topics = rng.dirichlet(TOPIC_CONCENTRATION * self._topics[positive], _BLOCK)
        return np.column_stack([*columns, topics])

    def _scale(self, positive: bool) -> float:
        """Find the factor on posting numbers that gives the class its mean, the floor included."""
        if self._config.posts_per_user is None:
            return 1.0
        means = {c: TABLE_S3["posting_number"][c].mean for c in (True, False)}
        share = self._config.positive_share
        overall = share * means[True] + (1 - share) * means[False]
        wanted = self._config.posts_per_user * means[positive] / overall
        numbers = self._margins[positive]["posting_number"].quantile((np.arange(4096) + 0.5) / 4096)
        low, high = 0.0, wanted / MIN_POSTS
        for _ in range(50):
            scale = (low + high) / 2
            if np.maximum(MIN_POSTS, numbers * scale).mean() < wanted:
                low = scale
            else:
                high = scale
        return scale


def margins(positive: bool) -> dict[str, Margin]:
    """Give each figure's distribution over the users of a class.

    Parameters
    ----------
    positive : bool
        The class: True as the depressed users of Table S3, False as its controls.

    Returns
    -------
    dict of str to margin
        Feature name -> lognormal by the published mean and median, or normal by the mean and
        ``SPREADS``; within the published range.

    Examples
    --------
    >>> margins(True)["emoji_number"].median
    0.06
    """
    fitted: dict[str, Margin] = {}
    for name, by_class in TABLE_S3.items():
        published = by_class[positive]
        if name in SPREADS:
            fitted[name] = ClippedNormal(published.mean, SPREADS[name], 0.0, published.maximum)
        else:
            low = float(MIN_POSTS) if name == "posting_number" else 0.0
            shift = _RETWEET_MEDIANS[positive] if name == "retweet_count" else 1.0
            fitted[name] = fit_lognormal(
                published.mean, published.median * shift, low, published.maximum
            )
    return fitted


def topic_shares(positive: bool) -> NDArray[np.float64]:
    """Give a class's mean shares of the 25 topics.

    Parameters
    ----------
    positive : bool
        The class.

    Returns
    -------
    ndarray of shape (25,)
        Summing to 1: Table S3's shares, of at least 1 %, drawn together where the classes differ
        by more than ``TOPIC_RATIO``.

    Examples
    --------
    >>> bool(topic_shares(True)[1] > topic_shares(False)[1])
    True
    """
    depressed, control = (np.maximum(TOPIC_SHARES[c], 0.01) for c in (True, False))
    bound = np.log(TOPIC_RATIO)
    half_gap = np.clip(np.log(depressed / control), -bound, bound) / 2
    shares = np.sqrt(depressed * control) * np.exp(half_gap if positive else -half_gap)
    return np.asarray(shares / shares.sum(), dtype=np.float64)


def _rng(seed: int, *key: int) -> np.random.Generator:
    """Open the stream of chance that belongs to a purpose."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


def _loadings(fitted: dict[bool, dict[str, Margin]]) -> NDArray[np.float64]:
    """Load each figure on the shared factor in proportion to how far it separates the classes."""
    gaps = []
    for name in FIGURES:
        one, other = fitted[True][name], fitted[False][name]
        if isinstance(one, ClippedLognormal) and isinstance(other, ClippedLognormal):
            gap = np.log(one.median / other.median)
        else:
            gap = TABLE_S3[name][True].mean - TABLE_S3[name][False].mean
        gaps.append(gap / np.sqrt((one.spread**2 + other.spread**2) / 2))
    return np.clip(SHARED_FACTOR * np.array(gaps), -0.95, 0.95)


def _roles(config: SynthConfig) -> Iterator[tuple[bool, bool]]:
    """Spread candidates over the users, and positives over labelled users and over candidates."""
    unlabelled = Fraction(str(config.unlabelled_share))
    positive = Fraction(str(config.positive_share))
    seen = {True: 0, False: 0}
    for number in range(config.users):
        labelled = not _steps(unlabelled, number)
        yield labelled, _steps(positive, seen[labelled])
        seen[labelled] += 1


def _steps(share: Fraction, number: int) -> bool:
    """Say whether the running total of ``share`` passes a whole number at ``number``."""
    return (number + 1) * share // 1 > number * share // 1
