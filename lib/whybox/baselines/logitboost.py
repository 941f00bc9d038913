"""LogitBoost: additive logistic regression by Newton steps, each fitted by regression trees.

Source: Friedman, Hastie and Tibshirani, "Additive logistic regression" (2000), Algorithms 3 and 6,
with their weight trimming and bounded responses; settings as in Tong et al., Table S11.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.special import softmax
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils import check_random_state

from whybox.baselines.additive import AdditiveClassifier

__all__ = ["LogitBoostClassifier"]


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
        Bound of the working responses.
    random_state : int, RandomState or None

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    estimators_ : list of lists of DecisionTreeRegressor

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
            If the shapes do not fit, or there are fewer than two classes.
        """
        X, codes, weight = self._start(X, y, sample_weight)
        n_classes = len(self.classes_)
        hot = np.eye(n_classes)[codes]
        fitted = range(n_classes) if n_classes > 2 else (1,)
        shape = (self.n_estimators, n_classes)
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=shape)
        logits, self.estimators_ = np.zeros(hot.shape), []
        for round_seeds in seeds:
            proba = softmax(logits, axis=1)
            trees = [
                self._newton_tree(X, hot[:, c], proba[:, c], weight, round_seeds[c]) for c in fitted
            ]
            self.estimators_.append(trees)
            logits += self.learning_rate * self._step(trees, X)
        return self

    def _newton_tree(
        self, X: np.ndarray, hit: np.ndarray, proba: np.ndarray, weight: np.ndarray, seed: int
    ) -> DecisionTreeRegressor:
        """Fit one class's working responses (hit - p) / (p (1 - p)), weighted by p (1 - p)."""
        curvature = np.maximum(proba * (1 - proba), 2 * np.finfo(np.float64).eps)
        response = np.clip((hit - proba) / curvature, -self.max_response, self.max_response)
        newton = weight * curvature
        order = np.argsort(curvature, kind="stable")
        counted = np.cumsum(weight[order])
        first = min(int(np.sum(counted <= self.trim_quantile)), len(order) - 1)
        kept = curvature >= curvature[order[first]]
        tree = DecisionTreeRegressor(
            max_depth=self.max_depth, max_leaf_nodes=self.max_leaf_nodes, random_state=seed
        )
        return tree.fit(X[kept], response[kept], newton[kept] / newton[kept].sum())

    def _step(self, estimator: list[DecisionTreeRegressor], X: np.ndarray) -> np.ndarray:
        """One round's change of the logits, centred over the classes (Algorithm 6)."""
        steps = np.column_stack([tree.predict(X) for tree in estimator])
        if len(estimator) == 1:
            steps = np.column_stack([-steps, steps])  # two classes mirror each other
        n_classes = steps.shape[1]
        centred = steps - steps.mean(axis=1, keepdims=True)
        return np.asarray((n_classes - 1) / n_classes * centred)
