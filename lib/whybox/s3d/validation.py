"""Checks of what a decomposition is given: parameters, tables, outcomes, weights."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from whybox.errors import InputError
from whybox.kernels.s3d_rows import MAX_CODES
from whybox.s3d.binning import STOPPINGS
from whybox.s3d.table import Table, column_index, is_frame
from whybox.trees.tree import Array
from whybox.trees.weights import as_weights

__all__ = ["check_parameters", "checked_rows", "checked_table", "given_cuts"]

_COUNTS = {"max_features": (1, None), "patience": (1, None), "max_bins": (2, MAX_CODES)}
_COUNTS["max_blocks"] = (1, 2**20)
_OPTIONAL = ("max_features", "max_bins", "user_splits", "categorical_features")


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
    >>> check_parameters({"patience": 0})
    Traceback (most recent call last):
    whybox.errors.InputError: patience is 0, expected a whole number of 1 or more
    """
    for name, value in parameters.items():
        problem = None if value is None and name in _OPTIONAL else _problem(name, value)
        if problem:
            raise InputError(f"{name} is {value!r}, expected {problem}")


def _problem(name: str, value: Any) -> str | None:
    """Say what a parameter should have been, or None if it is right."""
    number = isinstance(value, Real) and not isinstance(value, bool)
    if name in _COUNTS:
        low, high = _COUNTS[name]
        whole = number and isinstance(value, Integral)
        if not whole or int(value) < low or (high is not None and int(value) > high):
            return f"a whole number of {low} or more" + (f", at most {high:,}" if high else "")
    if name in ("penalty", "noise_floor", "min_samples") and not (number and 0 <= value < np.inf):
        return "a finite number of 0 or more"
    if name == "stopping" and value not in STOPPINGS:
        return "one of " + ", ".join(STOPPINGS)
    if name == "categorical_features":
        wrong_word = isinstance(value, str) and value != "from_dtype"
        if wrong_word or not isinstance(value, (str, list, tuple, np.ndarray)):
            return "'from_dtype', None or a list of columns"
    if name == "user_splits" and not isinstance(value, Mapping):
        return "a dict of column -> cut values, or None"
    return None


def checked_table(estimator: Any, X: Any, *, reset: bool) -> Table:
    """Check a table and set or compare what scikit-learn's estimators know of it.

    Parameters
    ----------
    estimator : estimator
    X : array-like or DataFrame (rows, features)
    reset : bool
        True in the first part of a training set.

    Returns
    -------
    Table

    Raises
    ------
    InputError
        With scikit-learn's message.

    Examples
    --------
    >>> from whybox.s3d import S3DRegressor
    >>> checked_table(S3DRegressor(), [[1, 2]], reset=True).names
    ['column 0', 'column 1']
    """
    from sklearn.utils.validation import validate_data

    if hasattr(X, "__dask_graph__"):
        raise InputError(
            f"X is a Dask collection ({type(X).__name__})",
            remedy="give its computed partitions to `fit_partitions`",
        )
    frame = is_frame(X)
    mixed = not isinstance(getattr(estimator, "categorical_features", None), (str, type(None)))
    try:
        if frame:
            validate_data(estimator, X, reset=reset, skip_check_array=True)
        else:
            kind = None if mixed else "numeric"
            X = validate_data(estimator, X, reset=reset, dtype=kind, ensure_all_finite=False)
    except ValueError as error:
        raise InputError(str(error)) from error
    if 0 in X.shape:
        raise InputError(f"X has shape {X.shape}, expected (rows, features), at least one of each")
    names = [repr(name) for name in X.columns] if frame else [str(j) for j in range(X.shape[1])]
    return Table(X, [f"column {name}" for name in names])


def checked_rows(
    estimator: Any, X: Any, y: object, sample_weight: object, *, reset: bool
) -> tuple[Table, Array, Array | None]:
    """Check one part of a training set.

    Parameters
    ----------
    estimator : estimator
    X : array-like or DataFrame (rows, features)
    y : array-like (rows,)
    sample_weight : array-like (rows,), a number, or None
    reset : bool
        True for the first part.

    Returns
    -------
    table : Table
    y : array (rows,)
    weight : float64 (rows,) or None
        None: ones.

    Raises
    ------
    InputError
        Names the argument.

    Examples
    --------
    >>> from whybox.s3d import S3DRegressor
    >>> table, y, weight = checked_rows(S3DRegressor(), [[1], [2]], [0, 1], None, reset=True)
    >>> y.tolist(), weight
    ([0, 1], None)
    """
    from sklearn.utils.validation import column_or_1d

    if y is None:
        raise InputError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None"
        )
    table = checked_table(estimator, X, reset=reset)
    try:
        outcomes = column_or_1d(y, warn=True)
    except ValueError as error:
        raise InputError(str(error)) from error
    if len(outcomes) != table.n_rows:
        raise InputError(
            f"y has {len(outcomes)} values, X has {table.n_rows} rows", remedy="give one a row"
        )
    return table, outcomes, _weights(sample_weight, table.n_rows)


def _weights(sample_weight: object, n_rows: int) -> Array | None:
    """Check weights; all of them may be 0, as another part may have others."""
    if sample_weight is None:
        return None
    values = np.asarray(sample_weight)
    if values.shape == (n_rows,) and values.dtype.kind in "biuf" and not values.any():
        return np.zeros(n_rows)
    return as_weights(sample_weight, n_rows)


def given_cuts(user_splits: Mapping[Any, Any] | None, names: list[str]) -> dict[int, Array]:
    """Check the bins that the user wants.

    Parameters
    ----------
    user_splits : mapping of column to cut values, or None
    names : list of str
        The columns' names.

    Returns
    -------
    dict of int to float64 (cuts,)
        Ascending.

    Raises
    ------
    InputError
        Unknown column; cut values that are not finite or repeat.

    Examples
    --------
    >>> given_cuts({"age": [30, 18]}, ["height", "age"])
    {1: array([18., 30.])}
    """
    found: dict[int, Array] = {}
    for key, values in (user_splits or {}).items():
        try:
            cuts = np.sort(np.asarray(values, dtype=np.float64))
        except (TypeError, ValueError) as error:
            raise InputError(f"user_splits of {key!r} are not numeric") from error
        if cuts.ndim != 1 or not np.isfinite(cuts).all() or (np.diff(cuts) == 0).any():
            raise InputError(
                f"user_splits of {key!r} are {values!r}, expected different finite numbers"
            )
        found[column_index(key, names, "user_splits")] = cuts
    return found
