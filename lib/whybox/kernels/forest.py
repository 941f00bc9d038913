"""Landing rows in one tree, and summing leaf values over many."""

import numpy as np
from numba import njit

from whybox.kernels import kernel

__all__ = ["landing_nodes", "leaf_sums", "leaf_sums_of_many"]

_BLOCK = 4096  # rows whose columns stay near while all trees deal them out


@kernel
def landing_nodes(X, nodes):
    """Find the leaf where each row lands.

    Parameters
    ----------
    X : float32 or float64 (rows, features)
    nodes : tuple of arrays
        children_left, children_right, feature, threshold, missing_go_left.

    Returns
    -------
    int64 (rows,)

    Examples
    --------
    >>> nodes = (np.array([1, -1, -1]), np.array([2, -1, -1]), np.array([0, -2, -2]),
    ...          np.array([0.5, -2.0, -2.0]), np.array([True, False, False]))
    >>> landing_nodes(np.array([[0.0], [1.0], [np.nan]]), nodes).tolist()
    [1, 2, 1]
    """
    left, right, feature, threshold, missing_go_left = nodes
    landed = np.empty(X.shape[0], np.int64)
    for i in range(X.shape[0]):
        t = 0
        while left[t] >= 0:
            x = X[i, feature[t]]
            goes_left = missing_go_left[t] if np.isnan(x) else x <= threshold[t]
            t = left[t] if goes_left else right[t]
        landed[i] = t
    return landed


@kernel
def leaf_sums(X, nodes, roots, values):
    """Sum the values of the leaves where a row lands over the trees of a forest, in their order.

    Row after row goes down each tree: best for few rows.

    Parameters
    ----------
    X : float32 or float64 (rows, features)
    nodes : tuple of arrays
        children_left, children_right, feature, threshold, missing_go_left of all trees; the
        children count from their own tree's root.
    roots : int64 (trees,)
        Where each tree starts.
    values : float64 (nodes, outputs)

    Returns
    -------
    float64 (rows, outputs)

    Examples
    --------
    >>> nodes = (np.array([1, -1, -1]), np.array([2, -1, -1]), np.array([0, -2, -2]),
    ...          np.array([0.5, -2.0, -2.0]), np.array([True, False, False]))
    >>> values = np.array([[0.0], [1.0], [2.0]])
    >>> leaf_sums(np.array([[0.0], [1.0]]), nodes, np.array([0]), values).tolist()
    [[1.0], [2.0]]
    """
    left, right, feature, threshold, missing_go_left = nodes
    sums = np.zeros((X.shape[0], values.shape[1]))
    for k in range(roots.shape[0]):  # one tree stays in the cache for all rows
        root = roots[k]
        for i in range(X.shape[0]):
            t = root
            while left[t] >= 0:
                x = X[i, feature[t]]
                goes_left = missing_go_left[t] if np.isnan(x) else x <= threshold[t]
                t = root + (left[t] if goes_left else right[t])
            for c in range(values.shape[1]):
                sums[i, c] += values[t, c]
    return sums


@kernel
def leaf_sums_of_many(X, nodes, roots, values):
    """Sum the values of the leaves where a row lands, the same to the last bit, for many rows.

    Each node deals its rows to its children, all at once and without a branch, so that no step
    waits for the one before it: several times faster than `leaf_sums` from a few hundred rows on.

    Parameters
    ----------
    X : float32 or float64 (rows, features)
    nodes : tuple of arrays
        As for `leaf_sums`; of each tree in preorder, parents before children.
    roots : int64 (trees,)
        Where each tree starts.
    values : float64 (nodes, outputs)

    Returns
    -------
    float64 (rows, outputs)

    Examples
    --------
    >>> nodes = (np.array([1, -1, -1]), np.array([2, -1, -1]), np.array([0, -2, -2]),
    ...          np.array([0.5, -2.0, -2.0]), np.array([True, False, False]))
    >>> values = np.array([[0.0], [1.0], [2.0]])
    >>> leaf_sums_of_many(np.array([[0.0], [1.0]]), nodes, np.array([0]), values).tolist()
    [[1.0], [2.0]]
    """
    left, right, feature, threshold, missing_go_left = nodes
    n_rows, n_features = X.shape
    n_trees, n_nodes = roots.shape[0], left.shape[0]
    sums = np.zeros((n_rows, values.shape[1]))
    columns = np.empty((n_features, _BLOCK), X.dtype)
    rows, aside = np.empty(_BLOCK, np.uint32), np.empty(_BLOCK, np.uint32)
    start, stop = np.zeros(n_nodes, np.uint32), np.zeros(n_nodes, np.uint32)
    for first in range(0, n_rows, _BLOCK):
        n = min(_BLOCK, n_rows - first)
        for i in range(n):
            for f in range(n_features):
                columns[f, i] = X[first + i, f]
        for k in range(n_trees):
            root = roots[k]
            end = roots[k + 1] if k + 1 < n_trees else n_nodes
            for i in range(n):
                rows[i] = i
            start[0], stop[0] = 0, n
            for node in range(end - root):
                t = root + node
                if left[t] < 0:
                    for i in range(start[node], stop[node]):
                        for c in range(values.shape[1]):
                            sums[first + rows[i], c] += values[t, c]
                else:
                    cut = _deal(columns[feature[t]], threshold[t], missing_go_left[t],
                                rows, aside, start[node], stop[node])  # fmt: skip
                    start[left[t]], stop[left[t]] = start[node], cut
                    start[right[t]], stop[right[t]] = cut, stop[node]
    return sums


@njit(inline="always")
def _deal(column, threshold, missing_go_left, rows, aside, start, stop):
    """Put the rows that go left first, in their order; tell where those that go right begin."""
    cut, n_right = start, np.uint32(0)
    for i in range(start, stop):
        row = rows[i]
        x = column[row]
        goes_left = not x > threshold if missing_go_left else x <= threshold
        rows[cut] = row
        aside[n_right] = row
        cut += np.uint32(goes_left)
        n_right += np.uint32(not goes_left)
    for i in range(n_right):
        rows[cut + i] = aside[i]
    return cut
