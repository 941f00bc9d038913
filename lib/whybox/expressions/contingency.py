"""How often terms and classes go together: the four cells that the filters are made of."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from whybox.errors import InputError
from whybox.expressions.labels import code_labels, positive_code

__all__ = ["Cells", "class_sums", "count_cells", "term_matrix"]


class Cells(NamedTuple):
    """Documents by term and class, float64 (classes, terms) each; their sum is all documents.

    With two classes there is one row, for the positive class; with more, one row a class against
    the rest.

    Examples
    --------
    >>> Cells(*np.ones((4, 1, 2))).total
    array([[4., 4.]])
    """

    both: NDArray[np.float64]  # A: term and class
    term: NDArray[np.float64]  # B: term, another class
    label: NDArray[np.float64]  # C: class without the term
    neither: NDArray[np.float64]  # D

    @property
    def total(self) -> NDArray[np.float64]:
        """All documents.

        Examples
        --------
        >>> count_cells([[1], [0], [1]], [0, 1, 1]).total.tolist()
        [[3.0]]
        """
        return self.both + self.term + self.label + self.neither


def term_matrix(X: Any) -> Any:
    """Make a CSC matrix of a table of terms, dense or sparse, without stored zeros.

    Parameters
    ----------
    X : array_like or sparse matrix (documents, terms)

    Returns
    -------
    csc_matrix of float64

    Raises
    ------
    InputError
        If it is no table of finite numbers.

    Examples
    --------
    >>> term_matrix([[0, 2], [1, 0]]).nnz
    2
    """
    from scipy.sparse import csc_matrix
    from sklearn.utils.validation import check_array

    try:
        checked = check_array(X, accept_sparse="csc", dtype=np.float64, ensure_min_samples=2)
    except (TypeError, ValueError) as error:
        raise InputError(f"the table of terms cannot be used: {error}", where="X") from error
    matrix = csc_matrix(checked)
    if (matrix.data == 0).any():
        matrix = matrix.copy()
        matrix.eliminate_zeros()
    return matrix


def class_sums(matrix: Any, codes: NDArray[np.int64], n_classes: int) -> NDArray[np.float64]:
    """Sum a matrix's rows class by class.

    Examples
    --------
    >>> class_sums(term_matrix([[1, 2], [3, 0], [5, 5]]), np.array([0, 1, 0]), 2).tolist()
    [[6.0, 7.0], [3.0, 0.0]]
    """
    from scipy.sparse import csr_matrix

    indicator = csr_matrix(
        (np.ones(len(codes)), (codes, np.arange(len(codes)))), shape=(n_classes, len(codes))
    )
    return np.asarray((indicator @ matrix).todense(), np.float64)


def count_cells(X: Any, y: ArrayLike, pos_label: Any = None) -> Cells:
    """Count documents by presence of each term (a value other than 0) and class.

    Parameters
    ----------
    X : array_like or sparse matrix (documents, terms)
    y : array_like (documents,)
    pos_label : label, optional
        The positive class; default the second of two, and every class in turn of more.

    Returns
    -------
    Cells

    Raises
    ------
    InputError
        If the table or the labels are unfit.

    Examples
    --------
    >>> cells = count_cells([[1, 0], [2, 1], [0, 1]], ["+", "+", "-"], pos_label="+")
    >>> [cell.tolist() for cell in cells]
    [[[2.0, 1.0]], [[0.0, 1.0]], [[0.0, 1.0]], [[1.0, 0.0]]]
    """
    matrix = term_matrix(X)
    classes, codes = code_labels(y, matrix.shape[0])
    present = matrix.copy()
    present.data[:] = 1.0
    with_term = class_sums(present, codes, len(classes))
    sizes = np.bincount(codes, minlength=len(classes))[:, None]
    if len(classes) == 2 or pos_label is not None:
        chosen = [positive_code(classes, pos_label)]
        both, size = with_term[chosen], sizes[chosen]
    else:
        both, size = with_term, sizes
    term = with_term.sum(axis=0) - both
    label = size - both
    return Cells(both, term, label, matrix.shape[0] - both - term - label)
