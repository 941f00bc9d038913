"""What the boosters here share: sums of small trees' steps, turned into probabilities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from whybox.baselines.weights import start_weights
from whybox.errors import InputError

__all__ = ["AdditiveClassifier"]


class AdditiveClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the boosters: a subclass has ``fit``, ``learning_rate`` and ``_step``.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    estimators_ : list
        What each round added.

    Examples
    --------
    >>> class Constant(AdditiveClassifier):
    ...     learning_rate = 1.0
    ...     def fit(self, X, y):
    ...         self._start(X, y, None)
    ...         self.estimators_ = [[0.0, 1.0]]
    ...         return self
    ...     def _step(self, estimator, X):
    ...         return np.tile(estimator, (len(X), 1))
    >>> Constant().fit([[0], [1]], ["a", "b"]).predict([[5]])
    array(['b'], dtype='<U1')
    """

    learning_rate: float
    estimators_: list[Any]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Give the softmax of the sums.

        Parameters
        ----------
        X : array of shape (n_rows, n_features)

        Returns
        -------
        float64 array of shape (n_rows, n_classes)
        """
        return np.asarray(softmax(self._sums(X), axis=1))

    def predict(self, X: Any) -> np.ndarray:
        """Give the class with the largest sum.

        Parameters
        ----------
        X : array of shape (n_rows, n_features)

        Returns
        -------
        array of shape (n_rows,)
        """
        sums = self._sums(X)
        return np.asarray(self.classes_[sums.argmax(axis=1)])

    def decision_function(self, X: Any) -> np.ndarray:
        """Give the sums.

        Parameters
        ----------
        X : array of shape (n_rows, n_features)

        Returns
        -------
        float64 array of shape (n_rows, n_classes), or (n_rows,) for two classes
            Of two classes: the second's less the first's, as scikit-learn has it.
        """
        sums = self._sums(X)
        return sums[:, 1] - sums[:, 0] if len(self.classes_) == 2 else sums

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """Give the class with the largest sum after each round.

        Parameters
        ----------
        X : array of shape (n_rows, n_features)

        Yields
        ------
        array of shape (n_rows,)
        """
        for sums in self._staged_sums(X):
            yield np.asarray(self.classes_[sums.argmax(axis=1)])

    def _step(self, estimator: Any, X: np.ndarray) -> np.ndarray:
        """What one round adds to each class's sum, (rows, classes)."""
        raise NotImplementedError

    def _start(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Check what is to be learnt; the matrix, the classes' codes, weights that sum to 1."""
        X, y = validate_data(self, X, y, ensure_all_finite="allow-nan")
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise InputError("the target has 1 class; at least 2 are needed", where="y")
        return X, codes, start_weights(sample_weight, len(y))

    def _sums(self, X: Any) -> np.ndarray:
        """Add up the rounds."""
        for sums in self._staged_sums(X):  # noqa: B007  (the last is the whole)
            pass
        return sums

    def _staged_sums(self, X: Any) -> Iterator[np.ndarray]:
        """The sums after each round, in one array that grows."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, ensure_all_finite="allow-nan")
        sums = np.zeros((X.shape[0], len(self.classes_)))
        for estimator in self.estimators_:
            sums += self.learning_rate * self._step(estimator, X)
            yield sums

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
