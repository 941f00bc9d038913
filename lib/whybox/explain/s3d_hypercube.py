"""The hypercube of a decomposition, unfolded: what happens in each block of one to four features."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from whybox.errors import InputError
from whybox.explain.s3d_space import Axis, FeatureSpace
from whybox.explain.svg import FALL, GRID, INK, WIDE, Plot, Table, draw
from whybox.explain.wording import number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["SCALE", "SHOWN", "hypercube_plot", "places", "plain_colours", "plain_logarithms"]

Floats = NDArray[np.float64]
SHOWN = ("mean", "n", "answer")
# From low to high, of middling lightness so that they stand on light and dark.
SCALE = ("#2b5c9e", "#3f7fb5", "#7fa7a4", "#c9a45c", "#d0774b", "#b8402c")
_NARROWEST = 0.05  # of an axis: a bin is drawn at least so wide
_DECADES = 30.0  # a ratio of edges from which on an axis is logarithmic
_MOST_ROWS = 200  # of the table
_LINE = 0.15  # inches that a tick's label needs along its axis, turned if need be
_DECIDED = "(yes or no)"


def places(axis: Axis) -> Floats:
    """Say where the edges of bins are drawn.

    Parameters
    ----------
    axis : Axis

    Returns
    -------
    float64 (bins + 1,)
        From 0 to 1, strictly ascending. Logarithmic where the edges span decades and none is
        negative; a zero then lies a decade below the least positive edge. Bins too narrow to be
        seen are widened; categories and the missing get bins of one width.

    Examples
    --------
    >>> places(Axis("a", np.array([0.0, 25.0, 100.0]))).tolist()
    [0.0, 0.25, 1.0]
    >>> places(Axis("a", np.array([1.0, 10.0, 100.0, 1000.0]))).round(6).tolist()
    [0.0, 0.333333, 0.666667, 1.0]
    >>> places(Axis("a", np.array([0.0, 0.0, 100.0]))).round(6).tolist()
    [0.0, 0.047619, 1.0]
    """
    n_bins = len(axis.edges) - 1
    if axis.labels is not None or not np.isfinite(axis.edges).all():
        widths = np.full(n_bins, 1.0 / n_bins)
    else:
        at = _transformed(axis.edges)
        span = at[-1] - at[0]
        widths = np.diff(at) / span if span > 0 else np.full(n_bins, 1.0 / n_bins)
    if axis.missing:
        widths = np.append(widths, max(1.0 / (n_bins + 1), _NARROWEST))
    widths = np.maximum(widths, _NARROWEST)
    edges = np.concatenate([[0.0], np.cumsum(widths)])
    return np.asarray(edges / edges[-1])


def _transformed(edges: Floats) -> Floats:
    """Take logarithms where the edges span decades."""
    positive = edges[edges > 0]
    inner = positive[positive < edges[-1]]
    wide = len(inner) > 0 and edges[-1] / inner[0] >= _DECADES
    if edges[0] < 0 or not wide:
        return edges
    return np.log10(np.where(edges > 0, edges, positive[0] / 10))


def hypercube_plot(
    space: FeatureSpace, what: str = "mean", n_features: int | None = None, name: str | None = None
) -> Plot:
    """Draw the blocks of the first features.

    One feature: a step line. Two: a heat map. Three: columns of heat maps; four: rows and columns
    of them. Bins lie where `places` puts them and are labelled with their true edges; a block
    without training rows is left blank (Fennell, Zuo, Lerman, Figures 8 and 9).

    Parameters
    ----------
    space : FeatureSpace
    what : {"mean", "n", "answer"}, default "mean"
        The training rows' mean outcome, their number (on a logarithmic scale), or the prediction:
        where there is a threshold, yes or no, else what the model answers.
    n_features : int, optional
        From 1 to 4; by default as many as there are.
    name : str, optional
        Of the picture, unique on its page.

    Returns
    -------
    Plot

    Raises
    ------
    InputError
        If ``what`` is unknown, or there are not so many features.

    Examples
    --------
    >>> from whybox.s3d import S3DRegressor
    >>> model = S3DRegressor().fit([[1.0], [2.0]] * 50, [0.5, 1.5] * 50)
    >>> hypercube_plot(FeatureSpace.of(model)).table.rows
    [('[1, 1]', '50', '0.5', '0.5'), ('(1, 2]', '50', '1.5', '1.5')]
    """
    depth = len(space.axes) if n_features is None else n_features
    if what not in SHOWN:
        raise InputError(f"what is {what!r}", remedy=f"use one of {', '.join(SHOWN)}")
    if not 1 <= depth <= len(space.axes):
        raise InputError(
            f"{depth} features are to be shown, {len(space.axes)} are there",
            remedy="choose from 1 to as many as are there, 4 at most",
        )
    axes, values = space.axes[:depth], _values(space, what, depth)
    names, shown = [axis.name for axis in axes], _called(space, what)
    name = name or f"hypercube-{what}-{depth}"

    def paint(figure: Figure) -> None:
        if depth == 1:
            _steps(figure, axes[0], values, shown, what)
        else:
            _maps(figure, axes, values, shown, what)

    alt = _words(space, what, depth, values)
    n_columns, n_rows = (*values.shape, 1, 1, 1)[2:4]
    size = (WIDE, 3.2 if depth < 3 else 1.3 + _height(n_columns) * n_rows)
    return Plot(
        name,
        f"{shown[0].upper()}{shown[1:]} by {', '.join(names)}",
        _caption(space, depth),
        alt,
        draw(name, alt, size, paint),
        _table(space, depth),
    )


def _values(space: FeatureSpace, what: str, depth: int) -> Floats:
    """Give what is shown of each cell; NaN in empty ones."""
    cells = space.cells[depth]
    if what == "n":
        return np.where(cells.n > 0, cells.n, np.nan)
    if what == "mean":
        return cells.mean
    if space.threshold is None:
        return cells.answer
    yes = (cells.answer >= space.threshold).astype(np.float64)
    return np.where(cells.n > 0, yes, np.nan)


def _called(space: FeatureSpace, what: str) -> str:
    if what == "answer":
        return "prediction" if space.threshold is None else f"prediction {_DECIDED}"
    return space.outcome if what == "mean" else "number of training rows"


def _steps(figure: Figure, axis: Axis, values: Floats, shown: str, what: str) -> None:
    """A step line; an empty bin is a gap."""
    plot = figure.subplots()
    edges = places(axis)
    for at, value in enumerate(values.tolist()):
        plot.plot(edges[at : at + 2], [value, value], color=FALL, linewidth=2.2)
    joints = np.repeat(edges[1:-1], 2).reshape(-1, 2)
    for x, pair in zip(joints, pairwise(values), strict=True):
        plot.plot(x, pair, color=FALL, linewidth=1.0)
    if what == "n":
        plot.set_yscale("log")
        plain_logarithms(plot.yaxis)
    plot.set_ylabel(shown)
    _ticks(plot.set_xticks, axis, edges)
    plot.set_xlabel(axis.name)


def _maps(figure: Figure, axes: Sequence[Axis], values: Floats, shown: str, what: str) -> None:
    """Heat maps of the first two features, one a bin of the third (columns) and fourth (rows)."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap

    shape: tuple[int, ...] = values.shape + (1,) * (4 - values.ndim)
    values, n_columns, n_rows = values.reshape(shape), shape[2], shape[3]
    grid = figure.subplots(n_rows, n_columns, squeeze=False, sharex=True, sharey=True)
    colours = LinearSegmentedColormap.from_list("whybox", SCALE)
    norm = _norm(values, what)
    x, y = places(axes[0]), places(axes[1])
    for row, column in product(range(n_rows), range(n_columns)):
        panel = grid[n_rows - 1 - row, column]  # larger values on top
        panel.grid(visible=False)
        cells = np.ma.masked_invalid(values[:, :, column, row].T)
        panel.pcolormesh(x, y, cells, cmap=colours, norm=norm, edgecolors=GRID, linewidth=0.4)
        if len(axes) > 2 and row == n_rows - 1:
            panel.set_title(axes[2].bins[column], fontsize=7.5, color=INK)
        if len(axes) > 3 and column == n_columns - 1:
            panel.yaxis.set_label_position("right")
            panel.set_ylabel(axes[3].bins[row], fontsize=7.5, color=INK)
        apart = _LINE * n_columns / (0.8 * WIDE), _LINE / (_height(n_columns) - 0.2)
        _ticks(panel.set_xticks, axes[0], x, apart[0], rotation=60)
        _ticks(panel.set_yticks, axes[1], y, apart[1])
    figure.supxlabel(axes[0].name, fontsize=9.5)
    figure.supylabel(axes[1].name, fontsize=9.5)
    if len(axes) > 2:
        rows = f"; rows: {axes[3].name}" if len(axes) > 3 else ""
        figure.suptitle(f"columns: {axes[2].name}{rows}", fontsize=9.5)
    bar = figure.colorbar(ScalarMappable(norm, colours), ax=grid, pad=0.02, label=shown)
    plain_colours(bar)
    bar.ax.grid(visible=False)
    if what == "n":
        plain_logarithms(bar.ax.yaxis)
    elif shown.endswith(_DECIDED):
        bar.set_ticks([0, 1], labels=["no", "yes"])


def _height(n_columns: int) -> float:
    """Inches of a row of heat maps."""
    return max(1.6, 4.5 / n_columns) if n_columns > 1 else 2.2


def plain_colours(bar: Any) -> None:
    """Draw a colour bar as vectors without seams.

    Parameters
    ----------
    bar : matplotlib.colorbar.Colorbar

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> kept = []
    >>> note = lambda value: kept.append(value)
    >>> plain_colours(
    ...     SimpleNamespace(solids=SimpleNamespace(set_rasterized=note, set_edgecolor=note))
    ... )
    >>> kept
    [False, 'face']
    """
    bar.solids.set_rasterized(False)
    bar.solids.set_edgecolor("face")


def plain_logarithms(axis: Any) -> None:
    """Label 1, 2 and 5 of each decade as plain numbers.

    Parameters
    ----------
    axis : matplotlib.axis.Axis
        Of a logarithmic scale.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> axes = Figure().subplots()
    >>> axes.set_yscale("log")
    >>> plain_logarithms(axes.yaxis)
    >>> axes.yaxis.get_major_formatter()(2000.0)
    '2,000'
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: number(float(f"{value:.6g}"))))
    axis.set_minor_formatter(NullFormatter())


def _norm(values: Floats, what: str) -> Any:
    """Scale the colours: by the logarithm for numbers of rows."""
    from matplotlib.colors import LogNorm, Normalize

    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if what == "n":
        return LogNorm(low, max(high, 1.001 * low))
    return Normalize(low, high if high > low else low + 1.0)


def _ticks(put: Any, axis: Axis, edges: Floats, apart: float = 0.06, **style: Any) -> None:
    """Label edges with their values, or bins with their categories."""
    if axis.labels is not None:
        middles = (edges[:-1] + edges[1:]) / 2
        put(middles, [_brief(text) for text in axis.bins], fontsize=7.5, **style)
        return
    values = [number(float(edge)) for edge in axis.edges]
    kept = _apart(edges[: len(values)], values, apart)
    marks, texts = [float(edges[at]) for at in kept], [values[at] for at in kept]
    if axis.missing:
        marks.append(float((edges[-2] + edges[-1]) / 2))
        texts.append("missing")
    put(marks, texts, fontsize=7.5, **style)


def _apart(at: Floats, texts: Sequence[str], apart: float) -> list[int]:
    """Both ends, and of the edges between all that keep their distance and say something new."""
    last, kept = len(at) - 1, [0]
    for k in range(1, last):
        near = min(at[k] - at[kept[-1]], at[last] - at[k])
        if near >= apart and texts[k] != texts[kept[-1]]:
            kept.append(k)
    return [*kept, last]


def _brief(text: str) -> str:
    return text if len(text) <= 18 else f"{text[:17]}…"


def _caption(space: FeatureSpace, depth: int) -> str:
    """Say how to read the picture."""
    cells = space.cells[depth]
    blank = cells.n.size - cells.n_occupied
    enough = f"{number(space.least)} training rows or more" if space.least > 1 else "training rows"
    text = f"{cells.n_occupied:,} blocks hold {enough}"
    text += f", {blank:,} do not and are left blank. " if blank else ". "
    text += "Ticks are true edges of bins; a bin too narrow to be seen is drawn wider than it is."
    if space.threshold is not None:
        text += f" The prediction is yes from {number(space.threshold)} on."
    return text


def _words(space: FeatureSpace, what: str, depth: int, values: Floats) -> str:
    """Say what one sees."""
    kind = ("Step line", "Heat map", "Columns of heat maps", "Rows and columns of heat maps")
    names = [axis.name for axis in space.axes[:depth]]
    low = np.unravel_index(int(np.nanargmin(values)), values.shape)
    high = np.unravel_index(int(np.nanargmax(values)), values.shape)
    where = [
        ", ".join(
            f"{axis.name} {axis.bins[at]}" for axis, at in zip(space.axes, place, strict=False)
        )
        for place in (low, high)
    ]
    return (
        f"{kind[depth - 1]} of the {_called(space, what)} by {', '.join(names)}. Lowest: "
        f"{number(float(values[low]))} at {where[0]}; highest: {number(float(values[high]))} at "
        f"{where[1]}."
    )


def _table(space: FeatureSpace, depth: int) -> Table:
    """List the occupied blocks, those with the most rows if there are many, in the order of bins."""
    cells, axes = space.cells[depth], space.axes[:depth]
    at = np.argwhere(cells.n > 0)
    if len(at) > _MOST_ROWS:
        largest = np.argsort(-cells.n[tuple(at.T)], kind="stable")[:_MOST_ROWS]
        at = at[np.sort(largest)]
    rows = [
        (
            *(axis.bins[i] for axis, i in zip(axes, place, strict=True)),
            *(number(float(t[tuple(place)])) for t in (cells.n, cells.mean, cells.answer)),
        )
        for place in at.tolist()
    ]
    names = [axis.name for axis in axes]
    return Table([*names, "training rows", space.outcome, "answer"], rows)
