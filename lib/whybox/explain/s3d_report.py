"""The pictures of a decomposition's report, and which of them a page has room for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from whybox.explain.s3d_context import Decomposition, OutOfFoldAnswers
from whybox.explain.s3d_hypercube import (
    SCALE,
    SHOWN,
    hypercube_plot,
    plain_colours,
    plain_logarithms,
)
from whybox.explain.s3d_plots import curve_plot, network_plot, step_plot, tuning_plot
from whybox.explain.s3d_space import FeatureSpace
from whybox.explain.svg import INK, WIDE, Plot, Table, draw
from whybox.explain.wording import number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["DecompositionPictures", "answers_plot", "decomposition_pictures", "shown_depth"]

_MOST_CELLS = 2500  # of a hypercube: more are neither legible nor small
_MOST_COLUMNS, _MOST_ROWS = 6, 5  # of heat maps
_TILES = 48  # a side
_PARTS = 10


@dataclass(frozen=True)
class DecompositionPictures:
    """By place on the page.

    Parameters
    ----------
    steps : list of Plot
        What was chosen, and what that made redundant.
    cubes : list of Plot
        The blocks, unfolded.
    tuning : list of Plot

    Examples
    --------
    >>> DecompositionPictures().cubes
    []
    """

    steps: list[Plot] = field(default_factory=list)
    cubes: list[Plot] = field(default_factory=list)
    tuning: list[Plot] = field(default_factory=list)


def decomposition_pictures(shown: Decomposition) -> DecompositionPictures:
    """Draw all that there is.

    Parameters
    ----------
    shown : Decomposition

    Returns
    -------
    DecompositionPictures
        No hypercube without a chosen feature, no surface without tuning.

    Examples
    --------
    >>> from whybox.s3d import S3DRegressor
    >>> model = S3DRegressor().fit([[1.0], [2.0]] * 50, [0.5, 1.5] * 50)
    >>> pictures = decomposition_pictures(Decomposition(FeatureSpace.of(model)))
    >>> [plot.name for plot in pictures.cubes]
    ['hypercube-mean-1', 'hypercube-n-1']
    """
    space, depth = shown.space, shown_depth(shown.space)
    cubes = []
    if depth > 1:
        cubes.append(hypercube_plot(space, "mean", 1))
    if depth:
        same = space.threshold is None and _answers_are_means(space, depth)
        views = [what for what in SHOWN if not (what == "answer" and same)]
        cubes += [hypercube_plot(space, what, depth) for what in views]
    tuning = []
    if shown.surface is not None:
        tuning = [tuning_plot(shown.surface, shown.metric), curve_plot(shown.surface, shown.metric)]
    return DecompositionPictures([step_plot(space), network_plot(space)], cubes, tuning)


def shown_depth(space: FeatureSpace) -> int:
    """Say how many of the chosen features can be shown at once.

    Parameters
    ----------
    space : FeatureSpace

    Returns
    -------
    int
        0 to 4; fewer where their bins make too many cells, or too many heat maps.

    Examples
    --------
    >>> from whybox.s3d import S3DRegressor
    >>> shown_depth(FeatureSpace.of(S3DRegressor().fit([[1.0], [2.0]] * 50, [0.5, 1.5] * 50)))
    1
    """
    bins = [len(axis.bins) for axis in space.axes]
    depth = len(bins)
    while depth > 1:
        columns = bins[2] if depth > 2 else 1
        rows = bins[3] if depth > 3 else 1
        fits = columns <= _MOST_COLUMNS and rows <= _MOST_ROWS
        if fits and np.prod(bins[:depth]) <= _MOST_CELLS:
            break
        depth -= 1
    return depth


def _answers_are_means(space: FeatureSpace, depth: int) -> bool:
    """Whether a picture of the answers would repeat that of the means."""
    cells = space.cells[depth]
    return bool(np.array_equal(cells.mean, cells.answer, equal_nan=True))


def answers_plot(found: OutOfFoldAnswers, name: str = "answers") -> Plot:
    """Outcomes against answers, on rows that the model had not seen.

    Parameters
    ----------
    found : OutOfFoldAnswers
    name : str
        Of the picture, unique on its page.

    Returns
    -------
    Plot
        Tiles, the more rows the warmer; on the dashed line the answer is right. Its table has the
        rows in ten parts of ascending answers.

    Examples
    --------
    >>> answers_plot(OutOfFoldAnswers(np.array([1.0, 3.0]), np.array([1.0, 2.0]))).table.rows
    [('1', '1', '1', '1'), ('1', '2', '3', '3')]
    """
    answers, outcomes = found.answers, found.outcomes
    low = float(min(answers.min(), outcomes.min()))
    high = float(max(answers.max(), outcomes.max()))
    span = (low, high if high > low else low + 1.0)

    def paint(figure: Figure) -> None:
        from matplotlib.colors import LinearSegmentedColormap, LogNorm

        axes = figure.subplots()
        counts, x, y = np.histogram2d(answers, outcomes, bins=_TILES, range=(span, span))
        tiles = np.ma.masked_equal(counts.T, 0)
        colours = LinearSegmentedColormap.from_list("whybox", SCALE)
        norm = LogNorm(1, max(counts.max(), 2))
        mesh = axes.pcolormesh(x, y, tiles, cmap=colours, norm=norm)
        axes.plot(span, span, color=INK, linewidth=1, linestyle=(0, (3, 3)))
        axes.set(xlabel=f"answered {found.name}", ylabel=found.name)
        bar = figure.colorbar(mesh, ax=axes, label="rows")
        plain_colours(bar)
        plain_logarithms(bar.ax.yaxis)
        bar.ax.grid(visible=False)

    error = float(np.abs(outcomes - answers).mean())
    alt = (
        f"Tiles of rows by answer and outcome, from {number(low)} to {number(high)}; the mean "
        f"distance from the dashed line of right answers is {number(error)}."
    )
    return Plot(
        name,
        "Answered and observed",
        f"On the dashed line the answer is right. Mean absolute error: {number(error)}.",
        alt,
        draw(name, alt, (WIDE, 4.6), paint),
        Table(["rows", "mean answer", f"mean {found.name}", f"median {found.name}"], _parts(found)),
    )


def _parts(found: OutOfFoldAnswers) -> list[tuple[str, ...]]:
    """Tabulate ten parts of ascending answers."""
    order = np.lexsort((found.outcomes, found.answers))
    parts = [part for part in np.array_split(order, _PARTS) if len(part)]
    return [
        (
            number(len(part)),
            number(float(found.answers[part].mean())),
            number(float(found.outcomes[part].mean())),
            number(float(np.median(found.outcomes[part]))),
        )
        for part in parts
    ]
