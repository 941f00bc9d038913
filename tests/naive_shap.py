"""Slow twins of TreeSHAP: Shapley's definition, subset by subset, on a tree walked by recursion.

Also how tests make trees: from nested tuples, ``(feature, threshold, missing_go_left, low, high)``
for a split and ``(weight of class 0, weight of class 1, ...)`` as a list for a leaf.
"""

from itertools import combinations
from math import factorial

import numpy as np
from hypothesis import strategies as st

from whybox.trees.tree import Tree


def flatten(nested, weight_of_a_row=1.0):
    """Make a Tree; leaf weights over `weight_of_a_row`, rounded up, are its rows."""
    rows = []

    def visit(part):
        node = len(rows)
        rows.append(None)
        if isinstance(part, list):
            weight, count = np.array(part, float), max(1, int(np.ceil(sum(part) / weight_of_a_row)))
            rows[node] = (-1, -1, -2, -2.0, False, count, weight)
            return node
        feature, threshold, missing_go_left, low, high = part
        low, high = visit(low), visit(high)
        count, weight = rows[low][5] + rows[high][5], rows[low][6] + rows[high][6]
        rows[node] = (low, high, feature, threshold, missing_go_left, count, weight)
        return node

    visit(nested)
    left, right, feature, threshold, missing, count, weight = zip(*rows, strict=True)
    weight = np.array(weight)
    share = weight / weight.sum(axis=1, keepdims=True)
    return Tree(
        children_left=np.array(left, np.int32),
        children_right=np.array(right, np.int32),
        feature=np.array(feature, np.int32),
        threshold=np.array(threshold, np.float64),
        missing_go_left=np.array(missing, bool),
        n_node_samples=np.array(count, np.int64),
        weighted_n_node_samples=weight.sum(axis=1),
        value=share,
        unweighted_share=share,
    )


def nested_trees(n_features, n_classes, leaf_weights=None, max_leaves=12):
    """Draw nested trees whose paths may ask a feature again, with either way for the missing."""
    leaf_weights = st.integers(0, 9) if leaf_weights is None else leaf_weights
    leaf = st.lists(leaf_weights, min_size=n_classes, max_size=n_classes).filter(
        lambda counts: sum(counts) > 0
    )
    split = st.tuples(st.integers(0, n_features - 1), st.integers(-2, 2).map(float), st.booleans())
    return st.recursive(
        leaf,
        lambda parts: st.tuples(split, parts, parts).map(lambda drawn: (*drawn[0], *drawn[1:])),
        max_leaves=max_leaves,
    )


def matrices(n_features, max_rows=4):
    """Draw rows of small values, on and between the thresholds, some missing."""
    value = st.one_of(st.integers(-3, 3).map(float), st.just(0.5), st.just(np.nan))
    row = st.lists(value, min_size=n_features, max_size=n_features)
    return st.lists(row, min_size=1, max_size=max_rows).map(np.array)


def goes_left(tree, node, x):
    value = x[tree.feature[node]]
    return tree.missing_go_left[node] if np.isnan(value) else value <= tree.threshold[node]


def expectation(tree, cover, x, known, node=0):
    """Class shares of a row of which only the features in `known` are known."""
    left, right = tree.children_left[node], tree.children_right[node]
    if left < 0:
        return tree.unweighted_share[node]
    if tree.feature[node] in known:
        return expectation(tree, cover, x, known, left if goes_left(tree, node, x) else right)
    parts = [cover[child] * expectation(tree, cover, x, known, child) for child in (left, right)]
    return sum(parts) / (cover[left] + cover[right])


def subsets(features):
    for size in range(len(features) + 1):
        yield from (frozenset(chosen) for chosen in combinations(features, size))


def answers(tree, cover, x):
    return {known: expectation(tree, cover, x, known) for known in subsets(range(len(x)))}


def values(tree, cover, x):
    """Shapley values (features, classes): Supplementary Eq. 1."""
    n, f = len(x), answers(tree, cover, x)
    result = np.zeros((n, tree.unweighted_share.shape[1]))
    for i in range(n):
        for known in subsets([j for j in range(n) if j != i]):
            weight = factorial(len(known)) * factorial(n - len(known) - 1) / factorial(n)
            result[i] += weight * (f[known | {i}] - f[known])
    return result


def interactions(tree, cover, x):
    """Shapley interaction values (features, features, classes), the diagonal what is left."""
    n, f, phi = len(x), answers(tree, cover, x), values(tree, cover, x)
    result = np.zeros((n, n, phi.shape[1]))
    for i, j in combinations(range(n), 2):
        for known in subsets([k for k in range(n) if k not in (i, j)]):
            weight = factorial(len(known)) * factorial(n - len(known) - 2) / factorial(n - 1) / 2
            gain = f[known | {i, j}] - f[known | {i}] - f[known | {j}] + f[known]
            result[i, j] += weight * gain
        result[j, i] = result[i, j]
    for i in range(n):
        result[i, i] = phi[i] - result[i].sum(axis=0)
    return result


def ensemble(function, trees, covers, weights, X):
    """Weighted mean of a twin over trees, for each row."""
    parts = np.asarray(weights) / np.sum(weights)
    return np.array(
        [
            sum(p * function(t, c, x) for p, t, c in zip(parts, trees, covers, strict=True))
            for x in X
        ]
    )
