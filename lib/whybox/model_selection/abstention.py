"""When not to answer: rows that a model should not decide, each with one reason.

Reasons in the order of precedence; the first that applies is given, because each makes the later
ones meaningless:

1. ``too few posts``: the features themselves are not to be trusted;
2. ``out of range``: a feature lies outside what the model was trained on;
3. ``unlike the training rows``: many trees answer from leaves that few training rows reached
   (`whybox.model_selection.leaf_support`);
4. ``no expression``: the text has none of the expressions that the model knows;
5. ``near threshold``: the probability is too close to the threshold to call.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from whybox.errors import InputError

__all__ = [
    "NEAR_THRESHOLD",
    "NO_EXPRESSION",
    "OUT_OF_RANGE",
    "TOO_FEW_POSTS",
    "Abstention",
    "Ranges",
    "abstain",
    "feature_ranges",
    "out_of_range",
]

TOO_FEW_POSTS = "too few posts"
OUT_OF_RANGE = "out of range"
NO_EXPRESSION = "no expression"
NEAR_THRESHOLD = "near threshold"


@dataclass(frozen=True)
class Abstention:
    """What keeps a model from answering.

    Attributes
    ----------
    band : float, default 0.05
        A probability nearer than this to the threshold is not called; 0 calls all.
    min_posts : int, default 6
        Fewer posts are too few.

    Examples
    --------
    >>> Abstention(band=0.1)
    Abstention(band=0.1, min_posts=6)
    """

    band: float = 0.05
    min_posts: int = 6

    def __post_init__(self) -> None:
        if not 0 <= self.band < 1:
            raise InputError(f"the band is {self.band}; expected 0 or more and less than 1")


@dataclass(frozen=True, eq=False)
class Ranges:
    """The least and the greatest value of each feature in the training rows.

    Attributes
    ----------
    low, high : arrays of shape (n_features,)
        NaN for a feature that was always missing: nothing is outside then.

    Examples
    --------
    >>> Ranges(np.array([0.0]), np.array([1.0])).high
    array([1.])
    """

    low: np.ndarray
    high: np.ndarray


def feature_ranges(X: Any) -> Ranges:
    """Note each feature's range, missing values apart.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
        The training rows, at least one.

    Returns
    -------
    Ranges

    Raises
    ------
    InputError
        If there is no row.

    Examples
    --------
    >>> feature_ranges([[1.0, 5.0], [3.0, float("nan")]]).high
    array([3., 5.])
    """
    values = np.asarray(X)
    if values.ndim != 2 or not len(values):
        raise InputError(f"training rows of shape {values.shape}; expected at least one row")
    return Ranges(np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0))


def out_of_range(X: Any, ranges: Ranges) -> np.ndarray:
    """Mark the values outside the training rows' range.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
        A missing value is not outside: the trees learnt where to send it.
    ranges : Ranges

    Returns
    -------
    bool array of shape (n_rows, n_features)

    Raises
    ------
    InputError
        If the number of features differs.

    Examples
    --------
    >>> out_of_range([[0.5], [1.5]], Ranges(np.array([0.0]), np.array([1.0]))).ravel()
    array([False,  True])
    """
    values = np.asarray(X)
    if values.ndim != 2 or values.shape[1:] != ranges.low.shape:
        raise InputError(
            f"rows of shape {values.shape}; the model was trained on {len(ranges.low)} features"
        )
    return (values < ranges.low) | (values > ranges.high)


def abstain(
    proba: np.ndarray,
    threshold: float = 0.5,
    rule: Abstention = Abstention(),
    *,
    n_posts: np.ndarray | None = None,
    outside: np.ndarray | None = None,
) -> np.ndarray:
    """Give each row's reason not to be decided.

    Parameters
    ----------
    proba : float array of shape (n_rows,)
        Probability of the positive class.
    threshold : float, default 0.5
    rule : Abstention
    n_posts : int array of shape (n_rows,), optional
        Posts behind each row; left out, none has too few.
    outside : bool array of shape (n_rows, n_features), optional
        From `out_of_range`; left out, none is outside.

    Returns
    -------
    object array of shape (n_rows,)
        One of the three reasons, or None where the model answers. The band is open: a probability
        exactly `band` away is decided.

    Raises
    ------
    InputError
        If the lengths differ.

    Examples
    --------
    >>> abstain(np.array([0.2, 0.52, 0.9]), n_posts=np.array([9, 9, 2])).tolist()
    [None, 'near threshold', 'too few posts']
    """
    for given in (n_posts, outside):
        if given is not None and len(given) != len(proba):
            raise InputError(f"{len(given)} rows of side information for {len(proba)} scores")
    reasons = np.full(len(proba), None, dtype=object)
    reasons[(proba > threshold - rule.band) & (proba < threshold + rule.band)] = NEAR_THRESHOLD
    if outside is not None:
        reasons[np.asarray(outside).any(axis=1)] = OUT_OF_RANGE
    if n_posts is not None:
        reasons[np.asarray(n_posts) < rule.min_posts] = TOO_FEW_POSTS
    return reasons
