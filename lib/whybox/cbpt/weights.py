"""The weights of a boosting round: what the user gave times what boosting made of it."""

from __future__ import annotations

import math

import numpy as np

from whybox.trees.tree import Array
from whybox.trees.weights import BITS, on_grid, sum_exponent

__all__ = ["effective_size", "round_weights"]

_COPIES = 2.0**26
"""Whole sample weights of this sum at most leave boosting 25 bits a row to be exact in."""


def round_weights(base: Array, boost: Array) -> tuple[Array, Array]:
    """Scale boosting factors and give the round's weights on the grid.

    Weights shrink and grow by a power of two to a sum near 1. Each factor keeps at least one step
    of the grid: weights would reach 1e-80 otherwise, and rows would vanish. If the sample weights
    are whole numbers, the factor is rounded before it is multiplied: the row then weighs exactly
    what its copies would weigh together.

    Parameters
    ----------
    base : float64 (rows,)
        Positive sample weights, as ``whybox.trees.weights.relative`` gives them.
    boost : float64 (rows,)
        Positive factors.

    Returns
    -------
    boost : float64 (rows,)
        The same factors scaled, none below 2^-51.
    weight : float64 (rows,)
        Multiples of 2^-51 of sum below 2.

    Examples
    --------
    >>> round_weights(np.array([1.0, 3.0]), np.array([1.0, 1.0]))
    (array([0.125, 0.125]), array([0.125, 0.375]))
    """
    boost = np.ldexp(boost, -sum_exponent(base * boost))
    boost = np.maximum(boost, 2.0**-BITS)
    if base.sum() <= _COPIES and (base == np.rint(base)).all():
        return boost, base * np.ldexp(np.rint(np.ldexp(boost, BITS)), -BITS)
    return boost, on_grid(base * boost)


def effective_size(weight: Array) -> float:
    """Give (sum w)^2 / sum w^2 (Kish): how many equal rows the weights amount to.

    Examples
    --------
    >>> effective_size(np.array([0.5, 0.5, 0.0]))
    2.0
    """
    total = float(weight.sum())
    return total * total / math.fsum(np.square(weight).tolist())
