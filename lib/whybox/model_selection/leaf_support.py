"""How many training rows stand behind an answer of trees: rows in thinly filled leaves are strangers.

A row may be inside every feature's range and still be a combination that training hardly saw. Then
many trees send it to leaves that few training rows reached.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from whybox.errors import InputError
from whybox.trees.predict import sum_leaves

__all__ = ["MIN_ROWS", "THIN_LEAVES", "support_limit", "support_of", "thin_share", "too_thin"]

MIN_ROWS = 5
"""A leaf that fewer training rows reached is thin."""

THIN_LEAVES = "unlike the training rows"
"""Reason of an abstention."""


def thin_share(model: Any, X: np.ndarray, min_rows: int = MIN_ROWS) -> np.ndarray:
    """Give the trees' weighted share that answers from a leaf of few training rows.

    Parameters
    ----------
    model : CBPTClassifier or AdaBoostPTClassifier
        Fitted.
    X : float array of shape (n_rows, n_features)
        In the float type of the training rows.
    min_rows : int, default 5
        A leaf that fewer training rows reached is thin.

    Returns
    -------
    float64 array of shape (n_rows,)
        0: all trees answer from well filled leaves; 1: none does.

    Raises
    ------
    InputError
        If the model holds no such trees.

    Examples
    --------
    >>> from whybox.cbpt import CBPTClassifier
    >>> X = np.array([[0.0]] * 6 + [[1.0]] * 3)
    >>> model = CBPTClassifier(1, random_state=0).fit(X, X[:, 0] > 0)
    >>> thin_share(model, np.array([[0.0], [1.0]]), min_rows=5).tolist()
    [0.0, 1.0]
    """
    weights = getattr(model, "estimator_weights_", None)
    if weights is None:
        raise InputError(f"a {type(model).__name__} has no leaves that rows land in")
    thin = [
        weight * (tree.n_node_samples < min_rows)[:, None].astype(np.float64)
        for weight, tree in zip(weights, model.estimators_, strict=True)
    ]
    return np.asarray(sum_leaves(model.estimators_, X, thin)[:, 0] / weights.sum())


def support_limit(shares: np.ndarray, at_most: float = 0.01) -> float:
    """Choose the share from which a row counts as a stranger.

    Parameters
    ----------
    shares : float array of shape (n_rows,)
        `thin_share` of the training rows; rows held out of training have nearly the same.
    at_most : float, default 0.01
        So many of such rows, as a share, may be taken for strangers.

    Returns
    -------
    float
        A row whose share is above it is a stranger.

    Raises
    ------
    InputError
        If there are no shares, or `at_most` is no share.

    Examples
    --------
    >>> support_limit(np.linspace(0, 1, 101), at_most=0.1)
    0.9
    """
    if not len(shares) or not 0 <= at_most < 1:
        raise InputError(f"{len(shares)} shares, of which at most {at_most} may be above the limit")
    ordered = np.sort(shares)
    last = int(np.ceil((1 - at_most) * len(ordered))) - 1
    return float(ordered[max(last, 0)])


def support_of(model: Any, X: np.ndarray) -> dict[str, float]:
    """Write a card's part on how well the leaves are filled.

    Parameters
    ----------
    model : CBPTClassifier or AdaBoostPTClassifier
    X : float array of shape (n_rows, n_features)
        The training rows.

    Returns
    -------
    dict
        ``min_rows`` of a leaf that is not thin, and ``limit``: the share of thin leaves that 99 of
        100 training rows stay at or below.

    Examples
    --------
    >>> from whybox.cbpt import CBPTClassifier
    >>> X = np.array([[0.0]] * 6 + [[1.0]] * 6)
    >>> support_of(CBPTClassifier(1, random_state=0).fit(X, X[:, 0] > 0), X)
    {'min_rows': 5, 'limit': 0.0}
    """
    return {"min_rows": MIN_ROWS, "limit": support_limit(thin_share(model, X, MIN_ROWS))}


def too_thin(model: Any, X: np.ndarray, support: Mapping[str, float] | None) -> np.ndarray:
    """Mark rows behind which fewer training rows stand than behind the training rows themselves.

    Parameters
    ----------
    model : fitted classifier
    X : float array of shape (n_rows, n_features)
    support : mapping or None
        From `support_of`; None (another family, an older card) marks none.

    Returns
    -------
    bool array of shape (n_rows,)

    Examples
    --------
    >>> too_thin(None, np.zeros((2, 1)), None)
    array([False, False])
    """
    if support is None:
        return np.zeros(len(X), dtype=bool)
    return np.asarray(thin_share(model, X, int(support["min_rows"])) > support["limit"])
