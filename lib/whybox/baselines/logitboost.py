"""LogitBoost: additive logistic regression by Newton steps, each fitted by regression trees.

Nothing is drawn and all sums of weights are exact: a model does not depend on the order of the
rows, and whole weights count copies of them.

Source: Friedman, Hastie and Tibshirani, "Additive logistic regression" (2000), Algorithms 3 and 6,
with their weight trimming and bounded responses; settings as in Tong et al., Table S11.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from whybox.baselines.additive import AdditiveClassifier, softmax
from whybox.errors import InputError
from whybox.trees.regression import RegressionForest, RegressionRows

__all__ = ["LogitBoostClassifier"]

_LARGEST_RESPONSE = 1000.0  # the larger the responses, the fewer bits are left to the weights


class LogitBoostClassifier(AdditiveClassifier):
    """Fit each class's logit by regression trees on Newton's working responses.

    Parameters
    ----------
    n_estimators : int, default 500
        Rounds; one tree each for two classes, one a class for more.
    learning_rate : float, default 0.1
    max_depth : int or None, default 5
    max_leaf_nodes : int or None, default 64
    trim_quantile : float, default 0.05
        In each round, the surest rows (the least p (1 - p)) that make up less than this share of
        the rows, counted by `sample_weight`, are left out.
    max_response : float, default 4.0
        Bound of the working responses, above 0, at most 1000.
    random_state : optional
        Taken for the sake of the interface; nothing is drawn.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    estimators_ : list of RegressionForest
        One a round, with a tree for each class, or for the second one of two.

    Examples
    --------
    >>> model = LogitBoostClassifier(1, learning_rate=1.0, trim_quantile=0.0)
    >>> model.fit([[0], [1], [2], [3]], ["n", "n", "y", "y"]).predict_proba([[3]]).round(4)
    array([[0.1192, 0.8808]])
    """

    def __init__(
        self,
        n_estimators: int = 500,
        learning_rate: float = 0.1,
        max_depth: int | None = 5,
        max_leaf_nodes: int | None = 64,
        trim_quantile: float = 0.05,
        max_response: float = 4.0,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.trim_quantile = trim_quantile
        self.max_response = max_response
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Take the Newton steps.

        Parameters
        ----------
        X : array of shape (n_rows, n_features)
        y : array of shape (n_rows,)
        sample_weight : array of shape (n_rows,), optional

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If the shapes do not fit, a limit is below 1, `max_response` is out of range, or there are
            fewer than two classes.
        """
        self._check_limits("max_depth", "max_leaf_nodes")
        if not 0 < self.max_response <= _LARGEST_RESPONSE:
            raise InputError(
                f"{self.max_response!r} bounds no response usefully",
                where="max_response",
                remedy=f"give a number above 0, at most {_LARGEST_RESPONSE:g}; 2 to 4 is usual",
            )
        X, codes, base = self._start(X, y, sample_weight)
        n_classes = len(self.classes_)
        fitted = np.arange(1 if n_classes == 2 else 0, n_classes)
        hit = codes == fitted[:, None]
        rows = RegressionRows.of(X, base)
        logits, self.estimators_ = np.zeros((len(X), n_classes)), []
        for _ in range(self.n_estimators):
            proba = np.ascontiguousarray(softmax(logits)[:, fitted].T)
            self.estimators_.append(self._newton_trees(rows, hit, proba))
            logits += self.learning_rate * self._step(self.estimators_[-1], X)
        return self

    def _newton_trees(
        self, rows: RegressionRows, hit: np.ndarray, proba: np.ndarray
    ) -> RegressionForest:
        """Fit the working responses (hit - p) / (p (1 - p)) weighted by p (1 - p), a tree a class."""
        curvature = np.maximum(proba * (1 - proba), 2 * np.finfo(np.float64).eps)
        response = np.clip((hit - proba) / curvature, -self.max_response, self.max_response)
        return rows.grow(
            curvature,
            response,
            keep=curvature >= self._least_kept(curvature, rows.base),
            max_depth=self.max_depth,
            max_leaf_nodes=self.max_leaf_nodes,
        )

    def _least_kept(self, curvature: np.ndarray, base: np.ndarray) -> np.ndarray:
        """The curvature from which on a row is not trimmed, (trees, 1)."""
        ranked = curvature.argsort(axis=1)
        counted = base[ranked].cumsum(axis=1)
        trimmed = np.count_nonzero(counted <= self.trim_quantile * counted[:, -1:], axis=1)
        each, n_rows = np.arange(len(ranked)), ranked.shape[1]
        first = ranked[each, np.minimum(trimmed, n_rows - 1)]
        return np.asarray(curvature[each, first][:, None])

    def _step(self, estimator: RegressionForest, X: np.ndarray) -> np.ndarray:
        """One round's change of the logits, centred over the classes (Algorithm 6)."""
        steps = estimator.predict(X)
        if steps.shape[1] == 1:
            steps = np.column_stack([-steps, steps])  # two classes mirror each other
        n_classes = steps.shape[1]
        centred = steps - steps.mean(axis=1, keepdims=True)
        return np.asarray((n_classes - 1) / n_classes * centred)
