"""Small regression trees by exact weighted least squares, several at a time on the same rows.

Weights and moments (weight times response) are whole numbers whose sums are exact, so that the
trees do not depend on the order of the rows, and a weight of 3 is three copies of a row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from whybox.trees.sorted_rows import SortedRows
from whybox.trees.tree import NO_FEATURE, NO_THRESHOLD, Array
from whybox.trees.weights import counts_copies, sum_exponent

__all__ = ["RegressionForest", "RegressionRows"]

_SUM_BITS = 52
"""Sums of moments stay below 2^52, so that each is exact."""
_FRACTION_BITS = 5
"""A row of the least weight still has its response to a 64th."""


@dataclass(frozen=True, eq=False)
class RegressionForest:
    """Trees on the same features, each with an answer of its own.

    Parameters
    ----------
    children_left, children_right : int32 (nodes,)
        Counted from the tree's root, -1 at a leaf.
    feature : int32 (nodes,)
        -2 at a leaf.
    threshold : float64 (nodes,)
        ``x <= threshold`` goes left; -2.0 at a leaf.
    missing_go_left : bool (nodes,)
    n_node_samples : int64 (nodes,)
        Rows that the node was grown on.
    value : float64 (nodes,)
        Weighted mean of their responses.
    roots : int64 (trees,)
        Where each tree starts.

    Examples
    --------
    >>> rows = RegressionRows.of(np.array([[0.0], [1.0]]), np.ones(2))
    >>> forest = rows.grow(np.ones((1, 2)), np.array([[0.5, 2.0]]))
    >>> forest.predict(np.array([[0.4], [0.6]])).tolist()
    [[0.5], [2.0]]
    """

    children_left: Array
    children_right: Array
    feature: Array
    threshold: Array
    missing_go_left: Array
    n_node_samples: Array
    value: Array
    roots: Array

    def predict(self, X: Array) -> Array:
        """Give each tree's answer for each row.

        Parameters
        ----------
        X : float64 (rows, features)

        Returns
        -------
        float64 (rows, trees)
        """
        from whybox.kernels.least_squares import answers

        routing = (self.children_left, self.children_right, self.feature, self.threshold)
        return np.asarray(answers(X, (*routing, self.missing_go_left), self.roots, self.value))


@dataclass(frozen=True, eq=False)
class RegressionRows:
    """Rows to grow on, sorted once, with their sample weights.

    Parameters
    ----------
    rows : SortedRows
    base : float64 (rows,)
        Positive sample weights, as ``whybox.trees.weights.relative`` gives them.
    exponent : int
        Of the power of two next above their sum.
    copies : bool
        Whether they count copies of rows.

    Examples
    --------
    >>> rows = RegressionRows.of(np.array([[0.0], [1.0]]), np.array([1.0, 2.0]))
    >>> rows.exponent, rows.copies
    (2, True)
    """

    rows: SortedRows
    base: Array
    exponent: int
    copies: bool

    @classmethod
    def of(cls, X: Array, base: Array) -> RegressionRows:
        """Sort the rows of a matrix (as ``as_matrix`` gives it)."""
        return cls(SortedRows.of(X), base, sum_exponent(base), counts_copies(base))

    def grow(
        self,
        factor: Array,
        response: Array,
        *,
        keep: Array | None = None,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
    ) -> RegressionForest:
        """Grow trees that minimise the weighted squared error, the best split first.

        Thresholds, missing values and ties are treated as by ``grow_tree``. A node is split until
        its responses are equal to 1e-8, also where a split gains nothing yet.

        Parameters
        ----------
        factor : float64 (trees, rows)
            Positive; a row's weight is its sample weight times this.
        response : float64 (trees, rows)
            Finite.
        keep : bool (trees, rows), optional
            Rows to grow on, by default all; at least one a tree.
        max_depth : int, optional
        max_leaf_nodes : int, optional
            1 or more.

        Returns
        -------
        RegressionForest

        Examples
        --------
        >>> rows = RegressionRows.of(np.array([[0.0], [1.0], [2.0]]), np.ones(3))
        >>> z = np.array([[0.0, 4.0, 5.0], [1.0, 1.0, 0.0]])
        >>> forest = rows.grow(np.ones((2, 3)), z, max_leaf_nodes=2)
        >>> forest.threshold[forest.roots].tolist(), forest.value.tolist()
        ([0.5, 1.5], [3.0, 0.0, 4.5, 0.6666666666666666, 1.0, 0.0])
        """
        from whybox.kernels.least_squares import Moments, grow_forest

        rows = self.rows
        kept = np.ones(response.shape, np.uint8) if keep is None else keep.view(np.uint8)
        links, sides, missing_left, sums, roots = grow_forest(
            rows.order,
            rows.codes,
            rows.missing,
            Moments(kept, *self.weigh(factor, response), response),
            -1 if max_depth is None else max_depth,
            -1 if max_leaf_nodes is None else max_leaf_nodes,
        )
        left, right, feature = links
        threshold = np.full(len(left), NO_THRESHOLD)
        inner = np.flatnonzero(feature != NO_FEATURE)
        threshold[inner] = rows.thresholds(feature[inner], sides[0, inner], sides[1, inner])
        value = np.ldexp(sums[:, 1] / sums[:, 0], -_FRACTION_BITS)
        count = sums[:, 2].astype(np.int64)
        return RegressionForest(left, right, feature, threshold, missing_left, count, value, roots)

    def weigh(self, factor: Array, response: Array) -> tuple[Array, Array]:
        """Round weights and moments to whole numbers with exact sums.

        The unit is common to a tree's rows and told by the sum of the sample weights and the
        largest factor and response. A weight is at least one step, and the moment is that of the
        rounded weight. Where sample weights count copies, a copy is rounded before it is
        multiplied.

        Parameters
        ----------
        factor, response : float64 (trees, rows)

        Returns
        -------
        weight, moment : float64 (trees, rows)
            ``moment / weight`` is about 32 times the response.

        Examples
        --------
        >>> rows = RegressionRows.of(np.array([[0.0], [1.0]]), np.array([1.0, 3.0]))
        >>> weight, moment = rows.weigh(np.array([[0.5, 0.5]]), np.array([[1.0, -2.0]]))
        >>> (weight[0, 1] / weight[0, 0], (moment / weight).tolist())
        (np.float64(3.0), [[32.0, -64.0]])
        """
        response_bits = max(0, int(np.frexp(np.abs(response).max())[1]))
        bits = _SUM_BITS - _FRACTION_BITS - response_bits - self.exponent
        shift = bits - np.frexp(factor.max(axis=1, keepdims=True))[1]
        each = factor if self.copies else self.base * factor
        steps = np.maximum(np.rint(np.ldexp(each, shift)), 1.0)
        moment = np.rint(np.ldexp(steps * response, _FRACTION_BITS))
        return (self.base * steps, self.base * moment) if self.copies else (steps, moment)
