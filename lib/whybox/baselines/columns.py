"""What a few columns give by themselves: if a model is hardly better, it has learnt little else."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from whybox.errors import InputError

__all__ = ["few_columns_logistic"]


def few_columns_logistic(
    columns: Sequence[int] = (), max_iter: int = 1000, random_state: Any = None
) -> Any:
    """Make a logistic regression that sees some columns only, scaled.

    Parameters
    ----------
    columns : sequence of int
        Positions, at least one.
    max_iter : int, default 1000
    random_state : int, optional

    Returns
    -------
    sklearn.pipeline.Pipeline
        Not fitted.

    Raises
    ------
    InputError
        If there is no column.

    Examples
    --------
    >>> X = np.array([[0.0, 5.0], [1.0, 5.0], [2.0, 5.0], [3.0, 5.0]])
    >>> few_columns_logistic([0]).fit(X, [0, 0, 1, 1]).predict(X).tolist()
    [0, 0, 1, 1]
    """
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import FunctionTransformer

    from whybox.baselines.peers import scaled_logistic

    if not len(columns):
        raise InputError("a model of a few columns needs at least one", where="columns")
    chosen = FunctionTransformer(partial(_take, columns=tuple(columns)))
    logistic = scaled_logistic(max_iter=max_iter, random_state=random_state)
    return Pipeline([("columns", chosen), *logistic.steps])


def _take(X: Any, *, columns: tuple[int, ...]) -> np.ndarray:
    """Take columns by position."""
    return np.asarray(X, dtype=np.float64)[:, list(columns)]
