"""Where rows land in a tree, what they count there, and sums of leaf values over many trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from whybox.trees.tree import LEAF, Array, Tree

_MANY = 128  # rows from which dealing them out together is faster

__all__ = ["land", "recount", "sum_leaves"]


def land(tree: Tree, X: Array) -> Array:
    """Find the leaf of each row (Algorithm 3 of Tong et al., with ``<=`` going left).

    Parameters
    ----------
    tree : Tree
    X : float32 or float64 (rows, features)
        In the type the tree was grown in.

    Returns
    -------
    int64 (rows,)
        Node ids.

    Examples
    --------
    >>> from whybox.trees import grow_tree
    >>> X = np.array([[0.0], [1.0]])
    >>> land(grow_tree(X, np.array([0, 1]), None, 2), X).tolist()
    [1, 2]
    """
    from whybox.kernels.forest import landing_nodes

    return np.asarray(landing_nodes(X, tree.routing))


def recount(
    tree: Tree, leaves: Array, labels: Array, weight: Array, *, weight_factor: float = 1.0
) -> Tree:
    """Count rows and class shares anew from where rows landed.

    Parameters
    ----------
    tree : Tree
    leaves : int64 (rows,)
        The landing leaf of each row; rows of zero weight count in ``n_node_samples`` only.
    labels : int64 (rows,)
    weight : float64 (rows,)
        The weights before boosting; positive for some row of every leaf.
    weight_factor : float, default=1.0
        Multiplies ``weighted_n_node_samples``, to undo a scaling of the weights grown on.

    Returns
    -------
    Tree
        With new ``n_node_samples`` and ``unweighted_share``.

    Examples
    --------
    >>> from whybox.trees import grow_tree
    >>> X, y = np.array([[0.0], [1.0], [1.0]]), np.array([0, 1, 1])
    >>> tree = grow_tree(X, y, None, 2)
    >>> recount(tree, land(tree, X), y, np.ones(3)).n_node_samples.tolist()
    [3, 1, 2]
    """
    from whybox.kernels.prune import sum_up

    n_classes = tree.value.shape[1]
    counts = np.zeros((tree.n_nodes, n_classes + 1))
    counts[:, 0] = np.bincount(leaves, minlength=tree.n_nodes)
    cells = np.bincount(leaves * n_classes + labels, weight, minlength=tree.n_nodes * n_classes)
    counts[:, 1:] = cells.reshape(tree.n_nodes, n_classes)
    sum_up(tree.children_left, tree.children_right, counts)
    share = counts[:, 1:] / counts[:, 1:].sum(axis=1, keepdims=True)
    return replace(
        tree,
        n_node_samples=counts[:, 0].astype(np.int64),
        weighted_n_node_samples=tree.weighted_n_node_samples * weight_factor,
        unweighted_share=share,
    )


def sum_leaves(trees: Sequence[Tree], X: Array, values: Sequence[Array]) -> Array:
    """Sum over trees, in their order, the values of the leaves where each row lands.

    Parameters
    ----------
    trees : sequence of Tree
    X : float32 or float64 (rows, features)
    values : sequence of float64 (nodes, outputs)
        One array a tree.

    Returns
    -------
    float64 (rows, outputs)

    Examples
    --------
    >>> from whybox.trees import grow_tree
    >>> X = np.array([[0.0], [1.0]])
    >>> tree = grow_tree(X, np.array([0, 1]), None, 2)
    >>> sum_leaves([tree, tree], X, [tree.value, tree.value]).tolist()
    [[2.0, 0.0], [0.0, 2.0]]
    """
    from whybox.kernels.forest import leaf_sums, leaf_sums_of_many

    routing = tuple(
        np.concatenate(arrays) for arrays in zip(*(t.routing for t in trees), strict=True)
    )
    roots = np.cumsum([0] + [tree.n_nodes for tree in trees[:-1]])
    kernel = leaf_sums if len(X) < _MANY else leaf_sums_of_many
    return np.asarray(kernel(X, routing, roots, np.concatenate(values)))


def importances(tree: Tree, n_features: int) -> Array:
    """Give the decrease of weighted Gini by feature, not normalised, float64 (features,).

    Examples
    --------
    >>> from whybox.trees import grow_tree
    >>> importances(grow_tree(np.array([[0.0], [1.0]]), np.array([0, 1]), None, 2), 1).tolist()
    [0.5]
    """
    share = tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]
    impurity = share * (1.0 - np.square(tree.value).sum(axis=1))
    inner = np.flatnonzero(tree.children_left != LEAF)
    gain = impurity[inner]
    gain = gain - impurity[tree.children_left[inner]] - impurity[tree.children_right[inner]]
    return np.bincount(tree.feature[inner], gain, minlength=n_features)
