"""From scores to decisions: where to put the threshold, chosen on out-of-fold scores.

A row is flagged where its score is at least the threshold. Candidates lie midway between
neighbouring distinct scores (as a tree's thresholds do), below all, and above all. All choices
are made on integer counts, so ties are real; among equals the one that flags fewer rows wins.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from whybox.errors import InputError

__all__ = ["Threshold", "candidates", "choose_threshold"]


@dataclass(frozen=True)
class Threshold:
    """A threshold and what it did on the scores it was chosen on.

    Attributes
    ----------
    value : float
    spec : str
        How it was chosen.
    n_flagged, n_rows : int

    Examples
    --------
    >>> Threshold(0.5, "0.5", 3, 10).value
    0.5
    """

    value: float
    spec: str
    n_flagged: int
    n_rows: int


def choose_threshold(spec: str | float, scores: np.ndarray, positive: np.ndarray) -> Threshold:
    """Choose a threshold.

    Parameters
    ----------
    spec : str or float
        A number: itself. ``"youden"``: the most sensitivity + specificity - 1.
        ``"capacity:N"``: the lowest that flags at most N of these rows (tied rows are flagged
        together or not at all). ``"cost:FN/FP"``: the least total cost, where a missed positive
        costs FN and a false alarm FP (``"cost:5/1"``).
    scores : float array of shape (n_rows,)
        Out-of-fold probabilities of the positive class.
    positive : bool array of shape (n_rows,)

    Returns
    -------
    Threshold

    Raises
    ------
    InputError
        If `spec` is none of these, or the rows do not allow it.

    Examples
    --------
    >>> scores, positive = np.array([0.1, 0.2, 0.6, 0.8]), np.array([False, False, True, True])
    >>> choose_threshold("youden", scores, positive)
    Threshold(value=0.4, spec='youden', n_flagged=2, n_rows=4)
    >>> choose_threshold("capacity:1", scores, positive).n_flagged
    1
    """
    kind, _, argument = str(spec).strip().partition(":")
    scores, positive = np.asarray(scores, dtype=np.float64), np.asarray(positive, dtype=bool)
    if not argument and kind != "youden":
        value = _number(kind, spec)
    else:
        value = _chosen(kind, argument, spec, scores, positive)
    return Threshold(value, str(spec), int(np.sum(scores >= value)), len(scores))


def candidates(
    scores: np.ndarray, positive: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """List every threshold that makes a difference, from the one that flags nothing down.

    Parameters
    ----------
    scores : float64 array of shape (n_rows,)
    positive : bool array of shape (n_rows,)

    Returns
    -------
    thresholds : float64 array of shape (n_distinct + 1,)
        Descending.
    hits, false_alarms : int64 arrays of shape (n_distinct + 1,)
        Positive and negative rows flagged at each.

    Examples
    --------
    >>> candidates(np.array([0.25, 0.75]), np.array([False, True]))[0]
    array([0.75, 0.5 , 0.25])
    """
    values, codes = np.unique(scores, return_inverse=True)
    values, codes = values[::-1], len(values) - 1 - codes
    middle = values[1:] + (values[:-1] - values[1:]) / 2
    middle = np.where(middle > values[1:], middle, values[:-1])  # neighbouring floats
    above = np.nextafter(values[:1], np.inf)
    n = len(values)
    hits = np.cumsum(np.r_[0, np.bincount(codes[positive], minlength=n)])
    alarms = np.cumsum(np.r_[0, np.bincount(codes[~positive], minlength=n)])
    return np.r_[above, middle, values[-1:]], hits, alarms


def _chosen(
    kind: str, argument: str, spec: str | float, scores: np.ndarray, positive: np.ndarray
) -> float:
    """Choose among the candidates; argmax and argmin take the first, which flags the fewest."""
    if not len(scores) or len(scores) != len(positive) or not np.all(np.isfinite(scores)):
        raise InputError(
            f"{len(scores)} scores for {len(positive)} rows, all to be finite",
            where=f"--threshold {spec}",
            remedy="choose it on out-of-fold scores (--cv 5), or name a number",
        )
    thresholds, hits, alarms = candidates(scores, positive)
    n_positive, n_negative = int(hits[-1]), int(alarms[-1])
    if kind == "youden" and not argument:
        if not n_positive or not n_negative:
            raise InputError("the rows are all of one class", where=f"--threshold {spec}")
        best = np.argmax(hits * n_negative - alarms * n_positive)
    elif kind == "capacity" and argument.isascii() and argument.isdigit():
        best = np.flatnonzero(hits + alarms <= int(argument))[-1]
    elif kind == "cost":
        miss, alarm = _costs(argument, spec)
        best = np.argmin(miss * (n_positive - hits) + alarm * alarms)
    else:
        raise _unknown(spec)
    return float(thresholds[best])


def _costs(argument: str, spec: str | float) -> tuple[int, int]:
    """Read two costs as integers in the same proportion."""
    parts = argument.split("/")
    try:
        miss, alarm = map(Fraction, parts)
        ratio = miss / alarm
    except (ValueError, ZeroDivisionError) as error:
        raise _unknown(spec) from error
    if miss <= 0 or alarm <= 0 or max(ratio.numerator, ratio.denominator) > 10**9:
        raise _unknown(spec)
    return ratio.numerator, ratio.denominator


def _number(text: str, spec: str | float) -> float:
    """Read a threshold that is given."""
    try:
        value = float(text)
    except ValueError as error:
        raise _unknown(spec) from error
    if not 0 <= value <= 1:
        raise _unknown(spec)
    return value


def _unknown(spec: str | float) -> InputError:
    """The error of a threshold that nobody can read."""
    return InputError(
        f"{str(spec)!r} says no threshold",
        where="--threshold",
        remedy="use a number in [0, 1], youden, capacity:N, or cost:FN/FP with two positive costs "
        "such as cost:5/1",
    )
