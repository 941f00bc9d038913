"""What the boosters here share: sums of small trees' steps, turned into probabilities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from whybox.baselines.weights import start_weights
from whybox.errors import InputError
from whybox.trees.weights import relative

__all__ = ["AdditiveClassifier", "softmax"]


def softmax(sums: np.ndarray) -> np.ndarray:
    """Turn sums into probabilities, row by row.

    Examples
    --------
    >>> softmax(np.array([[0.0, np.log(3.0)], [800.0, 0.0]])).round(3).tolist()
    [[0.25, 0.75], [1.0, 0.0]]
    """
    power = np.exp(sums - sums.max(axis=1, keepdims=True))
    return np.asarray(power / power.sum(axis=1, keepdims=True))


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
        return softmax(self._sums(X))

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
        """Check what is to be learnt; the matrix, the classes' codes, weights as ``relative`` has.

        Rows of zero weight are left out.
        """
        X, y = validate_data(self, X, y, ensure_all_finite="allow-nan", dtype=np.float64)
        check_classification_targets(y)
        weight = relative(start_weights(sample_weight, len(y)))
        X, y, weight = X[weight > 0], y[weight > 0], weight[weight > 0]
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise InputError("the target has 1 class; at least 2 are needed", where="y")
        return np.ascontiguousarray(X), codes, weight

    def _check_limits(self, *names: str) -> None:
        """Refuse limits of a tree that are neither None nor 1 or more."""
        for name in names:
            limit = getattr(self, name)
            if limit is not None and not limit >= 1:
                raise InputError(f"{limit!r} is no limit", where=name, remedy="give 1 or more")

    def _sums(self, X: Any) -> np.ndarray:
        """Add up the rounds."""
        for sums in self._staged_sums(X):  # noqa: B007  (the last is the whole)
            pass
        return sums

    def _staged_sums(self, X: Any) -> Iterator[np.ndarray]:
        """The sums after each round, in one array that grows."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, ensure_all_finite="allow-nan", dtype=np.float64)
        sums = np.zeros((X.shape[0], len(self.classes_)))
        for estimator in self.estimators_:
            sums += self.learning_rate * self._step(estimator, X)
            yield sums

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
