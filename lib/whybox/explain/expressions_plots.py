"""Pictures of expressions: what each reaches, and the curves of CF-ICF, Figs. 1 and 2 of the paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from whybox.explain.expressions_context import Column
from whybox.explain.svg import FALL, INK, MUTED, RISE, WIDE, Plot, Table, draw
from whybox.explain.wording import number, percent
from whybox.expressions.ranking import icf

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["falling_plot", "reach_plot", "rising_plot"]

_LEVELS = (1.0, 0.5, 0.25)  # of icf, as shares of log(n); of cf, as shares of a round maximum
_DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1.5, 2)))
_SQUARE = (4.6, 3.7)
_LINE = 12  # points between two numbers, one above the other


def reach_plot(columns: Sequence[Column]) -> Plot:
    """What each expression reaches: training texts of its class, and of others.

    Parameters
    ----------
    columns : sequence of Column

    Returns
    -------
    Plot

    Examples
    --------
    >>> reach_plot([Column("thanks", "positive", 9, 1, 0.9, 0.3, 1.2, 10, 4)]).table.rows
    [('thanks', 'positive', '9', '1', '90.0 %')]
    """
    names = [f"{_short(each.name)}  ({each.label})" for each in columns]

    def paint(figure: Figure) -> None:
        axes = figure.subplots()
        at = np.arange(len(columns))
        inside = np.array([each.texts for each in columns])
        outside = np.array([each.others for each in columns])
        axes.barh(at, inside, color=FALL, height=0.62, label="of its class")
        axes.barh(at, outside, left=inside, color=RISE, height=0.62, label="of other classes")
        for place, each in enumerate(columns):
            axes.annotate(
                percent(each.precision, 0),
                (each.texts + each.others, place),
                xytext=(5, 0),
                textcoords="offset points",
                va="center",
                color=MUTED,
            )
        axes.set_yticks(at, names)
        axes.invert_yaxis()
        axes.grid(visible=False, axis="y")
        axes.margins(x=0.08)
        axes.set_xlabel("training texts with the expression")
        figure.legend(loc="outside upper left", ncols=2)

    most = max(columns, key=lambda each: each.texts)
    alt = (
        f"Bars of {len(columns)} expressions; the longest of its own class is {most.name!r} with "
        f"{number(most.texts)} texts of {most.label}, {number(most.others)} of others."
    )
    size = (WIDE, 0.9 + 0.34 * len(columns))
    rows = [
        (each.name, each.label, number(each.texts), number(each.others), percent(each.precision))
        for each in columns
    ]
    return Plot(
        "reach",
        "What each expression reaches",
        "Behind each bar: the share of its texts that are of its class (precision).",
        alt,
        draw("reach", alt, size, paint),
        Table(("expression", "class", "texts of it", "of others", "precision"), rows),
    )


def falling_plot(columns: Sequence[Column], n_documents: int) -> Plot:
    """Fig. 1: how CF-ICF falls with the documents of other classes, cf being kept.

    Parameters
    ----------
    columns : sequence of Column
        Drawn as dots.
    n_documents : int
        Training texts, on which icf depends.

    Returns
    -------
    Plot

    Examples
    --------
    >>> plot = falling_plot([Column("thanks", "positive", 9, 1, 0.9, 0.3, 1.2, 10, 4)], 100)
    >>> plot.title
    'CF-ICF by texts of other classes'
    """
    from matplotlib.ticker import StrMethodFormatter

    others = np.unique(np.geomspace(1, n_documents, 200).astype(np.int64)) - 1
    top = _round_up(max((each.recall for each in columns), default=1.0))
    curves = [(others + 1, level * top * icf(others, n_documents)) for level in _LEVELS]
    dots = [(each.others + 1, each.score) for each in columns]

    def paint(figure: Figure) -> None:
        axes = figure.subplots()
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        _curves(axes, curves, lambda level: f"cf {level * top:g}")
        _dots(axes, columns, dots)
        axes.set_xlabel("texts of other classes that have it, plus 1")
        axes.set_ylabel("CF-ICF")

    alt = (
        "Three curves that fall from left to right, one a level of cf; the model's expressions lie "
        "as dots among them, the higher the better."
    )
    return Plot(
        "cf-icf-falling",
        "CF-ICF by texts of other classes",
        "With cf kept (Fig. 1 of Francisco and Castro). Dots: this model's expressions, by rank.",
        alt,
        draw("cf-icf-falling", alt, _SQUARE, paint),
        _table("texts of others", columns, [number(each.others) for each in columns]),
    )


def rising_plot(columns: Sequence[Column], n_documents: int) -> Plot:
    """Fig. 2: how CF-ICF rises with cf, icf being kept.

    Parameters
    ----------
    columns, n_documents
        As for `falling_plot`.

    Returns
    -------
    Plot

    Examples
    --------
    >>> plot = rising_plot([Column("thanks", "positive", 9, 1, 0.9, 0.3, 1.2, 10, 4)], 100)
    >>> plot.table.rows
    [('1. thanks', '30.0 %', '1.2')]
    """
    top = _round_up(max((each.recall for each in columns), default=1.0))
    shares = np.linspace(0.0, top, 50)
    curves = [(shares, shares * level * math.log(n_documents)) for level in _LEVELS]
    dots = [(each.recall, each.score) for each in columns]

    def paint(figure: Figure) -> None:
        axes = figure.subplots()
        _curves(axes, curves, lambda level: f"icf {level:g} log(n)")
        _dots(axes, columns, dots)
        axes.set_xlabel("share of the class's texts that have it (cf)")
        axes.set_ylabel("CF-ICF")

    alt = (
        "Three straight lines that rise from nothing, one a level of icf; the model's expressions "
        "lie as dots among them."
    )
    return Plot(
        "cf-icf-rising",
        "CF-ICF by share of the class",
        "With icf kept (Fig. 2 of Francisco and Castro). Dots: this model's expressions, by rank.",
        alt,
        draw("cf-icf-rising", alt, _SQUARE, paint),
        _table("share of its class", columns, [percent(each.recall) for each in columns]),
    )


def _curves(
    axes: Axes,
    curves: Sequence[tuple[NDArray[Any], NDArray[Any]]],
    name: Callable[[float], str],
) -> None:
    """One line a level, told apart by its dashes."""
    for (x, y), level, dashes in zip(curves, _LEVELS, _DASHES, strict=True):
        axes.plot(x, y, color=MUTED, linewidth=1.3, linestyle=dashes, label=name(level))
    axes.legend(loc="best")
    axes.set_ylim(bottom=0)


def _dots(axes: Axes, columns: Sequence[Column], dots: Sequence[tuple[float, float]]) -> None:
    """The expressions, numbered by rank."""
    if not dots:
        return
    x, y = zip(*dots, strict=True)
    axes.scatter(x, y, color=RISE, s=20, zorder=3)
    axes.set_ylim(0, 1.35 * max(y))
    axes.get_xlim()  # settles where the dots are
    at = axes.transData.transform(dots[: len(columns)]) * 72 / axes.figure.dpi
    for ranks in _neighbours(at.tolist()):
        axes.annotate(
            ", ".join(str(rank + 1) for rank in ranks), dots[ranks[0]], xytext=(4, 3),
            textcoords="offset points", color=INK, fontsize=8.5,
        )  # fmt: skip


def _neighbours(places: Sequence[tuple[float, float]]) -> list[list[int]]:
    """Put dots together whose numbers, written to the right of the first, would meet; in points."""
    groups: list[list[int]] = []
    for rank, (x, y) in enumerate(places):
        for ranks in groups:
            (first, height), width = places[ranks[0]], 14 * len(ranks)
            if abs(y - height) < _LINE and -14 < x - first < width:
                ranks.append(rank)
                break
        else:
            groups.append([rank])
    return groups


def _round_up(share: float) -> float:
    """The next share of one digit."""
    digit = 10.0 ** math.floor(math.log10(share))
    return min(1.0, round(math.ceil(share / digit) * digit, 10))


def _table(heading: str, columns: Sequence[Column], values: Sequence[str]) -> Table:
    """The dots in numbers."""
    rows = [
        (f"{rank}. {each.name}", value, number(each.score))
        for rank, (each, value) in enumerate(zip(columns, values, strict=True), 1)
    ]
    return Table(("expression", heading, "CF-ICF"), rows)


def _short(name: str, limit: int = 30) -> str:
    """Cut a long name."""
    return name if len(name) <= limit else name[: limit - 1] + "…"
