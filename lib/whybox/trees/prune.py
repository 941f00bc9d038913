"""Minimal cost-complexity pruning: the sequence of subtrees, their errors, and cutting one out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from whybox.errors import InputError
from whybox.trees.grow import as_labels
from whybox.trees.sorted_rows import as_matrix
from whybox.trees.tree import LEAF, NO_FEATURE, NO_THRESHOLD, Array, Tree
from whybox.trees.weights import as_weights, on_grid, relative

__all__ = ["COSTS", "prune_sequence", "prune_tree", "subtree_errors", "weighted_errors"]

PURE = 1e-12
"""A node of less Gini is a leaf of the full tree already, as in growing."""
COSTS = ("cart", "gini_sum")
"""What a leaf may cost: its Gini by its share of the weight, or its Gini alone (Eq. 1)."""


def prune_sequence(tree: Tree, cost: str = "cart") -> tuple[Array, Array, Array]:
    """Collapse the weakest link again and again, until the root is left.

    Parameters
    ----------
    tree : Tree
    cost : {"cart", "gini_sum"}, default="cart"
        "cart" is the leaf's weighted Gini, w(t)/W * Gini(t), as in Breiman et al. and
        scikit-learn. "gini_sum" is Eq. (1) as printed, the Gini alone: its first step nearly
        always collapses most of the tree.

    Returns
    -------
    step : int64 (nodes,)
        The step at which a node became a leaf: 0 at leaves and at nodes
        of Gini below 1e-12; nodes + 5, beyond every step, at
        inner nodes that vanished within a collapsed ancestor.
    alphas : float64 (steps,)
        alphas[0] = 0 is the full tree, the last the root. Equal ones collapse one node a step,
        the lower node first.
    n_leaves : int64 (steps,)

    Raises
    ------
    InputError
        If the cost is not one of the two.

    References
    ----------
    Tong et al., Eqs. (1) to (4) and Algorithm 2, lines 7 to 10.

    Examples
    --------
    >>> from whybox.trees import grow_tree
    >>> tree = grow_tree(np.array([[0.0], [1.0]]), np.array([0, 1]), None, 2)
    >>> [part.tolist() for part in prune_sequence(tree)]
    [[1, 0, 0], [0.0, 0.5], [2, 1]]
    """
    from whybox.kernels.prune import weakest_links

    if cost not in COSTS:
        raise InputError(f"pruning cost {cost!r}, expected one of {', '.join(COSTS)}")
    gini = 1.0 - np.square(tree.value).sum(axis=1)
    pure = gini < PURE
    if cost == "cart":
        gini *= tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]
    step, alphas, n_leaves = weakest_links(tree.children_left, tree.children_right, gini, pure)
    return step, alphas, n_leaves


def subtree_errors(
    tree: Tree, steps: Array, X: object, y: object, sample_weight: object = None
) -> Array:
    """Weigh the misclassified rows of every subtree of a sequence (Eq. 5).

    Parameters
    ----------
    tree : Tree
    steps : int64 (nodes,)
        As ``prune_sequence`` gives them.
    X : array-like (rows, features)
    y : int array-like (rows,)
    sample_weight : array-like (rows,), optional

    Returns
    -------
    float64 (steps,)
        The misclassified share of the weight, per step.

    Raises
    ------
    InputError
        If an argument is malformed; the message names it.

    Examples
    --------
    >>> from whybox.trees import grow_tree
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 1])
    >>> tree = grow_tree(X, y, None, 2)
    >>> subtree_errors(tree, prune_sequence(tree)[0], X, y, np.array([1, 2, 1])).tolist()
    [0.0, 0.25]
    """
    matrix = as_matrix(X)
    labels = as_labels(y, len(matrix), tree.value.shape[1])
    weight = on_grid(relative(as_weights(sample_weight, len(matrix))))
    return weighted_errors(tree, steps, matrix, labels, weight)


def weighted_errors(tree: Tree, steps: Array, X: Array, labels: Array, weight: Array) -> Array:
    """Do what ``subtree_errors`` does on checked arrays, the weights being on the grid.

    Examples
    --------
    >>> from whybox.trees import grow_tree
    >>> X, y = np.array([[0.0], [1.0]]), np.array([0, 1])
    >>> tree = grow_tree(X, y, None, 2)
    >>> steps, _, _ = prune_sequence(tree)
    >>> weighted_errors(tree, steps, X, y, np.array([0.5, 0.25])).tolist()
    [0.0, 0.3333333333333333]
    """
    from whybox.kernels.prune import wrong_by_step

    n_steps = int(steps[0]) + 1  # the root collapses last
    wrong = wrong_by_step(X, tree.routing, steps, tree.majority, labels, weight, n_steps)
    return np.asarray(wrong / weight.sum())


def prune_tree(tree: Tree, steps: Array, step: int) -> Tree:
    """Give the subtree at a step of the sequence, its nodes numbered anew in preorder.

    Parameters
    ----------
    tree : Tree
    steps : int64 (nodes,)
        As ``prune_sequence`` gives them.
    step : int
        0 gives the full tree.

    Returns
    -------
    Tree

    Examples
    --------
    >>> from whybox.trees import grow_tree
    >>> tree = grow_tree(np.array([[0.0], [1.0]]), np.array([0, 1]), None, 2)
    >>> prune_tree(tree, prune_sequence(tree)[0], 1).n_nodes
    1
    """
    from whybox.kernels.prune import kept_nodes

    state = kept_nodes(tree.children_left, tree.children_right, steps, step)
    kept = state > 0
    number = (np.cumsum(kept) - 1).astype(np.int32)
    inner = state[kept] == 1
    taken = {name: array[kept] for name, array in vars(tree).items()}
    for side in ("children_left", "children_right"):
        taken[side] = np.where(inner, number[taken[side]], np.int32(LEAF))
    taken["feature"] = np.where(inner, taken["feature"], np.int32(NO_FEATURE))
    taken["threshold"] = np.where(inner, taken["threshold"], NO_THRESHOLD)
    taken["missing_go_left"] = inner & taken["missing_go_left"]
    return replace(tree, **taken)
