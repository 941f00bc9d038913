"""Small classifiers from the arrays of a file, with every claim of the arrays checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whybox._state import require
from whybox.expressions.heads import HEADS, Head, Logistic, Neighbours, Trees
from whybox.trees.tree import LEAF, NO_FEATURE, NO_THRESHOLD, Tree

__all__ = ["read_head"]

_NODES = {"left": np.int32, "right": np.int32, "feature": np.int32, "rows": np.int64}


def read_head(
    kind: str, arrays: Mapping[str, NDArray[Any]], n_columns: int, n_classes: int
) -> Head:
    """Put a classifier together again, checking everything.

    Parameters
    ----------
    kind : {"tree", "logistic", "forest", "knn"}
    arrays : mapping of str to array
        What its ``arrays`` gave.
    n_columns, n_classes : int

    Returns
    -------
    Head

    Raises
    ------
    InputError
        If they are no state of such a classifier.

    Examples
    --------
    >>> read_head("logistic", {"weights": np.zeros((1, 2)), "intercepts": np.zeros(1)}, 3, 2)
    Traceback (most recent call last):
    whybox.errors.InputError: this is not the state of a fitted model, its weights ...
    """
    require(kind in HEADS, f"its classifier is {kind!r}")
    if kind == "logistic":
        return _read_logistic(arrays, n_columns, n_classes)
    if kind == "knn":
        return _read_neighbours(arrays, n_columns, n_classes)
    return _read_trees(arrays, n_columns, n_classes, single=kind == "tree")


def _read_logistic(arrays: Mapping[str, NDArray[Any]], n_columns: int, n_classes: int) -> Logistic:
    """Check weights."""
    outputs = 1 if n_classes == 2 else n_classes
    weights, intercepts = np.array(arrays["weights"]), np.array(arrays["intercepts"])
    proper = weights.dtype == intercepts.dtype == np.float64
    proper = proper and weights.shape == (outputs, n_columns) and intercepts.shape == (outputs,)
    require(proper, "its weights have another shape")
    require(bool(np.isfinite(weights).all() and np.isfinite(intercepts).all()), "its weights")
    return Logistic(weights, intercepts)


def _read_neighbours(
    arrays: Mapping[str, NDArray[Any]], n_columns: int, n_classes: int
) -> Neighbours:
    """Check rows and counts."""
    rows, counts, n = (np.array(arrays[name]) for name in ("rows", "counts", "n_neighbors"))
    proper = rows.dtype == np.bool_ and rows.ndim == 2 and rows.shape[1] == n_columns
    require(proper and len(rows) > 0, "its rows have another shape")
    proper = counts.dtype == np.int64 and counts.shape == (len(rows), n_classes)
    require(proper, "its counts have another shape")
    require(bool((counts >= 0).all() and (counts.sum(axis=1) > 0).all()), "its counts")
    require(len(np.unique(rows, axis=0)) == len(rows), "a row stands twice")
    require(n.dtype == np.int64 and n.shape == (1,) and int(n[0]) >= 1, "n_neighbors")
    return Neighbours(rows, counts, int(n[0]))


def _read_trees(
    arrays: Mapping[str, NDArray[Any]], n_columns: int, n_classes: int, *, single: bool
) -> Trees:
    """Cut the nodes into trees, and check each."""
    sizes, value = np.array(arrays["sizes"]), np.array(arrays["value"])
    require(sizes.dtype == np.int64 and sizes.ndim == 1 and len(sizes) > 0, "its sizes")
    require(bool((sizes > 0).all()) and (len(sizes) == 1 or not single), "its sizes")
    total = int(sizes.sum())
    nodes = {name: np.array(arrays[name]) for name in _NODES}
    for name, kind in _NODES.items():
        require(nodes[name].dtype == kind and nodes[name].shape == (total,), f"its {name}")
    proper = value.dtype == np.float64 and value.shape == (total, n_classes)
    require(proper and bool((value >= 0).all()), "its values have another shape")
    require(np.allclose(value.sum(axis=1), 1.0, rtol=0, atol=1e-9), "its values are no shares")
    trees = []
    for stop, size in zip(np.cumsum(sizes).tolist(), sizes.tolist(), strict=True):
        part = slice(stop - size, stop)
        found = {name: array[part] for name, array in nodes.items()}
        trees.append(_read_tree(found, value[part], n_columns))
    return Trees(tuple(trees))


def _read_tree(
    nodes: Mapping[str, NDArray[Any]], value: NDArray[np.float64], n_columns: int
) -> Tree:
    """Check one tree's nodes; thresholds of zeros and ones need no storing."""
    left, right, feature, rows = (nodes[name] for name in _NODES)
    _check_preorder(left.tolist(), right.tolist())
    leaf = left == LEAF
    used = feature[~leaf]
    require(bool(((used >= 0) & (used < n_columns)).all()), "a column is out of range")
    require(bool((feature[leaf] == NO_FEATURE).all()), "a leaf has a column")
    require(bool((rows > 0).all()), "a node has no rows")
    return Tree(
        children_left=left,
        children_right=right,
        feature=feature,
        threshold=np.where(leaf, NO_THRESHOLD, 0.5),
        missing_go_left=np.zeros(len(left), bool),
        n_node_samples=rows,
        weighted_n_node_samples=rows.astype(np.float64),
        value=value,
        unweighted_share=value,
    )


def _check_preorder(left: list[int], right: list[int]) -> None:
    """Walk a tree: its nodes must come as 0, 1, 2, ... up to the last."""
    waiting = [0]
    for node in range(len(left)):
        require(bool(waiting) and waiting.pop() == node, "nodes are no tree in preorder")
        require((left[node] == LEAF) == (right[node] == LEAF), "a node has a single child")
        if left[node] != LEAF:
            waiting += [right[node], left[node]]
    require(not waiting, "nodes are no tree in preorder")
