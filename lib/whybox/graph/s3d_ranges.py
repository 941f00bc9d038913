"""Equi-depth bins of a column whose distinct values no process holds: by ranges of values.

Of all distinct values only those matter that a bin ends at. The values are cut into ranges of about
equal number; a range is merged from all parts, and what is left of it are a few values whose
weights stand for those of their neighbours below.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from whybox.s3d.columns import WeightedValues
from whybox.trees.tree import Array

__all__ = ["Outline", "outline", "range_ends", "thinned", "within"]

_SAMPLE = 256


class Outline(NamedTuple):
    """How a part's distinct values of a column are spread.

    Examples
    --------
    >>> outline((np.array([1.0, 2.0]), np.array([5, 6])))
    Outline(n_values=2, weight=11, sample=array([1., 2.]))
    """

    n_values: int
    weight: int
    sample: Array  # every so many values one


def outline(found: WeightedValues) -> Outline:
    """Say how distinct values are spread."""
    values, weight = found
    return Outline(len(values), int(weight.sum()), values[:: max(len(values) // _SAMPLE, 1)])


def range_ends(outlines: Sequence[Outline], n_at_once: int) -> list[float]:
    """Cut all values into ranges of about ``n_at_once`` at most.

    Parameters
    ----------
    outlines : sequence of Outline
        One a part.
    n_at_once : int
        Values in a range, counted in each part.

    Returns
    -------
    list of float
        The ranges' upper ends, ascending; the last is infinite.

    Examples
    --------
    >>> spread = Outline(4, 9, np.array([1.0, 2.0, 3.0, 4.0]))
    >>> range_ends([spread, spread], 100), range_ends([spread, spread], 4)
    ([inf], [3.0, inf])
    """
    n_ranges = -(-sum(each.n_values for each in outlines) // n_at_once)
    sample = np.sort(np.concatenate([each.sample for each in outlines]))
    places = [len(sample) * k // n_ranges for k in range(1, n_ranges)]
    return [*np.unique(sample[places]).tolist(), np.inf]


def within(found: WeightedValues, low: float, high: float) -> WeightedValues:
    """Take the values above ``low`` up to ``high``.

    Examples
    --------
    >>> within((np.array([1.0, 2.0, 3.0]), np.array([1, 1, 4])), 1.0, 2.0)
    (array([2.]), array([1]))
    """
    values, weight = found
    some = slice(*np.searchsorted(values, [low, high], side="right"))
    return values[some], weight[some]


def thinned(
    found: WeightedValues, before: int, whole: int, n_bins: int, cuts: Array
) -> WeightedValues:
    """Leave out values at which no bin ends, adding their weights to the next one's.

    Parameters
    ----------
    found : (values, weights)
        All of a range, ascending.
    before : int
        The weight of all values below.
    whole : int
        The weight of all values.
    n_bins : int
    cuts : float64 (cuts,)
        Values at which a bin is to end.

    Returns
    -------
    (values, weights)
        Once all ranges are put together, ``whybox.s3d.columns.make_coding`` makes the same bins
        of them as of all values: the first value, the last ones, and all ends of bins are there.

    Examples
    --------
    >>> found = np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.array([1, 1, 1, 1, 4])
    >>> thinned(found, 0, 8, 2, np.array([2.5]))
    (array([1., 2., 4., 5.]), array([1, 1, 2, 4]))
    """
    values, weight = found
    if not len(values):
        return found
    reached = before + np.cumsum(weight)
    targets = np.array([-(-k * whole // n_bins) for k in range(1, n_bins + 1)])
    targets = targets[(targets > before) & (targets <= reached[-1])]
    ends = np.searchsorted(reached, targets, side="left")
    at_cuts = np.searchsorted(values, cuts, side="right") - 1
    keep = np.unique(np.concatenate([[0, len(values) - 1], ends, at_cuts[at_cuts >= 0]]))
    keep = keep.astype(np.int64)
    return values[keep], np.diff(reached[keep], prepend=before)
