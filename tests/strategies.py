"""What hypothesis draws: small training sets full of ties, repeats and missing values."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp


@st.composite
def training_sets(draw, max_rows=24, max_features=4, max_classes=4, missing=True):
    """(X, y, integer weights, number of classes); weights may be 0, but not all."""
    n_rows = draw(st.integers(2, max_rows))
    n_features = draw(st.integers(1, max_features))
    n_classes = draw(st.integers(2, max_classes))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    values = [0.0, -0.0, 1.0, 2.5, -3.0, 0.1, 1e-3] + ([np.nan] if missing else [])
    X = draw(
        hnp.arrays(
            dtype, (n_rows, n_features), elements=st.sampled_from([dtype(v) for v in values])
        )
    )
    y = draw(hnp.arrays(np.int64, n_rows, elements=st.integers(0, n_classes - 1)))
    w = draw(hnp.arrays(np.int64, n_rows, elements=st.integers(0, 4)))
    w[draw(st.integers(0, n_rows - 1))] = 1
    return X, y, w, n_classes


@st.composite
def preorder_trees(draw, max_inner=12):
    """(children_left, children_right) of a random tree in preorder."""
    left, right = [], []

    def build(inner):
        node = len(left)
        left.append(-1)
        right.append(-1)
        if inner:
            below = draw(st.integers(0, inner - 1))
            left[node] = len(left)
            build(below)
            right[node] = len(left)
            build(inner - 1 - below)

    build(draw(st.integers(0, max_inner)))
    return np.array(left, np.int32), np.array(right, np.int32)
