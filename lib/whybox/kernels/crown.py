"""The large nodes of a tree whose features have few distinct values, split by histograms.

A histogram holds the weight of each class at each value of each feature. It is built for the
smaller child only: the larger one's is the parent's less that, exact as all sums of weights on
the grid are. No list of rows is kept sorted meanwhile; ``segments`` sorts the rows of the nodes
that are left over, and ``whybox.kernels.grow`` goes on from there.

Bins of several neighbouring values could bound the cuts within and so serve features of many
values too; measured, that saved 15 % of the time at twice the code, and is not done.
"""

from typing import NamedTuple

import numpy as np

from whybox.kernels import kernel
from whybox.kernels.gini import SLACK, cut_score, is_leaf

__all__ = ["Crown", "Ranks", "grow_crown", "segments"]

ROUNDING = 1e-13  # of the squared weight: more than a spread computed afresh is off


class Ranks(NamedTuple):
    """A matrix by the ranks of its values, row by row and feature by feature.

    Examples
    --------
    >>> Ranks(*(np.zeros(1) for _ in range(5)))._fields
    ('order', 'codes', 'missing', 'bins', 'first')
    """

    order: np.ndarray  # uint32 (features, n), rows to grow on by ascending value, missing ones last
    codes: np.ndarray  # int32 (features, rows), ranks among the distinct values
    missing: np.ndarray  # int32 (features,), the code of a missing value, -1 if there is none
    bins: np.ndarray  # uint8 (rows, features), the codes again
    first: np.ndarray  # int64 (features + 1,), where a feature's values begin in a histogram


class Crown(NamedTuple):
    """The top of a tree, one entry a node, the root first; its leaves may be split further.

    Examples
    --------
    >>> Crown(*(np.zeros(1) for _ in range(9)))._fields[:4]
    ('left', 'feature', 'low', 'high')
    """

    left: np.ndarray  # int32, the left child, the right one follows it; -1 at a leaf
    feature: np.ndarray  # int32
    low: np.ndarray  # int32, code of the largest value that goes left
    high: np.ndarray  # int32, code of the least value that goes right
    missing_left: np.ndarray  # bool
    start: np.ndarray  # int64, where the node's rows begin
    end: np.ndarray  # int64
    class_weight: np.ndarray  # float64 (nodes, classes)
    leaf: np.ndarray  # int32 (rows,), the leaf of each row grown on


@kernel
def _add(histogram, bins, first, rows, labels, weight, sign):
    """Add the weights of rows by value and class, or take them away."""
    n_classes = np.uint64(histogram.shape[1])
    n_features = np.uint64(bins.shape[1])
    cells = histogram.reshape(histogram.size)
    values = bins.reshape(bins.size)
    for i in range(rows.shape[0]):
        row = np.uint64(rows[i])
        x = sign * weight[row]
        label = np.uint64(labels[row])
        at = row * n_features
        for v in range(n_features):
            value = np.uint64(first[v]) + np.uint64(values[at + v])
            cells[value * n_classes + label] += x


@kernel
def _limit(best, totals, whole):
    """Least gain to T (W (T - W)) that can equal a score; what rounding hides passes."""
    parent = 0.0
    for c in range(totals.shape[0]):
        parent += totals[c] * totals[c]
    gain = best - parent / whole - SLACK * whole
    return gain / whole if gain > 0 else -1.0


@kernel
def _scan(cells, start, end, work, best):
    """Best cut after one of the values [start, end) of a feature: (score, that value or end).

    A cut's gain is T sum_c (left_c - share_c W)^2 / (W (T - W)) / T, hence one that cannot win is
    told without a division. Values that no row has, and a cut after the last, do not count.
    """
    totals, share, left = work[0], work[1], work[2]
    n_classes = np.uint64(totals.shape[0])
    whole = totals.sum()
    weight = left.sum()
    shares = 0.0
    for c in range(n_classes):
        shares += share[c] * share[c]
    at = end
    limit = _limit(best, totals, whole)
    cell = start * n_classes
    for value in range(start, end):
        here = 0.0
        for c in range(n_classes):
            here += cells[cell + c]
        if here == 0:
            cell += n_classes
            continue
        squares = 0.0
        along = 0.0
        for c in range(n_classes):
            x = left[c] + cells[cell + c]
            left[c] = x
            squares += x * x
            along += share[c] * x
        cell += n_classes
        weight += here
        spread = squares - 2.0 * weight * along + weight * weight * shares
        if spread + ROUNDING * weight * weight >= limit * (weight * (whole - weight)):
            if weight < whole:
                score = cut_score(left, totals, weight, whole)
                if score > best:
                    best = score
                    at = value
                    limit = _limit(best, totals, whole)
    return best, at


@kernel
def _best_cut(histogram, first, missing, work):
    """Best split of a node: (feature or -1, largest code that goes left, missing goes left).

    Features and cuts come in the order of ``grow``, so that the same one wins a tie.
    """
    cells = histogram.reshape(histogram.size)
    best = -1.0
    feature = -1
    code = np.int64(-1)
    missing_left = False
    for v in range(missing.shape[0]):
        start = np.uint64(first[v])
        end = np.uint64(first[v + 1] - (missing[v] >= 0))
        work[2, :] = 0.0
        score, at = _scan(cells, start, end, work, best)
        if score > best:
            best, feature, code, missing_left = score, v, np.int64(at - start), False
        if missing[v] < 0 or histogram[end].sum() == 0:
            continue
        work[2] = histogram[end]
        score, at = _scan(cells, start, end, work, best)
        if score > best:
            best, feature, code, missing_left = score, v, np.int64(at - start), True
    return feature, code, missing_left


@kernel
def _divide(rows, codes, missing, code, missing_left, spill):
    """Bring the rows of at most a code to the front; give their number and what is beyond.

    That is the least code on the right, and whether a value was missing.
    """
    front = np.int64(0)
    spilt = np.int64(0)
    high = np.int32(2**31 - 1)
    saw_missing = False
    for i in range(rows.shape[0]):
        row = rows[i]
        here = codes[row]
        left = here <= code
        if here == missing:
            saw_missing = True
            left = missing_left
        if not left:
            high = min(high, here)
        rows[front] = row
        spill[spilt] = row
        front += np.int64(left)
        spilt += 1 - np.int64(left)
    for i in range(spilt):
        rows[front + i] = spill[i]
    return front, high, saw_missing


@kernel
def grow_crown(ranks, labels, weight, n_classes, max_depth, least):
    """Split the nodes of at least so many rows.

    Parameters
    ----------
    ranks : Ranks
    labels : int64 (rows,)
    weight : float64 (rows,)
        As ``whybox.kernels.grow.grow`` takes it.
    n_classes : int
    max_depth : int
        -1 for no limit.
    least : int
        Rows a node must have to be split here, 2 or more. More than n: the crown is the root
        alone, and ``bins`` and ``first`` are not read.

    Returns
    -------
    Crown

    Examples
    --------
    >>> order, codes = np.array([[0, 1, 2]], np.uint32), np.array([[0, 1, 1]], np.int32)
    >>> bins, missing = codes.T.astype(np.uint8), np.array([-1], np.int32)
    >>> ranks = Ranks(order, codes, missing, bins, np.array([0, 2]))
    >>> crown = grow_crown(ranks, np.array([0, 1, 1]), np.ones(3), 2, -1, 2)
    >>> crown.left.tolist(), crown.low.tolist(), crown.start.tolist(), crown.end.tolist()
    ([1, -1, -1], [0, -1, -1], [0, 0, 1], [3, 1, 3])
    """
    order, codes, missing, bins, first = ranks
    n = order.shape[1]
    most = 2 * n + 1 if n >= least else 1
    left = np.full(most, -1, np.int32)
    feature = np.full(most, -2, np.int32)
    sides = np.full((2, most), -1, np.int32)
    missing_left = np.zeros(most, np.bool_)
    extent = np.zeros((2, most), np.int64)
    class_weight = np.zeros((most, n_classes))
    leaf = np.zeros(labels.shape[0], np.int32)
    rows = order[0].copy()
    for i in range(n):
        class_weight[0, labels[rows[i]]] += weight[rows[i]]
    extent[1, 0] = n
    end = 1
    waiting = 0
    deepest = 2 + np.int64(np.log2(n / least)) if n >= least else 0  # the smaller child is first
    pool = np.empty((deepest, first[-1] if deepest else 0, n_classes))
    todo = np.empty((deepest, 2), np.int64)  # node and depth; the pool holds its histogram
    spill = np.empty(n, np.uint32)
    work = np.zeros((3, n_classes))  # the node's totals and shares, what is left of a cut
    if n >= least and not is_leaf(class_weight[0], 0, max_depth):
        pool[0] = 0.0
        _add(pool[0], bins, first, rows, labels, weight, 1.0)
        todo[0] = 0
        waiting = 1
    while waiting > 0:
        waiting -= 1
        node = todo[waiting, 0]
        depth = todo[waiting, 1] + 1
        work[0] = class_weight[node]
        work[1] = work[0] / work[0].sum()
        v, code, to_left = _best_cut(pool[waiting], first, missing, work)
        if v < 0:
            continue
        lo, hi = extent[0, node], extent[1, node]
        here = rows[lo:hi]
        n_left, high, saw_missing = _divide(here, codes[v], missing[v], code, to_left, spill)
        middle = lo + n_left
        small = end if middle - lo <= hi - middle else end + 1
        large = 2 * end + 1 - small
        extent[0, end], extent[1, end] = lo, middle
        extent[0, end + 1], extent[1, end + 1] = middle, hi
        leaf[rows[lo:middle]] = end
        leaf[rows[middle:hi]] = end + 1
        few = rows[extent[0, small] : extent[1, small]]
        for i in range(few.shape[0]):
            class_weight[small, labels[few[i]]] += weight[few[i]]
        class_weight[large] = work[0] - class_weight[small]
        left[node] = end
        feature[node] = v
        sides[0, node], sides[1, node] = code, high
        heavier = class_weight[end].sum() >= class_weight[end + 1].sum()
        missing_left[node] = to_left if saw_missing else heavier
        end += 2
        large_grows = hi - lo - few.shape[0] >= least
        large_grows = large_grows and not is_leaf(class_weight[large], depth, max_depth)
        small_grows = few.shape[0] >= least
        small_grows = small_grows and not is_leaf(class_weight[small], depth, max_depth)
        if small_grows:
            below = pool[waiting + 1] if large_grows else pool[waiting]
            below[:] = 0.0
            _add(below, bins, first, few, labels, weight, 1.0)
        if large_grows:
            if small_grows:
                pool[waiting] -= pool[waiting + 1]
            else:
                _add(pool[waiting], bins, first, few, labels, weight, -1.0)
            todo[waiting, 0], todo[waiting, 1] = large, depth
            waiting += 1
        if small_grows:
            todo[waiting, 0], todo[waiting, 1] = small, depth
            waiting += 1
    return Crown(
        left[:end].copy(),
        feature[:end].copy(),
        sides[0, :end].copy(),
        sides[1, :end].copy(),
        missing_left[:end].copy(),
        extent[0, :end].copy(),
        extent[1, :end].copy(),
        class_weight[:end].copy(),
        leaf,
    )


@kernel
def segments(order, crown):
    """Sort the rows of each leaf of a crown by every feature.

    Parameters
    ----------
    order : uint32 (features, n)
        Row ids by ascending value.
    crown : Crown
        Grown on these rows.

    Returns
    -------
    uint32 (features, n)
        The rows of each leaf from its ``start`` to its ``end``, by ascending value.

    Examples
    --------
    >>> crown = Crown(*[np.array(a) for a in ([1, -1, -1], [0, -2, -2], [1, -1, -1], [2, -1, -1],
    ...     [True, False, False], [0, 0, 2], [3, 2, 3], [[2.0, 1.0], [2.0, 0.0], [0.0, 1.0]],
    ...     [2, 1, 1])])
    >>> segments(np.array([[0, 1, 2], [2, 0, 1]], np.uint32), crown).tolist()
    [[1, 2, 0], [2, 1, 0]]
    """
    out = order.copy()
    if crown.left[0] < 0:
        return out
    for v in range(order.shape[0]):
        at = crown.start.copy()
        for i in range(order.shape[1]):
            row = order[v, i]
            node = crown.leaf[row]
            out[v, at[node]] = row
            at[node] += 1
    return out
