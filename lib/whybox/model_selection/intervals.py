"""How sure a figure is: intervals of shares, and of figures whose rows are drawn again.

People are drawn, not rows: somebody with many rows comes with all of them or not at all, since rows
of one person are no independent evidence.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from whybox.errors import InputError
from whybox.model_selection.metrics import calibration_error, ranked_auc

__all__ = [
    "FIGURES",
    "Interval",
    "drawn_weights",
    "figures_of",
    "percentiles",
    "resampled",
    "wilson",
]

N_BINS = 10

FIGURES = (
    "sensitivity",
    "specificity",
    "precision",
    "accuracy",
    "f1_macro",
    "f1_positive",
    "auc",
    "brier",
    "calibration_error",
)
"""What `figures_of` gives, in this order."""


@dataclass(frozen=True)
class Interval:
    """A figure and where it lies, should the people have been others of the same kind.

    Attributes
    ----------
    value, low, high : float

    Examples
    --------
    >>> Interval(0.5, 0.25, 0.75).low
    0.25
    """

    value: float
    low: float
    high: float


def wilson(share: float, n: int, level: float = 0.95) -> Interval:
    """Give Wilson's score interval of a share (Wilson, 1927).

    Parameters
    ----------
    share : float
        In [0, 1].
    n : int
        Independent cases that it was counted among, at least one.
    level : float, default 0.95

    Returns
    -------
    Interval
        Inside [0, 1], and never of width 0.

    Raises
    ------
    InputError
        If there is no case, or no such share or level.

    Examples
    --------
    >>> found = wilson(0.8, 10)
    >>> round(found.low, 4), round(found.high, 4)
    (0.4902, 0.9433)
    """
    if n < 1 or not 0 <= share <= 1 or not 0 < level < 1:
        raise InputError(
            f"a share of {share} of {n} cases at level {level}",
            where="wilson",
            remedy="give a share from 0 to 1, at least one case, and a level between 0 and 1",
        )
    z = NormalDist().inv_cdf(0.5 + level / 2)
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return Interval(share, min(low, share), max(high, share))  # rounding at 0 and 1


def figures_of(
    scores: np.ndarray, positive: np.ndarray, decided: np.ndarray
) -> dict[str, float | None]:
    """Judge scores and decisions of two classes.

    Parameters
    ----------
    scores : float array of shape (n,)
        Probabilities of the positive class.
    positive : bool array of shape (n,)
        Whether a row is of it.
    decided : bool array of shape (n,)
        Whether it was decided for it.

    Returns
    -------
    dict of str to float or None
        By `FIGURES`; None where a figure is not defined. F1 is 0 where nothing was hit.

    Examples
    --------
    >>> scores, positive = np.array([0.1, 0.6, 0.9]), np.array([False, False, True])
    >>> found = figures_of(scores, positive, scores >= 0.5)
    >>> found["sensitivity"], found["specificity"], found["precision"], found["auc"]
    (1.0, 0.5, 0.5, 1.0)
    """
    cells = np.bincount(2 * positive.astype(np.int64) + decided, minlength=4)
    return {
        **_of_cells(*cells.tolist()),
        "auc": ranked_auc(scores, positive),
        "brier": float(np.mean((scores - positive) ** 2)) if len(scores) else None,
        "calibration_error": calibration_error(scores, positive, N_BINS) if len(scores) else None,
    }


def resampled(
    scores: np.ndarray,
    positive: np.ndarray,
    decided: np.ndarray,
    people: np.ndarray | None = None,
    *,
    n_draws: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> dict[str, Interval | None]:
    """Give figures with intervals by the percentile bootstrap, people drawn with replacement.

    Parameters
    ----------
    scores, positive, decided : arrays of shape (n,)
        As for `figures_of`.
    people : array of shape (n,), optional
        Whose row it is; by default each row is somebody's own.
    n_draws : int, default 1000
    seed : int, default 0
        Its only source of chance. The order of the rows does not matter if people are given.
    level : float, default 0.95

    Returns
    -------
    dict of str to Interval or None
        By `FIGURES`; None where a figure is not defined. A draw in which it is not (one class
        alone) is left out of its interval.

    Raises
    ------
    InputError
        If there are no rows, or lengths differ.

    Examples
    --------
    >>> scores = np.linspace(0, 1, 40)
    >>> found = resampled(scores, scores > 0.4, scores > 0.5, n_draws=200)
    >>> found["accuracy"]
    Interval(value=0.9, low=0.8, high=0.975)
    """
    lengths = {len(scores), len(positive), len(decided), len(scores if people is None else people)}
    if lengths == {0} or len(lengths) > 1:
        raise InputError(f"rows of lengths {sorted(lengths)}, expected some, and equally many")
    found = figures_of(scores, positive, decided)
    draws = list(_draws(scores, positive, decided, people, n_draws, seed))
    return {
        name: percentiles(value, [draw[name] for draw in draws], level)
        for name, value in found.items()
    }


def percentiles(
    value: float | None, drawn: Sequence[float | None], level: float = 0.95
) -> Interval | None:
    """Give a figure the interval of its draws.

    Parameters
    ----------
    value : float or None
        The figure itself; not defined if None or NaN.
    drawn : sequence of float or None
        The figure of each draw; those where it is not defined are left out.
    level : float, default 0.95

    Returns
    -------
    Interval or None
        None where the figure is not defined, or in no draw.

    Examples
    --------
    >>> percentiles(0.5, [0.4, None, 0.6], 0.5)
    Interval(value=0.5, low=0.45, high=0.55)
    """
    known = np.array([np.nan if each is None else each for each in drawn], dtype=np.float64)
    known = known[~np.isnan(known)]
    if value is None or math.isnan(value) or not len(known):
        return None
    low, high = np.percentile(known, [50 * (1 - level), 50 * (1 + level)]).tolist()
    return Interval(value, low, high)


def drawn_weights(
    people: np.ndarray | None, n_rows: int, n_draws: int = 1000, seed: int = 0
) -> Iterator[np.ndarray]:
    """Draw people with replacement, again and again.

    Parameters
    ----------
    people : array of shape (n_rows,) or None
        Whose row it is; by default each row is somebody's own.
    n_rows : int
    n_draws : int, default 1000
    seed : int, default 0

    Yields
    ------
    int64 array of shape (n_rows,)
        How often each row counts in a draw.

    Examples
    --------
    >>> [weights.tolist() for weights in drawn_weights(np.array(["a", "b", "b"]), 3, 2)]
    [[0, 2, 2], [1, 1, 1]]
    """
    codes = np.arange(n_rows) if people is None else np.unique(people, return_inverse=True)[1]
    n_people = int(codes.max()) + 1
    rng = np.random.default_rng(seed)
    for _ in range(n_draws):
        yield np.bincount(rng.integers(n_people, size=n_people), minlength=n_people)[codes]


def _draws(
    scores: np.ndarray,
    positive: np.ndarray,
    decided: np.ndarray,
    people: np.ndarray | None,
    n_draws: int,
    seed: int,
) -> Iterator[dict[str, float | None]]:
    """Figures of each draw: a draw says how often each row counts, all else is sorted once.

    No dot products: a BLAS may add on many cores, and then the last bits differ by machine.
    """
    cells = 2 * positive.astype(np.int64) + decided
    ranks = np.unique(scores, return_inverse=True)[1]
    bins = np.minimum((scores * N_BINS).astype(np.int64), N_BINS - 1)
    squares, distances = (scores - positive) ** 2, scores - positive
    for weight in drawn_weights(people, len(scores), n_draws, seed):
        total = weight.sum()
        yield {
            **_of_cells(*np.bincount(cells, weight, 4).tolist()),
            "auc": _weighted_auc(ranks, positive, weight),
            "brier": float(np.sum(weight * squares) / total),
            "calibration_error": float(
                np.abs(np.bincount(bins, weight * distances, N_BINS)).sum() / total
            ),
        }


def _weighted_auc(ranks: np.ndarray, positive: np.ndarray, weight: np.ndarray) -> float | None:
    """As `ranked_auc`, rows counted by weight."""
    up = np.bincount(ranks, weight * positive)
    down = np.bincount(ranks, weight * ~positive)
    pairs = float(up.sum() * down.sum())
    if not pairs:
        return None
    return float(np.sum(up * (np.cumsum(down) - down / 2))) / pairs


def _of_cells(kept: float, alarms: float, missed: float, hits: float) -> dict[str, float | None]:
    """Figures of the four counts of decisions."""
    found_positive = _f1(hits, alarms, missed)
    return {
        "sensitivity": _share(hits, hits + missed),
        "specificity": _share(kept, kept + alarms),
        "precision": _share(hits, hits + alarms),
        "accuracy": _share(kept + hits, kept + alarms + missed + hits),
        "f1_macro": (found_positive + _f1(kept, missed, alarms)) / 2,
        "f1_positive": found_positive,
    }


def _f1(hits: float, alarms: float, missed: float) -> float:
    """F1 of a class; 0 where nothing was hit."""
    return 2 * hits / (2 * hits + alarms + missed) if hits else 0.0


def _share(part: float, whole: float) -> float | None:
    """A share, None of nothing."""
    return part / whole if whole else None
