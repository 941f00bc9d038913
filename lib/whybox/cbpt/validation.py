"""Checks of what a classifier is given: parameters, matrices, labels, weights."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from whybox.cbpt.boosting import UPDATES
from whybox.cbpt.penalties import PENALTIES
from whybox.cbpt.pruning import MATCHES
from whybox.errors import InputError
from whybox.trees.prune import COSTS
from whybox.trees.sorted_rows import as_matrix
from whybox.trees.tree import Array

__all__ = ["check_parameters", "checked_matrix", "checked_training", "class_factors"]

_CHOICES = {
    "pruning_cost": COSTS,
    "pruning_match": MATCHES,
    "penalty": PENALTIES,
    "hardness_impurity": ("gini", "entropy"),
    "weight_update": UPDATES,
}
_COUNTS = {"n_estimators": 1, "n_pruning_folds": 2, "max_depth": 0, "n_iter_no_change": 1}
_POSITIVE = ("learning_rate", "max_time", "penalty_floor")
_OPTIONAL = ("max_depth", "n_iter_no_change", "max_time")


def check_parameters(parameters: Mapping[str, Any]) -> None:
    """Refuse a parameter that makes no sense.

    Parameters
    ----------
    parameters : mapping
        As ``get_params`` gives them.

    Raises
    ------
    InputError
        Names the parameter, what it is and what it should be.

    Examples
    --------
    >>> check_parameters({"n_estimators": 0})
    Traceback (most recent call last):
    whybox.errors.InputError: n_estimators is 0, expected a whole number of 1 or more
    """
    for name, value in parameters.items():
        problem = None if value is None and name in _OPTIONAL else _problem(name, value)
        if problem:
            raise InputError(f"{name} is {value!r}, expected {problem}")


def _problem(name: str, value: Any) -> str | None:
    """Say what a parameter should have been, or None if it is right."""
    number = isinstance(value, Real) and not isinstance(value, bool)
    if name in _CHOICES and value not in _CHOICES[name]:
        return "one of " + ", ".join(_CHOICES[name])
    if name in _COUNTS:
        least = _COUNTS[name]
        if not (number and isinstance(value, Integral) and int(value) >= least):
            return f"a whole number of {least} or more"
    if name in _POSITIVE and not (number and 0 < value < np.inf):
        return "a finite positive number"
    if name == "n_jobs" and not (
        value is None or (isinstance(value, Integral) and int(value) != 0)
    ):
        return "a whole number other than 0, or None"
    if name == "depth_penalty" and not (number and 0 <= value < np.inf):
        return "a finite number of 0 or more"
    if name == "pruning_window" and value is not None:
        low, high = value if isinstance(value, (tuple, list)) and len(value) == 2 else (1, 0)
        if not 0 <= low < high <= 1:
            return "two rising shares between 0 and 1, or None"
    return None


def checked_training(estimator: Any, X: object, y: object) -> tuple[Array, Array]:
    """Check a training set and set what scikit-learn's estimators know of it.

    Parameters
    ----------
    estimator : estimator
        Gets ``n_features_in_`` and, if the columns have names, ``feature_names_in_``.
    X : array-like or DataFrame (rows, features)
    y : array-like (rows,)

    Returns
    -------
    X : float32 or float64 (rows, features)
    y : array (rows,)

    Raises
    ------
    InputError
        With scikit-learn's message, or one that names the infinite column.

    Examples
    --------
    >>> from whybox.cbpt import CBPTClassifier
    >>> checked_training(CBPTClassifier(), [[1], [np.nan]], ["a", "b"])[0].dtype
    dtype('float64')
    """
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import validate_data

    try:
        matrix, labels = validate_data(
            estimator, X, y, dtype=[np.float64, np.float32], ensure_all_finite=False
        )
        check_classification_targets(labels)
    except ValueError as error:
        raise InputError(str(error)) from error
    return as_matrix(matrix, getattr(estimator, "feature_names_in_", None)), labels


def checked_matrix(estimator: Any, X: object) -> Array:
    """Check rows to predict, and give them in the type of the training rows.

    Parameters
    ----------
    estimator : fitted estimator
    X : array-like or DataFrame (rows, features)

    Returns
    -------
    float32 or float64 (rows, features)

    Raises
    ------
    InputError
        Other columns than in training, or an infinite value.

    Examples
    --------
    >>> from whybox.cbpt import CBPTClassifier
    >>> model = CBPTClassifier().fit(np.array([[0], [1]], np.float32), [0, 1])
    >>> checked_matrix(model, [[0.1]]).dtype
    dtype('float32')
    """
    from sklearn.utils.validation import check_is_fitted, validate_data

    check_is_fitted(estimator)
    try:
        matrix = validate_data(
            estimator, X, reset=False, dtype=estimator.input_dtype_, ensure_all_finite=False
        )
    except ValueError as error:
        raise InputError(str(error)) from error
    return as_matrix(matrix, getattr(estimator, "feature_names_in_", None))


def class_factors(class_weight: object, classes: Array, prevalence: Array) -> Array:
    """Give each class's factor on the weights of its rows.

    Parameters
    ----------
    class_weight : None, "balanced" or dict
        Balanced classes have the same sum of weights; a dict gives factors by label, 1 for
        labels that it leaves out.
    classes : array (classes,)
    prevalence : float64 (classes,)
        Share of the sample weights.

    Returns
    -------
    float64 (classes,)

    Raises
    ------
    InputError
        If class_weight is something else, or a factor is not positive.

    Examples
    --------
    >>> class_factors("balanced", np.array(["a", "b"]), np.array([0.25, 0.75])).tolist()
    [2.0, 0.6666666666666666]
    """
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str) and class_weight == "balanced":
        safe = np.where(prevalence > 0, prevalence, 1.0)
        return np.where(prevalence > 0, 1.0 / (len(classes) * safe), 1.0)
    if not isinstance(class_weight, Mapping):
        raise InputError(f"class_weight is {class_weight!r}, expected None, 'balanced' or a dict")
    unknown = set(class_weight) - set(classes.tolist())
    if unknown:
        raise InputError(f"class_weight names {sorted(map(str, unknown))}, which y does not hold")
    factors = np.array([class_weight.get(label, 1.0) for label in classes.tolist()], np.float64)
    if not ((factors > 0) & (factors < np.inf)).all():
        raise InputError("class_weight holds a factor that is not a finite positive number")
    return factors
