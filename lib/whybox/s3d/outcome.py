"""Outcomes and weights as whole numbers, so that their sums are exact in any order.

Class labels are counted. Real outcomes become fixed point: ``(y - offset) * 2^exponent``, rounded,
with as many bits as the sum over all rows leaves in 64. Means are taken from three such numbers a
row, which hold every bit of all but outcomes 1e-9 of the largest and below; a mean is then the
exact one, rounded once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from whybox.errors import InputError
from whybox.trees.tree import Array

__all__ = ["LIMBS", "OutcomeRows", "OutcomeSummary", "OutcomeUnits"]

LIMBS = 3
_BITS = 61  # of a sum; one more is the sign, one is left for rounding
_WEIGHT_BITS = 50  # of the sum of weights that are not whole: a float64 holds it exactly
_MOST_COPIES = 2**31  # whole weights of a larger sum are treated as if they were not whole


@dataclass(frozen=True)
class OutcomeSummary:
    """What must be known of all outcomes before any becomes a whole number.

    Parameters
    ----------
    n_rows : int
    largest_weight : float
    weight_sum : int or None
        None if some weight is not whole.
    low, high : float
        Range of the outcomes.
    whole : bool
        Whether all outcomes are whole numbers.

    Examples
    --------
    >>> a = OutcomeSummary.of(np.array([1.0, 2.0]), None)
    >>> a.merge(OutcomeSummary.of(np.array([0.5]), np.array([3.0])))
    OutcomeSummary(n_rows=3, largest_weight=3.0, weight_sum=5, low=0.5, high=2.0, whole=False)
    """

    n_rows: int
    largest_weight: float
    weight_sum: int | None
    low: float
    high: float
    whole: bool

    @classmethod
    def of(cls, y: Array, weight: Array | None) -> OutcomeSummary:
        """Summarise some rows (at least one)."""
        weight_sum: int | None = len(y)
        if weight is not None:
            whole = bool((weight == np.rint(weight)).all()) and weight.max() <= _MOST_COPIES
            weight_sum = int(weight.astype(np.int64).sum()) if whole else None
        return cls(
            len(y),
            1.0 if weight is None else float(weight.max()),
            weight_sum,
            float(y.min()),
            float(y.max()),
            bool((y == np.rint(y)).all()),
        )

    def merge(self, other: OutcomeSummary) -> OutcomeSummary:
        """Summarise the rows of both."""
        sums = (self.weight_sum, other.weight_sum)
        return OutcomeSummary(
            self.n_rows + other.n_rows,
            max(self.largest_weight, other.largest_weight),
            None if sums[0] is None or sums[1] is None else sums[0] + sums[1],
            min(self.low, other.low),
            max(self.high, other.high),
            self.whole and other.whole,
        )


class OutcomeRows(NamedTuple):
    """Rows as whole numbers.

    Examples
    --------
    >>> OutcomeRows(None, None, None).weight is None
    True
    """

    channel: Array | None  # int32: the class, where there are more than two
    value: Array | None  # weight times outcome, uint8 or int64; None: the weight
    weight: Array | None  # int64; None: ones


@dataclass(frozen=True)
class OutcomeUnits:
    """How outcomes and weights become whole numbers, and sums become outcomes again.

    Parameters
    ----------
    n_classes : int
        0 for real outcomes.
    copies : bool
        Whether weights are whole numbers.
    weight_exponent : int
        A weight w is w * 2^weight_exponent units.
    bits : int
        Bits of a row's number: the sum over all rows has 61.
    offset, exponent : float, int
        An outcome y is (y - offset) * 2^exponent units.
    top, square_top : int
        Outcomes (times weights that are not whole) and units squared are below two to these.

    Examples
    --------
    >>> y = np.array([0.25, 1.0, 1.75])
    >>> units = OutcomeUnits.of(OutcomeSummary.of(y, None), 0)
    >>> rows = units.rows(y, None)
    >>> np.ldexp(rows.value, -units.exponent) + units.offset
    array([0.25, 1.  , 1.75])
    """

    n_classes: int
    copies: bool
    weight_exponent: int
    bits: int
    offset: float
    exponent: int
    top: int
    square_top: int

    @classmethod
    def of(cls, summary: OutcomeSummary, n_classes: int) -> OutcomeUnits:
        """Choose units for all rows; ``n_classes`` is 0 for real outcomes."""
        sums = summary.weight_sum
        copies = sums is not None and sums <= _MOST_COPIES
        total = summary.n_rows if sums is None or not copies else sums
        bits = _BITS - total.bit_length()
        f = 0 if copies else _WEIGHT_BITS - _magnitude(summary.largest_weight * summary.n_rows)
        middle = summary.low / 2 + summary.high / 2
        offset = float(math.floor(middle)) if summary.whole else middle
        half = max(summary.high - offset, offset - summary.low)
        factor = 1.0 if copies else summary.largest_weight
        largest = max(abs(summary.low), abs(summary.high)) * factor
        if not (np.isfinite(largest) and np.isfinite(half * factor)):
            raise InputError(
                f"outcomes range from {summary.low} to {summary.high}, too wide to be summed",
                where="y",
                remedy="rescale y",
            )
        exponent = bits - _magnitude(half * factor)
        if summary.whole and copies:
            exponent = min(exponent, 0)
        square = 2 * bits if copies else _magnitude(half * factor) + _magnitude(half)
        top = square if copies else square + 2 * exponent - f
        return cls(n_classes, copies, f, bits, offset, exponent, _magnitude(largest), top)

    @property
    def n_channels(self) -> int:
        """Sums a block has: one, or one a class if there are more than two."""
        return self.n_classes if self.n_classes > 2 else 1

    @property
    def square_exponent(self) -> int:
        """A sum of squares in units is this many powers of two of one of outcomes."""
        return (0 if self.n_classes else -2 * self.exponent) + self.sum_exponent

    @property
    def sum_exponent(self) -> int:
        """What weights that are not whole add to it: sums of them are fixed point themselves."""
        if self.copies:
            return 0
        return -self.weight_exponent if self.n_classes else self.weight_exponent

    def rows(self, y: Array, weight: Array | None) -> OutcomeRows:
        """Turn outcomes (labels: class numbers) and weights into whole numbers."""
        w = self.whole_weight(weight)
        if self.n_classes > 2:
            return OutcomeRows(y.astype(np.int32), None, w)
        if self.n_classes:
            return OutcomeRows(None, y.astype(np.uint8) if w is None else y.astype(np.int64) * w, w)
        if w is None or self.copies:
            z = np.rint(np.ldexp(y - self.offset, self.exponent)).astype(np.int64)
            return OutcomeRows(None, z if w is None else z * w, w)
        product = np.ldexp(w, -self.weight_exponent) * (y - self.offset)
        return OutcomeRows(None, np.rint(np.ldexp(product, self.exponent)).astype(np.int64), w)

    def whole_weight(self, weight: Array | None) -> Array | None:
        """Turn weights into units; a positive weight keeps at least one."""
        if weight is None:
            return None
        steps = np.rint(np.ldexp(weight, self.weight_exponent))
        return np.maximum(steps, 1.0).astype(np.int64)

    def limbs(self, y: Array, weight: Array | None) -> Iterator[Array]:
        """Give the numbers whose sums make means: int64 (rows,), the most significant first.

        They are to be multiplied by weights that are whole; others are in them already.
        """
        w = self.whole_weight(weight)
        if w is not None and not self.copies:
            y = np.ldexp(w, -self.weight_exponent) * y
        yield from _limbs(y, self.bits - self.top, self.bits)

    def square_sum(self, y: Array, weight: Array | None) -> int:
        """Add up squared outcomes times weights, in units of 2^-(2 * bits) of a unit squared."""
        w = self.whole_weight(weight)
        if w is None or self.copies:
            squares = np.square(np.rint(np.ldexp(y - self.offset, self.exponent)))
        else:
            squares = np.ldexp(w, -self.weight_exponent) * np.square(y - self.offset)
            squares = np.ldexp(squares, 2 * self.exponent - self.weight_exponent)
        total = 0
        for limb in _limbs(squares, self.bits - self.square_top, self.bits):
            s = limb.sum() if w is None or not self.copies else limb @ w
            total = (total << self.bits) + int(s)
        return total

    def sum_of_squares(self, n: int, s: list[int], square_sum: int) -> float:
        """Give the total sum of squares about the mean, in units squared times units of weight.

        Parameters
        ----------
        n : int
            Sum of weights.
        s : list of int
            Sum of weight times outcome, a channel.
        square_sum : int
            As `square_sum` gives it, added up over all rows; not used for labels.
        """
        if self.n_classes:
            return sum(t * (n - t) for t in s) / n
        shift = LIMBS * self.bits - self.square_top  # square_sum is in units of 2^-shift
        numerator, denominator = n * square_sum, n
        if shift < 0:
            numerator <<= -shift
            shift = 0
        return max(numerator - ((s[0] * s[0]) << shift), 0) / (denominator << shift)

    def means(self, n: Array, limb_sums: Array) -> Array:
        """Give the mean of each block, rounded once.

        Parameters
        ----------
        n : int64 (blocks,)
        limb_sums : int64 (blocks, LIMBS)

        Returns
        -------
        float64 (blocks,)
        """
        shift = LIMBS * self.bits - self.top - self.weight_exponent
        up, down = max(-shift, 0), max(shift, 0)
        means = np.empty(len(n))
        for i, (count, sums) in enumerate(zip(n.tolist(), limb_sums.tolist(), strict=True)):
            total = 0
            for limb in sums:
                total = (total << self.bits) + limb
            means[i] = (total << up) / (count << down)
        return means

    def weight(self, n: Array) -> Array:
        """Give weights in the user's terms."""
        return np.ldexp(n.astype(np.float64), -self.weight_exponent)


def _magnitude(value: float) -> int:
    """Give the least k with value < 2^k."""
    return math.frexp(value)[1] if value else 0


def _limbs(values: Array, exponent: int, bits: int) -> Iterator[Array]:
    """Cut values below 2^(bits - exponent) into whole numbers of that many bits each."""
    rest = np.ldexp(values, exponent)
    for _ in range(LIMBS):
        whole = np.rint(rest)
        yield whole.astype(np.int64)
        rest = np.ldexp(rest - whole, bits)
