"""Growing a tree to pure leaves by exact weighted-Gini splits."""

from __future__ import annotations

import numpy as np

from whybox.errors import InputError
from whybox.trees.sorted_rows import SortedRows, as_matrix
from whybox.trees.tree import NO_FEATURE, NO_THRESHOLD, Array, Tree
from whybox.trees.weights import as_weights, on_grid, relative

__all__ = ["as_labels", "grow_sorted", "grow_tree"]

CROWN_ROWS = 256
"""Nodes of so many rows are split by histograms; half or twice as many make little difference."""


def grow_tree(
    X: object,
    y: object,
    sample_weight: object,
    n_classes: int,
    *,
    max_depth: int | None = None,
) -> Tree:
    """Grow a classification tree until every leaf is pure.

    Splits minimise the weighted Gini impurity over all midpoints of all features; the best is
    strictly better than those before it, so the lowest feature and cut win a tie. A missing
    value (NaN) goes to the side that gave the purer split, both being tried at every cut (right
    first); at a node that saw none, to the heavier child, the left on a tie. Missing values
    alone on a side are cut off at the type's largest number. Rows of zero weight shape nothing
    but count in ``n_node_samples``. Weights matter up to a constant factor, and a weight of 3
    is exactly three copies of a row.

    Parameters
    ----------
    X : array-like (rows, features)
        float32 and float64 are compared in their own type, all else as float64.
    y : int array-like (rows,)
        Class indices from 0 to n_classes - 1.
    sample_weight : array-like (rows,) or None
        0 or more; None for ones.
    n_classes : int
    max_depth : int, optional
        Depth at which to stop, default none.

    Returns
    -------
    Tree
        With ``unweighted_share`` equal to ``value``: there is no boosting here.

    Raises
    ------
    InputError
        If an argument is malformed; the message names it.

    References
    ----------
    Tong et al., "Cost-sensitive Boosting Pruning Trees for depression detection on Twitter",
    Algorithm 2, line 4.

    Examples
    --------
    >>> tree = grow_tree(np.array([[0.0], [2.0], [np.nan]]), [0, 1, 0], None, 2)
    >>> tree.threshold.tolist(), tree.missing_go_left.tolist()
    ([1.0, -2.0, -2.0], [True, False, False])
    """
    from whybox.trees.predict import land, recount

    matrix = as_matrix(X)
    labels = as_labels(y, len(matrix), n_classes)
    weight = as_weights(sample_weight, len(matrix))
    if max_depth is not None and max_depth < 0:
        raise InputError(f"max_depth is {max_depth}, expected 0 or more, or None")
    scaled = on_grid(relative(weight))
    rows = SortedRows.of(matrix).keep(scaled > 0)
    tree = grow_sorted(rows, labels, scaled, n_classes, max_depth=max_depth)
    factor = weight.sum() / scaled.sum()
    return recount(tree, land(tree, matrix), labels, scaled, weight_factor=float(factor))


def grow_sorted(
    rows: SortedRows,
    labels: Array,
    weight: Array,
    n_classes: int,
    *,
    max_depth: int | None = None,
    crown_rows: int = CROWN_ROWS,
) -> Tree:
    """Grow a tree on rows sorted beforehand, as ``grow_tree`` does, checking nothing.

    Parameters
    ----------
    rows : SortedRows
        Only rows of positive weight.
    labels : int64 (rows,)
    weight : float64 (rows,)
        On the grid (``on_grid``).
    n_classes : int
    max_depth : int, optional
    crown_rows : int, default=256
        Rows, 2 or more, from which on a node is split by histograms if no feature has more than
        256 distinct values. The tree is the same for any number.

    Returns
    -------
    Tree
        Counts and shares are those of the rows grown on.

    Examples
    --------
    >>> rows = SortedRows.of(np.array([[0.0], [1.0]]))
    >>> grow_sorted(rows, np.array([0, 1]), np.array([0.5, 0.5]), 2).threshold[0]
    np.float64(0.5)
    """
    from whybox.kernels.crown import Ranks, grow_crown, segments
    from whybox.kernels.grow import grow

    depth = -1 if max_depth is None else max_depth
    bins = np.empty((0, 0), np.uint8) if rows.bins is None else rows.bins
    codes = rows.codes if rows.bins is None else rows.bins.T
    ranks = Ranks(rows.order, rows.codes, rows.missing, bins, rows.first_bin)
    least = rows.order.shape[1] + 1 if rows.bins is None else crown_rows
    crown = grow_crown(ranks, labels, weight, n_classes, depth, least)
    left, right, feature, low, high, missing_left, n_rows, class_weight = grow(
        segments(rows.order, crown), codes, rows.missing, labels, weight, crown, depth
    )
    threshold = np.full(len(left), NO_THRESHOLD)
    inner = feature != NO_FEATURE
    threshold[inner] = rows.thresholds(feature[inner], low[inner], high[inner])
    node_weight = class_weight.sum(axis=1)
    value = class_weight / node_weight[:, None]
    return Tree(
        left, right, feature, threshold, missing_left & inner, n_rows, node_weight, value, value
    )


def as_labels(y: object, n_rows: int, n_classes: int) -> Array:
    """Check class indices.

    Examples
    --------
    >>> as_labels([1, 0], 2, 2).dtype
    dtype('int64')
    """
    labels = np.asarray(y)
    if labels.shape != (n_rows,) or labels.dtype.kind not in "iu":
        raise InputError(
            f"y has shape {labels.shape} and type {labels.dtype}, expected ({n_rows},) integers",
            remedy="give one class index a row",
        )
    if labels.min() < 0 or labels.max() >= n_classes:
        raise InputError(
            f"y holds class indices from {labels.min()} to {labels.max()}, "
            f"expected 0 to {n_classes - 1}"
        )
    return labels.astype(np.int64)
