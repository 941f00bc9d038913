"""Cutting one feature into bins, given the grid of the features chosen so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from whybox.kernels.s3d import FULL, TOLERANCE, cut_gain, explore
from whybox.s3d.columns import Coding
from whybox.s3d.statistics import Statistics
from whybox.trees.tree import Array

__all__ = ["STOPPINGS", "Binned", "BinningRules", "GridState", "bin_feature", "n_kept"]

STOPPINGS = ("patience", "best_loss")


@dataclass(frozen=True)
class BinningRules:
    """When a split pays, and which are kept.

    Parameters
    ----------
    penalty : float
        lambda of Eqs. (5) and (8).
    stopping : {"patience", "best_loss"}
    patience : int
    noise_floor : float
    cuts : mapping of int to float64 (cuts,)
        Columns whose bins are given.

    Examples
    --------
    >>> BinningRules(0.01).patience
    5
    """

    penalty: float
    stopping: str = "patience"
    patience: int = 5
    noise_floor: float = 0.0
    cuts: Mapping[int, Array] = field(default_factory=dict)


@dataclass(frozen=True)
class GridState:
    """The grid so far, as far as binning a feature needs it.

    Parameters
    ----------
    sums : int64 (blocks, 2 + 2 channels)
        Room to work in.
    scale : float
        2^61 over the total sum of squares.
    gained : int
        R2 of the grid so far, in units of 2^-61.
    weight : float
        Sum of the rows' weights.

    Examples
    --------
    >>> GridState(np.zeros((1, 4), np.int64), 1.0, 2**60, 10.0).remaining
    0.5
    """

    sums: Array
    scale: float
    gained: int
    weight: float

    @property
    def remaining(self) -> float:
        """1 - R2."""
        return (int(FULL) - self.gained) / FULL

    @property
    def slack(self) -> float:
        """What rounding may take from a gain relative to what remains: what pays exactly pays."""
        return TOLERANCE / FULL / self.remaining


@dataclass(frozen=True)
class Binned:
    """Bins of a feature.

    Parameters
    ----------
    gain : int
        In units of 2^-61 of the total sum of squares; 0 if nothing paid.
    cuts : float64 (cuts,)
        Inner cut values, ascending.

    Examples
    --------
    >>> Binned(0, np.zeros(0)).gain
    0
    """

    gain: int
    cuts: Array


def bin_feature(
    statistics: Statistics, coding: Coding, feature: int, state: GridState, rules: BinningRules
) -> Binned:
    """Cut a feature where R2 grows most, as long as it pays (Eqs. (3) to (9)).

    Missing values are a bin of their own; parting them from the others counts as a gain if any
    cut pays, or if it pays itself. Bins that the user gave are taken as they are.

    Parameters
    ----------
    statistics : Statistics
    coding : Coding
    feature : int
    state : GridState
    rules : BinningRules

    Returns
    -------
    Binned

    Examples
    --------
    >>> from whybox.s3d.outcome import OutcomeRows
    >>> from whybox.s3d.statistics import Shape
    >>> code, cell = np.array([0, 1, 2, 3], np.uint16), np.zeros(4, np.int32)
    >>> rows = OutcomeRows(None, np.array([0, 0, 1, 1], np.uint8), None)
    >>> state = GridState(np.zeros((1, 4), np.int64), FULL / 1.0, 0, 4.0)
    >>> coding = Coding(np.array([1.0, 2.0, 5.0, 7.0]), 1.0, False, True)
    >>> binned = bin_feature(
    ...     Statistics.of(code, cell, rows, Shape(4, 1, 1)), coding, 0, state, BinningRules(0.01))
    >>> binned.gain / FULL, binned.cuts.tolist()
    (1.0, [2.0])
    """
    entries, n_codes = statistics.entries, coding.n_codes
    if n_codes == 0:
        return Binned(0, np.zeros(0))
    apart, apart_cut = 0, 0
    if coding.missing:
        apart, apart_cut = cut_gain(entries, 0, n_codes, n_codes + 1, state.sums, state.scale)
    if feature in rules.cuts:
        cuts = rules.cuts[feature]
        gain = int(apart) + _given_gain(statistics, coding, cuts, state)
        return Binned(gain if gain > TOLERANCE else 0, cuts)
    price = (rules.penalty, rules.noise_floor / state.weight)
    codes, gains, blocks_cut = explore(
        entries, n_codes, state.sums, state.scale, state.remaining, price, rules.patience
    )
    prices = np.maximum(price[0], price[1] * blocks_cut)
    n = n_kept(gains / FULL / state.remaining, prices, rules, state.slack)
    gain = int(gains[:n].sum())
    apart_pays = apart / FULL / state.remaining + state.slack >= max(price[0], price[1] * apart_cut)
    if n > 0 or (apart > TOLERANCE and apart_pays):
        gain += int(apart)
    return Binned(gain, coding.edges[np.sort(codes[:n])])


def n_kept(gains: Array, prices: Array, rules: BinningRules, slack: float = 0.0) -> int:
    """Say how many of the splits, in the order of the search, stay.

    Parameters
    ----------
    gains : float64 (splits,)
        Relative to what was left to explain.
    prices : float64 (splits,)
        What each must gain.
    rules : BinningRules
        "patience" keeps those up to the last one that paid, "best_loss" the prefix of lowest loss
        (Eq. (8)), the shortest of equal ones.
    slack : float, default=0.0
        The rounding to allow for.

    Returns
    -------
    int

    Examples
    --------
    >>> gains, prices = np.array([0.5, 0.01, 0.1, 0.01]), np.full(4, 0.06)
    >>> n_kept(gains, prices, BinningRules(0.06)), n_kept(gains, prices, BinningRules(0.06, "best_loss"))
    (3, 1)
    """
    if rules.stopping == "best_loss":
        losses = np.concatenate([[0.0], np.cumsum(prices - gains)])
        return int(np.flatnonzero(losses <= losses.min() + slack)[0])
    paid = np.flatnonzero(gains + slack >= prices)
    return int(paid[-1]) + 1 if len(paid) else 0


def _given_gain(statistics: Statistics, coding: Coding, cuts: Array, state: GridState) -> int:
    """Give the gain of bins that the user chose, cut off one after the other."""
    gain, first = 0, 0
    for code in np.searchsorted(coding.edges, cuts, side="right").tolist():
        if first < code < coding.n_codes:
            part, _ = cut_gain(
                statistics.entries, first, code, coding.n_codes, state.sums, state.scale
            )
            gain += int(part)
            first = code
    return gain
