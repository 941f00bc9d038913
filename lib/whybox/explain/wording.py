"""Numbers as people read them, the same in every locale."""

from __future__ import annotations

import math
from typing import Any

__all__ = ["number", "percent", "signed"]


def number(value: Any, digits: int = 3) -> str:
    """Write a number briefly.

    Parameters
    ----------
    value : int, float or None
    digits : int
        Significant digits of a fraction.

    Returns
    -------
    str
        Thousands in groups; a dash for what is missing.

    Examples
    --------
    >>> number(12345), number(0.034567), number(2.0), number(1234.56), number(float("nan"))
    ('12,345', '0.0346', '2', '1,235', '–')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    value = float(value)
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == int(value) or abs(value) >= 10**digits:
        return f"{value:,.0f}".replace("-", "−")
    return f"{value:.{digits}g}".replace("-", "−")


def percent(value: float | None, digits: int = 1) -> str:
    """Write a share as a percentage.

    Parameters
    ----------
    value : float or None
    digits : int
        After the point.

    Returns
    -------
    str

    Examples
    --------
    >>> percent(0.3478), percent(None)
    ('34.8 %', '–')
    """
    if value is None or math.isnan(value):
        return "–"
    return f"{100 * value:.{digits}f} %".replace("-", "−")


def signed(value: float, digits: int = 1) -> str:
    """Write a change in percentage points with its sign.

    Parameters
    ----------
    value : float
        As a share.
    digits : int

    Returns
    -------
    str

    Examples
    --------
    >>> signed(0.081), signed(-0.02)
    ('+8.1', '−2.0')
    """
    return f"{100 * value:+.{digits}f}".replace("-", "−")
