"""What a model is given, column by column: an array or a DataFrame, with categories as numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from whybox.errors import InputError
from whybox.s3d.columns import refuse_infinite
from whybox.trees.tree import Array

__all__ = ["Table", "categorical_columns", "column_index", "column_labels", "is_frame"]

_CATEGORICAL_KINDS = ("category", "object", "string", "str")


def is_frame(X: object) -> bool:
    """Tell whether X is a pandas DataFrame, or walks like one.

    Examples
    --------
    >>> is_frame([[1.0]])
    False
    """
    return hasattr(X, "iloc") and hasattr(X, "columns")


class Table:
    """Columns of float64 or float32 numbers, read one at a time; nothing is copied before.

    Parameters
    ----------
    X : ndarray (rows, features) or DataFrame
    names : sequence of str
        What messages call the columns.

    Examples
    --------
    >>> Table(np.array([[1, 2], [3, 4]]), ["a", "b"]).column(1, {})
    array([2., 4.])
    """

    def __init__(self, X: Any, names: Sequence[str]) -> None:
        self.X, self.names = X, list(names)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.X.shape[0])

    def rows(self, keep: Array) -> Table:
        """Take some of the rows."""
        return Table(self.X.loc[keep] if is_frame(self.X) else self.X[keep], self.names)

    def raw(self, j: int) -> Any:
        """Give a column as it is."""
        return self.X.iloc[:, j] if is_frame(self.X) else self.X[:, j]

    def column(self, j: int, categories: Mapping[int, list[Any]]) -> Array:
        """Give a column as numbers; a category's is its place in the list, NaN if it has none."""
        raw = self.raw(j)
        if j in categories:
            import pandas as pd

            labels = plain_labels(raw)
            place = pd.Index(categories[j], dtype=object).get_indexer(labels)
            return np.where(place < 0, np.nan, place.astype(np.float64))
        if isinstance(raw, np.ndarray) and raw.dtype in (np.float32, np.float64):
            return raw
        try:
            if hasattr(raw, "to_numpy"):
                raw = raw.to_numpy(dtype=np.float64, na_value=np.nan)
            return np.asarray(raw, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"a column of type {raw.dtype} is not numeric",
                where=self.names[j],
                remedy="make it numeric or categorical, or name it in categorical_features",
            ) from error

    def refuse_infinite(self, categories: Mapping[int, list[Any]]) -> None:
        """Raise an InputError that names the first column with an infinite value."""
        for j, name in enumerate(self.names):
            if j not in categories:
                refuse_infinite(self.column(j, categories), name)


def column_labels(X: Any) -> list[str]:
    """Give the columns' names for messages and rules: x0, x1, ... where they have none.

    Examples
    --------
    >>> column_labels(np.zeros((1, 2)))
    ['x0', 'x1']
    """
    if is_frame(X):
        return [str(name) for name in X.columns]
    return [f"x{j}" for j in range(X.shape[1])]


def column_index(key: object, names: Sequence[str], what: str) -> int:
    """Find a column by name or index.

    Parameters
    ----------
    key : str or int
    names : sequence of str
    what : str
        The parameter that holds the key.

    Raises
    ------
    InputError
        If there is no such column.

    Examples
    --------
    >>> column_index("b", ["a", "b"], "user_splits")
    1
    """
    if isinstance(key, str) and key in names:
        return list(names).index(key)
    if isinstance(key, (int, np.integer)) and 0 <= int(key) < len(names):
        return int(key)
    raise InputError(
        f"{what} names the column {key!r}, which X does not have",
        remedy=f"use a column's name or an index from 0 to {len(names) - 1}",
    )


def categorical_columns(X: Any, wanted: object, names: Sequence[str]) -> list[int]:
    """Say which columns hold categories.

    Parameters
    ----------
    X : ndarray or DataFrame
    wanted : "from_dtype", None or a sequence of names and indices
        "from_dtype": the DataFrame's columns of type category, string and object.
    names : sequence of str

    Examples
    --------
    >>> categorical_columns(np.zeros((1, 2)), [1], ["x0", "x1"])
    [1]
    """
    if wanted is None:
        return []
    if isinstance(wanted, str):
        if not is_frame(X):
            return []
        return [j for j, kind in enumerate(X.dtypes) if str(kind) in _CATEGORICAL_KINDS]
    return sorted({column_index(key, names, "categorical_features") for key in wanted})  # type: ignore[attr-defined]


def plain_labels(raw: Any) -> Any:
    """Give categories as plain Python values, missing ones as None.

    Examples
    --------
    >>> plain_labels(np.array([1, 2])).tolist()
    [1, 2]
    """
    import pandas as pd

    series = pd.Series(raw).astype(object)
    return series.where(series.notna(), None).to_numpy()
