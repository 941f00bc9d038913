"""Labels as numbers, checked once for everything that learns from labelled documents."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from whybox.errors import InputError

__all__ = ["code_labels", "positive_code"]


def code_labels(y: ArrayLike, n_documents: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Number labels by their sorted order.

    Parameters
    ----------
    y : array_like (documents,)
    n_documents : int

    Returns
    -------
    classes : array (classes,)
    codes : int64 (documents,)

    Raises
    ------
    InputError
        If `y` has another length, is no list of labels, or has fewer than two classes.

    Examples
    --------
    >>> classes, codes = code_labels(["b", "a", "b"], 3)
    >>> classes.tolist(), codes.tolist()
    (['a', 'b'], [1, 0, 1])
    """
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import column_or_1d

    if y is None:
        raise InputError("requires y to be passed, but the target y is None")
    try:
        if isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype == bool:
            labels = y  # nothing to be checked
        else:
            labels = column_or_1d(y, warn=True)
            check_classification_targets(labels)
        classes, codes = np.unique(labels, return_inverse=True)
    except (TypeError, ValueError) as error:
        raise InputError(f"the labels cannot be used: {error}", where="y") from error
    if len(labels) != n_documents:
        raise InputError(f"got {len(labels)} labels for {n_documents} documents", where="y")
    if len(classes) < 2:
        raise InputError(
            f"got {len(classes)} class, expected two or more",
            where="y",
            remedy="an expression tells one class from the others",
        )
    return classes, codes.astype(np.int64)


def positive_code(classes: NDArray[Any], pos_label: Any) -> int:
    """Find the positive class: the one named, else the second.

    Raises
    ------
    InputError
        If the label is none of the classes.

    Examples
    --------
    >>> positive_code(np.array(["no", "yes"]), None), positive_code(np.array(["no", "yes"]), "no")
    (1, 0)
    """
    if pos_label is None:
        return 1
    where = np.flatnonzero(classes == pos_label)
    if len(where) != 1:
        raise InputError(
            f"pos_label={pos_label!r} is none of the {len(classes)} classes",
            where="pos_label",
            remedy=f"use one of {', '.join(map(repr, classes.tolist()[:10]))}",
        )
    return int(where[0])
