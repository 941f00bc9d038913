"""Shapley values of a fitted ensemble: a thin, validating door to `whybox.trees.shap`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from whybox.errors import InputError
from whybox.trees.shap import (
    ensemble_base_values,
    ensemble_shap_interactions,
    ensemble_shap_values,
)

if TYPE_CHECKING:
    from whybox.trees.tree import Tree

__all__ = ["base_values", "shap_interactions", "shap_values"]

Floats = NDArray[np.float64]


def shap_values(model: Any, X: Any) -> Floats:
    """Shapley value of each feature for each row and class, exactly.

    Parameters
    ----------
    model : CBPTClassifier or alike
        Fitted, with ``estimators_`` (trees) and ``estimator_weights_``.
    X : array-like (rows, features)
        As for ``predict``; float32 stays float32, so that thresholds are compared as in growth.

    Returns
    -------
    float64 array (rows, features, classes)
        In units of probability. ``base_values(model) + values.sum(axis=1)`` is
        ``model.predict_proba(X)`` (Tong et al., Supplementary Eq. 2).

    Raises
    ------
    InputError
        If the model is not a fitted ensemble of trees, or X does not fit it.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from whybox.trees import grow_tree
    >>> tree = grow_tree(np.array([[0.0], [1.0]]), np.array([0, 1]), np.ones(2), 2)
    >>> model = SimpleNamespace(estimators_=[tree], estimator_weights_=[1.0])
    >>> shap_values(model, [[1.0]])[0].tolist()
    [[-0.5, 0.5]]
    """
    trees, weights = _ensemble(model)
    return ensemble_shap_values(trees, weights, _matrix(model, X))


def shap_interactions(model: Any, X: Any) -> Floats:
    """Shapley interaction values of each pair of features for each row and class, exactly.

    Parameters
    ----------
    model, X
        As for `shap_values`.

    Returns
    -------
    float64 array (rows, features, features, classes)
        Symmetric; summed over either axis of features they are the Shapley values.

    Raises
    ------
    InputError
        As `shap_values`.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from whybox.trees import grow_tree
    >>> tree = grow_tree(np.array([[0.0], [1.0]]), np.array([0, 1]), np.ones(2), 2)
    >>> model = SimpleNamespace(estimators_=[tree], estimator_weights_=[1.0])
    >>> shap_interactions(model, [[1.0]]).tolist()
    [[[[-0.5, 0.5]]]]
    """
    trees, weights = _ensemble(model)
    return ensemble_shap_interactions(trees, weights, _matrix(model, X))


def base_values(model: Any) -> Floats:
    """Mean prediction for each class when no feature is known: the training prevalence.

    Parameters
    ----------
    model : CBPTClassifier or alike
        As for `shap_values`.

    Returns
    -------
    float64 array (classes,)

    Raises
    ------
    InputError
        If the model is not a fitted ensemble of trees.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from whybox.trees import grow_tree
    >>> tree = grow_tree(np.array([[0.0], [1.0]]), np.array([0, 1]), np.ones(2), 2)
    >>> base_values(SimpleNamespace(estimators_=[tree], estimator_weights_=[1.0])).tolist()
    [0.5, 0.5]
    """
    return ensemble_base_values(*_ensemble(model))


def _ensemble(model: Any) -> tuple[Sequence[Tree], Floats]:
    """Take a fitted model's trees and weights."""
    trees = getattr(model, "estimators_", None)
    weights = getattr(model, "estimator_weights_", None)
    if trees is None or weights is None or not len(trees):
        raise InputError(
            f"{type(model).__name__} has no trees to explain, expected a fitted ensemble with "
            "estimators_ and estimator_weights_",
            remedy="fit the model first, or explain another kind of model by its own terms",
        )
    if not all(hasattr(tree, "unweighted_share") for tree in trees):
        raise InputError(
            f"the estimators_ of {type(model).__name__} are no whybox trees",
            remedy="explain scikit-learn's ensembles with the shap package",
        )
    return trees, np.asarray(weights, dtype=np.float64)[: len(trees)]


def _matrix(model: Any, X: Any) -> NDArray:
    """Check X as the model's own ``predict`` would, missing values allowed."""
    from sklearn.base import BaseEstimator
    from sklearn.utils.validation import check_array, validate_data

    how: dict[str, Any] = {"dtype": [np.float64, np.float32], "ensure_all_finite": "allow-nan"}
    try:
        if isinstance(model, BaseEstimator):
            return np.asarray(validate_data(model, X, reset=False, ensure_min_samples=0, **how))
        return np.asarray(check_array(X, ensure_min_samples=0, **how))
    except ValueError as error:
        raise InputError(str(error), where="X") from error
