"""Real AdaBoost for any number of classes: the SAMME.R that scikit-learn no longer has.

Source: Zhu, Zou, Rosset and Hastie, "Multi-class AdaBoost" (2009), Algorithm 4; settings as in
Tong et al., Table S10. The trees are whybox's, whose sums of weights are exact: a model does not
depend on the order of the rows, and whole weights count copies of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from whybox.baselines.additive import AdditiveClassifier
from whybox.trees.grow import grow_sorted
from whybox.trees.predict import land
from whybox.trees.sorted_rows import SortedRows
from whybox.trees.tree import Tree
from whybox.trees.weights import round_weights

__all__ = ["RealAdaBoostClassifier", "Step"]


@dataclass(frozen=True, eq=False)
class Step:
    """What a tree adds to the sums: h / (n_classes - 1) in the paper.

    The softmax of their sum is then the inverse of the loss's population minimiser.

    Parameters
    ----------
    tree : Tree
    logs : float64 (nodes, classes)
        Logarithms of its class shares less their mean over the classes.

    Examples
    --------
    >>> from whybox.trees import grow_tree
    >>> step = Step.of(grow_tree(np.array([[0.0], [0.0], [0.0]]), [0, 1, 1], None, 2))
    >>> np.exp(step.logs).round(3).tolist()
    [[0.707, 1.414]]
    """

    tree: Tree
    logs: np.ndarray

    @classmethod
    def of(cls, tree: Tree) -> Step:
        """Take the logarithms; a share of 0 counts as 2e-16."""
        logs = np.log(np.maximum(tree.value, np.finfo(np.float64).eps))
        return cls(tree, logs - logs.mean(axis=1, keepdims=True))


class RealAdaBoostClassifier(AdditiveClassifier):
    """Add up the logarithms of small trees' class shares, each grown on what the others miss.

    Parameters
    ----------
    n_estimators : int, default 500
    learning_rate : float, default 0.5
        Factor of each tree, in the sum and in the weights.
    max_depth : int or None, default 1
    random_state : optional
        Taken for the sake of the interface; nothing is drawn.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    estimators_ : list of Step
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
            If the shapes do not fit, a limit is below 1, or there are fewer than two classes.
        """
        self._check_limits("max_depth")
        X, codes, base = self._start(X, y, sample_weight)
        rows, factor = SortedRows.of(X), np.ones(len(codes))
        self.estimators_ = []
        for _ in range(self.n_estimators):
            factor, weight = round_weights(base, factor)
            tree = grow_sorted(rows, codes, weight, len(self.classes_), max_depth=self.max_depth)
            self.estimators_.append(Step.of(tree))
            leaves = land(tree, X)
            if (tree.majority[leaves] == codes).all():
                break
            margin = self.estimators_[-1].logs[leaves, codes]
            factor = factor * np.exp(-self.learning_rate * margin)
        return self

    def _step(self, estimator: Step, X: np.ndarray) -> np.ndarray:
        """The step of each row's leaf."""
        return np.asarray(estimator.logs[land(estimator.tree, X)])
