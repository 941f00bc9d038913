"""Choosing features: bin every one given the grid so far, take the best, refine the grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from whybox.errors import InputError
from whybox.kernels.s3d import FULL, TOLERANCE, gather_blocks
from whybox.s3d.binning import Binned, BinningRules, GridState, bin_feature
from whybox.s3d.columns import Coding
from whybox.s3d.grid import Level
from whybox.s3d.source import StatisticsSource
from whybox.trees.tree import Array

__all__ = ["Decomposition", "SearchRules", "decompose"]

NOTHING_LEFT = 1e-10  # of the sum of squares: less is the rounding of real outcomes


@dataclass(frozen=True)
class SearchRules:
    """When to stop choosing.

    Parameters
    ----------
    binning : BinningRules
    max_features : int or None
    max_blocks : int

    Examples
    --------
    >>> SearchRules(BinningRules(0.01)).max_features is None
    True
    """

    binning: BinningRules
    max_features: int | None = None
    max_blocks: int = 100_000


@dataclass(frozen=True)
class Decomposition:
    """What a fit found, in whole numbers.

    Parameters
    ----------
    levels : list of Level
    n : list of int64 (blocks,)
        Weight by block; the first is that of all rows.
    s : list of int64 (blocks, channels)
        Weight times outcome.
    gains : int64 (steps + 1, features)
        Each feature's gain given the grid so far, in units of 2^-61 of the sum of squares; the
        last row is what the features would have gained at one more step.
    ties : list of list of int
        The features that gained most at each step: more than one if they tie exactly.
    sum_of_squares : float
        In units of the outcome.

    Examples
    --------
    >>> Decomposition([], [], [], np.zeros((1, 2), np.int64), [], 0.0).r2
    0.0
    """

    levels: list[Level]
    n: list[Array]
    s: list[Array]
    gains: Array
    ties: list[list[int]]
    sum_of_squares: float

    @property
    def r2(self) -> float:
        """R2 of the grid, Eq. (2)."""
        return _gained(self.levels, list(self.gains)) / FULL


def decompose(source: StatisticsSource, rules: SearchRules) -> Decomposition:
    """Choose features until nothing gains or enough are chosen.

    Parameters
    ----------
    source : StatisticsSource
        Its rows are moved from block to block.
    rules : SearchRules

    Returns
    -------
    Decomposition

    Examples
    --------
    >>> from whybox.s3d.outcome import OutcomeSummary, OutcomeUnits
    >>> from whybox.s3d.source import ColumnRules, LocalSource, Partition
    >>> from whybox.s3d.table import Table
    >>> X, y = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]]), np.array([0, 0, 1])
    >>> units = OutcomeUnits.of(OutcomeSummary.of(y, None), 2)
    >>> part = Partition(Table(X, ["a", "b"]), y, None)
    >>> source = LocalSource([part], units, ColumnRules(None, (), {}))
    >>> found = decompose(source, SearchRules(BinningRules(0.01)))
    >>> [(level.feature, level.cuts.tolist()) for level in found.levels], found.r2
    ([(0, [2.0])], 1.0)
    """
    n, s, squares = source.totals()
    total = source.units.sum_of_squares(n, s, squares)
    counts, sums = [np.array([n])], [np.array([s])]
    levels: list[Level] = []
    gains: list[Array] = []
    ties: list[list[int]] = []
    while True:
        found = _step(source, rules.binning, levels, gains, counts, total)
        gains.append(np.array([binned.gain for binned in found], np.int64))
        best = int(gains[-1].max())
        limit = len(found) if rules.max_features is None else rules.max_features
        if best == 0 or len(levels) >= limit or len(counts[-1]) >= rules.max_blocks:
            break
        ties.append(np.flatnonzero(gains[-1] >= max(best - TOLERANCE, 1)).tolist())
        chosen = ties[-1][0]
        level, n_blocks, s_blocks = _refine(source, chosen, found[chosen].cuts, len(counts[-1]))
        levels.append(level)
        counts.append(n_blocks)
        sums.append(s_blocks)
    squares_unit = source.units.square_exponent
    gained = np.array(gains)
    return Decomposition(levels, counts, sums, gained, ties, float(np.ldexp(total, squares_unit)))


def _step(
    source: StatisticsSource,
    rules: BinningRules,
    levels: list[Level],
    gains: list[Array],
    counts: list[Array],
    total: float,
) -> list[Binned]:
    """Bin every feature that is not chosen yet."""
    n_channels, nothing = source.units.n_channels, Binned(0, np.zeros(0))
    found = [nothing] * len(source.codings)
    chosen = {level.feature for level in levels}
    left = [
        j
        for j, coding in enumerate(source.codings)
        if j not in chosen and coding.n_codes + int(coding.missing) > 1
    ]
    n_blocks = len(counts[-1])
    state = GridState(
        np.zeros((n_blocks, 2 + 2 * n_channels), np.int64),
        FULL / total if total > 0 else 0.0,
        _gained(levels, gains),
        float(source.units.weight(counts[0])[0]),
    )
    if total <= 0 or state.remaining < NOTHING_LEFT:
        return found
    for j, statistics in zip(left, source.statistics(left, n_blocks), strict=True):
        found[j] = bin_feature(statistics, source.codings[j], j, state, rules)
    return found


def _gained(levels: list[Level], gains: list[Array]) -> int:
    """Add up the gains of the chosen features."""
    return sum(int(row[level.feature]) for level, row in zip(levels, gains, strict=False))


def _refine(
    source: StatisticsSource, feature: int, cuts: Array, n_blocks: int
) -> tuple[Level, Array, Array]:
    """Multiply the grid by a feature's bins; give the level, and its blocks' sums."""
    coding = source.codings[feature]
    bins = _bins_of_codes(coding, cuts)
    statistics = next(iter(source.statistics([feature], n_blocks)))
    n_channels = source.units.n_channels
    parent, bin_, n, s = gather_blocks(statistics.entries, bins, n_blocks, n_channels)
    if len(parent) * max(n_channels, 2) >= 2**31:
        raise InputError(
            f"choosing feature {feature} makes {len(parent):,} blocks of {n_channels} classes",
            remedy="lower max_features or max_blocks, or raise penalty",
        )
    highest = float(coding.edges[-1]) if coding.n_codes else np.nan
    level = Level(feature, cuts, coding.lowest, highest, parent, bin_)
    source.regroup(level, bins)
    return level, n, s


def _bins_of_codes(coding: Coding, cuts: Array) -> Array:
    """Give the bin of each code; that of missing values comes last."""
    bins = np.searchsorted(cuts, coding.edges, side="left")
    if coding.missing:
        bins = np.append(bins, len(cuts) + 1)
    return bins.astype(np.int32)
