"""How alike the models of different folds are: do they lean on the same features?

Importance is measured the same way for every model, from its probabilities alone. What a library
calls importance is gain, number of splits or coefficients, and cannot be set side by side.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from whybox.model_selection.folds import rows_of

__all__ = ["rank_correlation", "shap_importance", "shuffled_importance", "top_features_jaccard"]

_MAX_ROWS = 500
_BLOCK_VALUES = 4_000_000  # values of shuffled copies held at once


def shuffled_importance(model: Any, X: Any, seed: int) -> np.ndarray | None:
    """Say how far probabilities move when one feature's values are dealt anew among the rows.

    Parameters
    ----------
    model : fitted classifier
    X : array of shape (n_rows, n_features)
        Rows the model has not seen; of more than 500, as many, evenly spread.
    seed : int

    Returns
    -------
    float64 array of shape (n_features,) or None
        Mean absolute change, over rows and classes; None if the model gives no probabilities.

    Notes
    -----
    One prediction for all copies of a block of features: what a call costs is paid once.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X = np.column_stack([np.arange(10.0), np.zeros(10)])
    >>> model = DecisionTreeClassifier().fit(X, X[:, 0] > 4)
    >>> shuffled_importance(model, X, seed=0).round(1).tolist()
    [0.4, 0.0]
    """
    if not hasattr(model, "predict_proba"):
        return None
    n_rows, n_features = X.shape
    kept = np.unique(np.linspace(0, n_rows - 1, min(n_rows, _MAX_ROWS)).astype(np.int64))
    rows = np.asarray(rows_of(X, kept))
    before = np.asarray(model.predict_proba(rows), dtype=np.float64)
    rng = np.random.Generator(np.random.PCG64(seed))
    orders = rng.permuted(np.tile(np.arange(len(rows)), (n_features, 1)), axis=1)
    per_block = max(1, _BLOCK_VALUES // rows.size)
    found = np.empty(n_features)
    for start in range(0, n_features, per_block):
        features = range(start, min(start + per_block, n_features))
        copies = np.tile(rows, (len(features), 1, 1))
        for position, feature in enumerate(features):
            copies[position, :, feature] = rows[orders[feature], feature]
        after = np.asarray(model.predict_proba(copies.reshape(-1, n_features)))
        moved = np.abs(after.reshape(len(features), *before.shape) - before)
        found[start : features.stop] = moved.mean(axis=(1, 2))
    return found


def shap_importance(model: Any, X: Any) -> np.ndarray | None:
    """Give the mean absolute Shapley value of each feature (Tong et al., section VI-C).

    Parameters
    ----------
    model : fitted classifier
    X : array of shape (n_rows, n_features)
        Of more than 500 rows, as many, evenly spread.

    Returns
    -------
    float64 array of shape (n_features,) or None
        Mean over rows and classes; None for a model that is no weighted sum of whybox's trees.

    Examples
    --------
    >>> from whybox.cbpt.classifier import CBPTClassifier
    >>> X = np.column_stack([np.arange(10.0), np.zeros(10)])
    >>> model = CBPTClassifier(1, random_state=0).fit(X, X[:, 0] > 4)
    >>> shap_importance(model, X).tolist()
    [0.5, 0.0]
    """
    trees = getattr(model, "estimators_", None)
    if not trees or not all(hasattr(tree, "unweighted_share") for tree in trees):
        return None
    from whybox.trees.shap import ensemble_shap_values

    kept = np.unique(np.linspace(0, len(X) - 1, min(len(X), _MAX_ROWS)).astype(np.int64))
    values = ensemble_shap_values(trees, model.estimator_weights_, np.asarray(rows_of(X, kept)))
    return np.asarray(np.abs(values).mean(axis=(0, 2)))


def rank_correlation(importances: Sequence[Any]) -> float | None:
    """Give the mean Spearman correlation over all pairs of folds.

    Parameters
    ----------
    importances : sequence of arrays of shape (n_features,)
        One a fold.

    Returns
    -------
    float or None
        1: every fold ranks the features the same. None with fewer than two folds, or where in some
        fold all features count the same.

    Examples
    --------
    >>> rank_correlation([[0.1, 0.2, 0.3], [1.0, 2.0, 9.0]])
    1.0
    >>> rank_correlation([[0.1, 0.2, 0.3], [0.0, 0.0, 0.0]]) is None
    True
    """
    from scipy.stats import rankdata

    ranks = [np.asarray(rankdata(fold)) for fold in importances]
    centred = [fold - fold.mean() for fold in ranks]
    if len(centred) < 2 or not all(np.any(fold) for fold in centred):
        return None
    pairs = list(itertools.combinations(centred, 2))
    return math.fsum(_cosine(a, b) for a, b in pairs) / len(pairs)


def top_features_jaccard(importances: Sequence[Any], top: int | None = None) -> float | None:
    """Give the mean overlap of the most important features, over all pairs of folds.

    Parameters
    ----------
    importances : sequence of arrays of shape (n_features,)
        One a fold.
    top : int, optional
        How many a fold selects; by default 10, or half of the features (rounded up) if that is
        fewer. A feature without any effect is not selected.

    Returns
    -------
    float or None
        Mean of the number in both over that in either; None with fewer than two folds, or if no fold selects any.

    Examples
    --------
    >>> top_features_jaccard([[3, 2, 1, 0], [3, 1, 2, 0]], top=2)
    0.3333333333333333
    """
    folds = [np.asarray(fold) for fold in importances]
    if len(folds) < 2:
        return None
    size = min(10, -(-len(folds[0]) // 2)) if top is None else top
    chosen = [
        {int(at) for at in np.argsort(-fold, kind="stable")[:size] if fold[at] > 0}
        for fold in folds
    ]
    pairs = [(a & b, a | b) for a, b in itertools.combinations(chosen, 2)]
    overlaps = [len(both) / len(either) for both, either in pairs if either]
    return math.fsum(overlaps) / len(overlaps) if overlaps else None


def _cosine(a: np.ndarray, b: np.ndarray) -> float:
    """The cosine of two vectors; of centred ranks it is Spearman's correlation."""
    return float(np.clip(a @ b / np.sqrt((a @ a) * (b @ b)), -1, 1))
