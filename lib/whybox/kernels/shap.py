"""Exact TreeSHAP on the walk of one tree, with a block of rows in the lanes of each instruction.

A Shapley value's weight is an integral, ``s! (d-1-s)! / d! = int_0^1 t^s (1-t)^(d-1-s) dt``. So what
a leaf gives to feature ``i`` is its value times the integral of ``(o_i - z_i)`` times the product of
``o t + z (1 - t)`` over the other features of its path, where ``o`` says whether the row meets all the
path's conditions on the feature and ``z`` is the product of their cover ratios. The integrand is a
polynomial, hence Gauss-Legendre points give the integral exactly. Going down an edge multiplies
the product by one factor a point; coming back up, the subtree's sum times a difference is the
edge's share of its feature. Both depend on the row through three cases only, which are tabulated:
0, the conditions on the edge's feature failed already above it; 1, they fail here; 2, they hold.
The rows of a block never meet, so a row's values do not depend on its neighbours.
"""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["LANES", "add_interactions", "add_values", "plan_walk"]

LANES = 64  # rows in a block: what lets the compiler fill its vectors; 16 and 32 may not

_DEPTH, _FEATURE, _ANCESTOR, _KIND, _LEAF = range(5)
_LEFT, _LEFT_OR_MISSING, _RIGHT, _RIGHT_OR_MISSING = range(4)


@njit(cache=True, nogil=True, error_model="numpy")
def plan_walk(children_left, children_right, feature, missing_go_left, cover):
    """Lay out the walk of a tree: down each edge and up again, left before right.

    Parameters
    ----------
    children_left, children_right, feature : int32 array (nodes,)
        The tree; -1 for the children of a leaf.
    missing_go_left : bool array (nodes,)
        Where a missing value goes.
    cover : float64 array (nodes,)
        Positive weight of the rows that reach a node.

    Returns
    -------
    steps : int32 array (2 * inner nodes + leaves - 2,)
        ``n`` goes down the edge into node n, ``~n`` comes up from it; a leaf has no way up.
    edges : int32 array (nodes, 5)
        Of the edge into a node: its depth from 1; the feature asked; the depth of the last edge
        above that asks the same feature, or 0; which values pass (left, left or missing, right,
        right or missing); 1 into a leaf.
    reach : float64 array (nodes, 2)
        Product of the cover ratios of the feature's edges, above this edge and with it.
    width : int
        Most distinct features on a path.

    Examples
    --------
    >>> i32 = lambda *values: np.array(values, dtype=np.int32)
    >>> steps, edges, reach, width = plan_walk(
    ...     i32(1, -1, -1), i32(2, -1, -1), i32(3, -2, -2), np.zeros(3, bool), np.array([4.0, 1, 3])
    ... )
    >>> steps.tolist(), edges[1:].tolist(), reach[1:].tolist(), width
    ([1, 2], [[1, 3, 0, 0, 1], [1, 3, 0, 3, 1]], [[1.0, 0.25], [1.0, 0.75]], 1)
    """
    n_nodes = len(children_left)
    steps = np.empty(2 * n_nodes, dtype=np.int32)
    edges = np.zeros((n_nodes, 5), dtype=np.int32)
    reach = np.ones((n_nodes, 2))
    distinct = np.zeros(n_nodes, dtype=np.int32)
    parent = np.zeros(n_nodes, dtype=np.int32)
    on_path = np.zeros(n_nodes, dtype=np.int32)  # by depth: the node whose edge is walked
    stack = np.empty(2 * n_nodes + 2, dtype=np.int32)
    n_steps, top, width = 0, 0, 0
    if children_left[0] >= 0:
        stack[0], stack[1], top = children_right[0], children_left[0], 2
    while top > 0:
        top -= 1
        node = stack[top]
        steps[n_steps] = node
        n_steps += 1
        if node < 0:
            continue
        above = parent[node]
        depth = edges[above, _DEPTH] + 1
        asked = feature[above]
        ancestor = depth - 1
        while ancestor > 0 and edges[on_path[ancestor], _FEATURE] != asked:
            ancestor -= 1
        went_left = children_left[above] == node
        kind = _LEFT if went_left else _RIGHT
        leaf = children_left[node] < 0
        edges[node, _DEPTH], edges[node, _FEATURE], edges[node, _ANCESTOR] = depth, asked, ancestor
        edges[node, _KIND] = kind + (missing_go_left[above] == went_left)
        edges[node, _LEAF] = leaf
        reach[node, 0] = reach[on_path[ancestor], 1] if ancestor > 0 else 1.0
        reach[node, 1] = reach[node, 0] * (cover[node] / cover[above])
        distinct[node] = distinct[above] + (ancestor == 0)
        width = max(width, distinct[node])
        on_path[depth] = node
        if not leaf:
            parent[children_left[node]] = parent[children_right[node]] = node
            stack[top], stack[top + 1] = ~node, children_right[node]
            stack[top + 2] = children_left[node]
            top += 3
    return steps[:n_steps], edges, reach, width


@njit(nogil=True, error_model="numpy", inline="always")
def _meet(x, threshold, kind, before, holds):
    """Write for each row whether the path's conditions on the edge's feature still hold."""
    if kind == _LEFT:
        for r in range(LANES):
            holds[r] = before[r] & np.int64(x[r] <= threshold)
    elif kind == _LEFT_OR_MISSING:
        for r in range(LANES):
            holds[r] = before[r] & (1 - np.int64(x[r] > threshold))
    elif kind == _RIGHT:
        for r in range(LANES):
            holds[r] = before[r] & np.int64(x[r] > threshold)
    else:
        for r in range(LANES):
            holds[r] = before[r] & (1 - np.int64(x[r] <= threshold))


@njit(cache=True, nogil=True, error_model="numpy")
def add_values(X_T, steps, edges, thresholds, factors, deltas, out):
    """Add one tree's Shapley values for one output.

    Parameters
    ----------
    X_T : float32 or float64 array (features, rows)
        Columns of the data; rows padded to a multiple of `LANES`.
    steps, edges : int32 arrays
        From `plan_walk`.
    thresholds : float64 array (nodes,)
        Threshold of the edge into a node (its parent's).
    factors : float64 array (nodes, 3, points)
        Per case the edge's factor, with the quadrature's weight in the edges from the root and the
        leaf's value in the edges into leaves.
    deltas : float64 array (nodes, 3, points)
        Per case the difference that turns a subtree's sum into the edge's share.
    out : float64 array (features, rows)
        Added to.
    """
    n_points = factors.shape[2]
    depths = edges[:, _DEPTH].max() + 1
    product = np.ones((depths, n_points, LANES))
    total = np.zeros((depths, n_points, LANES))
    holds = np.ones((depths, LANES), dtype=np.int64)
    case = np.empty(LANES, dtype=np.int64)
    share = np.empty(LANES)
    for start in range(0, X_T.shape[1], LANES):
        for step in steps:
            down = step >= 0
            node = step if down else ~step
            depth, ancestor = edges[node, _DEPTH], edges[node, _ANCESTOR]
            asked = edges[node, _FEATURE]
            leaf = edges[node, _LEAF] == 1
            if down:
                x = X_T[asked, start : start + LANES]
                _meet(x, thresholds[node], edges[node, _KIND], holds[ancestor], holds[depth])
            for r in range(LANES):
                case[r] = holds[ancestor, r] + holds[depth, r]
            if down and not leaf:
                for q in range(n_points):
                    f0, f1, f2 = factors[node, 0, q], factors[node, 1, q], factors[node, 2, q]
                    for r in range(LANES):
                        c = case[r]
                        f = f2 if c == 2 else (f1 if c == 1 else f0)
                        product[depth, q, r] = product[depth - 1, q, r] * f
                        total[depth, q, r] = 0.0
                continue
            for r in range(LANES):
                share[r] = 0.0
            for q in range(n_points):
                d1, d2 = deltas[node, 1, q], deltas[node, 2, q]
                if leaf:
                    f0, f1, f2 = factors[node, 0, q], factors[node, 1, q], factors[node, 2, q]
                    for r in range(LANES):
                        c = case[r]
                        f = f2 if c == 2 else (f1 if c == 1 else f0)
                        s = product[depth - 1, q, r] * f
                        total[depth - 1, q, r] += s
                        share[r] += s * (d2 if c == 2 else (d1 if c == 1 else 0.0))
                else:
                    for r in range(LANES):
                        c = case[r]
                        s = total[depth, q, r]
                        total[depth - 1, q, r] += s
                        share[r] += s * (d2 if c == 2 else (d1 if c == 1 else 0.0))
            for r in range(LANES):
                out[asked, start + r] += share[r]


@njit(cache=True, nogil=True, error_model="numpy")
def add_interactions(X_T, steps, edges, thresholds, factors, deltas, pulls, out):
    """Add twice one tree's Shapley interactions for one output, pairs with i < j only.

    A pair's product of pulls changes at the edges of either feature; at each the change times the
    other feature's pull there, times the subtree's sum, is added: over a path that telescopes.

    Parameters
    ----------
    X_T, steps, edges, thresholds, factors, deltas
        As for `add_values`.
    pulls : float64 array (nodes, 2, points)
        ``(o - z) / (o t + z (1 - t))`` of the edge's feature for o = 0 and o = 1.
    out : float64 array (features, features, rows)
        Added to.
    """
    n_points = factors.shape[2]
    depths = edges[:, _DEPTH].max() + 1
    product = np.ones((depths, n_points, LANES))
    total = np.zeros((depths, n_points, LANES))
    pull = np.zeros((depths, n_points, LANES))
    change = np.empty((n_points, LANES))
    holds = np.ones((depths, LANES), dtype=np.int64)
    case = np.empty(LANES, dtype=np.int64)
    share = np.empty(LANES)
    path = np.zeros(depths, dtype=np.int64)  # by depth: the feature asked
    hidden = np.zeros(depths, dtype=np.bool_)  # by depth: a deeper edge asks the same feature
    for start in range(0, X_T.shape[1], LANES):
        for step in steps:
            down = step >= 0
            node = step if down else ~step
            depth, ancestor = edges[node, _DEPTH], edges[node, _ANCESTOR]
            asked = edges[node, _FEATURE]
            leaf = edges[node, _LEAF] == 1
            if down:
                x = X_T[asked, start : start + LANES]
                _meet(x, thresholds[node], edges[node, _KIND], holds[ancestor], holds[depth])
            for r in range(LANES):
                case[r] = holds[ancestor, r] + holds[depth, r]
            if down:
                path[depth] = asked
                hidden[ancestor] = True
                for q in range(n_points):
                    f0, f1, f2 = factors[node, 0, q], factors[node, 1, q], factors[node, 2, q]
                    c0, c1 = pulls[node, 0, q], pulls[node, 1, q]
                    for r in range(LANES):
                        c = case[r]
                        f = f2 if c == 2 else (f1 if c == 1 else f0)
                        s = product[depth - 1, q, r] * f
                        product[depth, q, r] = s
                        pull[depth, q, r] = c1 if c == 2 else c0
                        total[depth, q, r] = s if leaf else 0.0
                if not leaf:
                    continue
            for q in range(n_points):
                d1, d2 = deltas[node, 1, q], deltas[node, 2, q]
                for r in range(LANES):
                    c = case[r]
                    s = total[depth, q, r]
                    total[depth - 1, q, r] += s
                    change[q, r] = s * (d2 if c == 2 else (d1 if c == 1 else 0.0))
            for other in range(1, depth):
                if hidden[other]:
                    continue
                for r in range(LANES):
                    share[r] = 0.0
                for q in range(n_points):
                    for r in range(LANES):
                        share[r] += change[q, r] * pull[other, q, r]
                low, high = min(asked, path[other]), max(asked, path[other])
                for r in range(LANES):
                    out[low, high, start + r] += share[r]
            hidden[ancestor] = False
