"""Pictures of a comparison: error by round, learning curves, confusion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from whybox.explain.s3d_hypercube import plain_logarithms
from whybox.explain.svg import FALL, MUTED, RISE, WIDE, Plot, Table, draw
from whybox.explain.wording import number, percent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Curve", "confusion_matrix_plot", "draw_lines", "learning_plot", "stages_plot"]

Curve = Sequence[tuple[float, float]]
# Of middling lightness, so that they stand on light and dark; dashes tell them apart without colour.
_COLOURS = ("#2b7bba", "#d0662a", "#3a9a63", "#a159b5", "#a98a1f", "#c64f6b", "#2f98a6", "#8b8b8b")
_DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)))


def stages_plot(curves: Mapping[str, Curve], name: str = "stages") -> Plot:
    """Test error by round (Tong et al., Fig. 2).

    Parameters
    ----------
    curves : mapping of model to sequence of (round, error)
    name : str

    Returns
    -------
    Plot

    Examples
    --------
    >>> stages_plot({"cbpt": [(1, 0.2), (10, 0.1)]}).table.rows
    [('cbpt', '20.0 %', '10', '10.0 %', '10', '10.0 %')]
    """

    def paint(figure: Figure) -> None:
        axes = figure.subplots()
        draw_lines(axes, curves, percent_of=100)
        axes.set(xlabel="round", ylabel="test error (%)", xscale="log", ylim=(0, None))
        plain_logarithms(axes.xaxis)
        figure.legend(loc="outside right upper", fontsize=9)

    rows = []
    for model, curve in curves.items():
        best = min(curve, key=lambda point: point[1])
        ends = (percent(curve[0][1]), number(best[0]), percent(best[1]))
        rows.append((model, *ends, number(curve[-1][0]), percent(curve[-1][1])))
    alt = "Lines of the mean test error by round. " + " ".join(
        f"{model} falls from {first} to {last}." for model, first, _, _, _, last in rows
    )
    return Plot(
        name,
        "Error by round",
        "Mean test error over the folds after each round, for methods with stages. The best round "
        "was found on test rows: it tells of the method, and is no result.",
        alt,
        draw(name, alt, (WIDE, 4.0), paint),
        Table(("model", "round 1", "best round", "its error", "last round", "its error"), rows),
    )


def learning_plot(curves: Mapping[str, Curve], name: str = "learning") -> Plot:
    """Accuracy by share of the train rows (Tong et al., Fig. 3).

    Parameters
    ----------
    curves : mapping of model to sequence of (share, accuracy)
    name : str

    Returns
    -------
    Plot

    Examples
    --------
    >>> learning_plot({"cbpt": [(0.1, 0.7), (1.0, 0.875)]}).table.rows
    [('cbpt', '70.0 %', '87.5 %')]
    """
    shares = [share for share, _ in next(iter(curves.values()))]

    def paint(figure: Figure) -> None:
        axes = figure.subplots()
        scaled = {model: [(100 * x, y) for x, y in curve] for model, curve in curves.items()}
        draw_lines(axes, scaled, percent_of=100, marker="o")
        axes.set(xlabel="share of the train rows (%)", ylabel="accuracy (%)")
        figure.legend(loc="outside right upper", fontsize=9)

    alt = "Lines of the mean accuracy by share of the train rows. " + " ".join(
        f"{model} goes from {percent(curve[0][1])} to {percent(curve[-1][1])}."
        for model, curve in curves.items()
    )
    rows = [(model, *(percent(y) for _, y in curve)) for model, curve in curves.items()]
    return Plot(
        name,
        "Learning curves",
        "Mean accuracy over the folds when only a share of the train rows, class by class, is used.",
        alt,
        draw(name, alt, (WIDE, 4.0), paint),
        Table(("model", *(percent(share) for share in shares)), rows),
    )


def confusion_matrix_plot(
    counts: Any, classes: Sequence[str], model: str, name: str = "confusion-matrix"
) -> Plot:
    """True against predicted classes (Tong et al., Fig. 4).

    Parameters
    ----------
    counts : int array (classes, classes)
        Rows are true classes.
    classes : sequence of str
    model, name : str

    Returns
    -------
    Plot

    Examples
    --------
    >>> confusion_matrix_plot([[3, 1], [0, 4]], ["no", "yes"], "cbpt").table.rows
    [('no', '3', '1'), ('yes', '0', '4')]
    """
    cells = np.asarray(counts, dtype=np.int64)
    shares = cells / np.maximum(cells.sum(axis=1, keepdims=True), 1)

    def paint(figure: Figure) -> None:
        from matplotlib.patches import Rectangle

        axes, n = figure.subplots(), len(classes)
        for row, column in np.ndindex(n, n):
            share, y = float(shares[row, column]), n - 1 - row
            colour, strength = (FALL if row == column else RISE), 0.06 + 0.5 * share
            place = (column + 0.02, y + 0.02)
            axes.add_patch(Rectangle(place, 0.96, 0.96, facecolor=colour, alpha=strength))
            middle = column + 0.5
            axes.text(middle, y + 0.52, number(int(cells[row, column])), ha="center", va="bottom")
            axes.text(middle, y + 0.46, percent(share, 0), ha="center", va="top", fontsize=8)
        middles = np.arange(n) + 0.5
        axes.set_xticks(middles, [str(label)[:12] for label in classes])
        axes.set_yticks(middles[::-1], [str(label)[:12] for label in classes])
        axes.set(xlim=(0, n), ylim=(0, n), xlabel="predicted", ylabel="true")
        axes.set_aspect("equal")
        axes.grid(visible=False)
        for spine in axes.spines.values():
            spine.set_visible(False)

    alt = "Counts of true against predicted classes. " + " ".join(
        f"Of {number(int(row.sum()))} {label} rows {number(int(row[at]))} are predicted so."
        for at, (label, row) in enumerate(zip(classes, cells, strict=True))
    )
    return Plot(
        name,
        f"Who is taken for whom ({model})",
        "Test rows of all folds; percentages are of each true class.",
        alt,
        draw(name, alt, (WIDE, 1.2 + 0.75 * len(classes)), paint),
        Table(
            ("true class", *classes),
            [
                (str(label), *(number(int(count)) for count in row))
                for label, row in zip(classes, cells, strict=True)
            ],
        ),
    )


def draw_lines(
    axes: Any, curves: Mapping[str, Curve], percent_of: float = 1.0, marker: str = ""
) -> None:
    """Draw one line a model, the first on top.

    Parameters
    ----------
    axes : matplotlib Axes
    curves : mapping of model to curve
    percent_of : float
        What y is multiplied by.
    marker : str
        Matplotlib's name of what stands at each point.
    """
    for at, (model, curve) in enumerate(curves.items()):
        axes.plot(
            [x for x, _ in curve],
            [percent_of * y for _, y in curve],
            color=_COLOURS[at % len(_COLOURS)],
            linestyle=_DASHES[at % len(_DASHES)],
            linewidth=2.0 if at == 0 else 1.3,
            marker=marker,
            markersize=4,
            label=model,
            zorder=len(curves) - at + 2,
        )
    axes.tick_params(which="both", color=MUTED)
