"""Predictions and their Shapley values in blocks of rows, each a task; the model is sent once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from whybox.graph.session import Session
from whybox.trees.shap import ensemble_shap_values

__all__ = ["explain_in_blocks", "predict_in_blocks"]

_PREDICTED_ROWS = 8192
_EXPLAINED_ROWS = 512


def predict_in_blocks(
    session: Session, model: Any, X: np.ndarray, partitions: int | None = None
) -> np.ndarray:
    """Predict probabilities.

    Parameters
    ----------
    session : Session
    model : fitted classifier
    X : float64 array of shape (n_rows, n_features)
    partitions : int, optional
        At most so many tasks; by default one for each 8,192 rows.

    Returns
    -------
    float64 array of shape (n_rows, n_classes)
        The same however the rows are cut.
    """
    return _in_blocks(session, _predict, model, X, partitions or -(-len(X) // _PREDICTED_ROWS))


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
    return _in_blocks(session, _explain, model, X, partitions or -(-len(X) // _EXPLAINED_ROWS))


def _in_blocks(
    session: Session,
    work: Callable[[Any, np.ndarray], np.ndarray],
    model: Any,
    X: np.ndarray,
    n_blocks: int,
) -> np.ndarray:
    """Do the work on neighbouring rows, at least one block and none that is empty but for that."""
    from dask.delayed import delayed

    blocks = np.array_split(X, max(1, min(n_blocks, len(X))))
    shared, task = session.share(model), delayed(work, pure=False)
    label = work.__name__.strip("_") + "ing rows"
    return np.concatenate(session.compute([task(shared, rows) for rows in blocks], label))


def _predict(model: Any, X: np.ndarray) -> np.ndarray:
    """Module-level, so that a worker finds it."""
    import pandas as pd

    if not len(X):
        return np.zeros((0, len(model.classes_)))
    names = getattr(model, "feature_names_in_", None)
    return np.asarray(model.predict_proba(X if names is None else pd.DataFrame(X, columns=names)))


def _explain(model: Any, X: np.ndarray) -> np.ndarray:
    """Module-level, so that a worker finds it."""
    return ensemble_shap_values(model.estimators_, model.estimator_weights_, X)
