"""Landing rows in one tree, and summing leaf values over many."""

import numpy as np

from whybox.kernels import kernel

__all__ = ["landing_nodes", "leaf_sums"]


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
