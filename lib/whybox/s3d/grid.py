"""The grid of the chosen features: its occupied blocks, level by level, and where rows land."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from whybox.kernels.s3d_rows import descend
from whybox.trees.tree import Array

__all__ = ["Grid", "Level"]


@dataclass(frozen=True)
class Level:
    """The bins of a chosen feature, and the occupied blocks once it is part of the grid.

    Bin b holds the values in (cuts[b - 1], cuts[b]]; bin len(cuts) + 1 the missing ones. Values
    beyond the training range fall into the first or the last bin of values.

    Parameters
    ----------
    feature : int
        Column.
    cuts : float64 (cuts,)
        Inner cut values, ascending.
    lowest, highest : float
        Range of the training values; NaN if all are missing.
    parent, bins : int32 (blocks,)
        Each block's block one level up, ascending, and its bin, ascending for each parent.

    Examples
    --------
    >>> level = Level(0, np.array([2.0]), 0.0, 9.0, np.zeros(2, np.int32), np.arange(2, dtype=np.int32))
    >>> level.bins_of(np.array([2.0, 3.0, np.nan])).tolist(), level.offsets.tolist()
    ([0, 1, 2], [0, 2])
    """

    feature: int
    cuts: Array
    lowest: float
    highest: float
    parent: Array
    bins: Array

    @property
    def n_bins(self) -> int:
        """Bins, the one of missing values included."""
        return len(self.cuts) + 2

    @property
    def n_blocks(self) -> int:
        """Occupied blocks."""
        return len(self.parent)

    @cached_property
    def offsets(self) -> Array:
        """Where each parent's children start: int64 (parents + 1,); every parent has some."""
        return np.searchsorted(self.parent, np.arange(int(self.parent[-1]) + 2)).astype(np.int64)

    def bins_of(self, column: Array) -> Array:
        """Give the bin of each value: int32 (rows,)."""
        bins = np.searchsorted(self.cuts, column.astype(np.float64, copy=False), side="left")
        bins = bins.astype(np.int32)
        bins[np.isnan(column)] = len(self.cuts) + 1
        return bins


@dataclass(frozen=True)
class Grid:
    """All levels, with each block's weight and mean.

    Parameters
    ----------
    levels : tuple of Level
    weight : tuple of float64 (blocks,)
        One more than there are levels: the first is the whole training set.
    mean : tuple of float64 (blocks, outputs)

    Examples
    --------
    >>> level = Level(0, np.array([2.0]), 0.0, 9.0, np.zeros(2, np.int32), np.arange(2, dtype=np.int32))
    >>> grid = Grid((level,), (np.array([3.0]), np.array([1.0, 2.0])),
    ...             (np.array([[0.5]]), np.array([[0.1], [0.7]])))
    >>> column = np.array([1.0, 5.0, np.nan])
    >>> list(grid.means(lambda j: column, 3, min_samples=2.0))[-1].ravel().tolist()
    [0.5, 0.7, 0.5]
    """

    levels: tuple[Level, ...]
    weight: tuple[Array, ...]
    mean: tuple[Array, ...]

    def answers(self, min_samples: float) -> list[Array]:
        """Give what each block answers: its mean, or its parent's answer if it has few rows."""
        answers = [self.mean[0]]
        for level, weight, mean in zip(self.levels, self.weight[1:], self.mean[1:], strict=True):
            enough = (weight >= min_samples)[:, None]
            answers.append(np.where(enough, mean, answers[-1][level.parent]))
        return answers

    def walk(self, column: Callable[[int], Array], n_rows: int) -> Iterator[tuple[Array, Array]]:
        """Give each row's bin and block at each level, -1 for a block without training rows."""
        block = np.zeros(n_rows, np.int32)
        for level in self.levels:
            bins = level.bins_of(column(level.feature))
            block = descend(block, bins, level.offsets, level.bins)
            yield bins, block

    def means(
        self, column: Callable[[int], Array], n_rows: int, min_samples: float
    ) -> Iterator[Array]:
        """Predict rows with none of the features, with the first, the first two, and so on.

        A row in a block without training rows, or with less than ``min_samples`` of them, takes
        the mean of the deepest block above that has enough.

        Parameters
        ----------
        column : callable
            Column number -> values (rows,).
        n_rows : int
        min_samples : float

        Yields
        ------
        float64 (rows, outputs)
        """
        answers = self.answers(min_samples)
        given = np.repeat(answers[0], n_rows, axis=0)
        yield given
        for (_, block), answer in zip(self.walk(column, n_rows), answers[1:], strict=True):
            given = np.where((block >= 0)[:, None], answer[block], given)
            yield given

    def path(self, depth: int, block: int) -> list[int]:
        """Give a block's bins, one a level down to its depth (0: the whole training set)."""
        bins: list[int] = []
        for level in reversed(self.levels[:depth]):
            bins.append(int(level.bins[block]))
            block = int(level.parent[block])
        return bins[::-1]

    def paths(self) -> Array:
        """Give the bins of all blocks of the last level: int32 (blocks, levels)."""
        block = np.arange(len(self.weight[-1]))
        columns = []
        for level in reversed(self.levels):
            columns.append(level.bins[block])
            block = level.parent[block]
        empty = np.zeros((len(self.weight[-1]), 0), np.int32)
        return np.column_stack(columns[::-1]) if columns else empty
