"""Shapley values and interactions of weighted trees: exact and path-dependent (TreeSHAP).

The model explained is ``sum_k weights_k * share_k(x) / sum_k weights_k``, with each leaf's class
shares before boosting. A tree's answer when only some features are known averages over the
branches of an unknown one, as the training rows went (Tong et al., Supplementary D). The
arithmetic is in `whybox.kernels.shap`; here are the tables it walks with.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from whybox.errors import InputError

if TYPE_CHECKING:
    from whybox.trees.tree import Tree

__all__ = [
    "ensemble_base_values",
    "ensemble_shap_interactions",
    "ensemble_shap_values",
    "node_covers",
]

Floats = NDArray[np.float64]
_CHUNK = 1024  # rows whose interactions are worked on at once: 16 blocks
_TOLERANCE = 1e-12  # by which class shares may miss their mixture through rounding


def ensemble_shap_values(trees: Sequence[Tree], weights: ArrayLike, X: NDArray) -> Floats:
    """Shapley value of each feature for each row and class.

    Parameters
    ----------
    trees : sequence of Tree
        All with the same classes.
    weights : array-like of float (trees,)
        Not negative, with a positive sum; only their ratios matter.
    X : float32 or float64 array (rows, features)
        In the type the trees were grown in; NaN is missing.

    Returns
    -------
    float64 array (rows, features, classes)
        In units of probability: with `ensemble_base_values` they sum to the predicted shares. The
        classes' values sum to zero; of two classes the first is the second's mirror image.

    Raises
    ------
    InputError
        If a tree asks for a feature that X lacks, or the parts do not fit.

    Notes
    -----
    ``ceil(d / 2)`` points of Gauss-Legendre quadrature a tree, where d is the most distinct
    features on a path, are exact. Beside the result, memory holds X twice and one tree's tables.

    Examples
    --------
    >>> from whybox.trees import grow_tree
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 0, 1])
    >>> tree = grow_tree(X, y, np.ones(4), 2)
    >>> ensemble_shap_values([tree], [1.0], X[2:])[:, 0, 1].tolist()
    [-0.25, 0.75]
    """
    from whybox.kernels.shap import add_values

    X_T, n_rows = _columns(X)
    n_outputs = _n_classes(trees)
    out = np.zeros((n_outputs, *X_T.shape))
    for plan in _plans(trees, weights, len(X_T)):
        for output in _computed(n_outputs):
            add_values(X_T, *plan.walk, plan.factors_of(output), plan.deltas, out[output])
    if n_outputs == 2:
        np.negative(out[1], out=out[0])
    return np.ascontiguousarray(out[:, :, :n_rows].transpose(2, 1, 0))


def ensemble_shap_interactions(trees: Sequence[Tree], weights: ArrayLike, X: NDArray) -> Floats:
    """Shapley interaction values of each pair of features for each row and class.

    Parameters
    ----------
    trees, weights, X
        As for `ensemble_shap_values`.

    Returns
    -------
    float64 array (rows, features, features, classes)
        Symmetric in the features; half of a pair's interaction stands on either side of the
        diagonal, which holds what is left: each row of features sums to the Shapley value.

    Raises
    ------
    InputError
        As `ensemble_shap_values`.

    Examples
    --------
    >>> from whybox.trees import grow_tree
    >>> X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 0, 0, 1])
    >>> tree = grow_tree(X, y, np.ones(4), 2)
    >>> ensemble_shap_interactions([tree], [1.0], X[3:])[0, :, :, 1].tolist()
    [[0.25, 0.125], [0.125, 0.25]]
    """
    values = ensemble_shap_values(trees, weights, X)
    n_rows, n_features, n_outputs = values.shape
    result = np.zeros((n_rows, n_features, n_features, n_outputs))
    for start in range(0, n_rows, _CHUNK):
        part = slice(start, start + _CHUNK)
        for output in _computed(n_outputs):
            result[part, ..., output] = _pairs(trees, weights, X[part], output)
    at = np.arange(n_features)
    result[:, at, at] = values - result.sum(axis=2)
    if n_outputs == 2:
        np.negative(result[..., 1], out=result[..., 0])
    return result


def ensemble_base_values(trees: Sequence[Tree], weights: ArrayLike) -> Floats:
    """Mean prediction for each class when no feature is known.

    Parameters
    ----------
    trees : sequence of Tree
    weights : array-like of float (trees,)

    Returns
    -------
    float64 array (classes,)
        The mixture of the roots' class shares: the classes' prevalence in training, by the user's
        sample weights (Tong et al., Supplementary Eq. 3).

    Raises
    ------
    InputError
        If the weights do not fit the trees.

    Examples
    --------
    >>> from whybox.trees import grow_tree
    >>> tree = grow_tree(np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 1]), np.ones(3), 2)
    >>> ensemble_base_values([tree], [2.0]).round(4).tolist()
    [0.3333, 0.6667]
    """
    shares = np.array([tree.unweighted_share[0] for tree in trees], dtype=np.float64)
    return np.asarray(_normalised(weights, len(trees)) @ shares, dtype=np.float64)


def node_covers(tree: Tree) -> Floats:
    """Weight of the training rows at each node, relative to the root's, as its shares imply.

    Parameters
    ----------
    tree : Tree

    Returns
    -------
    float64 array (nodes,)
        Positive; 1 at the root.

    Raises
    ------
    InputError
        If a node holds no rows.

    Notes
    -----
    With equal sample weights these are the counts of rows. Otherwise the counts would not mix
    the leaves' weighted shares into the root's, so a split's ratio is solved from the shares of
    the node and its children (least squares over the classes), and the counts' ratio stands in
    where the children's shares are equal and any ratio fits.

    Examples
    --------
    >>> from whybox.trees import grow_tree
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 1])
    >>> node_covers(grow_tree(X, y, np.array([2.0, 1.0, 1.0]), 2)).tolist()
    [1.0, 0.5, 0.5]
    """
    counts = np.asarray(tree.n_node_samples, dtype=np.float64)
    if counts.min() <= 0:
        raise InputError(
            f"node {int(counts.argmin())} of a tree holds no training rows, expected one or more",
            remedy="explain only trees whose n_node_samples are positive",
        )
    inner = np.flatnonzero(tree.children_left >= 0)
    left, right = tree.children_left[inner], tree.children_right[inner]
    by_count = counts[left] / (counts[left] + counts[right])
    ratio = _left_ratio(tree.unweighted_share, inner, left, right, by_count)
    cover = np.ones(len(counts))
    for node, low, high, part in zip(inner, left, right, ratio, strict=True):  # parents come first
        cover[low], cover[high] = cover[node] * part, cover[node] * (1.0 - part)
    return cover


def _left_ratio(
    share: Floats, node: NDArray, left: NDArray, right: NDArray, by_count: Floats
) -> Floats:
    """Part of each split's weight that went left: by rows where that mixes the shares right."""
    apart = share[left] - share[right]
    missed = share[node] - share[right] - by_count[:, None] * apart
    size = np.einsum("ij,ij->i", apart, apart)
    wrong = (np.abs(missed).max(axis=1, initial=0.0) > _TOLERANCE) & (size > 0)
    solved = by_count.copy()
    solved[wrong] += np.einsum("ij,ij->i", missed, apart)[wrong] / size[wrong]
    return np.clip(solved, np.finfo(float).tiny, 1.0 - np.finfo(float).epsneg)


def _pairs(trees: Sequence[Tree], weights: ArrayLike, X: NDArray, output: int) -> Floats:
    """Compute one output's interactions, (rows, features, features), the diagonal 0."""
    from whybox.kernels.shap import add_interactions

    X_T, n_rows = _columns(X)
    twice = np.zeros((len(X_T), *X_T.shape))
    for plan in _plans(trees, weights, len(X_T)):
        factors = plan.factors_of(output)
        add_interactions(X_T, *plan.walk, factors, plan.deltas, plan.pulls, twice)
    halves = 0.5 * (twice + twice.transpose(1, 0, 2))
    return np.asarray(halves[:, :, :n_rows].transpose(2, 0, 1))


@dataclass(frozen=True)
class _Plan:
    """A tree's walk with its tables; leaf values per output are folded in last."""

    steps: NDArray[np.int32]
    edges: NDArray[np.int32]
    thresholds: Floats
    factors: Floats
    deltas: Floats
    pulls: Floats
    leaf_values: Floats

    @property
    def walk(self) -> tuple[NDArray[np.int32], NDArray[np.int32], Floats]:
        """What all outputs share: the way through the tree and what its edges ask."""
        return self.steps, self.edges, self.thresholds

    def factors_of(self, output: int) -> Floats:
        """Fold an output's leaf values into the factors."""
        return np.asarray(self.factors * self.leaf_values[:, output, None, None])


def _plans(trees: Sequence[Tree], weights: ArrayLike, n_features: int) -> Iterator[_Plan]:
    """Plan the trees one by one; trees of one leaf or no weight explain nothing."""
    for tree, weight in zip(trees, _normalised(weights, len(trees)), strict=True):
        if int(tree.feature.max()) >= n_features:
            raise InputError(
                f"a tree asks for feature {int(tree.feature.max())}, X has {n_features} columns",
                remedy="give the columns the model was fitted on, in their order",
            )
        if tree.children_left[0] >= 0 and weight > 0:
            yield _plan(tree, weight)


def _plan(tree: Tree, weight: float) -> _Plan:
    """Tabulate each edge's factor and difference at the quadrature's points, case by case."""
    from whybox.kernels.shap import plan_walk

    left, right = tree.children_left, tree.children_right
    steps, edges, reach, width = plan_walk(
        left, right, tree.feature, tree.missing_go_left, node_covers(tree)
    )
    points, quadrature = np.polynomial.legendre.leggauss((width + 1) // 2)
    t = (points + 1.0) / 2.0
    above, here = reach[:, :1], reach[:, 1:]
    holds_above, holds_here = t + above * (1.0 - t), t + here * (1.0 - t)
    pull_above, pull_here = (1.0 - above) / holds_above, (1.0 - here) / holds_here
    fails = np.broadcast_to(-1.0 / (1.0 - t), pull_here.shape)
    factors = np.stack(
        [
            np.broadcast_to(here / above, pull_here.shape),
            here * (1.0 - t) / holds_above,
            holds_here / holds_above,
        ],
        axis=1,
    )
    factors[edges[:, 0] == 1] *= quadrature / 2.0
    deltas = np.stack(
        [np.zeros_like(pull_here), fails - pull_above, pull_here - pull_above], axis=1
    )
    pulls = np.stack([fails, pull_here], axis=1)
    leaf_values = np.where((left < 0)[:, None], weight * tree.unweighted_share, 1.0)
    return _Plan(steps, edges, _edge_thresholds(tree), factors, deltas, pulls, leaf_values)


def _edge_thresholds(tree: Tree) -> Floats:
    """Give each node its parent's threshold."""
    thresholds = np.zeros(len(tree.feature))
    inner = tree.children_left >= 0
    thresholds[tree.children_left[inner]] = tree.threshold[inner]
    thresholds[tree.children_right[inner]] = tree.threshold[inner]
    return thresholds


def _columns(X: NDArray) -> tuple[NDArray, int]:
    """Transpose X and pad its rows with zeros to whole blocks."""
    from whybox.kernels.shap import LANES

    if X.ndim != 2 or X.dtype not in (np.float32, np.float64):
        raise InputError(
            f"X is {X.dtype} with {X.ndim} dimensions, expected float32 or float64 with 2",
            remedy="convert it with numpy.asarray(X, dtype=float)",
        )
    n_rows, n_features = X.shape
    X_T = np.zeros((n_features, -(-n_rows // LANES) * LANES), dtype=X.dtype)
    X_T[:, :n_rows] = X.T
    return X_T, n_rows


def _n_classes(trees: Sequence[Tree]) -> int:
    """Count the classes of all trees."""
    counts = {tree.unweighted_share.shape[1] for tree in trees}
    if len(counts) != 1:
        raise InputError(f"trees with {sorted(counts)} classes, expected one number for all")
    return int(counts.pop())


def _computed(n_outputs: int) -> range:
    """Name the outputs that need work: of two only the second."""
    return range(1, 2) if n_outputs == 2 else range(n_outputs)


def _normalised(weights: ArrayLike, n_trees: int) -> Floats:
    """Scale the trees' weights to sum 1."""
    scaled = np.asarray(weights, dtype=np.float64)
    total = float(scaled.sum())
    if scaled.shape != (n_trees,) or not np.isfinite(total) or scaled.min() < 0 or total <= 0:
        raise InputError(
            f"weights of shape {scaled.shape} and sum {total:g} for {n_trees} trees",
            remedy="give one finite weight a tree, none negative, some positive",
        )
    return scaled / total
