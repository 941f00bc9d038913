"""How much the weights of a boosting round are worth."""

from __future__ import annotations

import math

import numpy as np

from whybox.trees.tree import Array

__all__ = ["effective_size"]


def effective_size(weight: Array) -> float:
    """Give (sum w)^2 / sum w^2 (Kish): how many equal rows the weights amount to.

    Examples
    --------
    >>> effective_size(np.array([0.5, 0.5, 0.0]))
    2.0
    """
    total = float(weight.sum())
    return total * total / math.fsum(np.square(weight).tolist())
