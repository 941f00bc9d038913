"""Reads a decomposition as its authors' program wrote it, for pictures of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from whybox.explain.s3d_space import MOST_SHOWN, Axis, Cells, FeatureSpace


def rows(path: Path) -> list[list[str]]:
    return [line.split(",") for line in path.read_text().splitlines()]


def published_space(folder: Path, outcome: str) -> FeatureSpace:
    """A folder of levels, splits, gains, counts and means; trees have a row a level, last fastest."""
    features, *gains = rows(folder / "R2improvements.csv")
    chosen = [features.index(name) for name, _ in rows(folder / "levels.csv")[1:]]
    splits = {name: np.array(cuts, float) for name, *cuts in rows(folder / "splits.csv")}
    axes = [Axis(features[j], splits[features[j]]) for j in chosen[:MOST_SHOWN]]
    cells = []
    trees = rows(folder / "N_tree.csv"), rows(folder / "ybar_tree.csv")
    for depth, (n_row, mean_row) in enumerate(zip(*trees, strict=True)):
        if depth > len(axes):
            break
        shape = [len(axis.edges) - 1 for axis in axes[:depth]]
        n = np.array(n_row, float).reshape(shape)
        mean = np.where(n > 0, np.array(mean_row, float).reshape(shape), np.nan)
        cells.append(Cells(n, mean, mean))
    ties = [[j] for j in chosen]
    return FeatureSpace(features, chosen, np.array(gains, float), ties, axes, cells, outcome)
