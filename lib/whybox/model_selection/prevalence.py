"""What a decision is worth where the positive class is rarer, or commoner, than in the sample."""

from __future__ import annotations

from dataclasses import dataclass

from whybox.errors import InputError
from whybox.model_selection.intervals import Interval
from whybox.model_selection.metrics import precision_at_base_rate

__all__ = ["PredictiveValues", "predictive_values", "predictive_values_between"]


@dataclass(frozen=True)
class PredictiveValues:
    """How often either answer is right at a base rate.

    Attributes
    ----------
    base_rate : float
        Share of the positive class.
    positive : float or None
        Right among the flagged (PPV, precision); None if nothing is flagged.
    negative : float or None
        Right among the others (NPV); None if all are flagged.
    flagged : float
        Share that is flagged.

    Examples
    --------
    >>> PredictiveValues(0.5, 0.9, 0.9, 0.5).positive
    0.9
    """

    base_rate: float
    positive: float | None
    negative: float | None
    flagged: float


def predictive_values(sensitivity: float, specificity: float, base_rate: float) -> PredictiveValues:
    """Carry sensitivity and specificity over to another base rate, by Bayes' rule.

    Parameters
    ----------
    sensitivity, specificity : float
        Of the decisions, in [0, 1]; they do not depend on how common the class is.
    base_rate : float
        In (0, 1).

    Returns
    -------
    PredictiveValues

    Raises
    ------
    InputError
        If a share is out of its range.

    Examples
    --------
    At 5 % prevalence 88 % sensitivity and specificity give 28 % precision:

    >>> found = predictive_values(0.88, 0.88, 0.05)
    >>> round(found.positive, 2), round(found.negative, 3), round(found.flagged, 3)
    (0.28, 0.993, 0.158)
    """
    for share in (sensitivity, specificity):
        if not 0 <= share <= 1:
            raise InputError(f"a sensitivity or specificity of {share}; expected 0 to 1")
    right = precision_at_base_rate(sensitivity, specificity, base_rate)  # refuses other base rates
    spared = precision_at_base_rate(specificity, sensitivity, 1 - base_rate)
    flagged = sensitivity * base_rate + (1 - specificity) * (1 - base_rate)
    return PredictiveValues(base_rate, right, spared, flagged)


def predictive_values_between(
    sensitivity: Interval, specificity: Interval, base_rate: float
) -> tuple[Interval | None, Interval | None]:
    """Carry intervals over: from both ends that are worse to both that are better.

    Parameters
    ----------
    sensitivity, specificity : Interval
    base_rate : float
        In (0, 1).

    Returns
    -------
    positive, negative : Interval or None
        Wider than the level says, since both ends seldom come together; None where a value is not
        defined.

    Raises
    ------
    InputError
        As `predictive_values`.

    Examples
    --------
    >>> about = Interval(0.88, 0.85, 0.91)
    >>> positive, _ = predictive_values_between(about, about, 0.05)
    >>> [round(end, 2) for end in (positive.low, positive.value, positive.high)]
    [0.23, 0.28, 0.35]
    """
    found = [
        predictive_values(getattr(sensitivity, end), getattr(specificity, end), base_rate)
        for end in ("value", "low", "high")
    ]
    return _between([each.positive for each in found]), _between([each.negative for each in found])


def _between(ends: list[float | None]) -> Interval | None:
    """Make an interval of value, low, high; an end that is not defined says nothing."""
    value, low, high = ends
    if value is None:
        return None
    return Interval(value, 0.0 if low is None else low, 1.0 if high is None else high)
