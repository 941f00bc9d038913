"""Mean, median, least and greatest value of each feature in each class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from whybox.errors import InputError

__all__ = ["STATISTICS", "FeatureTable", "feature_table"]

STATISTICS = ("mean", "median", "min", "max")


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """Statistics of each feature in each class (as Tong et al., Table S2).

    Parameters
    ----------
    features, classes : sequence of str
    statistics : float64 array (features, classes, 4)
        Mean, median, least and greatest value; NaN where all are missing.

    Examples
    --------
    >>> FeatureTable(["posts"], ["yes"], np.ones((1, 1, 4))).classes
    ['yes']
    """

    features: Sequence[str]
    classes: Sequence[str]
    statistics: NDArray[np.float64]


def feature_table(X: ArrayLike, y: ArrayLike, features: Sequence[str]) -> FeatureTable:
    """Summarise each feature in each class, missing values apart.

    Parameters
    ----------
    X : array-like (rows, features)
    y : array-like (rows,)
        Labels.
    features : sequence of str

    Returns
    -------
    FeatureTable
        Classes in sorted order.

    Raises
    ------
    InputError
        If the shapes differ.

    Examples
    --------
    >>> table = feature_table([[1.0], [3.0], [9.0]], ["no", "no", "yes"], ["posts"])
    >>> table.classes, table.statistics[0, 0].tolist()
    (('no', 'yes'), [2.0, 2.0, 1.0, 3.0])
    """
    values, labels = np.asarray(X, dtype=np.float64), np.asarray(y)
    if values.shape != (len(labels), len(features)):
        raise InputError(
            f"X of shape {values.shape}, expected {(len(labels), len(features))} for "
            f"{len(labels)} labels and {len(features)} features"
        )
    classes = np.unique(labels)
    statistics = np.full((len(features), len(classes), len(STATISTICS)), np.nan)
    for at, name in enumerate(classes):
        for column, part in enumerate(values[labels == name].T):
            known = part[~np.isnan(part)]
            if len(known):
                statistics[column, at] = known.mean(), np.median(known), known.min(), known.max()
    return FeatureTable(tuple(features), tuple(str(name) for name in classes), statistics)
