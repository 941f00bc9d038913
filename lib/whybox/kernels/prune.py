"""Weakest-link pruning and the errors of every pruned subtree.

Nodes come in preorder: a subtree is a contiguous range of nodes, and children follow parents.
"""

import numpy as np

from whybox.kernels import kernel

__all__ = ["kept_nodes", "node_depths", "sum_up", "weakest_links", "wrong_by_step"]


@kernel
def node_depths(left, right):
    """Give the depth of every node, 0 at the root.

    Examples
    --------
    >>> node_depths(np.array([1, -1, -1]), np.array([2, -1, -1])).tolist()
    [0, 1, 1]
    """
    depth = np.zeros(left.shape[0], np.int64)
    for t in range(left.shape[0]):
        if left[t] >= 0:
            depth[left[t]] = depth[t] + 1
            depth[right[t]] = depth[t] + 1
    return depth


@kernel
def sum_up(left, right, values):
    """Add to every inner node, in place, the (nodes, outputs) values of its children.

    Examples
    --------
    >>> values = np.array([[0.0], [1.0], [2.0]])
    >>> sum_up(np.array([1, -1, -1]), np.array([2, -1, -1]), values)
    >>> values.ravel().tolist()
    [3.0, 1.0, 2.0]
    """
    for t in range(left.shape[0] - 1, -1, -1):
        if left[t] >= 0:
            for k in range(values.shape[1]):
                values[t, k] += values[left[t], k] + values[right[t], k]


@kernel
def _play(winner, link, slot, size):
    """Replay the tournament from one node up: the weakest link wins, the lower node on a tie."""
    slot = (slot + size) // 2
    while slot > 0:
        a = winner[2 * slot]
        b = winner[2 * slot + 1]
        winner[slot] = b if link[b] < link[a] else a
        slot //= 2


@kernel
def weakest_links(left, right, cost, pure):
    """Collapse the inner node of the weakest link, one at a time, until the root is left.

    The link of an inner node t is g(t) = (cost(t) - cost(its leaves)) / (its leaves - 1). A
    branch's cost is the sum of its two children's, recomputed along the path after a collapse,
    so that no error builds up.

    Parameters
    ----------
    left, right : int32 (nodes,)
    cost : float64 (nodes,)
        The node's cost as a leaf.
    pure : bool (nodes,)
        Inner nodes that count as leaves from the start.

    Returns
    -------
    step : int64 (nodes,)
        When the node collapsed: 0 at leaves and pure nodes, 1, 2, ..., and nodes + 5 (beyond every step) at
        nodes that vanished within an ancestor.
    alphas : float64 (steps,)
        0, then g at each collapse, never falling.
    n_leaves : int64 (steps,)

    Examples
    --------
    >>> step, alphas, n_leaves = weakest_links(
    ...     np.array([1, -1, -1]), np.array([2, -1, -1]), np.array([0.5, 0.0, 0.0]), np.zeros(3, bool)
    ... )
    >>> step.tolist(), alphas.tolist(), n_leaves.tolist()
    ([1, 0, 0], [0.0, 0.5], [2, 1])
    """
    n = left.shape[0]
    parent = np.full(n, -1, np.int64)
    leaves = np.ones(n, np.int64)
    end = np.arange(1, n + 1)  # where the node's subtree ends
    branch = cost.copy()
    link = np.full(n + 1, np.inf)  # one more for the empty slots of the tournament
    step = np.full(n, n + 5, np.int64)
    for t in range(n - 1, -1, -1):
        if left[t] >= 0:
            parent[left[t]] = t
            parent[right[t]] = t
            end[t] = end[right[t]]
        if left[t] < 0 or pure[t]:
            step[t] = 0
            link[t : end[t]] = np.inf
        else:
            leaves[t] = leaves[left[t]] + leaves[right[t]]
            branch[t] = branch[left[t]] + branch[right[t]]
            link[t] = (cost[t] - branch[t]) / (leaves[t] - 1)
    size = 1
    while size < n:
        size *= 2
    winner = np.full(2 * size, n, np.int64)
    winner[size : size + n] = np.arange(n)
    for slot in range(size - 1, 0, -1):
        a = winner[2 * slot]
        b = winner[2 * slot + 1]
        winner[slot] = b if link[b] < link[a] else a
    alphas = np.zeros(leaves[0])
    n_leaves = np.empty(leaves[0], np.int64)
    n_leaves[0] = leaves[0]
    now = 0
    while leaves[0] > 1:
        now += 1
        weakest = winner[1]
        alphas[now] = max(alphas[now - 1], link[weakest])
        step[weakest] = now
        for t in range(weakest, end[weakest]):
            if link[t] < np.inf:
                link[t] = np.inf
                _play(winner, link, t, size)
        leaves[weakest] = 1
        branch[weakest] = cost[weakest]
        t = parent[weakest]
        while t >= 0:
            leaves[t] = leaves[left[t]] + leaves[right[t]]
            branch[t] = branch[left[t]] + branch[right[t]]
            link[t] = (cost[t] - branch[t]) / (leaves[t] - 1)
            _play(winner, link, t, size)
            t = parent[t]
        n_leaves[now] = leaves[0]
    return step, alphas[: now + 1], n_leaves[: now + 1]


@kernel
def wrong_by_step(X, nodes, step, majority, labels, weight, n_steps):
    """Weight of the misclassified rows of every subtree of a sequence, in one walk a row.

    Along a row's path each node is the landing place for a range of steps: from its own collapse
    until that of an ancestor. Ranges of wrong answers are added to an array of differences.

    Parameters
    ----------
    X : float32 or float64 (rows, features)
    nodes : tuple of arrays
        children_left, children_right, feature, threshold, missing_go_left.
    step : int64 (nodes,)
        As weakest_links gives it.
    majority, labels : int64 (nodes,), int64 (rows,)
    weight : float64 (rows,)
    n_steps : int

    Returns
    -------
    float64 (n_steps,)

    Examples
    --------
    >>> nodes = (np.array([1, -1, -1]), np.array([2, -1, -1]), np.array([0, -2, -2]),
    ...          np.array([0.5, -2.0, -2.0]), np.zeros(3, np.bool_))
    >>> X, y = np.array([[0.0], [1.0], [1.0]]), np.array([0, 1, 1])
    >>> wrong_by_step(X, nodes, np.array([1, 0, 0]), np.array([1, 0, 1]), y, np.ones(3), 2).tolist()
    [0.0, 1.0]
    """
    left, right, feature, threshold, missing_go_left = nodes
    wrong = np.zeros(n_steps + 1)
    for i in range(X.shape[0]):
        until = n_steps
        t = 0
        while True:
            if step[t] < until:
                if majority[t] != labels[i]:
                    wrong[step[t]] += weight[i]
                    wrong[until] -= weight[i]
                until = step[t]
            if left[t] < 0 or until == 0:
                break
            x = X[i, feature[t]]
            goes_left = missing_go_left[t] if np.isnan(x) else x <= threshold[t]
            t = left[t] if goes_left else right[t]
    return np.cumsum(wrong[:n_steps])


@kernel
def kept_nodes(left, right, step, now):
    """Mark the nodes of the subtree at one step: 0 gone, 1 inner, 2 leaf.

    Examples
    --------
    >>> kept_nodes(np.array([1, -1, -1]), np.array([2, -1, -1]), np.array([1, 0, 0]), 1).tolist()
    [2, 0, 0]
    """
    state = np.zeros(left.shape[0], np.int8)
    state[0] = 1
    for t in range(left.shape[0]):
        if state[t] and (left[t] < 0 or step[t] <= now):
            state[t] = 2
        elif state[t]:
            state[left[t]] = 1
            state[right[t]] = 1
    return state
