"""A decomposition as pictures need it: its features, gains, bins, and each level's cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whybox.errors import InputError
from whybox.s3d.bins import listed
from whybox.s3d.grid import Grid, Level

__all__ = ["MOST_SHOWN", "Axis", "Cells", "FeatureSpace"]

Floats = NDArray[np.float64]
MOST_SHOWN = 4  # features that a page has room for


@dataclass(frozen=True)
class Axis:
    """The bins of a chosen feature.

    Parameters
    ----------
    name : str
    edges : float64 (bins + 1,)
        From the least training value through the cuts to the largest.
    missing : bool
        Whether one more bin, the last, holds missing values.
    labels : tuple of str, optional
        What the bins are called, where values are places in a list of categories.

    Examples
    --------
    >>> Axis("age", np.array([0.0, 18.0, 99.0]), True).bins
    ['[0, 18]', '(18, 99]', 'missing']
    """

    name: str
    edges: Floats
    missing: bool = False
    labels: tuple[str, ...] | None = None

    @property
    def bins(self) -> list[str]:
        """What the bins hold."""
        edges = [f"{edge:.6g}" for edge in self.edges.tolist()]
        texts = [f"({a}, {b}]" for a, b in pairwise(edges)]
        texts[0] = "[" + texts[0][1:]
        return list(self.labels or texts) + ["missing"] * self.missing


@dataclass(frozen=True)
class Cells:
    """The cells of the grid of the first features, occupied or not.

    Parameters
    ----------
    n : float64 (bins of the first feature, of the second, ...)
        Weight of the training rows; 0: none were there.
    mean, answer : float64 of the same shape
        Their mean outcome (or share of a class), and what the model answers; NaN where n is 0.

    Examples
    --------
    >>> Cells(np.array([3.0, 0.0]), np.array([0.5, np.nan]), np.array([0.5, np.nan])).n_occupied
    1
    """

    n: Floats
    mean: Floats
    answer: Floats

    @property
    def n_occupied(self) -> int:
        """Cells that hold training rows."""
        return int(np.count_nonzero(self.n))


@dataclass(frozen=True)
class FeatureSpace:
    """What the pictures of a decomposition are drawn from.

    Parameters
    ----------
    features : sequence of str
        All of them.
    chosen : sequence of int
        In the order of choice.
    gains : float64 (steps + 1, features)
        Each feature's gain of R2 given those chosen before.
    ties : sequence of sequence of int
        The features that gained most at each step.
    axes : sequence of Axis
        Of the chosen features, at most four.
    cells : sequence of Cells
        Of none of these features, the first, the first two, ...
    outcome : str
        What the mean is of.
    threshold : float, optional
        From which mean on the answer is yes, where there are two classes.
    least : float, default 1
        Cells of fewer training rows are shown as empty: one row's cell would tell of that row.

    Examples
    --------
    >>> from whybox.s3d import S3DRegressor
    >>> model = S3DRegressor().fit([[1.0], [2.0]] * 50, [0.5, 1.5] * 50)
    >>> space = FeatureSpace.of(model)
    >>> space.axes[0].bins, space.cells[1].mean.tolist()
    (['[1, 1]', '(1, 2]'], [0.5, 1.5])
    """

    features: Sequence[str]
    chosen: Sequence[int]
    gains: Floats
    ties: Sequence[Sequence[int]]
    axes: Sequence[Axis]
    cells: Sequence[Cells]
    outcome: str
    threshold: float | None = None
    least: float = 1

    @classmethod
    def of(cls, model: Any, label: object = None, least: float = 1) -> FeatureSpace:
        """Look at a fitted model.

        Parameters
        ----------
        model : S3DClassifier or S3DRegressor
        label : optional
            The class whose share is shown; by default the last one.
        least : float, default 1
            Training rows from which on a cell is shown.

        Returns
        -------
        FeatureSpace

        Raises
        ------
        InputError
            If the model knows no such class.
        """
        column, outcome, threshold = _output(model, label)
        grid, names = model.grid_, model.feature_labels_
        levels = grid.levels[:MOST_SHOWN]
        axes = [_axis(level, names, model.categories_.get(level.feature)) for level in levels]
        return cls(
            names,
            model.selected_features_,
            model.r2_steps_,
            model.ties_,
            axes,
            [
                _cells(grid, axes[:k], column, model.min_samples, least)
                for k in range(len(axes) + 1)
            ],
            outcome,
            threshold,
            least,
        )


def _output(model: Any, label: object) -> tuple[int, str, float | None]:
    """Find the column of the means, what to call it, and the threshold."""
    if not hasattr(model, "classes_"):
        return 0, "mean outcome", None
    classes = model.classes_.tolist()
    if label is None:
        label = classes[-1]
    if label not in classes:
        raise InputError(f"there is no class {label!r}", remedy=f"use one of {classes}")
    positive = len(classes) == 2 and label == classes[1]
    return classes.index(label), f"share of {label}", model.threshold_ if positive else None


def _axis(level: Level, names: Sequence[str], categories: list[Any] | None) -> Axis:
    """Describe the bins of a level."""
    edges = np.array([level.lowest, *level.cuts, level.highest])
    missing = bool((level.bins == len(level.cuts) + 1).any())
    labels = None
    if categories is not None:
        last = [int(cut) + 1 for cut in level.cuts]
        starts, ends = [0, *last], [*last, len(categories)]
        labels = tuple(
            ", ".join(listed(categories[a:b])) for a, b in zip(starts, ends, strict=True)
        )
    return Axis(names[level.feature], edges, missing, labels)


def _cells(
    grid: Grid, axes: Sequence[Axis], column: int, min_samples: float, least: float
) -> Cells:
    """Put the blocks of a level into their places, those of fewer rows left out."""
    depth = len(axes)
    cut = Grid(grid.levels[:depth], grid.weight[: depth + 1], grid.mean[: depth + 1])
    places = tuple(cut.paths().T)
    shape = tuple(len(axis.bins) for axis in axes)
    n, mean, answer = np.zeros(shape), np.full(shape, np.nan), np.full(shape, np.nan)
    given = cut.answers(min_samples)[-1]
    shown = cut.weight[-1] >= least
    at = tuple(place[shown] for place in places) if depth else ...
    values = (cut.weight[-1], cut.mean[-1][:, column], given[:, column])
    for table, value in zip((n, mean, answer), values, strict=True):
        table[at] = value[shown] if depth else value[0]
    return Cells(n, mean, answer)
