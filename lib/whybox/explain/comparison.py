"""The page of a comparison: models side by side, error by round, learning curves, confusion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from whybox.explain.page import environment
from whybox.explain.svg import FALL, MUTED, RISE, WIDE, Plot, Table, draw
from whybox.explain.wording import number, percent, signed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "ComparedTask",
    "Comparison",
    "build_comparison",
    "confusion_matrix_plot",
    "learning_plot",
    "stages_plot",
]

Curve = Sequence[tuple[float, float]]
_METRICS = {
    "accuracy": "accuracy",
    "f1_macro": "F1, macro",
    "f1_positive": "F1, positive class",
    "auc": "AUC",
    "brier": "Brier score",
}
# Of middling lightness, so that they stand on light and dark; dashes tell them apart without colour.
_COLOURS = ("#2b7bba", "#d0662a", "#3a9a63", "#a159b5", "#a98a1f", "#c64f6b", "#2f98a6", "#8b8b8b")
_DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)))


@dataclass(frozen=True)
class ComparedTask:
    """One question that all models answered.

    Attributes
    ----------
    title, about : str
    rows : sequence of mapping
        From `whybox.model_selection.comparison.compare_models`, the reference first.
    stages : mapping of model to curve
        Mean test error by round.
    learning : mapping of model to curve
        Mean accuracy by share of the train rows.
    classes : sequence of str
    confusion : (classes, classes) int array or None
        The first model's, all test rows together; rows are true classes.
    """

    title: str
    about: str
    rows: Sequence[Mapping[str, Any]]
    stages: Mapping[str, Curve] = field(default_factory=dict)
    learning: Mapping[str, Curve] = field(default_factory=dict)
    classes: Sequence[str] = ()
    confusion: Any = None


@dataclass(frozen=True)
class Comparison:
    """What the page shows.

    Attributes
    ----------
    title, summary : str
    tasks : sequence of ComparedTask
    method : mapping
        Splits, grids, software: shown as it is.
    """

    title: str
    summary: str
    tasks: Sequence[ComparedTask]
    method: Mapping[str, Any] = field(default_factory=dict)


def build_comparison(data: Comparison) -> str:
    """Write the page.

    Parameters
    ----------
    data : Comparison

    Returns
    -------
    str
        An HTML document with all styles and pictures inside. Names from the data are escaped.

    Examples
    --------
    >>> page = build_comparison(Comparison("a <b>", "Two models.", []))
    >>> "<h1>a &lt;b&gt;</h1>" in page, "<script" in page
    (True, False)
    """
    return (
        environment()
        .get_template("comparison.html.j2")
        .render(
            data=data,
            tasks=[_task(at, task) for at, task in enumerate(data.tasks, start=1)],
            stability_columns=[
                "model",
                "rank correlation of importance",
                "overlap of the top features",
                "rank correlation of SHAP",
                "seconds to fit",
                "seconds to predict",
            ],
        )
    )


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
        _lines(axes, curves, percent_of=100)
        axes.set(xlabel="round", ylabel="test error (%)", xscale="log", ylim=(0, None))
        axes.xaxis.set_major_formatter("{x:g}")
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
        _lines(axes, scaled, percent_of=100, marker="o")
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


def _lines(axes: Any, curves: Mapping[str, Curve], percent_of: float, marker: str = "") -> None:
    """One line a model, the first on top."""
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


def _task(at: int, task: ComparedTask) -> dict[str, Any]:
    """A task as the template wants it."""
    first = str(task.rows[0]["model"])
    shown = {
        metric: label
        for metric, label in _METRICS.items()
        if any(row[f"{metric}_mean"] is not None for row in task.rows)
    }
    plots = []
    if task.stages:
        plots.append(stages_plot(task.stages, f"stages-{at}"))
    if task.learning:
        plots.append(learning_plot(task.learning, f"learning-{at}"))
    if task.confusion is not None:
        name = f"confusion-{at}"
        plots.append(confusion_matrix_plot(task.confusion, task.classes, first, name))
    return {
        "title": task.title,
        "about": task.about,
        "first": first,
        "figure_columns": ["model", *shown.values()],
        "difference_columns": ["model", *(c for label in shown.values() for c in (label, "p"))],
        "figures": [[row["model"], *(_moments(row, m) for m in shown)] for row in task.rows],
        "differences": [
            [row["model"], *(cell for m in shown for cell in _difference(row, m))]
            for row in task.rows[1:]
        ],
        "stability": [_stability(row) for row in task.rows],
        "plots": plots,
    }


def _moments(row: Mapping[str, Any], metric: str) -> str:
    """A mean with its spread."""
    mean, sd = row[f"{metric}_mean"], row[f"{metric}_sd"]
    if mean is None:
        return "–"
    return f"{mean:.3f}" + ("" if sd is None else f" ± {sd:.3f}")


def _difference(row: Mapping[str, Any], metric: str) -> tuple[str, str]:
    """A difference with its p value."""
    difference, p = row[f"{metric}_difference"], row[f"{metric}_p"]
    return ("–" if difference is None else signed(difference)), _p(p)


def _p(value: float | None) -> str:
    """A p value."""
    if value is None:
        return "–"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _stability(row: Mapping[str, Any]) -> list[str]:
    """How alike the folds' models are, and how long they took."""
    alike = ("importance_rank_correlation", "top_features_jaccard", "shap_rank_correlation")
    times = ("fit_seconds_mean", "predict_seconds_mean")
    return [
        str(row["model"]),
        *("–" if row[name] is None else f"{row[name]:.2f}" for name in alike),
        *(number(row[name]) for name in times),
    ]
