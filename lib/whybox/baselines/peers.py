"""Small adapters that make other libraries' classifiers answer like the ones here."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

__all__ = ["CodedLabels", "scaled_logistic"]


class CodedLabels(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Let a classifier that only knows the labels 0, 1, 2, ... learn any labels.

    Parameters
    ----------
    estimator : classifier
        Cloned, then fitted on the labels' codes.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    estimator_ : the fitted clone

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> model = CodedLabels(DecisionTreeClassifier()).fit([[0.0], [1.0]], ["no", "yes"])
    >>> model.predict([[2.0]])
    array(['yes'], dtype='<U3')
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit a clone of the classifier on the codes of `y`.

        Parameters
        ----------
        X : array of shape (n_rows, n_features)
        y : array of shape (n_rows,)
        sample_weight : array of shape (n_rows,), optional

        Returns
        -------
        self
        """
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        self.estimator_ = clone(self.estimator).fit(X, codes, sample_weight=sample_weight)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Predict labels.

        Parameters
        ----------
        X : array of shape (n_rows, n_features)

        Returns
        -------
        array of shape (n_rows,)
        """
        check_is_fitted(self)
        return self.classes_[np.asarray(self.estimator_.predict(X), dtype=np.intp)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Predict probabilities, columns in the order of `classes_`.

        Parameters
        ----------
        X : array of shape (n_rows, n_features)

        Returns
        -------
        array of shape (n_rows, n_classes)
        """
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict_proba(X))


def scaled_logistic(**params: Any) -> Any:
    """Make a logistic regression on standardised features, missing values at the median.

    Parameters
    ----------
    **params
        Of scikit-learn's ``LogisticRegression``.

    Returns
    -------
    Pipeline
        Steps ``impute``, ``scale``, ``logistic``.

    Examples
    --------
    >>> scaled_logistic(C=0.5).named_steps["logistic"].C
    0.5
    """
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import StandardScaler

    return Pipeline(
        [
            ("impute", SimpleImputer(strategy="median", keep_empty_features=True)),
            ("scale", StandardScaler()),
            ("logistic", LogisticRegression(**params)),
        ]
    )
