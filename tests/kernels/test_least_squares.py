"""The grower of regression trees against the plain one: the same trees to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import strategies
from whybox.kernels.least_squares import Moments, answers, grow_forest
from whybox.trees import SortedRows

LIMITS = (st.sampled_from([None, 1, 2, 3]), st.sampled_from([None, 1, 2, 3, 5]))


def drawn_moments(n_trees, n_rows, seed):
    """Few responses, so that splits tie; some rows are left out."""
    random = np.random.RandomState(seed)
    keep = (random.rand(n_trees, n_rows) < 0.8).astype(np.uint8)
    keep[:, random.randint(n_rows)] = 1
    weight = random.randint(1, 4, (n_trees, n_rows)).astype(float)
    response = random.choice([-4.0, -1.0, 0.0, 1e-9, 1.0, 2.5], (n_trees, n_rows))
    return Moments(keep, weight, np.rint(32 * weight * response), response)


def grown(X, moments, max_depth, max_leaves):
    rows = SortedRows.of(X)
    depth, leaves = (-1 if limit is None else limit for limit in (max_depth, max_leaves))
    return rows, grow_forest(rows.order, rows.codes, rows.missing, moments, depth, leaves)


def assert_same_forest(X, moments, max_depth=None, max_leaves=None):
    rows, (links, sides, missing_left, sums, roots) = grown(X, moments, max_depth, max_leaves)
    ends = [*roots[1:], links.shape[1]]
    assert roots[0] == 0
    for k, (keep, w, m, z) in enumerate(zip(*moments, strict=True)):
        here = slice(roots[k], ends[k])
        kept = np.flatnonzero(keep).tolist()
        nodes = naive.grow_regression(X, w, m, z, kept, max_depth, max_leaves)
        number = {id(node): t for t, node in enumerate(nodes)}
        children = [[number[id(c)] for c in node.children] or [-1, -1] for node in nodes]
        assert links[:2, here].T.tolist() == children
        assert links[2, here].tolist() == [node.feature for node in nodes]
        inner = roots[k] + np.flatnonzero([node.feature >= 0 for node in nodes])
        thresholds = rows.thresholds(links[2, inner], sides[0, inner], sides[1, inner])
        assert thresholds.tolist() == [node.threshold for node in nodes if node.feature >= 0]
        assert missing_left[inner].tolist() == [n.missing_left for n in nodes if n.feature >= 0]
        expected = [[*node.totals, len(node.rows)] for node in nodes]
        assert sums[here].tolist() == expected


@given(
    strategies.training_sets(max_rows=12, max_features=3),
    st.integers(1, 2),
    st.integers(0, 99),
    *LIMITS,
)
def test_forests_equal_those_of_the_plain_grower(drawn, n_trees, seed, max_depth, max_leaves):
    X = drawn[0]
    assert_same_forest(X, drawn_moments(n_trees, len(X), seed), max_depth, max_leaves)


@pytest.mark.parametrize("max_leaves", [None, 12])
def test_trees_equal_on_continuous_values_and_weights_of_all_sizes(max_leaves):
    random = np.random.RandomState(0)
    X = random.normal(size=(60, 3))
    X[random.rand(60, 3) < 0.1] = np.nan
    weight = np.ceil(2.0 ** random.uniform(0, 40, (2, 60)))
    response = random.normal(size=(2, 60))
    moments = Moments(np.ones((2, 60), np.uint8), weight, np.rint(32 * weight * response), response)
    assert_same_forest(X, moments, max_leaves=max_leaves)


@given(strategies.training_sets(), st.integers(0, 99))
def test_answers_are_the_values_of_the_leaves_where_rows_land(drawn, seed):
    X = drawn[0].astype(np.float64)
    rows, (links, sides, missing_left, _, roots) = grown(X, drawn_moments(2, len(X), seed), 2, None)
    threshold = np.full(links.shape[1], -2.0)
    inner = np.flatnonzero(links[2] >= 0)
    threshold[inner] = rows.thresholds(links[2, inner], sides[0, inner], sides[1, inner])
    got = answers(X, (*links, threshold, missing_left), roots, np.arange(links.shape[1]) / 2)
    for i, row in enumerate(X):
        for k, root in enumerate(roots):
            t = root
            while links[0, t] >= 0:
                left = naive.goes_left(row[links[2, t]], threshold[t], missing_left[t])
                t = root + links[0 if left else 1, t]
            assert got[i, k] == t / 2
