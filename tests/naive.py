"""Slow twins of the kernels: the definitions, written to be read."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np


@dataclass
class Node:
    """A node of a plain tree."""

    rows: list[int]
    totals: np.ndarray
    feature: int = -2
    threshold: float = -2.0
    missing_left: bool = False
    children: list[Node] = field(default_factory=list)

    def preorder(self):
        yield self
        for child in self.children:
            yield from child.preorder()


def goes_left(x, threshold, missing_left):
    return missing_left if np.isnan(x) else x <= threshold


def gini(totals):
    return 1.0 - sum((t / totals.sum()) ** 2 for t in totals)


def purity(left, totals):
    """Sum over the two sides of the squared class weights over the side's weight."""
    right = totals - left
    a = b = 0.0
    for c in range(len(totals)):
        a += left[c] * left[c]
        b += right[c] * right[c]
    return a / left.sum() + b / right.sum()


def class_totals(rows, y, w, n_classes):
    totals = np.zeros(n_classes)
    for i in rows:
        totals[y[i]] += w[i]
    return totals


def cut_between(low, high, dtype):
    middle = float(low) / 2 + float(high) / 2
    return middle if dtype.type(middle) < high and low <= middle < high else float(low)


def splits(column, rows):
    """All (rows to the left, threshold, missing_left), in the order in which ties are won."""
    dtype = column.dtype
    known = sorted({column[i] for i in rows if not np.isnan(column[i])})
    missing = [i for i in rows if np.isnan(column[i])]
    pairs = list(pairwise(known))
    for low, high in pairs:
        yield [i for i in rows if column[i] <= low], cut_between(low, high, dtype), False
    if missing and known:
        yield [i for i in rows if i not in missing], float(np.finfo(dtype).max), False
        for low, high in pairs:
            left = [i for i in rows if column[i] <= low or i in missing]
            yield left, cut_between(low, high, dtype), True


def grow(X, y, w, n_classes, max_depth=None):
    """Grow on rows of positive weight; every candidate split is scored from its list of rows."""

    def build(rows, depth):
        node = Node(rows, class_totals(rows, y, w, n_classes))
        if gini(node.totals) < 1e-12 or depth == max_depth:
            return node
        best, chosen = -1.0, None
        for feature in range(X.shape[1]):
            for left, threshold, missing_left in splits(X[:, feature], rows):
                sums = class_totals(left, y, w, n_classes)
                score = purity(sums, node.totals)
                if score > best:
                    best, chosen = score, (feature, threshold, missing_left, left, sums)
        if chosen is None:
            return node
        node.feature, node.threshold, node.missing_left, left, sums = chosen
        if not any(np.isnan(X[i, node.feature]) for i in rows):
            node.missing_left = bool(sums.sum() >= (node.totals - sums).sum())
        right = [i for i in rows if i not in set(left)]
        node.children = [build(left, depth + 1), build(right, depth + 1)]
        return node

    return build([i for i in range(len(y)) if w[i] > 0], 0)


def land(tree, X):
    """Walk each row down a whybox Tree."""
    landed = []
    for row in X:
        t = 0
        while tree.children_left[t] >= 0:
            left = goes_left(row[tree.feature[t]], tree.threshold[t], tree.missing_go_left[t])
            t = (tree.children_left if left else tree.children_right)[t]
        landed.append(int(t))
    return landed


def weakest_links(left, right, cost):
    """Collapse the weakest link until the root is left; all links are computed anew each time."""
    n = len(left)
    steps = [0 if left[t] < 0 else n + 5 for t in range(n)]
    alphas, sizes = [0.0], [sum(left[t] < 0 for t in range(n))]
    collapsed = set()

    def branch(t):
        """(cost, leaves) of what hangs at t."""
        if left[t] < 0 or t in collapsed:
            return cost[t], 1
        (a, m), (b, k) = branch(left[t]), branch(right[t])
        return a + b, m + k

    def inner(t):
        if left[t] < 0 or t in collapsed:
            return []
        return [t, *inner(left[t]), *inner(right[t])]

    while inner(0):
        links = [((cost[t] - branch(t)[0]) / (branch(t)[1] - 1), t) for t in inner(0)]
        link, weakest = min(links)
        collapsed.add(weakest)
        steps[weakest] = len(alphas)
        alphas.append(max(alphas[-1], link))
        sizes.append(branch(0)[1])
    return steps, alphas, sizes


def prediction_at(tree, steps, now, row):
    """The class that the subtree at a step gives a row."""
    t = 0
    while tree.children_left[t] >= 0 and steps[t] > now:
        left = goes_left(row[tree.feature[t]], tree.threshold[t], tree.missing_go_left[t])
        t = (tree.children_left if left else tree.children_right)[t]
    return int(np.argmax(tree.value[t]))


def subtree_errors(tree, steps, n_steps, X, y, w):
    """Judge every subtree by predicting every row with it."""
    errors = []
    for now in range(n_steps):
        wrong = [
            prediction_at(tree, steps, now, row) != label for row, label in zip(X, y, strict=True)
        ]
        errors.append(sum(w[i] for i in range(len(y)) if wrong[i]) / sum(w))
    return errors


@dataclass
class PlainSequence:
    """A plain tree with its subtrees, each told by the set of collapsed nodes' row lists."""

    nodes: list[Node]
    left: list[int]
    right: list[int]
    steps: list[int]
    sizes: list[int]

    @classmethod
    def of(cls, root):
        nodes = list(root.preorder())
        number = {id(node): t for t, node in enumerate(nodes)}
        left = [number[id(n.children[0])] if n.children else -1 for n in nodes]
        right = [number[id(n.children[1])] if n.children else -1 for n in nodes]
        cost = [n.totals.sum() / root.totals.sum() * gini(n.totals) for n in nodes]
        steps, _, sizes = weakest_links(left, right, cost)
        return cls(nodes, left, right, steps, sizes)

    def landing(self, row, now):
        """(node, its depth) of a row in the subtree at a step."""
        t, depth = 0, 0
        while self.left[t] >= 0 and self.steps[t] > now:
            node = self.nodes[t]
            left = goes_left(row[node.feature], node.threshold, node.missing_left)
            t, depth = (self.left if left else self.right)[t], depth + 1
        return t, depth

    def wrong(self, X, y, rows, now):
        places = {i: self.landing(X[i], now)[0] for i in rows}
        return [i for i in rows if np.argmax(self.nodes[places[i]].totals) != y[i]]


def pruned_round(X, y, w, folds, n_classes):
    """One round of CBPT with its defaults, all rows of sample weight 1: (result, new factors).

    The result is (eps, theta, leaves); the factors multiply the rows' weights.
    """
    everyone = range(len(y))
    full = PlainSequence.of(grow(X, y, w, n_classes))
    curves = []
    for s in sorted(set(folds)):
        fold = [i for i in everyone if folds[i] == s]
        weights = np.array([0.0 if folds[i] == s else w[i] for i in everyone])
        part = PlainSequence.of(grow(X, y, weights, n_classes))
        errors = [
            sum(w[i] for i in part.wrong(X, y, fold, now)) / sum(w[i] for i in fold)
            for now in range(len(part.sizes))
        ]
        curves.append((part.sizes, errors))
    most = min(sizes[0] for sizes, _ in curves) - 1
    pruned = range(1, len(full.sizes))
    options = [j for j in pruned if 0.1 * most <= full.sizes[j] <= 0.9 * most]
    options = options or [j for j in pruned if full.sizes[j] >= 2]
    means = {}
    for j in options:
        matching = [
            errors[min(k for k in range(len(sizes)) if sizes[k] <= full.sizes[j])]
            for sizes, errors in curves
        ]
        means[j] = sum(matching)
    now = min(options, key=lambda j: (means[j], j)) if options else 0
    wrong = set(full.wrong(X, y, everyone, now))
    eps = sum(w[i] for i in wrong) / w.sum()
    if not 0 < eps < 1 - 1 / n_classes:
        return (eps, None, full.sizes[now]), None
    theta = 0.5 * (math.log((1 - eps) / eps) + math.log(n_classes - 1))
    landings = [full.landing(X[i], now) for i in everyone]
    factors = [math.exp(theta) * p for p in penalty_products(landings, y, n_classes)]
    return (eps, theta, full.sizes[now]), [factors[i] if i in wrong else 1.0 for i in everyone]


def penalty_products(landings, y, n_classes):
    """Depth penalty times impurity penalty of each row, from (node, depth) of all rows."""
    n = len(landings)

    def rescaled(values, low, high):
        least, most = min(values), max(values)
        if least == most:
            return [1.0] * n
        return [low + (high - low) * (v - least) / (most - least) for v in values]

    deep = rescaled([depth for _, depth in landings], 1.0, 1.5)
    hard = []
    for node, _ in landings:
        labels = [y[i] for i in range(n) if landings[i][0] == node]
        shares = [labels.count(c) / len(labels) for c in range(n_classes)]
        hard.append((1 - len(labels) / n) * (0.5 - (1 - sum(p * p for p in shares))))
    pure = rescaled(hard, min(deep), max(deep)) if min(deep) < max(deep) else [1.0] * n
    return [a * b for a, b in zip(deep, pure, strict=True)]


def least_squares(left, totals):
    """Sum over the two sides of squared moment over weight; both are (weight, moment)."""
    (weight, moment), (whole, total) = left, totals
    other = total - moment
    return moment * moment / weight + other * other / (whole - weight)


def grow_regression(X, w, m, z, rows, max_depth=None, max_leaves=None):
    """Nodes in the order of their making; of all leaves the one that gains most is split next."""

    def sums(rows):
        return sum(w[i] for i in rows), sum(m[i] for i in rows)

    def made(rows, depth):
        nodes.append(Node(rows, np.array(sums(rows))))
        responses = [z[i] for i in rows]
        if depth == max_depth or max(responses) - min(responses) <= 1e-8:
            return nodes[-1]
        best = -1.0
        for feature in range(X.shape[1]):
            for left, threshold, missing_left in splits(X[:, feature], rows):
                score = least_squares(sums(left), nodes[-1].totals)
                if score > best:
                    best = score
                    found = feature, threshold, missing_left, left, depth
        if best >= 0:
            weight, moment = nodes[-1].totals
            waiting[len(nodes) - 1] = best - moment * moment / weight, found
        return nodes[-1]

    nodes, waiting, n_leaves = [], {}, 1
    made(rows, 0)
    while waiting and n_leaves != max_leaves:
        chosen = max(waiting, key=lambda t: (waiting[t][0], -t))
        node = nodes[chosen]
        node.feature, node.threshold, node.missing_left, left, depth = waiting.pop(chosen)[1]
        right = [i for i in node.rows if i not in set(left)]
        if not any(np.isnan(X[i, node.feature]) for i in node.rows):
            node.missing_left = bool(sums(left)[0] >= sums(right)[0])
        node.children = [made(left, depth + 1), made(right, depth + 1)]
        n_leaves += 1
    return nodes
