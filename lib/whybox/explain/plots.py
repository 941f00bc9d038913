"""Pictures of Shapley values over all rows: importance, summary and dependence."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from whybox.explain.context import Attribution
from whybox.explain.svg import FALL, MUTED, WIDE, Plot, Table, draw
from whybox.explain.wording import number, percent, signed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["dependence_plots", "importance_plot", "importances", "most_interactive", "summary_plot"]

Floats = NDArray[np.float64]
# From low to high, of middling lightness so that they stand on light and dark; grey: missing.
_SCALE = ("#2b7bba", "#5a83b5", "#8089ac", "#a08b98", "#bd8472", "#d0774b", "#dc6726")
_MISSING = "#8a8a8a"
_MAX_POINTS = 500


def importances(attribution: Attribution) -> tuple[NDArray[np.int64], Floats]:
    """Rank the features by their mean absolute Shapley value (Tong et al., section VI-C).

    Parameters
    ----------
    attribution : Attribution

    Returns
    -------
    order : int64 array (features,)
        Most important first; equals in their own order.
    importance : float64 array (features,)
        By column, not by rank.

    Examples
    --------
    >>> importances(Attribution(["a", "b"], np.ones((1, 2)), np.array([[0.1, -0.3]]), 0.5))
    (array([1, 0]), array([0.1, 0.3]))
    """
    importance = np.abs(attribution.values).mean(axis=0)
    return np.argsort(-importance, kind="stable"), importance


def most_interactive(attribution: Attribution, feature: int) -> tuple[int, float] | None:
    """Find the feature whose values go most with a feature's Shapley values.

    Parameters
    ----------
    attribution : Attribution
    feature : int
        Column.

    Returns
    -------
    (int, float) or None
        Column and Pearson correlation (Tong et al., Supplementary Eq. 6) of the largest absolute
        correlation, over the rows where the value is known; None if nothing varies.

    Examples
    --------
    >>> X = np.array([[1.0, 5.0, 3.0], [2.0, 4.0, 3.0], [3.0, 3.0, 3.0]])
    >>> values = np.array([[0.1, 0.0, 0.0], [0.2, 0.0, 0.0], [0.3, 0.0, 0.0]])
    >>> column, correlation = most_interactive(Attribution("abc", X, values, 0.5), 0)
    >>> column, round(correlation, 6)
    (1, -1.0)
    """
    phi = attribution.values[:, feature]
    found = [
        (_pearson(phi, np.asarray(column, dtype=np.float64)), at)
        for at, column in enumerate(attribution.X.T)
        if at != feature
    ]
    correlation, best = max(found, key=lambda pair: abs(pair[0]), default=(0.0, 0))
    return (best, correlation) if correlation else None


def importance_plot(attribution: Attribution, top: int = 15) -> Plot:
    """Bars of the most important features.

    Parameters
    ----------
    attribution : Attribution
    top : int

    Returns
    -------
    Plot

    Examples
    --------
    >>> plot = importance_plot(Attribution(["a"], np.ones((1, 1)), np.full((1, 1), 0.2), 0.5))
    >>> plot.table.rows
    [('a', '20.0')]
    """
    order, importance = importances(attribution)
    names = [attribution.features[at] for at in order]
    shown = order[:top]

    def paint(figure: Figure) -> None:
        axes = figure.subplots()
        heights = np.arange(len(shown))[::-1]
        axes.barh(heights, 100 * importance[shown], height=0.62, color=FALL)
        for height, at in zip(heights, shown, strict=True):
            label = f"{100 * importance[at]:.1f}"
            axes.annotate(
                label,
                (100 * importance[at], height),
                (4, 0),
                textcoords="offset points",
                va="center",
                color=MUTED,
            )
        axes.set_yticks(heights, [_short(name) for name in names[:top]])
        axes.set_xlabel("mean change of the answer, in percentage points")
        axes.grid(visible=False, axis="y")
        axes.margins(x=0.1, y=0.02)

    alt = (
        f"Horizontal bars, the longest on top: {_ranking(names, importance[order])}. "
        f"{len(shown)} of {len(names)} features are shown."
    )
    return Plot(
        "importance",
        "What counts, over all rows",
        "How far each feature moves an answer on average, up or down (mean absolute Shapley value).",
        alt,
        draw("importance", alt, (WIDE, 0.8 + 0.27 * len(shown)), paint),
        Table(
            ["feature", "mean absolute Shapley value (percentage points)"],
            [(name, f"{100 * importance[at]:.1f}") for name, at in zip(names, order, strict=True)],
        ),
    )


def summary_plot(attribution: Attribution, top: int = 12) -> Plot:
    """One dot a row and feature: its Shapley value, coloured by the feature's value.

    Parameters
    ----------
    attribution : Attribution
    top : int
        Features shown.

    Returns
    -------
    Plot

    Examples
    --------
    >>> plot = summary_plot(Attribution(["a"], np.ones((1, 1)), np.full((1, 1), 0.2), 0.5))
    >>> plot.name, len(plot.table.rows)
    ('summary', 1)
    """
    order, _ = importances(attribution)
    shown, rows = order[:top], _some(len(attribution.X))

    def paint(figure: Figure) -> None:
        axes = figure.subplots()
        axes.axvline(0, color=MUTED, linewidth=0.8)
        for height, at in zip(range(len(shown))[::-1], shown, strict=True):
            phi = 100 * attribution.values[rows, at]
            colours = _colours(attribution.X[:, at])[rows]
            axes.scatter(phi, height + _jitter(phi), s=7, c=colours, linewidths=0, alpha=0.85)
        names = [_short(attribution.features[at]) for at in shown]
        axes.set_yticks(range(len(shown))[::-1], names)
        axes.set_xlabel("change of the answer, in percentage points")
        axes.grid(visible=False, axis="x")
        axes.set_ylim(-0.6, len(shown) - 0.4)
        _scale_legend(figure, "feature value")

    trends = [(attribution.features[at], *_trend(attribution, at)) for at in shown]
    words = "; ".join(f"{name}: {trend}" for name, trend, _ in trends[:4])
    alt = f"Dots by feature, left lowers the answer and right raises it. {words}."
    return Plot(
        "summary",
        "Which way it counts",
        "Each dot is one row. To the right the feature raised the answer, to the left it lowered "
        f"it; colour is the feature's value.{_sample_note(len(rows), len(attribution.X))}",
        alt,
        draw("summary", alt, (WIDE, 1.0 + 0.36 * len(shown)), paint),
        Table(
            ["feature", "tendency", "correlation of value and Shapley value"],
            [(name, trend, number(r, 2)) for name, trend, r in trends],
        ),
    )


def dependence_plots(attribution: Attribution, top: int = 3) -> list[Plot]:
    """Shapley value against value for the most important features.

    Parameters
    ----------
    attribution : Attribution
    top : int

    Returns
    -------
    list of Plot
        Coloured by the most interactive feature; axes from the 5th to the 95th percentile.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [2.0, 1.0], [3.0, 0.0]])
    >>> plots = dependence_plots(Attribution("ab", X, X / 10, 0.5), top=1)
    >>> plots[0].title
    'a, with b'
    """
    order, importance = importances(attribution)
    return [_dependence(attribution, int(at)) for at in order[:top] if importance[at] > 0]


def _dependence(attribution: Attribution, at: int) -> Plot:
    """Draw one feature's dependence plot."""
    name, partner = attribution.features[at], most_interactive(attribution, at)
    other = attribution.features[partner[0]] if partner else None
    x = np.asarray(attribution.X[:, at], dtype=np.float64)
    phi = 100 * attribution.values[:, at]
    low, high = _range(x)
    inside = np.flatnonzero((x >= low) & (x <= high))
    rows = inside[_some(len(inside))]

    def paint(figure: Figure) -> None:
        axes = figure.subplots()
        colours = _colours(attribution.X[:, partner[0]])[rows] if partner else FALL
        axes.axhline(0, color=MUTED, linewidth=0.8)
        axes.scatter(x[rows], phi[rows], s=9, c=colours, linewidths=0, alpha=0.85)
        axes.set_xlabel(_short(name, 40))
        axes.set_ylabel("change, percentage points")
        if partner:
            ends = _range(np.asarray(attribution.X[:, partner[0]], dtype=np.float64))
            _scale_legend(figure, _short(attribution.features[partner[0]], 30), ends)

    table = _binned(x, phi, low, high)
    alt = f"Scatter of the change of the answer against {name}: {_course(table)}."
    beside = (
        f" Colour: {other}, whose values go most with it (r = {number(partner[1], 2)})."
        if partner
        else ""
    )
    number_of = f"dependence-{at}"
    return Plot(
        number_of,
        f"{name}, with {other}" if other else name,
        f"Values from the 5th to the 95th percentile.{beside}"
        f"{_sample_note(len(rows), len(inside))}",
        alt,
        draw(number_of, alt, (3.3, 3.0), paint),
        Table([f"{name}, from", "to", "rows", "mean change (percentage points)"], table),
    )


def _binned(x: Floats, phi: Floats, low: float, high: float) -> list[tuple[str, ...]]:
    """Average the changes over five equal parts of the range."""
    edges = np.linspace(low, high, 6) if high > low else np.array([low, low])
    rows: list[tuple[str, ...]] = []
    for start, end in pairwise(edges):
        inside = (x >= start) & ((x < end) | (end == edges[-1]) & (x <= end))
        mean = signed(phi[inside].mean() / 100) if inside.any() else "–"
        rows.append((number(start), number(end), number(int(inside.sum())), mean))
    return rows


def _course(table: list[tuple[str, ...]]) -> str:
    """Say where a binned curve starts and ends."""
    known = [row for row in table if row[3] != "–"]
    if not known:
        return "no values"
    return f"on average {known[0][3]} points near {known[0][0]}, {known[-1][3]} near {known[-1][1]}"


def _trend(attribution: Attribution, at: int) -> tuple[str, float]:
    """Say whether high values raise or lower the answer."""
    column = np.asarray(attribution.X[:, at], dtype=np.float64)
    r = _pearson(attribution.values[:, at], column)
    if abs(r) < 0.2:
        return "no single direction", r
    return ("high values raise the answer" if r > 0 else "high values lower the answer"), r


def _pearson(a: Floats, b: Floats) -> float:
    """Correlate two columns over the rows where the second is known; 0 if either is constant."""
    known = np.isfinite(b)
    if known.sum() < 2:
        return 0.0
    scaled = [part[known] / (np.abs(part[known]).max() or 1.0) for part in (a, b)]
    centred = [part - part.mean() for part in scaled]
    sizes = [float(np.sqrt(part @ part)) for part in centred]
    if min(sizes) <= 1e-12 * np.sqrt(known.sum()):  # rounding of the mean, no variation
        return 0.0
    return float(np.clip((centred[0] / sizes[0]) @ (centred[1] / sizes[1]), -1.0, 1.0))


def _range(x: Floats) -> tuple[float, float]:
    """Give the 5th and 95th percentile of the known values."""
    known = x[np.isfinite(x)]
    if not len(known):
        return 0.0, 0.0
    low, high = np.percentile(known, [5, 95])
    return float(low), float(high)


def _colours(values: NDArray) -> NDArray[np.str_]:
    """Colour values by their place between the 5th and the 95th percentile."""
    x = np.asarray(values, dtype=np.float64)
    low, high = _range(x)
    if high <= low and np.isfinite(x).any():
        low, high = float(np.nanmin(x)), float(np.nanmax(x))
    place = (np.clip(np.nan_to_num(x, nan=low), low, high) - low) / ((high - low) or 1.0)
    colours = np.array(_SCALE)[np.minimum((place * len(_SCALE)).astype(int), len(_SCALE) - 1)]
    return np.where(np.isnan(x), _MISSING, colours)


def _jitter(phi: Floats) -> Floats:
    """Spread crowded dots up and down, alternately, in the order of the rows."""
    width = (np.ptp(phi) or 1.0) / 90
    bins = np.round(phi / width).astype(np.int64)
    offset = np.zeros(len(phi))
    _, inverse, counts = np.unique(bins, return_inverse=True, return_counts=True)
    seen = np.zeros(len(counts), dtype=np.int64)
    for at, part in enumerate(inverse):
        step = (seen[part] + 1) // 2
        offset[at] = step if seen[part] % 2 else -step
        seen[part] += 1
    return np.asarray(0.38 * offset / max(3.0, np.abs(offset).max()), dtype=np.float64)


def _some(n_rows: int) -> NDArray[np.int64]:
    """Choose rows to draw, evenly spaced."""
    if n_rows <= _MAX_POINTS:
        return np.arange(n_rows)
    return np.linspace(0, n_rows - 1, _MAX_POINTS).astype(np.int64)


def _sample_note(drawn: int, of: int) -> str:
    """Tell of rows that are not drawn."""
    return f" {number(drawn)} of {number(of)} rows are drawn." if drawn < of else ""


def _ranking(names: list[str], importance: Floats, top: int = 5) -> str:
    """Name the first few features with their importance."""
    return ", ".join(
        f"{name} {percent(value)[:-2]} points"
        for name, value in zip(names[:top], importance, strict=False)
    )


def _short(name: str, limit: int = 26) -> str:
    """Shorten a name that would push the picture aside."""
    return name if len(name) <= limit else f"{name[: limit - 1]}…"


def _scale_legend(figure: Figure, title: str, ends: tuple[float, float] | None = None) -> None:
    """Explain the colours, above the axes: in words, or from one number to another."""
    from matplotlib.lines import Line2D

    words = ["low", "middle", "high"]
    if ends is not None and ends[0] < ends[1]:
        words = [number(value) for value in (ends[0], sum(ends) / 2, ends[1])]
    dots = [Line2D([], [], marker="o", linestyle="", markersize=5, color=c) for c in _SCALE[::3]]
    figure.legend(
        dots,
        words,
        title=title,
        ncols=3,
        loc="outside upper right",
        fontsize=8.5,
        title_fontsize=8.5,
        handletextpad=0.1,
        columnspacing=0.9,
    )
