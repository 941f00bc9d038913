"""Real AdaBoost for any number of classes: the SAMME.R that scikit-learn no longer has.

Source: Zhu, Zou, Rosset and Hastie, "Multi-class AdaBoost" (2009), Algorithm 4; settings as in
Tong et al., Table S10.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state

from whybox.baselines.additive import AdditiveClassifier

__all__ = ["RealAdaBoostClassifier"]


class RealAdaBoostClassifier(AdditiveClassifier):
    """Add up the logarithms of small trees' class shares, each grown on what the others miss.

    Parameters
    ----------
    n_estimators : int, default 500
    learning_rate : float, default 0.5
        Factor of each tree, in the sum and in the weights.
    max_depth : int or None, default 1
    random_state : int, RandomState or None

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    estimators_ : list of DecisionTreeClassifier
        Fewer than asked for if a tree makes no error on the rows.

    Examples
    --------
    >>> X, y = [[0], [0], [0], [1], [1], [1]], [0, 0, 1, 1, 1, 0]
    >>> model = RealAdaBoostClassifier(n_estimators=1, learning_rate=1.0).fit(X, y)
    >>> model.predict_proba([[1]]).round(3)  # of one tree: its shares
    array([[0.333, 0.667]])
    """

    def __init__(
        self,
        n_estimators: int = 500,
        learning_rate: float = 0.5,
        max_depth: int | None = 1,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the trees.

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
        rows = np.arange(len(codes))
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=self.n_estimators)
        self.estimators_ = []
        for seed in seeds:
            tree = DecisionTreeClassifier(max_depth=self.max_depth, random_state=seed)
            self.estimators_.append(tree.fit(X, codes, weight))
            margin = self._step(tree, X)[rows, codes]
            if not weight[tree.predict(X) != codes].sum() > 0:
                break
            weight = weight * np.exp(-self.learning_rate * margin)
            weight /= weight.sum()
        return self

    def _step(self, estimator: DecisionTreeClassifier, X: np.ndarray) -> np.ndarray:
        """Logarithms of a tree's class shares less their mean: h / (n_classes - 1) in the paper.

        The softmax of their sum is then the inverse of the loss's population minimiser.
        """
        logs = np.log(np.maximum(estimator.predict_proba(X), np.finfo(np.float64).eps))
        return np.asarray(logs - logs.mean(axis=1, keepdims=True))
