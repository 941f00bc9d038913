"""Exact growth of one weighted-Gini tree from rows that were sorted by each feature once.

A node is a range of the same width in every feature's list of rows, so splitting is a stable
partition of the lists and no value is ever sorted again. Weights lie on a grid of powers of two
(``whybox.trees.weights``): sums of them are exact in any order, hence ties are real, and the
children's class weights are the parent's less what went left, to the last bit. Row ids and
positions are unsigned because numba checks signed indices for wrap-around.
"""

from typing import NamedTuple

import numpy as np

from whybox.kernels import kernel
from whybox.kernels.gini import SLACK, cut_score, is_leaf

__all__ = ["filter_order", "grow", "partition"]

ONE = np.uint64(1)
ROUNDING = 2.0**-51  # more than one row adds to the rounding of the running sums of squares


class Rows(NamedTuple):
    """What a scan reads: the lists of rows, and each row's codes, label and weight.

    Examples
    --------
    >>> Rows(*(np.zeros(1) for _ in range(5)))._fields
    ('order', 'codes', 'labels', 'weight', 'signed')
    """

    order: np.ndarray  # uint32 (features * n), rows by ascending value, missing ones last
    codes: np.ndarray  # (features, rows), the rank of a value among the distinct ones
    labels: np.ndarray  # int64 (rows,)
    weight: np.ndarray  # float64 (rows,)
    signed: np.ndarray  # float64 (rows,), of two classes the second one's weights are negative


@kernel
def filter_order(order, keep):
    """Leave out of each feature's sorted rows those that are not kept.

    Parameters
    ----------
    order : uint32 (features, n)
        Row ids by ascending value.
    keep : uint8 (rows,)
        1 for the rows to keep, 0 for the others.

    Returns
    -------
    uint32 (features, kept)

    Examples
    --------
    >>> order = np.array([[2, 0, 1], [0, 1, 2]], dtype=np.uint32)
    >>> filter_order(order, np.array([1, 0, 1], dtype=np.uint8)).tolist()
    [[2, 0], [0, 2]]
    """
    n_features, n = order.shape
    kept = np.int64(0)
    for i in range(n):
        kept += np.int64(keep[order[0, i]])
    out = np.empty(n_features * kept + 1, np.uint32)  # one to spare: the write precedes the test
    end = np.uint64(0)
    for v in range(n_features):
        column = order[v]
        for i in range(n):
            row = column[i]
            out[end] = row
            end += np.uint64(keep[row])
    return out[: n_features * kept].reshape((n_features, kept))


@kernel
def _scan_two(rows, lo, hi, column, work, best):
    """Best cut of the sorted rows [lo, hi) of two classes: (score, position of the last left row).

    The gain of a cut is e^2 T / (2 W (T - W)) with e the excess of class 0 over its share on the
    left, so a row that cannot beat the best so far is told by two products and no division.
    """
    totals, start, left = work[0], work[2], work[3]
    whole = totals[0] + totals[1]
    parent = (totals[0] * totals[0] + totals[1] * totals[1]) / whole
    tilt = (totals[0] - totals[1]) / whole
    excess = start[0] - start[1]
    weight = start[0] + start[1]
    at = hi
    gain = best - parent - SLACK * whole
    limit = 2.0 * gain / whole if gain > 0 else -1.0
    for i in range(lo, hi - ONE):
        x = rows.signed[rows.order[i]]
        excess += x
        weight += abs(x)
        e = excess - tilt * weight
        if e * e >= limit * (weight * (whole - weight)):
            here = rows.codes[column, rows.order[i]]
            if here != rows.codes[column, rows.order[i + ONE]]:
                left[0] = (weight + excess) * 0.5
                left[1] = (weight - excess) * 0.5
                score = cut_score(left, totals, weight, whole)
                if score > best:
                    best = score
                    at = np.uint64(i)
                    gain = best - parent - SLACK * whole
                    limit = 2.0 * gain / whole if gain > 0 else -1.0
    return best, at


@kernel
def _scan_many(rows, lo, hi, column, work, best):
    """Like _scan_two for any number of classes, by sum_c (left_c - share_c W)^2, kept running.

    The running sums round, so what they let through is scored afresh; the margin they get grows
    with the rows seen and covers their error.
    """
    totals, share, start, left = work[0], work[1], work[2], work[3]
    n_classes = totals.shape[0]
    whole = 0.0
    parent = 0.0
    shares = 0.0
    weight = 0.0
    squares = 0.0
    along = 0.0
    for c in range(n_classes):
        left[c] = start[c]
        whole += totals[c]
        parent += totals[c] * totals[c]
        shares += share[c] * share[c]
        weight += start[c]
        squares += start[c] * start[c]
        along += share[c] * start[c]
    parent /= whole
    at = hi
    margin = 16 * ROUNDING
    gain = best - parent - SLACK * whole
    limit = gain / whole if gain > 0 else -1.0
    for i in range(lo, hi - ONE):
        row = rows.order[i]
        x = rows.weight[row]
        label = np.uint64(rows.labels[row])
        before = left[label]
        left[label] = before + x
        squares += x * (before + before + x)
        along += share[label] * x
        weight += x
        margin += 3 * ROUNDING
        spread = squares - 2.0 * weight * along + weight * weight * shares
        if spread + margin * weight * weight >= limit * (weight * (whole - weight)):
            if rows.codes[column, row] != rows.codes[column, rows.order[i + ONE]]:
                score = cut_score(left, totals, weight, whole)
                if score > best:
                    best = score
                    at = np.uint64(i)
                    gain = best - parent - SLACK * whole
                    limit = gain / whole if gain > 0 else -1.0
    return best, at


@kernel
def _best_split(rows, lo, hi, missing, work):
    """Best split of the node [lo, hi): (feature or -1, last left position, where missing starts).

    Missing values sort last, so one scan sends them right; where there are any, a second scan
    sends them left. Its cut is told by a third value below hi.
    """
    n_features = missing.shape[0]
    n = np.uint64(rows.order.shape[0] // n_features)
    two = work.shape[1] == 2
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
        work[2, :] = 0.0
        if two:
            score, at = _scan_two(rows, base + lo, base + hi, column, work, best)
        else:
            score, at = _scan_many(rows, base + lo, base + hi, column, work, best)
        if score > best:
            best, feature, cut, missing_from = score, v, at - base, hi
        if last != missing[v]:
            continue
        end = base + hi
        while rows.codes[column, rows.order[end - ONE]] == last:
            end -= ONE
            row = rows.order[end]
            label = np.int64(rows.signed[row] < 0) if two else rows.labels[row]
            work[2, label] += rows.weight[row]
        if two:
            score, at = _scan_two(rows, base + lo, end, column, work, best)
        else:
            score, at = _scan_many(rows, base + lo, end, column, work, best)
        if score > best:
            best, feature, cut, missing_from = score, v, at - base, end - base
    return feature, cut, missing_from


@kernel
def _sign(rows, node, label):
    """Give the weights of a node's rows the sign that _scan_two goes by: plus for the label."""
    for row in node:
        x = rows.weight[row]
        rows.signed[row] = x if rows.labels[row] == label else -x


@kernel
def partition(order, n_features, lo, hi, goes_left, spill):
    """Bring the rows that go left to the front of [lo, hi) in every list, keeping their order.

    Parameters
    ----------
    order : uint32 (features * n)
        Overwritten.
    n_features : int
    lo, hi : uint64
    goes_left : uint8 (rows,)
        1 for the rows that go left, 0 for the others.
    spill : uint32 (n,)
        Scratch.

    Examples
    --------
    >>> order, spill = np.array([3, 0, 1, 2], np.uint32), np.empty(4, np.uint32)
    >>> partition(order, 1, np.uint64(1), np.uint64(4), np.array([0, 1, 1, 0], np.uint8), spill)
    >>> order.tolist()
    [3, 1, 2, 0]
    """
    n = np.uint64(order.shape[0] // n_features)
    for v in range(n_features):
        base = np.uint64(v) * n
        front = base + lo
        spilt = np.uint64(0)
        for i in range(base + lo, base + hi):
            row = order[i]
            left = np.uint64(goes_left[row])
            order[front] = row  # both are written, one of the two ends advances: no branch
            spill[spilt] = row
            front += left
            spilt += ONE - left
        for i in range(spilt):
            order[front + np.uint64(i)] = spill[i]


@kernel
def grow(order, codes, missing, labels, weight, crown, max_depth):
    """Grow a tree until its leaves are pure.

    Parameters
    ----------
    order : uint32 (features, n)
        Row ids of the rows to grow on by ascending value of each feature, missing values last,
        one leaf of the crown after the other (``whybox.kernels.crown.segments``); overwritten.
    codes : int32 or uint8 (features, rows)
        Ranks of the values: equal codes, equal values. Bytes that lie row by row (transposed) stay
        in the cache from one feature to the next.
    missing : int32 (features,)
        The code of a missing value, -1 where the feature has none.
    labels : int64 (rows,)
        Class index per row.
    weight : float64 (rows,)
        Positive at the rows to grow on, multiples of 2^-51 (or integers) of sum below 2 (2^52).
    crown : Crown
        The splits known already.
    max_depth : int
        -1 for no limit.

    Returns
    -------
    children_left, children_right, feature : int32 (nodes,)
        In preorder; -1, -1 and -2 at a leaf.
    low, high : int32 (nodes,)
        Codes of the largest value that goes left and of the least that goes right.
    missing_left : bool (nodes,)
        Where missing values go: as learnt, or to the heavier child if the node saw none.
    n_rows : int64 (nodes,)
    class_weight : float64 (nodes, classes)

    Examples
    --------
    >>> from whybox.kernels.crown import Ranks, grow_crown
    >>> order = np.array([[0, 1, 2]], dtype=np.uint32)
    >>> codes = np.array([[0, 1, 2]], dtype=np.int32)
    >>> missing, labels = np.array([-1], dtype=np.int32), np.array([0, 1, 1])
    >>> ranks = Ranks(order, codes, missing, codes.T.astype(np.uint8), np.array([0, 3]))
    >>> crown = grow_crown(ranks, labels, np.ones(3), 2, -1, 4)
    >>> grow(order, codes, missing, labels, np.ones(3), crown, -1)[0].tolist()
    [1, -1, -1]
    """
    n_features, n = order.shape
    signed = np.where(labels == 0, weight, -weight)
    n_classes = crown.class_weight.shape[1]
    flat = order.reshape(n_features * n)
    rows = Rows(flat, codes, labels, weight, signed)
    most = 2 * n - 1
    children = np.full((2, most), -1, np.int32)
    feature = np.full(most, -2, np.int32)
    bounds = np.full((2, most), -1, np.int32)
    missing_left = np.zeros(most, np.bool_)
    n_rows = np.empty(most, np.int64)
    class_weight = np.empty((most, n_classes))
    goes_left = np.zeros(labels.shape[0], np.uint8)
    spill = np.empty(n, np.uint32)
    work = np.zeros((4, n_classes))  # the node's totals and shares, the left's start, scratch
    pair = np.zeros((4, 2))  # the same for two classes, the others being absent
    todo = np.empty((n + 1, 6), np.int64)  # lo, hi, parent, side, depth, node of the crown
    todo_weight = np.zeros((n + 1, n_classes))
    todo_weight[0] = crown.class_weight[0]
    todo[0] = np.array([0, n, -1, 0, 0, 0])
    waiting = 1
    node = -1
    while waiting > 0:
        waiting -= 1
        node += 1
        lo = np.uint64(todo[waiting, 0])
        hi = np.uint64(todo[waiting, 1])
        depth = todo[waiting, 4]
        if todo[waiting, 2] >= 0:
            children[todo[waiting, 3], todo[waiting, 2]] = node
        n_rows[node] = todo[waiting, 1] - todo[waiting, 0]
        class_weight[node] = todo_weight[waiting]
        work[0] = todo_weight[waiting]
        if is_leaf(work[0], depth, max_depth):
            continue
        known = todo[waiting, 5]
        child = np.int64(crown.left[known]) if known >= 0 else -1
        if child >= 0:
            feature[node] = crown.feature[known]
            bounds[0, node] = crown.low[known]
            bounds[1, node] = crown.high[known]
            missing_left[node] = crown.missing_left[known]
            for k in range(2):
                on = child + 1 - k
                todo_weight[waiting + k] = crown.class_weight[on]
                todo[waiting + k] = np.array(
                    [crown.start[on], crown.end[on], node, 1 - k, depth + 1, on]
                )
            waiting += 2
            continue
        present = np.flatnonzero(work[0])
        if present.shape[0] == 2:
            if n_classes > 2:
                _sign(rows, flat[lo:hi], present[0])
            pair[0] = work[0][present]
            best, cut, missing_from = _best_split(rows, lo, hi, missing, pair)
        else:
            work[1] = work[0] / work[0].sum()
            best, cut, missing_from = _best_split(rows, lo, hi, missing, work)
        if best < 0:
            continue
        base = np.uint64(best) * np.uint64(n)
        left = todo_weight[waiting + 1]
        left[:] = 0.0
        for i in range(base + lo, base + hi):
            row = flat[i]
            goes = i <= base + cut or i >= base + missing_from
            goes_left[row] = goes
            if goes:
                left[labels[row]] += weight[row]
        right = todo_weight[waiting]
        right[:] = work[0] - left
        feature[node] = best
        bounds[0, node] = codes[best, flat[base + cut]]
        bounds[1, node] = codes[best, flat[base + cut + ONE]]
        saw_missing = codes[best, flat[base + hi - ONE]] == missing[best]
        missing_left[node] = missing_from < hi if saw_missing else left.sum() >= right.sum()
        middle = np.int64(cut) + 1 + np.int64(hi) - np.int64(missing_from)
        leaves = is_leaf(left, depth + 1, max_depth) and is_leaf(right, depth + 1, max_depth)
        if not leaves:
            partition(flat, n_features, lo, hi, goes_left, spill)
        todo[waiting] = np.array([middle, np.int64(hi), node, 1, depth + 1, -1])
        todo[waiting + 1] = np.array([np.int64(lo), middle, node, 0, depth + 1, -1])
        waiting += 2
    end = node + 1
    return (
        children[0, :end].copy(),
        children[1, :end].copy(),
        feature[:end].copy(),
        bounds[0, :end].copy(),
        bounds[1, :end].copy(),
        missing_left[:end].copy(),
        n_rows[:end].copy(),
        class_weight[:end].copy(),
    )
