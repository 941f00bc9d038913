"""Resampling weighted pruning (Algorithm 2): grow on all rows, prune by the error on folds.

Three pure steps over plain arrays: ``grow_full``, ``fold_curve`` for each fold (``grow_part`` is
either, to be run as tasks), ``choose_step``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from whybox.trees.grow import grow_sorted
from whybox.trees.prune import prune_sequence, weighted_errors
from whybox.trees.sorted_rows import SortedRows
from whybox.trees.tree import Array, Tree

__all__ = ["MATCHES", "FoldCurve", "GrownTree", "PruningRules", "TrainingSet"]
__all__ += ["FULL", "choose_step", "fold_curve", "grow_full", "grow_part"]

MATCHES = ("leaves", "alpha")
FULL = -1
"""The part of a round that is the tree on all rows; the others are its folds."""


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """What the trees of all rounds are grown on.

    Parameters
    ----------
    X : float32 or float64 (rows, features)
    rows : SortedRows
        Of X.
    labels : int64 (rows,)
    n_classes : int

    Examples
    --------
    >>> data = TrainingSet.of(np.array([[0.0], [1.0]]), np.array([0, 1]), 2)
    >>> data.rows.order.tolist()
    [[0, 1]]
    """

    X: Array
    rows: SortedRows
    labels: Array
    n_classes: int

    @classmethod
    def of(cls, X: Array, labels: Array, n_classes: int) -> TrainingSet:
        """Sort the rows of a checked matrix."""
        return cls(X, SortedRows.of(X), labels, n_classes)


@dataclass(frozen=True)
class PruningRules:
    """How trees are grown, pruned and matched over folds.

    Parameters
    ----------
    cost : {"cart", "gini_sum"}, default="cart"
        See ``whybox.trees.prune_sequence``.
    match : {"leaves", "alpha"}, default="leaves"
        Which subtree of a fold's tree stands for one of the full tree's: the largest with at most
        as many leaves, or the one that is best at the geometric mean of the interval of alphas.
    window : (float, float) or None, default=(0.1, 0.9)
        Candidates have that share of m leaves, m being one less than the leaves of the smallest
        fold tree. This keeps the error off zero, so that boosting goes on. None takes all
        subtrees with a positive alpha, as Eq. (7) says.
    max_depth : int, optional

    Examples
    --------
    >>> PruningRules().window
    (0.1, 0.9)
    """

    cost: str = "cart"
    match: str = "leaves"
    window: tuple[float, float] | None = (0.1, 0.9)
    max_depth: int | None = None


@dataclass(frozen=True, eq=False)
class GrownTree:
    """A full tree with its sequence of subtrees (see ``whybox.trees.prune_sequence``).

    Examples
    --------
    >>> from whybox.trees import grow_tree
    >>> tree = grow_tree(np.array([[0.0], [1.0]]), np.array([0, 1]), None, 2)
    >>> GrownTree(tree, *prune_sequence(tree)).n_leaves.tolist()
    [2, 1]
    """

    tree: Tree
    steps: Array
    alphas: Array
    n_leaves: Array


@dataclass(frozen=True, eq=False)
class FoldCurve:
    """The error on a fold of each subtree of the tree grown on the other folds (Eq. 5).

    Examples
    --------
    >>> curve = FoldCurve(np.array([0.0, 0.5]), np.array([2, 1]), np.array([0.0, 0.25]))
    >>> curve.errors[curve.n_leaves == 1]
    array([0.25])
    """

    alphas: Array
    n_leaves: Array
    errors: Array


def grow_full(data: TrainingSet, weight: Array, rules: PruningRules) -> GrownTree:
    """Grow T_max on all rows and form its sequence of subtrees.

    Parameters
    ----------
    data : TrainingSet
    weight : float64 (rows,)
        On the grid, all positive.
    rules : PruningRules

    Returns
    -------
    GrownTree

    Examples
    --------
    >>> data = TrainingSet.of(np.array([[0.0], [1.0]]), np.array([0, 1]), 2)
    >>> grow_full(data, np.array([0.5, 0.25]), PruningRules()).n_leaves.tolist()
    [2, 1]
    """
    tree = grow_sorted(data.rows, data.labels, weight, data.n_classes, max_depth=rules.max_depth)
    return GrownTree(tree, *prune_sequence(tree, rules.cost))


def fold_curve(data: TrainingSet, weight: Array, held_out: Array, rules: PruningRules) -> FoldCurve:
    """Grow on the rows outside a fold, and weigh the errors of all subtrees on the fold.

    Parameters
    ----------
    data : TrainingSet
    weight : float64 (rows,)
        On the grid, all positive.
    held_out : bool (rows,)
        The fold.
    rules : PruningRules

    Returns
    -------
    FoldCurve

    Examples
    --------
    >>> data = TrainingSet.of(np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 1]), 2)
    >>> weight, fold = np.array([0.25, 0.25, 0.25]), np.array([False, False, True])
    >>> fold_curve(data, weight, fold, PruningRules()).errors.tolist()
    [0.0, 1.0]
    """
    tree = grow_sorted(
        data.rows.keep(~held_out), data.labels, weight, data.n_classes, max_depth=rules.max_depth
    )
    steps, alphas, n_leaves = prune_sequence(tree, rules.cost)
    fold = np.flatnonzero(held_out)
    errors = weighted_errors(tree, steps, data.X[fold], data.labels[fold], weight[fold])
    return FoldCurve(alphas, n_leaves, errors)


def grow_part(
    data: TrainingSet, part: int, *, weight: Array, folds: Array, rules: PruningRules
) -> GrownTree | FoldCurve:
    """Do one of the independent parts of a round.

    Parameters
    ----------
    data : TrainingSet
    part : int
        ``FULL``, or the fold to leave out.
    weight : float64 (rows,)
        On the grid, all positive.
    folds : int64 (rows,)
        The fold of each row.
    rules : PruningRules

    Returns
    -------
    GrownTree or FoldCurve

    Examples
    --------
    >>> data = TrainingSet.of(np.array([[0.0], [1.0]]), np.array([0, 1]), 2)
    >>> rest = {"weight": np.full(2, 0.5), "folds": np.array([0, 1]), "rules": PruningRules()}
    >>> [type(grow_part(data, part, **rest)).__name__ for part in (FULL, 0, 1)]
    ['GrownTree', 'FoldCurve', 'FoldCurve']
    """
    if part == FULL:
        return grow_full(data, weight, rules)
    return fold_curve(data, weight, folds == part, rules)


def choose_step(grown: GrownTree, curves: list[FoldCurve], rules: PruningRules) -> int:
    """Choose the subtree of the full tree with the least mean error on the folds (Eqs. 6, 7).

    Parameters
    ----------
    grown : GrownTree
    curves : list of FoldCurve
        None at all (a single distinct row) keeps the full tree.
    rules : PruningRules

    Returns
    -------
    int
        The step of the sequence. The larger tree wins a tie. If the window holds no subtree, all
        pruned ones with 2 leaves or more are candidates; if there are none, the full tree is.

    Examples
    --------
    >>> alphas, leaves = np.array([0.0, 0.1, 0.2]), np.array([4, 2, 1])
    >>> curve = FoldCurve(alphas, leaves, np.array([0.2, 0.1, 0.5]))
    >>> choose_step(GrownTree(None, None, alphas, leaves), [curve], PruningRules())
    1
    """
    candidates = _candidates(grown, curves, rules)
    if not len(candidates):
        return 0
    errors = np.zeros(len(candidates))
    for curve in curves:
        errors += curve.errors[_matching(grown, candidates, curve, rules.match)]
    return int(candidates[errors.argmin()])


def _candidates(grown: GrownTree, curves: list[FoldCurve], rules: PruningRules) -> Array:
    """Steps to choose from, ascending, hence the larger trees first."""
    if not curves:
        return np.empty(0, np.int64)
    if rules.window is None:
        return np.flatnonzero(grown.alphas > 0)
    most = min(int(curve.n_leaves[0]) for curve in curves) - 1
    low, high = rules.window
    inside = (grown.n_leaves >= low * most) & (grown.n_leaves <= high * most)
    inside[0] = False
    if not inside.any():
        inside = grown.n_leaves >= 2
        inside[0] = False
    return np.flatnonzero(inside)


def _matching(grown: GrownTree, candidates: Array, curve: FoldCurve, match: str) -> Array:
    """Give the step of a fold's sequence that stands for each candidate."""
    if match == "leaves":
        return np.searchsorted(-curve.n_leaves, -grown.n_leaves[candidates])
    ends = np.append(grown.alphas[1:], grown.alphas[-1])
    middles = np.sqrt(grown.alphas[candidates] * ends[candidates])
    middles[candidates == len(ends) - 1] = np.inf  # the root is best from its alpha on
    return np.asarray(np.searchsorted(curve.alphas, middles, side="right") - 1)
