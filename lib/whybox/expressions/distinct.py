"""Predicting each distinct row of a binary table once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["distinct_rows", "predict_distinct"]


def distinct_rows(X: Any) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Find the distinct rows of a binary table, of which nine columns have 512 at most.

    Parameters
    ----------
    X : array_like or sparse matrix (rows, columns)
        Presence is a value other than 0.

    Returns
    -------
    rows : bool (distinct, columns)
    where : int64 (rows,)
        The distinct row of each row.

    Examples
    --------
    >>> rows, where = distinct_rows([[1, 0], [0, 0], [1, 0]])
    >>> rows[where].tolist()
    [[True, False], [False, False], [True, False]]
    """
    from scipy.sparse import csr_matrix

    matrix = csr_matrix(X)
    n_bytes = (matrix.shape[1] + 7) // 8
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))[matrix.data != 0]
    columns = matrix.indices[matrix.data != 0]
    packed = np.zeros((matrix.shape[0], max(n_bytes, 1)), np.uint8)
    np.bitwise_or.at(packed, (rows, columns // 8), (128 >> (columns % 8)).astype(np.uint8))
    as_one = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, where = np.unique(as_one, return_index=True, return_inverse=True)
    bits = np.unpackbits(packed[first], axis=1, count=matrix.shape[1])
    return bits.astype(bool), where.astype(np.int64)


def predict_distinct(model: Any, X: Any, method: str = "predict") -> NDArray[Any]:
    """Predict a binary table by its distinct rows: the same, where a row's answer is its own.

    Parameters
    ----------
    model : fitted classifier
    X : array_like or sparse matrix (rows, columns)
        Of zeros and ones.
    method : str, default "predict"
        Or "predict_proba", "decision_function".

    Returns
    -------
    array (rows, ...)

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> model = KNeighborsClassifier(1).fit([[0, 0], [1, 0]], ["no", "yes"])
    >>> predict_distinct(model, [[1, 0], [0, 0], [1, 0]]).tolist()
    ['yes', 'no', 'yes']
    """
    rows, where = distinct_rows(X)
    answers: NDArray[Any] = np.asarray(getattr(model, method)(rows))[where]
    return answers
