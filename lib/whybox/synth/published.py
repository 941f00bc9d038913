"""Published figures that the synthetic timelines are calibrated to, each with its source.

Tables S2, S3: X. Tong, Z. Liu, W. Li et al., cost-sensitive boosting pruning trees for depression
detection on Twitter, supplementary material (the set collected by Tsinghua University, "TTDD").
Figures on texts and times: shares and quantiles measured over public collections of tweets; only
the aggregate numbers are kept here.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "HOUR_SHARES",
    "MEAN_POSTS",
    "TABLE_S3",
    "TOKEN_QUANTILES",
    "TOPIC_SHARES",
    "Published",
]


@dataclass(frozen=True)
class Published:
    """One feature's statistics over the users of one class.

    Attributes
    ----------
    mean, median, maximum : float
        In the feature's unit: counts, or means and shares per post.

    Examples
    --------
    >>> TABLE_S3["posting_number"][True].median
    104.0
    """

    mean: float
    median: float
    maximum: float


TABLE_S3: dict[str, dict[bool, Published]] = {
    name: {True: Published(*depressed), False: Published(*control)}
    for name, depressed, control in (
        ("total_favourites", (2823.50, 698.00, 84257.00), (8709.07, 2341.00, 356830.00)),
        ("friends", (745.17, 307.00, 61572.00), (643.16, 340.00, 11977.00)),
        ("followers", (1062.63, 257.00, 102069.00), (1027.27, 434.00, 14829.00)),
        ("listed_count", (16.01, 3.00, 1575.00), (18.98, 4.00, 1722.00)),
        ("favourites_count", (1.09, 0.19, 1449.55), (0.81, 0.29, 67.33)),
        ("retweet_count", (925.97, 64.39, 126999.12), (2332.88, 649.44, 169788.00)),
        ("mention_count", (0.60, 0.56, 3.00), (0.74, 0.72, 5.52)),
        ("posting_number", (187.99, 104.00, 2560.00), (601.11, 274.00, 2972.00)),
        ("time_distribution", (0.35, 0.35, 1.00), (0.29, 0.30, 0.97)),
        ("negative_words", (0.81, 0.76, 3.33), (0.62, 0.61, 3.68)),
        ("positive_words", (1.47, 1.41, 4.33), (1.22, 1.20, 5.50)),
        ("emoji_number", (0.23, 0.06, 8.59), (0.40, 0.25, 9.31)),
        ("emoticons", (0.27, 0.24, 1.39), (0.25, 0.22, 3.00)),
    )
}
"""Feature -> class (True: depressed, False: control) -> its row of Table S3, TTDD columns."""

MEAN_POSTS = 457.31
"""Mean posting number over both classes (Table S2)."""

TOPIC_SHARES: dict[bool, tuple[float, ...]] = {
    True: (
        *(0.00, 0.24, 0.01, 0.01, 0.10, 0.20, 0.01, 0.11, 0.00, 0.02, 0.03, 0.01, 0.00),
        *(0.01, 0.02, 0.08, 0.01, 0.01, 0.07, 0.00, 0.00, 0.00, 0.02, 0.01, 0.00),
    ),
    False: (
        *(0.01, 0.04, 0.01, 0.02, 0.12, 0.13, 0.02, 0.06, 0.02, 0.01, 0.06, 0.01, 0.01),
        *(0.01, 0.01, 0.23, 0.02, 0.01, 0.06, 0.00, 0.01, 0.01, 0.05, 0.04, 0.04),
    ),
}
"""Class -> mean shares of topics 1 to 25 (Table S3, TTDD; rounded, so the sums are near 1)."""

HOUR_SHARES: tuple[float, ...] = (
    *(0.0252, 0.0230, 0.0236, 0.0222, 0.0237, 0.0243, 0.0270, 0.0329),
    *(0.0374, 0.0446, 0.0457, 0.0497, 0.0528, 0.0587, 0.0543, 0.0570),
    *(0.0571, 0.0621, 0.0624, 0.0571, 0.0499, 0.0411, 0.0364, 0.0320),
)
"""Share of posts by hour, UTC: 9,497 tweets of 2020 and 2021."""

TOKEN_QUANTILES: tuple[tuple[float, float], ...] = (
    *((0.0, 1.0), (0.01, 5.0), (0.05, 8.0), (0.10, 8.0), (0.25, 10.0), (0.50, 15.0)),
    *((0.75, 20.0), (0.90, 24.0), (0.95, 26.0), (0.99, 28.0), (1.0, 37.0)),
)
"""Quantiles of the white-space tokens of a post: one random tweet of each of 20,050 users, 2015."""
