"""Where rows land, and what answers for blocks that are empty or small."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from whybox.s3d.grid import Grid, Level


def grid_of(bins, n_cuts):
    """The grid whose training rows have these bins, one column a level; means are row numbers."""
    levels, weights, means = [], [np.array([float(len(bins))])], [np.array([[-1.0]])]
    known = [()]
    for k in range(bins.shape[1]):
        paths, counts = np.unique(bins[:, : k + 1], axis=0, return_counts=True)
        keys = [tuple(path) for path in paths.tolist()]
        parent = np.array([known.index(key[:-1]) for key in keys], np.int32)
        cuts = np.arange(n_cuts) + 0.5
        of = np.array([key[-1] for key in keys], np.int32)
        levels.append(Level(k, cuts, 0.0, float(n_cuts), parent, of))
        weights.append(counts.astype(float))
        means.append(100.0 * (k + 1) + np.arange(len(keys))[:, None])
        known = keys
    return Grid(tuple(levels), tuple(weights), tuple(means)), known


@given(st.integers(0, 200), st.integers(1, 3), st.integers(1, 6))
def test_rows_take_the_deepest_mean_with_enough_rows(seed, n_levels, min_samples):
    rng = np.random.default_rng(seed)
    bins = rng.integers(0, 4, (20, n_levels))  # three bins of values, and the missing one
    grid, blocks = grid_of(bins, 2)
    rows = rng.integers(0, 4, (30, n_levels))
    values = np.where(rows == 3, np.nan, rows)
    *_, means = grid.means(lambda j: values[:, j], 30, min_samples)
    for row, mean in zip(rows.tolist(), means[:, 0], strict=True):
        depth = n_levels
        while depth and (bins[:, :depth] == row[:depth]).all(axis=1).sum() < min_samples:
            depth -= 1
        if depth == 0:
            assert mean == -1
        else:
            held = np.unique(bins[:, :depth], axis=0).tolist()
            assert mean == 100 * depth + held.index(row[:depth])
    *_, (_, block) = grid.walk(lambda j: values[:, j], 30)
    expected = [blocks.index(tuple(r)) if tuple(r) in blocks else -1 for r in rows.tolist()]
    assert block.tolist() == expected


def test_paths_lead_to_every_block():
    bins = np.array([[0, 1], [0, 2], [2, 0], [3, 3]])
    grid, blocks = grid_of(bins, 2)
    assert grid.paths().tolist() == [list(block) for block in blocks]
    assert [grid.path(2, b) for b in range(4)] == [list(block) for block in blocks]
    assert grid.path(1, 1) == [2]
    assert grid.path(0, 0) == []
