"""What the two ways of searching a split share: when a node is a leaf, and what a cut is worth.

Both ways score a cut with the same operations in the same order, so that it does not matter to
the last bit which of them found it.
"""

from whybox.kernels import kernel

__all__ = ["SLACK", "cut_score", "is_leaf"]

PURE = 1e-12  # a node of less Gini is a leaf: float weights leave pure nodes a tiny impurity
SLACK = 4e-15  # of the node's weight: more than the rounding of a score, ten times over


@kernel
def is_leaf(totals, depth, max_depth):
    """Tell whether nothing is left to split: pure enough, or deep enough.

    Examples
    --------
    >>> import numpy as np
    >>> is_leaf(np.array([0.5, 0.0]), 1, -1), is_leaf(np.array([0.5, 0.1]), 1, -1)
    (True, False)
    """
    weight = 0.0
    for c in range(totals.shape[0]):
        weight += totals[c]
    impurity = 0.0
    for c in range(totals.shape[0]):
        impurity += totals[c] / weight * ((weight - totals[c]) / weight)
    return impurity < PURE or depth == max_depth


@kernel
def cut_score(left, totals, weight, whole):
    """Sum of squared class weights over weight, both sides: larger is purer.

    Parameters
    ----------
    left, totals : float64 (classes,)
        Class weights on the left and in all.
    weight, whole : float
        Their sums.

    Examples
    --------
    >>> import numpy as np
    >>> cut_score(np.array([1.0, 0.0]), np.array([1.0, 1.0]), 1.0, 2.0)
    2.0
    """
    a = 0.0
    b = 0.0
    for c in range(totals.shape[0]):
        a += left[c] * left[c]
        b += (totals[c] - left[c]) * (totals[c] - left[c])
    return a / weight + b / (whole - weight)
