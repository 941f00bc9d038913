"""The small classifiers over binary columns, as plain arrays that a file can hold.

All of them learn from the distinct rows and how many documents of each class have them: nothing
depends on the order of documents, and nine columns make 512 rows at most. Trees, forests and
logistic regression are scikit-learn's; their numbers are kept, the objects are not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from whybox.errors import InputError
from whybox.trees.predict import sum_leaves
from whybox.trees.tree import Tree

__all__ = ["HEADS", "Head", "Logistic", "Neighbours", "Trees", "fit_head", "plain_tree"]

HEADS = ("tree", "logistic", "forest", "knn")
"""The classifiers by name."""

_BLOCK = 256  # queries at once


class Head(Protocol):
    """A fitted classifier of binary rows."""

    def proba(self, rows: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Give each class's probability, a row a row of `rows`."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Give all that the classifier is."""


@dataclass(frozen=True, eq=False)
class Trees:
    """A tree, or a forest, which answers with its trees' mean.

    Parameters
    ----------
    trees : tuple of Tree

    Examples
    --------
    >>> head = fit_head("tree", np.array([[False], [True]]), np.array([[3, 1], [0, 2]]))
    >>> head.proba(np.array([[True], [False]])).tolist()
    [[0.0, 1.0], [0.75, 0.25]]
    """

    trees: tuple[Tree, ...]

    def proba(self, rows: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Give the mean of the leaves' shares, float64 (rows, classes)."""
        values = [tree.value for tree in self.trees]
        sums = sum_leaves(self.trees, np.asarray(rows, np.float64), values)
        return np.asarray(sums / len(self.trees))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Give the nodes of all trees, one tree after the other."""
        nodes = [(t.children_left, t.children_right, t.feature, t.n_node_samples, t.value)
                 for t in self.trees]  # fmt: skip
        left, right, feature, rows, value = (
            np.concatenate(part) for part in zip(*nodes, strict=True)
        )
        sizes = np.array([tree.n_nodes for tree in self.trees], np.int64)
        return {
            "left": left, "right": right, "feature": feature, "rows": rows, "value": value,
            "sizes": sizes,
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class Logistic:
    """Logistic regression.

    Parameters
    ----------
    weights : float64 (1 or classes, columns)
        One row, of the second class, if there are two classes.
    intercepts : float64 (1 or classes,)

    Examples
    --------
    >>> head = Logistic(np.array([[2.0]]), np.array([-1.0]))
    >>> head.proba(np.array([[True]])).round(3).tolist()
    [[0.269, 0.731]]
    """

    weights: NDArray[np.float64]
    intercepts: NDArray[np.float64]

    def proba(self, rows: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Give the logistic function of the weighted sums, float64 (rows, classes)."""
        # no matrix product: its last bits depend on how many rows there are
        products = np.asarray(rows, np.float64)[:, None, :] * self.weights
        sums = products.sum(axis=2) + self.intercepts
        if len(self.weights) == 1:
            sums = np.hstack([np.zeros_like(sums), sums])
        odds = np.exp(sums - sums.max(axis=1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Give the weights."""
        return {"weights": self.weights, "intercepts": self.intercepts}


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Nearest neighbours by the number of columns that differ.

    Where more documents are equally near than are wanted, each of them counts in part: the answer
    is the mean over all orders of documents, where scikit-learn takes those that come first.

    Parameters
    ----------
    rows : bool (distinct, columns)
    counts : int64 (distinct, classes)
    n_neighbors : int

    Examples
    --------
    >>> known, counts = np.array([[False], [True]]), np.array([[3, 1], [0, 2]])
    >>> Neighbours(known, counts, 4).proba(np.array([[True]])).tolist()
    [[0.375, 0.625]]
    """

    rows: NDArray[np.bool_]
    counts: NDArray[np.int64]
    n_neighbors: int

    def proba(self, rows: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Give the shares of classes among the nearest documents, float64 (rows, classes)."""
        blocks = [self._block(rows[at : at + _BLOCK]) for at in range(0, len(rows), _BLOCK)]
        return np.concatenate([np.zeros((0, self.counts.shape[1])), *blocks])

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Give the rows known and how often each class has them."""
        n = np.array([self.n_neighbors], np.int64)
        return {"rows": self.rows, "counts": self.counts, "n_neighbors": n}

    def _block(self, rows: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Take the neighbours of some rows, one distance after the other."""
        here, known = np.asarray(rows, np.float64), self.rows.astype(np.float64)
        apart = here.sum(axis=1)[:, None] + known.sum(axis=1) - 2 * here @ known.T
        counts = self.counts.astype(np.float64)
        found = np.zeros((len(rows), counts.shape[1]))
        wanted = np.full(len(rows), min(self.n_neighbors, counts.sum()))
        for distance in range(self.rows.shape[1] + 1):
            there = (apart == distance) @ counts
            size = there.sum(axis=1)
            part = np.minimum(wanted / np.maximum(size, 1), 1.0)
            found += part[:, None] * there
            wanted = np.maximum(wanted - size, 0)
        return np.asarray(found / found.sum(axis=1, keepdims=True))


def fit_head(
    kind: str,
    rows: NDArray[np.bool_],
    counts: NDArray[np.int64],
    *,
    n_neighbors: int = 5,
    n_estimators: int = 100,
    seed: int | None = 0,
) -> Head:
    """Fit a classifier to distinct rows.

    Parameters
    ----------
    kind : {"tree", "logistic", "forest", "knn"}
    rows : bool (distinct, columns)
    counts : int64 (distinct, classes)
        Documents of each class that have the row.
    n_neighbors : int, default 5
    n_estimators : int, default 100
        Trees of a forest.
    seed : int or None, default 0

    Returns
    -------
    Head

    Raises
    ------
    InputError
        If the classifier is not known.

    Examples
    --------
    >>> rows, counts = np.array([[False], [True]]), np.array([[3, 1], [0, 2]])
    >>> fit_head("knn", rows, counts, n_neighbors=2).proba(rows).tolist()
    [[0.75, 0.25], [0.0, 1.0]]
    """
    if kind not in HEADS:
        raise InputError(f"got the classifier {kind!r}", remedy=f"use one of {', '.join(HEADS)}")
    if kind == "knn":
        return Neighbours(rows, counts, n_neighbors)
    distinct, codes = np.nonzero(counts)
    repeats = counts[distinct, codes]
    X = np.repeat(rows[distinct], repeats, axis=0).astype(np.float64)
    y = np.repeat(codes, repeats)
    if kind == "logistic":
        from sklearn.linear_model import LogisticRegression

        fitted = LogisticRegression(max_iter=1000).fit(X, y)
        return Logistic(fitted.coef_.astype(np.float64), fitted.intercept_.astype(np.float64))
    if kind == "tree":
        from sklearn.tree import DecisionTreeClassifier

        return Trees((plain_tree(DecisionTreeClassifier(random_state=seed).fit(X, y)),))
    from sklearn.ensemble import RandomForestClassifier

    forest = RandomForestClassifier(n_estimators, random_state=seed).fit(X, y)
    return Trees(tuple(plain_tree(member) for member in forest.estimators_))


def plain_tree(fitted: Any) -> Tree:
    """Take the numbers out of scikit-learn's tree.

    Parameters
    ----------
    fitted : sklearn.tree.DecisionTreeClassifier

    Returns
    -------
    Tree

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> plain_tree(DecisionTreeClassifier().fit([[0], [1]], [0, 1])).value.tolist()
    [[0.5, 0.5], [1.0, 0.0], [0.0, 1.0]]
    """
    nodes = fitted.tree_
    value = nodes.value[:, 0, :] / nodes.value[:, 0, :].sum(axis=1, keepdims=True)
    return Tree(
        children_left=nodes.children_left.astype(np.int32),
        children_right=nodes.children_right.astype(np.int32),
        feature=nodes.feature.astype(np.int32),
        threshold=nodes.threshold.astype(np.float64),
        missing_go_left=np.zeros(nodes.node_count, bool),
        n_node_samples=nodes.n_node_samples.astype(np.int64),
        weighted_n_node_samples=nodes.weighted_n_node_samples.astype(np.float64),
        value=value,
        unweighted_share=value,
    )
