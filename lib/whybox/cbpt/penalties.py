"""How hard a row is, told by where it lands in a pruned tree (Eqs. 8 to 10)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from whybox.trees.tree import Array, Tree

__all__ = ["PENALTIES", "PenaltyRules"]
__all__ += ["depth_penalty", "hardness", "impurity_penalty", "node_penalties"]

PENALTIES = ("both", "depth", "impurity", "none")


@dataclass(frozen=True)
class PenaltyRules:
    """Which penalties misclassified rows get, and how large.

    Parameters
    ----------
    penalty : {"both", "depth", "impurity", "none"}, default="both"
        Which to apply; the other is 1.
    scale, floor : float, default=0.5, 1.0
        psi_d and eta_d of Eq. (8); the defaults are those of the paper's Table S12.
    impurity : {"gini", "entropy"}, default="gini"
        See ``hardness``.

    Examples
    --------
    >>> PenaltyRules("none").floor
    1.0
    """

    penalty: str = "both"
    scale: float = 0.5
    floor: float = 1.0
    impurity: str = "gini"


def _rescale(values: Array, low: float, high: float) -> Array:
    """Map the range of the values onto [low, high]; all equal, they become 1."""
    least, most = values.min(), values.max()
    if least == most:
        return np.ones(len(values))
    return np.asarray(low + (high - low) * (values - least) / (most - least))


def depth_penalty(depth: Array, scale: float, floor: float) -> Array:
    """Penalise deep landing (Eq. 8): from floor to floor + scale.

    Parameters
    ----------
    depth : int64 (places,)
        Depths of the landing nodes.
    scale, floor : float
        psi_d and eta_d; 0.5 and 1 in the paper's Table S12.

    Returns
    -------
    float64 (places,)
        1 everywhere if all depths are equal.

    Examples
    --------
    >>> depth_penalty(np.array([1, 2, 3]), 0.5, 1.0).tolist()
    [1.0, 1.25, 1.5]
    """
    return _rescale(depth.astype(np.float64), floor, floor + scale)


def hardness(share: Array, classes: Array, impurity: str = "gini") -> Array:
    """Tell how far a landing node is from a large, impure one (Eq. 9): (1 - n/N)(1/2 - I).

    As printed, the equation's sign contradicts its text ("low impurity gets more weight"); this
    reading is the one that agrees with it. Its scale does not matter: Eq. (10) sets it.

    Parameters
    ----------
    share : float64 (places,)
        n/N, the node's share of the rows by sample_weight.
    classes : float64 (places, classes)
        Its class shares by sample_weight.
    impurity : {"gini", "entropy"}, default="gini"
        I; the entropy is in nats.

    Returns
    -------
    float64 (places,)

    Examples
    --------
    >>> hardness(np.array([0.25]), np.array([[1.0, 0.0]])).tolist()
    [0.375]
    """
    if impurity == "entropy":
        logs = np.log(classes, where=classes > 0, out=np.zeros_like(classes))
        disorder = -(classes * logs).sum(axis=1)
    else:
        disorder = 1.0 - np.square(classes).sum(axis=1)
    return np.asarray((1.0 - share) * (0.5 - disorder))


def impurity_penalty(hard: Array, depth_factors: Array) -> Array:
    """Bring the hardness into the range of the depth penalty (Eq. 10).

    Parameters
    ----------
    hard, depth_factors : float64 (places,)

    Returns
    -------
    float64 (places,)
        1 everywhere if either range is degenerate.

    Examples
    --------
    >>> impurity_penalty(np.array([-1.0, 0.0, 1.0]), np.array([1.0, 1.5, 1.5])).tolist()
    [1.0, 1.25, 1.5]
    """
    low, high = depth_factors.min(), depth_factors.max()
    return np.ones(len(hard)) if low == high else _rescale(hard, low, high)


def node_penalties(tree: Tree, base_share: Array, rules: PenaltyRules) -> tuple[Array, Array]:
    """Give the depth and the impurity penalty of every node of a tree; they matter at leaves.

    Parameters
    ----------
    tree : Tree
        Pruned and recounted by sample_weight.
    base_share : float64 (nodes,)
        The node's share of all rows by sample_weight.
    rules : PenaltyRules

    Returns
    -------
    depth, impurity : float64 (nodes,)

    Examples
    --------
    >>> from whybox.trees import grow_tree
    >>> tree = grow_tree(np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 0]), None, 2)
    >>> share = np.array([1.0, 1 / 3, 2 / 3, 1 / 3, 1 / 3])
    >>> node_penalties(tree, share, PenaltyRules("depth"))[0].tolist()
    [1.0, 1.0, 1.0, 1.5, 1.5]
    """
    leaves = np.flatnonzero(tree.children_left < 0)
    depths, impurities = np.ones(tree.n_nodes), np.ones(tree.n_nodes)
    if rules.penalty == "none":
        return depths, impurities
    deep = depth_penalty(tree.node_depth[leaves], rules.scale, rules.floor)
    if rules.penalty in ("both", "depth"):
        depths[leaves] = deep
    if rules.penalty in ("both", "impurity"):
        hard = hardness(base_share[leaves], tree.unweighted_share[leaves], rules.impurity)
        impurities[leaves] = impurity_penalty(hard, deep)
    return depths, impurities
