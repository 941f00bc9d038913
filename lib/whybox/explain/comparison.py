"""The page of a comparison: models side by side, on the same rows, with what is needed to judge them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from whybox.explain.blocks import TableBlock
from whybox.explain.card import RESPONSIBLE_USE
from whybox.explain.comparison_curves import (
    calibration_overlay,
    operating_point,
    precision_recall_overlay,
    roc_overlay,
)
from whybox.explain.comparison_plots import (
    Curve,
    confusion_matrix_plot,
    learning_plot,
    stages_plot,
)
from whybox.explain.context import DataSummary
from whybox.explain.page import environment, totals_of
from whybox.explain.svg import Plot, Table
from whybox.explain.wording import number, percent, signed
from whybox.model_selection.metrics import precision_at_base_rate

__all__ = ["ComparedTask", "Comparison", "build_comparison"]

_METRICS = {
    "accuracy": "accuracy",
    "f1_macro": "F1, macro",
    "f1_positive": "F1, positive class",
    "auc": "AUC",
    "brier": "Brier score",
}
_BASE_RATES = (0.1, 0.05, 0.01)
_STABILITY = (
    "model",
    "agreement of importance",
    "of the top features",
    "of SHAP",
    "seconds to fit",
    "to predict",
)


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
    confusions : mapping of model to (classes, classes) int array
        All test rows together; rows are true classes. The first model's is drawn.
    tallies : mapping of model to int array (2, pieces)
        As `whybox.explain.comparison_curves` takes them; of two classes.
    chosen : sequence of (str, str, int)
        Model, parameters, and in how many folds they were chosen.
    """

    title: str
    about: str
    rows: Sequence[Mapping[str, Any]]
    stages: Mapping[str, Curve] = field(default_factory=dict)
    learning: Mapping[str, Curve] = field(default_factory=dict)
    classes: Sequence[str] = ()
    confusions: Mapping[str, Any] = field(default_factory=dict)
    tallies: Mapping[str, Any] = field(default_factory=dict)
    chosen: Sequence[tuple[str, str, int]] = ()


@dataclass(frozen=True)
class Comparison:
    """What the page shows.

    Attributes
    ----------
    title, summary : str
        The summary is one paragraph: what was asked, what was found.
    tasks : sequence of ComparedTask
    method : mapping
        Splits, grids, software: shown as it is.
    data : DataSummary, optional
    """

    title: str
    summary: str
    tasks: Sequence[ComparedTask]
    method: Mapping[str, Any] = field(default_factory=dict)
    data: DataSummary | None = None


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
    tasks = {f"task-{at}": _task(at, task) for at, task in enumerate(data.tasks, start=1)}
    sections = {name: task["title"] for name, task in tasks.items()}
    if data.data is not None:
        sections["data"] = "The data"
    return (
        environment()
        .get_template("comparison.html.j2")
        .render(
            data=data,
            tasks=tasks,
            sections={**sections, "how": "How it was done"},
            highlights=_highlights(data.tasks),
            responsible_use=RESPONSIBLE_USE,
            totals=totals_of(() if data.data is None else data.data.inputs),
            stability_columns=_STABILITY,
        )
    )


def _highlights(tasks: Sequence[ComparedTask]) -> list[tuple[str, str, str]]:
    """The accuracy of the first models, where there is one task: label, figure, note."""
    if len(tasks) != 1:
        return []
    found = []
    for row in [*tasks[0].rows[:3], *(r for r in tasks[0].rows[3:] if r["model"] == "majority")]:
        interval = _interval(row, "accuracy")
        note = "accuracy" if interval == "–" else f"accuracy, {interval}"
        found.append((str(row["model"]), f"{row['accuracy_mean']:.3f}", note))
    return found


def _task(at: int, task: ComparedTask) -> dict[str, Any]:
    """A task as the template wants it."""
    shown = {
        metric: label
        for metric, label in _METRICS.items()
        if any(row[f"{metric}_mean"] is not None for row in task.rows)
    }
    return {
        "title": task.title,
        "about": task.about,
        "first": str(task.rows[0]["model"]),
        "figure_columns": ["model", *shown.values()],
        "difference_columns": ["model", *(c for label in shown.values() for c in (label, "p"))],
        "figures": [[row["model"], *(_moments(row, m) for m in shown)] for row in task.rows],
        "intervals": [[row["model"], *(_interval(row, m) for m in shown)] for row in task.rows],
        "differences": [
            [row["model"], *(cell for m in shown for cell in _difference(row, m))]
            for row in task.rows[1:]
        ],
        "stability": [_stability(row) for row in task.rows],
        "curves": _curves(at, task),
        "plots": _plots(at, task),
        "tables": [*_decisions(task), *_confusions(task), *_chosen(task)],
    }


def _curves(at: int, task: ComparedTask) -> list[Plot]:
    """Models over one another, where there are probabilities of two classes."""
    if not task.tallies:
        return []
    return [
        roc_overlay(task.tallies, f"roc-{at}"),
        precision_recall_overlay(task.tallies, f"precision-recall-{at}"),
        calibration_overlay(task.tallies, f"calibration-{at}"),
    ]


def _plots(at: int, task: ComparedTask) -> list[Plot]:
    """The other pictures."""
    plots = []
    if task.stages:
        plots.append(stages_plot(task.stages, f"stages-{at}"))
    if task.learning:
        plots.append(learning_plot(task.learning, f"learning-{at}"))
    for first in list(task.confusions)[:1]:
        counts, name = task.confusions[first], f"confusion-{at}"
        plots.append(confusion_matrix_plot(counts, task.classes, first, name))
    return plots


def _decisions(task: ComparedTask) -> list[TableBlock]:
    """What decisions at one half are worth, here and where the positive class is rarer."""
    if not task.tallies:
        return []
    rows = []
    for model, tally in task.tallies.items():
        sensitivity, specificity, right = operating_point(tally)
        rarer = (precision_at_base_rate(sensitivity, specificity, rate) for rate in _BASE_RATES)
        rows.append((model, *map(percent, (sensitivity, specificity, right, *rarer))))
    columns = ("model", "sensitivity", "specificity", "right among the flagged",
               *(f"right at {percent(rate, 0)}" for rate in _BASE_RATES))  # fmt: skip
    note = (
        "Decided positive from a probability of 0.5 on; test rows of all folds together. Sensitivity "
        "is the share found among the positive, specificity the share left alone among the negative. "
        "The last columns: how many of the flagged would be right where only so many are positive "
        "(Bayes' rule)."
    )
    return [TableBlock("What decisions are worth", note, Table(columns, rows))]


def _confusions(task: ComparedTask) -> list[TableBlock]:
    """Class by class, how many rows each model gets right."""
    rows = []
    for model, counts in task.confusions.items():
        cells = np.asarray(counts, dtype=np.int64)
        known = cells.sum(axis=1)
        right = zip(np.diag(cells).tolist(), known.tolist(), strict=True)
        rows.append((model, *(percent(hit / n if n else None) for hit, n in right)))
    if not rows:
        return []
    note = "Test rows of all folds together: the share of each true class that is predicted so."
    return [TableBlock("Right, class by class", note, Table(("model", *task.classes), rows))]


def _chosen(task: ComparedTask) -> list[TableBlock]:
    """Which parameters were chosen in how many folds."""
    if not task.chosen:
        return []
    rows = [(model, number(folds), params) for model, params, folds in task.chosen]
    note = "Chosen in each fold on its own train rows; many different ones mean that little hangs on it."
    table = Table(("model", "folds", "parameters"), rows)
    return [TableBlock("Chosen parameters", note, table, prose=True)]


def _interval(row: Mapping[str, Any], metric: str) -> str:
    """The interval of a mean."""
    low, high = row[f"{metric}_low"], row[f"{metric}_high"]
    return "–" if low is None else f"{low:.3f} to {high:.3f}"


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
