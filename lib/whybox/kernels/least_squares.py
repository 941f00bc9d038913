"""Growth of small regression trees by exact weighted least squares, the best split first.

As in ``whybox.kernels.grow`` a node is a range in every feature's list of rows, sorted once, and
all sums are of whole numbers, hence exact in any order. A tree is told by two numbers a row: its
weight, and its moment, which is weight times response. A cut is worth M^2 / W of either side.
"""

from typing import NamedTuple

import numpy as np

from whybox.kernels import kernel
from whybox.kernels.grow import filter_order, partition

__all__ = ["Moments", "answers", "grow_forest"]

ONE = np.uint64(1)
FLAT = 1e-8  # responses that differ by less are one: a standard deviation that doubles can hide
SLACK = 4e-14  # of the weight times the largest response squared: more than a score's rounding


class Moments(NamedTuple):
    """What trees are to fit, one line a tree.

    Examples
    --------
    >>> Moments(*(np.zeros((1, 1)) for _ in range(4)))._fields
    ('keep', 'weight', 'moment', 'response')
    """

    keep: np.ndarray  # uint8 (trees, rows), 1 for the rows to grow on, at least one a tree
    weight: np.ndarray  # float64 (trees, rows), whole and positive, of sum below 2^53
    moment: np.ndarray  # float64 (trees, rows), whole, the sum of absolute values below 2^53
    response: np.ndarray  # float64 (trees, rows), moment / weight before rounding, in any unit


class _Rows(NamedTuple):
    """What the search for one tree's splits reads."""

    order: np.ndarray  # uint32 (features * n), rows by ascending value, missing ones last
    codes: np.ndarray  # int32 (features, rows)
    weight: np.ndarray  # float64 (rows,)
    moment: np.ndarray  # float64 (rows,)


@kernel
def _scan(rows, lo, hi, column, totals, start, best, slack):
    """Best cut of the sorted rows [lo, hi): (score, position of the last row on the left).

    A cut gains e^2 T / (W (T - W)) with e the moment on the left beyond its share, so a row that
    cannot beat the best so far is told by products and no division.
    """
    whole, sum_ = totals
    weight, moment = start
    mean = sum_ / whole
    floor = sum_ * mean + slack * whole
    at = hi
    limit = (best - floor) / whole if best > floor else -1.0
    for i in range(lo, hi - ONE):
        row = rows.order[i]
        weight += rows.weight[row]
        moment += rows.moment[row]
        excess = moment - mean * weight
        rest = whole - weight
        if excess * excess >= limit * (weight * rest):
            if rows.codes[column, row] != rows.codes[column, rows.order[i + ONE]]:
                other = sum_ - moment
                score = moment * moment / weight + other * other / rest
                if score > best:
                    best = score
                    at = np.uint64(i)
                    limit = (best - floor) / whole if best > floor else -1.0
    return best, at


@kernel
def _best_split(rows, lo, hi, missing, totals, slack):
    """Best split of a node: (score, feature or -1, last left position, where missing starts).

    The order of features, cuts and directions is that of ``whybox.kernels.grow``.
    """
    n_features = missing.shape[0]
    n = np.uint64(rows.order.shape[0] // n_features)
    best = -1.0
    feature = -1
    cut = hi
    missing_from = hi
    for v in range(n_features):
        column = np.uint64(v)
        base = column * n
        last = rows.codes[column, rows.order[base + hi - ONE]]
        if rows.codes[column, rows.order[base + lo]] == last:
            continue
        score, at = _scan(rows, base + lo, base + hi, column, totals, (0.0, 0.0), best, slack)
        if score > best:
            best, feature, cut, missing_from = score, v, at - base, hi
        if last == missing[v]:
            end = base + hi
            weight = 0.0
            moment = 0.0
            while rows.codes[column, rows.order[end - ONE]] == last:
                end -= ONE
                weight += rows.weight[rows.order[end]]
                moment += rows.moment[rows.order[end]]
            score, at = _scan(rows, base + lo, end, column, totals, (weight, moment), best, slack)
            if score > best:
                best, feature, cut, missing_from = score, v, at - base, end - base
        if hi - lo == np.uint64(2):
            break  # there is one way only to part two rows
    return best, feature, cut, missing_from


@kernel
def _push(gains, nodes, size, gain, node):
    """Add a node to the heap of what can be split, the largest gain on top; give its new size."""
    at = size
    while at > 0:
        above = (at - 1) // 2
        if gains[above] > gain or (gains[above] == gain and nodes[above] < node):
            break
        gains[at], nodes[at] = gains[above], nodes[above]
        at = above
    gains[at], nodes[at] = gain, node
    return size + 1


@kernel
def _pop(gains, nodes, size):
    """Take the top off the heap; give its new size. The last entry is put where it belongs."""
    size -= 1
    gain, node = gains[size], nodes[size]
    at = 0
    while 2 * at + 1 < size:
        below = 2 * at + 1
        other = below + 1
        if other < size and (
            gains[other] > gains[below]
            or (gains[other] == gains[below] and nodes[other] < nodes[below])
        ):
            below = other
        if gain > gains[below] or (gain == gains[below] and node < nodes[below]):
            break
        gains[at], nodes[at] = gains[below], nodes[below]
        at = below
    gains[at], nodes[at] = gain, node
    return size


@kernel
def _grow(rows, missing, response, max_depth, max_leaves, links, sides, missing_left, sums):
    """Grow one tree into the output's arrays; give the number of its nodes."""
    n_features = missing.shape[0]
    n = rows.order.shape[0] // n_features
    goes_left = np.zeros(rows.weight.shape[0], np.uint8)
    spill = np.empty(n, np.uint32)
    gains = np.empty(max_leaves)
    heap = np.empty(max_leaves, np.int64)
    most = 2 * max_leaves - 1
    bounds = np.empty((most, 2), np.uint64)  # where a node's rows are
    splits = np.empty((most, 2), np.uint64)  # last position on the left, where missing ones start
    depth = np.zeros(most, np.int64)
    extent = np.empty((2, 2))  # least and largest response on the left and on the right
    steepest = 0.0
    lowest, highest = np.inf, -np.inf
    for i in range(n):
        row = rows.order[i]
        sums[0, 0] += rows.weight[row]
        sums[0, 1] += rows.moment[row]
        steepest = max(steepest, abs(rows.moment[row] / rows.weight[row]))
        lowest = min(lowest, response[row])
        highest = max(highest, response[row])
    slack = SLACK * steepest * steepest
    bounds[0, 0], bounds[0, 1] = 0, n
    links[2, 0] = -2
    waiting = 0
    if highest - lowest > FLAT and max_depth != 0:
        score, v, cut, missing_from = _best_split(
            rows, bounds[0, 0], bounds[0, 1], missing, (sums[0, 0], sums[0, 1]), slack
        )
        if v >= 0:
            links[2, 0] = v
            splits[0, 0], splits[0, 1] = cut, missing_from
            waiting = _push(gains, heap, waiting, score, 0)
    end = 1
    while waiting > 0 and end < most:
        node = heap[0]
        waiting = _pop(gains, heap, waiting)
        lo, hi = bounds[node, 0], bounds[node, 1]
        cut, missing_from = splits[node, 0], splits[node, 1]
        v = links[2, node]
        base = np.uint64(v) * np.uint64(n)
        extent[:, 0] = np.inf
        extent[:, 1] = -np.inf
        weight = 0.0
        moment = 0.0
        for i in range(base + lo, base + hi):
            row = rows.order[i]
            goes = i <= base + cut or i >= base + missing_from
            goes_left[row] = goes
            side = 0 if goes else 1
            extent[side, 0] = min(extent[side, 0], response[row])
            extent[side, 1] = max(extent[side, 1], response[row])
            if goes:
                weight += rows.weight[row]
                moment += rows.moment[row]
        sides[0, node] = rows.codes[v, rows.order[base + cut]]
        sides[1, node] = rows.codes[v, rows.order[base + cut + ONE]]
        saw_missing = rows.codes[v, rows.order[base + hi - ONE]] == missing[v]
        heavier = weight >= sums[node, 0] - weight
        missing_left[node] = missing_from < hi if saw_missing else heavier
        middle = cut + ONE + hi - missing_from
        below = depth[node] + 1
        grows = np.logical_and(extent[:, 1] - extent[:, 0] > FLAT, below != max_depth)
        if grows[0] or grows[1]:
            partition(rows.order, n_features, lo, hi, goes_left, spill)
        for side in range(2):
            child = end + side
            links[side, node] = child
            links[2, child] = -2
            depth[child] = below
            bounds[child, 0] = middle if side else lo
            bounds[child, 1] = hi if side else middle
            sums[child, 0] = sums[node, 0] - weight if side else weight
            sums[child, 1] = sums[node, 1] - moment if side else moment
            if not grows[side]:
                continue
            totals = (sums[child, 0], sums[child, 1])
            score, v, cut, missing_from = _best_split(
                rows, bounds[child, 0], bounds[child, 1], missing, totals, slack
            )
            if v >= 0:
                links[2, child] = v
                splits[child, 0], splits[child, 1] = cut, missing_from
                gain = score - totals[1] * totals[1] / totals[0]
                waiting = _push(gains, heap, waiting, gain, child)
        end += 2
    for i in range(waiting):
        links[2, heap[i]] = -2
    for node in range(end):
        sums[node, 2] = bounds[node, 1] - bounds[node, 0]
    return end


@kernel
def grow_forest(order, codes, missing, moments, max_depth, max_leaves):
    """Grow trees side by side on the same rows, each to its own moments.

    A node is split, if any cut parts its rows, unless its responses are equal, it is as deep as
    allowed, or there are as many leaves; the split of largest gain comes first, of equals that of
    the node that was there first.

    Parameters
    ----------
    order : uint32 (features, rows)
        Row ids by ascending value of each feature, missing values last.
    codes : int32 (features, rows)
        Ranks of the values: equal codes, equal values.
    missing : int32 (features,)
        The code of a missing value, -1 where the feature has none.
    moments : Moments
    max_depth : int
        -1 for no limit.
    max_leaves : int
        -1 for no limit, otherwise 1 or more.

    Returns
    -------
    links : int32 (3, nodes)
        Left and right child, counted from the tree's root, -1 at a leaf; feature, -2 at a leaf.
    sides : int32 (2, nodes)
        Codes of the largest value that goes left and of the least that goes right.
    missing_left : bool (nodes,)
    sums : float64 (nodes, 3)
        Weight, moment, and number of rows.
    roots : int64 (trees,)
        Where each tree starts.

    Examples
    --------
    >>> order = np.array([[0, 1, 2]], dtype=np.uint32)
    >>> codes = np.array([[0, 1, 2]], dtype=np.int32)
    >>> one, moment = np.ones((1, 3)), np.array([[1.0, 4.0, 4.0]])
    >>> moments = Moments(np.ones((1, 3), np.uint8), one, moment, moment)
    >>> links, *_ = grow_forest(order, codes, np.array([-1], dtype=np.int32), moments, -1, -1)
    >>> links.tolist()
    [[1, -1, -1], [2, -1, -1], [0, -2, -2]]
    """
    n_trees = moments.keep.shape[0]
    n = order.shape[1]
    leaves = n if max_leaves < 0 else min(n, max_leaves)
    if 0 <= max_depth < 30:
        leaves = min(leaves, 2**max_depth)
    most = n_trees * (2 * leaves - 1)
    links = np.full((3, most), -1, np.int32)
    sides = np.full((2, most), -1, np.int32)
    missing_left = np.zeros(most, np.bool_)
    sums = np.zeros((most, 3))
    roots = np.empty(n_trees, np.int64)
    end = 0
    for k in range(n_trees):
        kept = filter_order(order, moments.keep[k])
        rows = _Rows(kept.reshape(kept.size), codes, moments.weight[k], moments.moment[k])
        roots[k] = end
        end += _grow(
            rows,
            missing,
            moments.response[k],
            max_depth,
            min(leaves, kept.shape[1]),
            links[:, end:],
            sides[:, end:],
            missing_left[end:],
            sums[end:],
        )
    return (
        links[:, :end].copy(),
        sides[:, :end].copy(),
        missing_left[:end].copy(),
        sums[:end].copy(),
        roots,
    )


@kernel
def answers(X, nodes, roots, value):
    """Give the value of the leaf where each row lands, for each tree of a forest.

    Parameters
    ----------
    X : float64 (rows, features)
    nodes : tuple of arrays
        children_left, children_right, feature, threshold, missing_go_left of all trees; the
        children count from their own tree's root.
    roots : int64 (trees,)
        Where each tree starts.
    value : float64 (nodes,)

    Returns
    -------
    float64 (rows, trees)

    Examples
    --------
    >>> nodes = (np.array([1, -1, -1]), np.array([2, -1, -1]), np.array([0, -2, -2]),
    ...          np.array([0.5, -2.0, -2.0]), np.array([True, False, False]))
    >>> X = np.array([[0.0], [1.0], [np.nan]])
    >>> answers(X, nodes, np.array([0]), np.array([0.0, 1.0, 2.0])).tolist()
    [[1.0], [2.0], [1.0]]
    """
    left, right, feature, threshold, missing_go_left = nodes
    out = np.empty((X.shape[0], roots.shape[0]))
    for k in range(roots.shape[0]):  # one tree stays in the cache for all rows
        root = roots[k]
        for i in range(X.shape[0]):
            t = root
            while left[t] >= 0:
                x = X[i, feature[t]]
                goes_left = missing_go_left[t] if np.isnan(x) else x <= threshold[t]
                t = root + (left[t] if goes_left else right[t])
            out[i, k] = value[t]
    return out
