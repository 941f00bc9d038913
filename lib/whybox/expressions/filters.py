"""The seven filters of the paper as score functions: ``score(X, y)`` gives a float64 a term.

All are usable in :class:`~whybox.expressions.SelectTerms` and in scikit-learn's ``SelectKBest``.
All but `mutual_information` and `f_anova` look at presence, a value other than 0. With more than
two classes those that need a positive class score each class against the rest and keep the
largest; with two, the second is the positive one. Equations are those of Francisco and Castro,
"Discriminatory Expressions to Improve Model Comprehensibility in Short Documents".
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from whybox.expressions.contingency import class_sums, count_cells, term_matrix
from whybox.expressions.labels import code_labels

__all__ = [
    "chi2",
    "expected_cross_entropy",
    "f_anova",
    "gss",
    "information_gain",
    "mutual_information",
    "odds_ratio",
    "pmi",
]

Scores = NDArray[np.float64]


def chi2(X: Any, y: ArrayLike, *, pos_label: Any = None) -> Scores:
    """Score terms by Pearson's chi-squared of their presence and the class.

    N (AD - BC)^2 / ((A+B)(C+D)(A+C)(B+D)), of which Eq. (1) is a misprint. It is not
    ``sklearn.feature_selection.chi2``, which sums X class by class, leaves the documents without
    the term out, and on presence gives this times 1 - p(t), with p-values.

    Parameters
    ----------
    X : array_like or sparse matrix (documents, terms)
    y : array_like (documents,)
    pos_label : label, optional

    Returns
    -------
    float64 (terms,)
        0 for a term that is everywhere or nowhere.

    Raises
    ------
    InputError
        If the table or the labels are unfit.

    Examples
    --------
    >>> chi2([[1, 1], [1, 0], [0, 1], [0, 0]], [1, 1, 0, 0]).tolist()
    [4.0, 0.0]
    """
    a, b, c, d = cells = count_cells(X, y, pos_label)
    product = (a + b) * (c + d) * (a + c) * (b + d)
    return _largest(_ratio(cells.total * (a * d - b * c) ** 2, product))


def information_gain(X: Any, y: ArrayLike) -> Scores:
    """Score terms by the information that their presence gives about the class, in nats.

    The sum over all cells, where Eq. (2) has those of one class only. On presence it equals
    ``sklearn.feature_selection.mutual_info_classif`` with ``discrete_features=True``.

    Parameters
    ----------
    X : array_like or sparse matrix (documents, terms)
    y : array_like (documents,)
        Of any number of classes.

    Returns
    -------
    float64 (terms,)

    Raises
    ------
    InputError
        If the table or the labels are unfit.

    Examples
    --------
    >>> information_gain([[1, 1], [1, 0], [0, 1], [0, 0]], [1, 1, 0, 0]).round(3).tolist()
    [0.693, 0.0]
    """
    matrix = term_matrix(X)
    matrix = matrix.copy()
    matrix.data[:] = 1.0
    return mutual_information(matrix, y)


def mutual_information(X: Any, y: ArrayLike) -> Scores:
    """Score terms by the mutual information of their value, as it is, and the class, in nats.

    What ``sklearn.feature_selection.mutual_info_classif`` computes with
    ``discrete_features=True``, for all terms at once. On presence it equals `information_gain`, on counts
    it does not. Eq. (3), which the paper calls MI, is :func:`pmi`.

    Parameters
    ----------
    X : array_like or sparse matrix (documents, terms)
        Every distinct value is a state of its own.
    y : array_like (documents,)

    Returns
    -------
    float64 (terms,)

    Raises
    ------
    InputError
        If the table or the labels are unfit.

    Examples
    --------
    >>> mutual_information([[2, 1], [1, 0], [2, 1], [1, 0]], [1, 0, 1, 0]).round(3).tolist()
    [0.693, 0.693]
    """
    matrix = term_matrix(X)
    classes, codes = code_labels(y, matrix.shape[0])
    n, n_terms = matrix.shape
    n_classes = len(classes)
    term = np.repeat(np.arange(n_terms), np.diff(matrix.indptr))
    values = np.unique(matrix.data, return_inverse=True)[1]
    state = term * (values.max(initial=0) + 1) + values
    joint, counts = np.unique(state * n_classes + codes[matrix.indices], return_counts=True)
    states, where = np.unique(joint // n_classes, return_inverse=True)
    term_of = states // (values.max(initial=0) + 1)
    label_count = np.bincount(codes, minlength=n_classes).astype(np.float64)
    state_count = np.bincount(where, weights=counts, minlength=len(states))
    information = np.bincount(
        term_of[where],
        weights=_part(counts, state_count[where], label_count[joint % n_classes], n),
        minlength=n_terms,
    ).astype(np.float64)  # without any weights it counts
    # documents without the term are one state more
    present = matrix.copy()
    present.data[:] = 1.0
    absent = label_count[:, None] - class_sums(present, codes, n_classes)
    information += _part(absent, absent.sum(axis=0), label_count[:, None], n).sum(axis=0)
    return np.maximum(information, 0.0)


def pmi(X: Any, y: ArrayLike, *, pos_label: Any = None) -> Scores:
    """Score terms by pointwise mutual information of term and class, Eq. (3), in nats.

    log(A N / ((A+B)(A+C))). Words that are seen once are among the highest. It is not
    :func:`mutual_information`.

    Parameters
    ----------
    X : array_like or sparse matrix (documents, terms)
    y : array_like (documents,)
    pos_label : label, optional

    Returns
    -------
    float64 (terms,)
        Minus infinity for a term that is in no document of the class.

    Raises
    ------
    InputError
        If the table or the labels are unfit.

    Examples
    --------
    >>> pmi([[1, 1], [1, 0], [0, 1], [0, 0]], [1, 1, 0, 0]).round(3).tolist()
    [0.693, 0.0]
    """
    a, b, c, _ = cells = count_cells(X, y, pos_label)
    ratio = _ratio(a * cells.total, (a + b) * (a + c))
    with np.errstate(divide="ignore"):
        return _largest(np.log(ratio))


def odds_ratio(X: Any, y: ArrayLike, *, pos_label: Any = None) -> Scores:
    """Score terms by the logarithm of the odds ratio, Eq. (4), with 0.5 added to each cell.

    Parameters
    ----------
    X : array_like or sparse matrix (documents, terms)
    y : array_like (documents,)
    pos_label : label, optional

    Returns
    -------
    float64 (terms,)
        Negative for terms of the other classes.

    Raises
    ------
    InputError
        If the table or the labels are unfit.

    Examples
    --------
    >>> odds_ratio([[1, 1], [1, 0], [0, 1], [0, 0]], [1, 1, 0, 0]).round(3).tolist()
    [3.219, 0.0]
    """
    a, b, c, d = (cell + 0.5 for cell in count_cells(X, y, pos_label))
    return _largest(np.log(a * d / (b * c)))


def expected_cross_entropy(X: Any, y: ArrayLike, *, pos_label: Any = None) -> Scores:
    """Score terms by expected cross entropy, Eq. (5): p(t) times what the term tells of the class.

    The divergence of p(c | t) from p(c), in nats, with 0 log 0 = 0.

    Parameters
    ----------
    X : array_like or sparse matrix (documents, terms)
    y : array_like (documents,)
    pos_label : label, optional

    Returns
    -------
    float64 (terms,)

    Raises
    ------
    InputError
        If the table or the labels are unfit.

    Examples
    --------
    >>> expected_cross_entropy([[1, 1], [1, 0], [0, 1], [0, 0]], [1, 1, 0, 0]).round(3).tolist()
    [0.347, 0.0]
    """
    a, b, c, d = cells = count_cells(X, y, pos_label)
    n = float(cells.total.flat[0])
    return _largest(_part(a, a + b, a + c, n) + _part(b, a + b, b + d, n))


def f_anova(X: Any, y: ArrayLike) -> Scores:
    """Score terms by the F value of one-way analysis of variance, Eq. (6), of the values as given.

    The values of ``sklearn.feature_selection.f_classif``, without p-values and with 0 for a
    constant term, where that one warns and gives NaN. On presence F = chi2 (N - 2) / (N - chi2),
    the ranking of :func:`chi2`.

    Parameters
    ----------
    X : array_like or sparse matrix (documents, terms)
    y : array_like (documents,)

    Returns
    -------
    float64 (terms,)
        Infinity for a term that is constant within each class and differs between them.

    Raises
    ------
    InputError
        If the table or the labels are unfit.

    Examples
    --------
    >>> f_anova([[1, 1], [1, 0], [1, 1], [0, 0]], [1, 1, 0, 0]).round(3).tolist()
    [1.0, 0.0]
    """
    matrix = term_matrix(X)
    classes, codes = code_labels(y, matrix.shape[0])
    n, k = matrix.shape[0], len(classes)
    sizes = np.bincount(codes, minlength=k)[:, None]
    sums = class_sums(matrix, codes, k)
    squares = np.asarray(matrix.multiply(matrix).sum(axis=0)).ravel()
    correction = sums.sum(axis=0) ** 2 / n
    between = (sums**2 / sizes).sum(axis=0) - correction
    whole = squares - correction
    within = whole - between
    tiny = 1e-12 * np.maximum(squares, 1e-300)  # what rounding leaves of nothing
    between = np.where(between <= tiny, 0.0, between)
    within = np.where(within <= tiny, 0.0, within)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = (between / (k - 1)) / (within / (n - k)) if n > k else np.zeros(len(whole))
    return np.where(between == 0.0, 0.0, values)


def gss(X: Any, y: ArrayLike, *, pos_label: Any = None) -> Scores:
    """Score terms by the coefficient of Galavotti, Sebastiani and Simi: (AD - BC) / N^2, signed.

    Eq. (7) with joint probabilities, as in the original.

    Parameters
    ----------
    X : array_like or sparse matrix (documents, terms)
    y : array_like (documents,)
    pos_label : label, optional

    Returns
    -------
    float64 (terms,)
        Negative for terms of the other classes.

    Raises
    ------
    InputError
        If the table or the labels are unfit.

    Examples
    --------
    >>> gss([[1, 1], [1, 0], [0, 1], [0, 0]], [1, 1, 0, 0]).tolist()
    [0.25, 0.0]
    """
    a, b, c, d = cells = count_cells(X, y, pos_label)
    return _largest((a * d - b * c) / cells.total**2)


def _largest(scores: Scores) -> Scores:
    """Over the classes."""
    best: Scores = scores.max(axis=0)
    return best


def _ratio(above: Scores, below: Scores) -> Scores:
    """Divide, with 0 for what is divided by 0."""
    return np.divide(above, below, out=np.zeros_like(above), where=below != 0)


def _part(joint: Any, state: Any, label: Any, n: float) -> Scores:
    """One cell's part of the mutual information: p(x, y) log(p(x, y) / (p(x) p(y)))."""
    joint = np.asarray(joint, np.float64)
    expected = state * label
    logs = np.log(np.divide(joint * n, expected, out=np.ones_like(joint), where=joint > 0))
    part: Scores = joint / n * logs
    return part
