"""Categories in the order of their mean outcome, so that they are cut like numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from whybox.errors import InputError
from whybox.s3d.outcome import OutcomeRows
from whybox.trees.tree import Array

__all__ = ["CategorySums", "category_sums", "merge_category_sums", "ordered_categories"]

CategorySums = dict[Any, tuple[int, list[int]]]
"""Category -> (weight, sum of weight times outcome a channel)."""


def category_sums(labels: Array, rows: OutcomeRows, n_channels: int, name: str) -> CategorySums:
    """Add up outcomes by category.

    Parameters
    ----------
    labels : array of object (rows,)
        None is missing and left out.
    rows : OutcomeRows
    n_channels : int
    name : str
        The column, for the message.

    Returns
    -------
    dict

    Raises
    ------
    InputError
        If a category is neither text, number nor boolean: no file could hold it.

    Examples
    --------
    >>> labels, y = np.array(["b", "a", "b"], object), np.array([1, 0, 1], np.uint8)
    >>> category_sums(labels, OutcomeRows(None, y, None), 1, "colour")
    {'b': (2, [2]), 'a': (1, [0])}
    """
    import pandas as pd

    codes, found = pd.factorize(labels, use_na_sentinel=True)
    for label in found:
        if not isinstance(label, (str, int, float, bool)):
            raise InputError(
                f"a category is of type {type(label).__name__}",
                where=name,
                remedy="use text, numbers or booleans",
            )
    n, s = np.zeros(len(found), np.int64), np.zeros((len(found), n_channels), np.int64)
    known = codes >= 0
    weight = 1 if rows.weight is None else rows.weight[known]
    np.add.at(n, codes[known], weight)
    value = weight if rows.value is None else rows.value[known]
    if rows.channel is None:
        np.add.at(s[:, 0], codes[known], value)
    else:
        np.add.at(s.reshape(-1), codes[known] * n_channels + rows.channel[known], value)
    return dict(zip(found.tolist(), zip(n.tolist(), s.tolist(), strict=True), strict=True))


def merge_category_sums(a: CategorySums, b: CategorySums) -> CategorySums:
    """Add the sums of two partitions.

    Examples
    --------
    >>> merge_category_sums({"a": (1, [0])}, {"a": (2, [1]), "b": (1, [1])})
    {'a': (3, [1]), 'b': (1, [1])}
    """
    merged = dict(a)
    for label, (n, s) in b.items():
        n_a, s_a = merged.get(label, (0, [0] * len(s)))
        merged[label] = n_a + n, [p + q for p, q in zip(s_a, s, strict=True)]
    return merged


def ordered_categories(sums: CategorySums, channel: int) -> list[Any]:
    """Order categories by their mean outcome, those of equal means by type and name.

    Parameters
    ----------
    sums : dict
    channel : int
        Which sum: with more than two classes, the share of this class.

    Examples
    --------
    >>> ordered_categories({"a": (2, [1]), "c": (1, [0]), "b": (4, [2])}, 0)
    ['c', 'a', 'b']
    """

    def key(label: Any) -> tuple[float, str, Any]:
        n, s = sums[label]
        return s[channel] / n, type(label).__name__, label

    return sorted(sums, key=key)
