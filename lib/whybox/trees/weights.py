"""Weights on a grid of powers of two, so that sums of them are exact in any order.

A tree is then the same for any order of rows, threads or merges, a pure node has exactly 0 of
the other classes, and two splits tie when they should.
"""

from __future__ import annotations

import math

import numpy as np

from whybox.errors import InputError
from whybox.trees.tree import Array

__all__ = ["BITS", "as_weights", "counts_copies", "on_grid", "relative", "round_weights"]
__all__ += ["sum_exponent"]

BITS = 51
"""The grid's step is 2^-51 of the power of two next above the sum."""
_COPIES = 2.0**26
"""Whole sample weights of this sum at most leave boosting 25 bits a row to be exact in."""


def as_weights(sample_weight: object, n_rows: int, name: str = "sample_weight") -> Array:
    """Check weights, one a row; none given are ones.

    Parameters
    ----------
    sample_weight : array-like (rows,), a number, or None
    n_rows : int
    name : str, default="sample_weight"
        What a message calls them.

    Returns
    -------
    float64 (rows,)

    Raises
    ------
    InputError
        Other length, not numeric, negative, not finite, or no positive weight at all.

    Examples
    --------
    >>> as_weights(None, 2).tolist()
    [1.0, 1.0]
    """
    if sample_weight is None or np.isscalar(sample_weight):
        sample_weight = np.full(n_rows, 1.0 if sample_weight is None else sample_weight)
    try:
        weight = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} is not numeric", remedy="give one number a row") from error
    if weight.shape != (n_rows,):
        raise InputError(
            f"{name} has shape {weight.shape}, expected ({n_rows},)", remedy="give one weight a row"
        )
    bad = ~(weight >= 0) | np.isinf(weight)
    if bad.any():
        row = int(bad.argmax())
        raise InputError(
            f"{name} holds {weight[row]} at row {row}, expected finite weights of 0 or more",
            remedy="drop the row or give it a weight of 0",
        )
    if not weight.any():
        raise InputError(f"{name} is zero at every row", remedy="give some rows a positive weight")
    return weight


def sum_exponent(weight: Array) -> int:
    """Give the k for which the weights' sum lies in [2^(k-1), 2^k), in any order of the rows.

    Examples
    --------
    >>> sum_exponent(np.array([1.0, 2.0]))
    2
    """
    return math.frexp(math.fsum(weight.tolist()))[1]


def relative(weight: Array) -> Array:
    """Divide by the least positive weight, so that a constant factor changes nothing.

    The result is rounded to the grid, which leaves whole numbers whole: weights that count
    copies of a row count copies whatever factor they come with. Weights below 2^-51 of the
    largest would make the range too wide: those count as 2^-51 of it when finding the least.

    Examples
    --------
    >>> relative(np.array([3e-6, 1e-6, 0.0])).tolist()
    [3.0, 1.0, 0.0]
    """
    scaled = weight / weight.max()
    scaled[weight > 0] = np.maximum(scaled[weight > 0], np.finfo(np.float64).tiny)
    least = max(scaled[weight > 0].min(), 2.0**-BITS)
    ratio = scaled / least
    exponent = sum_exponent(ratio)
    return np.ldexp(_steps(np.ldexp(ratio, -exponent)), exponent - BITS)


def on_grid(weight: Array) -> Array:
    """Scale weights by a power of two to a sum in [1/2, 1), then round to multiples of 2^-51.

    A positive weight stays at least one step, so that no row is lost. Whole numbers (of sum
    below 2^51) are scaled but not rounded: weight 3 is exactly three times weight 1.

    Parameters
    ----------
    weight : float64 (rows,)
        0 or more.

    Returns
    -------
    float64 (rows,)

    Examples
    --------
    >>> on_grid(np.array([1.0, 3.0, 0.0])).tolist()
    [0.125, 0.375, 0.0]
    >>> on_grid(np.array([1.0, 1e-40]))[1] == 2.0**-51
    np.True_
    """
    return np.ldexp(_steps(np.ldexp(weight, -sum_exponent(weight))), -BITS)


def counts_copies(base: Array) -> bool:
    """Tell whether weights are whole numbers, and few enough to be taken for copies of rows.

    Examples
    --------
    >>> counts_copies(np.array([1.0, 3.0])), counts_copies(np.array([1.0, 1.5]))
    (True, False)
    """
    return bool(base.sum() <= _COPIES and (base == np.rint(base)).all())


def round_weights(base: Array, boost: Array) -> tuple[Array, Array]:
    """Scale boosting factors and give the round's weights on the grid.

    Weights shrink and grow by a power of two to a sum near 1. Each factor keeps at least one step
    of the grid: weights would reach 1e-80 otherwise, and rows would vanish. If the sample weights
    are whole numbers, the factor is rounded before it is multiplied: the row then weighs exactly
    what its copies would weigh together.

    Parameters
    ----------
    base : float64 (rows,)
        Positive sample weights, as ``relative`` gives them.
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
    if counts_copies(base):
        return boost, base * np.ldexp(np.rint(np.ldexp(boost, BITS)), -BITS)
    return boost, on_grid(base * boost)


def _steps(weight: Array) -> Array:
    """Whole steps of the grid, at least one for a positive weight."""
    return np.where(weight > 0, np.maximum(np.rint(np.ldexp(weight, BITS)), 1.0), 0.0)
