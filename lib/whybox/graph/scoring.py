"""Shapley values in blocks of rows, each a task; the model is sent once."""

from __future__ import annotations

from typing import Any

import numpy as np

from whybox.graph.session import Session
from whybox.trees.shap import ensemble_shap_values

__all__ = ["explain_in_blocks"]

_ROWS = 512


def explain_in_blocks(
    session: Session, model: Any, X: np.ndarray, partitions: int | None = None
) -> np.ndarray:
    """Compute exact Shapley values.

    Parameters
    ----------
    session : Session
    model : fitted ensemble of trees
    X : float64 array of shape (n_rows, n_features)
    partitions : int, optional
        At most so many tasks; by default one for each 512 rows.

    Returns
    -------
    float64 array of shape (n_rows, n_features, n_outputs)
        The same however the rows are cut.
    """
    from dask.delayed import delayed

    n_blocks = partitions or -(-len(X) // _ROWS)
    blocks = np.array_split(X, max(1, min(n_blocks, len(X))))  # one at least, though it be empty
    shared, task = session.share(model), delayed(_explain, pure=False)
    return np.concatenate(
        session.compute([task(shared, rows) for rows in blocks], "explaining rows")
    )


def _explain(model: Any, X: np.ndarray) -> np.ndarray:
    """Module-level, so that a worker finds it."""
    return ensemble_shap_values(model.estimators_, model.estimator_weights_, X)
