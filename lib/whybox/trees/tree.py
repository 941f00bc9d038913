"""A decision tree as arrays with one entry a node, in preorder, the root first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["LEAF", "NO_FEATURE", "NO_THRESHOLD", "Array", "Tree"]

Array = NDArray[Any]

LEAF = -1
"""What ``children_left`` and ``children_right`` hold at a leaf, as in scikit-learn."""
NO_FEATURE = -2
"""What ``feature`` holds at a leaf."""
NO_THRESHOLD = -2.0
"""What ``threshold`` holds at a leaf."""


@dataclass(frozen=True, eq=False)
class Tree:
    """A grown or pruned tree.

    Parameters
    ----------
    children_left, children_right : int32 (nodes,)
        Node ids, -1 at a leaf.
    feature : int32 (nodes,)
        Column compared, -2 at a leaf.
    threshold : float64 (nodes,)
        ``x <= threshold`` goes left; -2.0 at a leaf.
    missing_go_left : bool (nodes,)
        Where a missing value (NaN) goes.
    n_node_samples : int64 (nodes,)
        Rows that pass the node, those of zero weight included.
    weighted_n_node_samples : float64 (nodes,)
        Their weight when the tree was grown.
    value : float64 (nodes, classes)
        Class shares by that weight.
    unweighted_share : float64 (nodes, classes)
        Class shares by the user's sample_weight, before boosting.

    Examples
    --------
    >>> from whybox.trees import grow_tree
    >>> tree = grow_tree(np.array([[0.0], [1.0]]), np.array([0, 1]), None, 2)
    >>> tree.n_nodes, tree.n_leaves, tree.max_depth
    (3, 2, 1)
    """

    children_left: Array
    children_right: Array
    feature: Array
    threshold: Array
    missing_go_left: Array
    n_node_samples: Array
    weighted_n_node_samples: Array
    value: Array
    unweighted_share: Array

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.children_left)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(np.count_nonzero(self.children_left == LEAF))

    @property
    def max_depth(self) -> int:
        """Depth of the deepest leaf, 0 for a lone root."""
        return int(self.node_depth.max())

    @property
    def node_depth(self) -> Array:
        """Depth of each node, int64 (nodes,)."""
        from whybox.kernels.prune import node_depths

        return np.asarray(node_depths(self.children_left, self.children_right))

    @property
    def majority(self) -> Array:
        """Index of each node's heaviest class, the lowest on a tie, int64 (nodes,)."""
        return np.asarray(self.value.argmax(axis=1))

    @property
    def routing(self) -> tuple[Array, Array, Array, Array, Array]:
        """The five arrays that say where a row goes, as the kernels take them."""
        return (
            self.children_left,
            self.children_right,
            self.feature,
            self.threshold,
            self.missing_go_left,
        )
