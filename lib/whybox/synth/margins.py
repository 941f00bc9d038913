"""Distributions of a user's figures, fitted to a published mean and median."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

__all__ = ["ClippedLognormal", "ClippedNormal", "Margin", "fit_lognormal"]

Floats = NDArray[np.float64]

_GRID = (np.arange(640) + 0.5) / 640  # as many users as a class has in a set of some 2,000


@dataclass(frozen=True)
class ClippedLognormal:
    """A lognormal variable moved to ``low`` or ``high`` where it leaves that range.

    Attributes
    ----------
    median : float
        Its median, in the variable's unit.
    spread : float
        Standard deviation of the logarithm.
    low, high : float
        The range.

    Examples
    --------
    >>> ClippedLognormal(median=100.0, spread=1.0, low=6.0, high=2972.0).quantile(np.array([0.5]))
    array([100.])
    """

    median: float
    spread: float
    low: float
    high: float

    def quantile(self, u: Floats) -> Floats:
        """Give the values below which shares ``u`` (0 to 1) of the users lie."""
        values: Floats = self.median * np.exp(self.spread * ndtri(u))
        return np.clip(values, self.low, self.high)


@dataclass(frozen=True)
class ClippedNormal:
    """A normal variable moved to ``low`` or ``high`` where it leaves that range.

    Attributes
    ----------
    mean, spread : float
        Mean and standard deviation before clipping.
    low, high : float
        The range.

    Examples
    --------
    >>> ClippedNormal(mean=0.35, spread=0.1, low=0.0, high=1.0).quantile(np.array([0.5]))
    array([0.35])
    """

    mean: float
    spread: float
    low: float
    high: float

    def quantile(self, u: Floats) -> Floats:
        """Give the values below which shares ``u`` (0 to 1) of the users lie."""
        values: Floats = self.mean + self.spread * ndtri(u)
        return np.clip(values, self.low, self.high)


Margin = ClippedLognormal | ClippedNormal


def fit_lognormal(mean: float, median: float, low: float, high: float) -> ClippedLognormal:
    """Find the clipped lognormal that has a given mean and median.

    Parameters
    ----------
    mean, median : float
        What it must have; ``low < median < mean < high``.
    low, high : float
        The range.

    Returns
    -------
    ClippedLognormal
        Its spread by bisection, up to 3. The mean is that of 640 evenly spread users: what lies
        beyond them in the tail would be met by few sets, and move the means of those too much.

    Examples
    --------
    >>> margin = fit_lognormal(mean=187.99, median=104.0, low=6.0, high=2560.0)
    >>> round(margin.spread, 2)
    1.1
    """
    narrow, wide = 0.0, 3.0
    for _ in range(50):
        spread = (narrow + wide) / 2
        margin = ClippedLognormal(median, spread, low, high)
        if margin.quantile(_GRID).mean() < mean:
            narrow = spread
        else:
            wide = spread
    return margin
