"""How comprehensible a classifier is: Eqs. (24) to (27) of the paper, and what they are made of.

Francisco and Castro, "Discriminatory Expressions to Improve Model Comprehensibility in Short
Documents": a tree is as complex as its rules are many and long; ten rules of five clauses have a
complexity of 1. The published tables put means over data sets into the equations, not the means
of their results.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whybox.errors import InputError

__all__ = ["clauses", "complexity", "comprehensibility_rate", "neighbours_rate", "rules"]


def rules(model: Any) -> float:
    """Count a tree's rules, which are its leaves; of a forest, the mean over its trees.

    Parameters
    ----------
    model : fitted tree or forest
        Of scikit-learn, or a :class:`whybox.trees.Tree`, or a model with several in
        ``estimators_``.

    Returns
    -------
    float

    Raises
    ------
    InputError
        If it has no trees.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> rules(DecisionTreeClassifier().fit([[0], [1], [2]], [0, 1, 0]))
    3.0
    """
    return float(np.mean([len(leaf_depths(*children)) for children in _trees(model)]))


def clauses(model: Any) -> float:
    """Compute the mean length of a tree's rules, leaves unweighted; of a forest, the mean of that.

    Parameters
    ----------
    model : fitted tree or forest
        As in :func:`rules`.

    Returns
    -------
    float

    Raises
    ------
    InputError
        If it has no trees.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> round(clauses(DecisionTreeClassifier().fit([[0], [1], [2]], [0, 1, 0])), 3)
    1.667
    """
    return float(np.mean([np.mean(leaf_depths(*children)) for children in _trees(model)]))


def complexity(
    rules: float,
    clauses: float,
    *,
    trees: float | None = None,
    baseline_rules: float = 10,
    baseline_clauses: float = 5,
    baseline_trees: float = 5,
) -> float:
    """Compute the complexity of a tree, Eq. (25), or of a forest, Eq. (27).

    Parameters
    ----------
    rules, clauses : float
        What :func:`rules` and :func:`clauses` give, or means of it.
    trees : float, optional
        Trees of a forest.
    baseline_rules, baseline_clauses, baseline_trees : float, default 10, 5, 5
        What is found comprehensible.

    Returns
    -------
    float
        rules / baseline_rules * (clauses / baseline_clauses)^2, times trees / baseline_trees.

    Examples
    --------
    >>> round(complexity(27.25, 6.8067), 2), complexity(10, 5, trees=10)
    (5.05, 2.0)
    """
    forest = 1.0 if trees is None else trees / baseline_trees
    return forest * rules / baseline_rules * (clauses / baseline_clauses) ** 2


def comprehensibility_rate(f1: float, complexity: float) -> float:
    """Compute how much is got for the complexity of a tree or forest, Eq. (26).

    Parameters
    ----------
    f1 : float
        F1 score, from 0 to 1.
    complexity : float
        What :func:`complexity` gives.

    Returns
    -------
    float
        100 f1 / complexity; infinity for a tree that is one leaf.

    Examples
    --------
    >>> round(comprehensibility_rate(0.5711, complexity(27.25, 6.8067)), 1)
    11.3
    """
    return 100 * f1 / complexity if complexity else float("inf")


def neighbours_rate(f1: Mapping[int, float]) -> float:
    """Compute the comprehensibility rate of k nearest neighbours, Eq. (24).

    Parameters
    ----------
    f1 : mapping of int to float
        F1 score for each number of neighbours; the published table has 5, 7, 9, 10 and 25.

    Returns
    -------
    float
        The sum of f1 / k.

    Examples
    --------
    >>> round(neighbours_rate({5: 0.5693, 7: 0.5641, 9: 0.5702, 10: 0.3616, 25: 0.5722}), 3)
    0.317
    """
    return float(sum(score / k for k, score in f1.items()))


def leaf_depths(left: NDArray[Any], right: NDArray[Any]) -> list[int]:
    """List the depth of each leaf.

    Parameters
    ----------
    left, right : int (nodes,)
        Children, -1 at a leaf.

    Returns
    -------
    list of int
        In the order of nodes.

    Examples
    --------
    >>> leaf_depths(np.array([1, -1, -1]), np.array([2, -1, -1]))
    [1, 1]
    """
    depth = np.zeros(len(left), np.int64)
    waiting = [0]
    while waiting:
        node = waiting.pop()
        for child in (left[node], right[node]):
            if child >= 0:
                depth[child] = depth[node] + 1
                waiting.append(int(child))
    at_leaf: list[int] = depth[np.asarray(left) < 0].tolist()
    return at_leaf


def _trees(model: Any) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """Find the children of each tree in a model."""
    if hasattr(model, "estimators_"):
        members = np.asarray(model.estimators_, dtype=object).ravel()
        return [children for member in members for children in _trees(member)]
    tree = getattr(model, "tree_", model)
    if not hasattr(tree, "children_left"):
        raise InputError(
            f"got a {type(model).__name__}, expected a fitted tree or forest",
            remedy="fit it first; for nearest neighbours there is neighbours_rate",
        )
    return [(tree.children_left, tree.children_right)]
