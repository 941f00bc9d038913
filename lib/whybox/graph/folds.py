"""Cross-validation on a session: the matrix is sent once, a fold is a task over index arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from whybox.graph.session import Session
from whybox.model_selection import FoldResult, FoldTask, make_model, run_fold

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["cross_validate", "fit_on_all"]


def cross_validate(
    session: Session,
    tasks: Sequence[FoldTask],
    X: np.ndarray,
    y: np.ndarray,
    columns: Mapping[int, np.ndarray] | None = None,
) -> list[FoldResult]:
    """Run every model on every fold.

    Parameters
    ----------
    session : Session
    tasks : sequence of FoldTask
        A model, its seed and a fold each; seeds are drawn before the fan-out.
    X : float64 array of shape (n_rows, n_features)
    y : array of str of shape (n_rows,)
    columns : mapping of int to array of shape (n_rows, n_more), optional
        By the fold's number, more features of all rows, fitted on its train rows.

    Returns
    -------
    list of FoldResult
        In the order of ``tasks``, the same wherever they ran.
    """
    from dask.delayed import delayed

    shared_X, shared_y = session.share(X), session.share(y)
    run = delayed(run_fold, pure=False)
    label = f"cross-validating {len({task.model for task in tasks})} models"
    more = {number: session.share(found) for number, found in (columns or {}).items()}
    return session.compute(
        [run(task, shared_X, shared_y, columns=more.get(task.fold.number)) for task in tasks], label
    )


def fit_on_all(
    session: Session,
    name: str,
    seed: int,
    params: dict[str, Any],
    X: pd.DataFrame,
    y: np.ndarray,
) -> Any:
    """Fit one model on all rows, as a task.

    Parameters
    ----------
    session : Session
    name : str
        As `whybox.model_selection.make_model` knows it.
    seed : int
    params : dict
        Of the model.
    X : DataFrame of shape (n_rows, n_features)
        Its columns name the features.
    y : array of str of shape (n_rows,)

    Returns
    -------
    fitted model
    """
    from dask.delayed import delayed

    fit = delayed(_fit, pure=False)
    task = fit(name, seed, params, session.share(X), session.share(y))
    return session.compute([task], f"fitting {name} on all rows")[0]


def _fit(name: str, seed: int, params: dict[str, Any], X: pd.DataFrame, y: np.ndarray) -> Any:
    """Module-level, so that a worker finds it."""
    return make_model(name, seed=seed, **params).fit(X, y)
