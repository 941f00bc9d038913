"""Keeping the best terms of a table, with ties that are defined."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from whybox.errors import InputError
from whybox.expressions.filters import chi2

__all__ = ["SelectTerms"]


class SelectTerms(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Keep the `k` terms of the highest scores; ties go to the name that comes first.

    Unlike scikit-learn's ``SelectKBest``, which leaves ties to its sort, the choice is the same for
    any order of columns whose names are known. Columns without names are compared by position,
    which is the order of names in a vocabulary that is sorted, as those of scikit-learn are.

    Parameters
    ----------
    score_func : callable, default=whybox.expressions.chi2
        ``score_func(X, y)`` gives a score a term, or scores and p-values. NaN comes last.
    k : int, default=9
        Terms to keep; all if there are fewer.
    terms : sequence of str, optional
        Names of the columns where X has none.

    Attributes
    ----------
    scores_ : float64 (terms,)
    ranking_ : int64 (kept,)
        Columns kept, best first.
    n_features_in_ : int
    feature_names_in_ : array of str
        If X had column names.

    Examples
    --------
    >>> X, y = np.array([[1, 1, 0], [1, 1, 1], [0, 0, 1], [0, 0, 0]]), [1, 1, 0, 0]
    >>> SelectTerms(k=1, terms=["b", "a", "c"]).fit(X, y).get_support(indices=True).tolist()
    [1]
    """

    def __init__(
        self,
        score_func: Callable[..., Any] = chi2,
        k: int = 9,
        terms: ArrayLike | None = None,
    ) -> None:
        self.score_func = score_func
        self.k = k
        self.terms = terms

    def fit(self, X: Any, y: ArrayLike) -> SelectTerms:
        """Score the terms and rank them.

        Parameters
        ----------
        X : array_like or sparse matrix (documents, terms)
        y : array_like (documents,)

        Returns
        -------
        SelectTerms
            Itself.

        Raises
        ------
        InputError
            If `k` is no positive integer, or `terms` are not one name a column.
        """
        if isinstance(self.k, bool) or not isinstance(self.k, (int, np.integer)) or self.k < 1:
            raise InputError(f"got k={self.k!r}", remedy="use 1 or more")
        X, y = validate_data(self, X, y, accept_sparse=True)
        scores = self.score_func(X, y)
        scores = np.asarray(scores[0] if isinstance(scores, tuple) else scores, np.float64)
        names = self._names(X.shape[1])
        ordering = np.lexsort([names, -scores])  # NaN is last
        self.scores_ = scores
        self.ranking_ = ordering[: self.k]
        return self

    def _names(self, n_terms: int) -> NDArray[Any]:
        """Find what ties are broken by."""
        names = self.terms if self.terms is not None else getattr(self, "feature_names_in_", None)
        if names is None:
            return np.arange(n_terms)
        names = np.asarray(names).astype(str)
        if names.shape != (n_terms,):
            raise InputError(
                f"got names of shape {names.shape} for {n_terms} columns", where="terms"
            )
        return names

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, bool)
        mask[self.ranking_] = True
        return mask

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.classifier_tags = None
        return tags
