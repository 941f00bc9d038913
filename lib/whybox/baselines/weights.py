"""The weights that a booster starts from."""

from __future__ import annotations

from typing import Any

import numpy as np

from whybox.errors import InputError

__all__ = ["start_weights"]


def start_weights(sample_weight: Any, n_rows: int) -> np.ndarray:
    """Give weights that sum to 1.

    Parameters
    ----------
    sample_weight : array of shape (n_rows,) or None
    n_rows : int

    Returns
    -------
    float64 array of shape (n_rows,)

    Raises
    ------
    InputError
        If there are not as many, one is negative, or all are zero.

    Examples
    --------
    >>> start_weights([1, 3], 2)
    array([0.25, 0.75])
    """
    weight = np.ones(n_rows) if sample_weight is None else np.asarray(sample_weight, float)
    if weight.shape != (n_rows,) or not np.all(weight >= 0) or not 0 < weight.sum() < np.inf:
        raise InputError(
            f"expected {n_rows} weights, not negative and not all zero; got shape {weight.shape}",
            where="sample_weight",
        )
    return np.asarray(weight / weight.sum())
