"""The report: one HTML file that needs nothing else, in light, dark and print."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from whybox.errors import InputError
from whybox.explain import performance, plots
from whybox.explain.boosting import history_plot
from whybox.explain.card import RESPONSIBLE_USE
from whybox.explain.class_report import class_pictures
from whybox.explain.context import CLASS_METRICS, ReportData
from whybox.explain.force import force_plot
from whybox.explain.outcome_report import errors_plot
from whybox.explain.page import card_in_order, environment, totals_of
from whybox.explain.s3d_report import (
    DecompositionPictures,
    answers_plot,
    decomposition_pictures,
)
from whybox.explain.svg import Plot
from whybox.explain.wording import number
from whybox.model_selection.metrics import precision_at_base_rate

__all__ = ["build_report"]

_LOSSES = ("brier", "mae", "rmse")  # the less the better
_ON_TOP = ("accuracy", "f1_positive", "auc", "r2", "mae")
_BASE_RATES = (0.1, 0.05, 0.01)
_SECTIONS = {
    "data": "The data",
    "performance": "How well it does",
    "model": "How it decides",
    "threshold": "The threshold",
    "abstentions": "Where it does not answer",
    "card": "Model card",
    "software": "Software and hashes",
}


@dataclass(frozen=True)
class _Pictures:
    """The report's plots, by place."""

    performance: list[Plot] = field(default_factory=list)
    classes: list[Plot] = field(default_factory=list)
    scores: Plot | None = None
    overall: list[Plot] = field(default_factory=list)
    dependence: list[Plot] = field(default_factory=list)
    people: list[Plot] = field(default_factory=list)
    history: Plot | None = None
    answers: Plot | None = None
    errors: Plot | None = None
    decomposition: DecompositionPictures | None = None


def build_report(data: ReportData) -> str:
    """Write a report.

    Parameters
    ----------
    data : ReportData
        Parts that are None are left out.

    Returns
    -------
    str
        An HTML document with all styles and pictures inside: no script, no outside address. The
        same data give the same bytes. Names from the data are escaped.

    Raises
    ------
    InputError
        If a person's row is not in the attribution, or there are people without one.

    Examples
    --------
    >>> from whybox.explain.context import ModelSummary
    >>> page = build_report(ReportData("A <model>", "Asked and answered.", ModelSummary("cbpt")))
    >>> "<h1>A &lt;model&gt;</h1>" in page, "<script" in page
    (True, False)
    """
    _check_people(data)
    pictures = _pictures(data)
    metrics = CLASS_METRICS if data.cross_validation is None else data.cross_validation.metrics
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            data=data,
            pictures=pictures,
            sections={name: title for name, title in _SECTIONS.items() if _filled(data, name)},
            responsible_use=(data.card or {}).get("responsible_use", RESPONSIBLE_USE),
            card=card_in_order(data.card or {}),
            highlights=_highlights(data),
            totals=totals_of(() if data.data is None else data.data.inputs),
            metrics=metrics,
            losses=" and ".join(f"the {text}" for name, text in metrics.items() if name in _LOSSES),
            decisions=_decisions(data),
        )
    )


def _check_people(data: ReportData) -> None:
    """Refuse people who cannot be explained."""
    rows = 0 if data.attribution is None else len(data.attribution.X)
    for person in data.people:
        if not 0 <= person.row < rows:
            raise InputError(
                f"person at row {person.row} of {rows} rows with Shapley values",
                where="ReportData.people",
                remedy="give the attribution that holds the person's row",
            )


def _pictures(data: ReportData) -> _Pictures:
    """Draw all that the data allow."""
    found: dict[str, Any] = {}
    scores, value = data.out_of_fold, _threshold(data)
    if scores is not None and scores.positive.any() and not scores.positive.all():
        found["performance"] = [
            performance.roc_plot(scores, value),
            performance.precision_recall_plot(scores, value),
            performance.confusion_plot(scores, value),
            performance.calibration_plot(scores),
        ]
        found["scores"] = performance.score_plot(scores, value)
    appraisal = (data.card or {}).get("appraisal") or {}
    if appraisal.get("kind") == "classes":
        found["classes"] = class_pictures(appraisal)
    explained = data.attribution
    if explained is not None and explained.values.size:
        found["overall"] = [plots.importance_plot(explained), plots.summary_plot(explained)]
        found["dependence"] = plots.dependence_plots(explained)
        found["people"] = [force_plot(explained, person) for person in data.people]
    if data.history is not None and len(data.history.error):
        found["history"] = history_plot(data.history)
    if data.answers is not None and len(data.answers.outcomes):
        found["answers"] = answers_plot(data.answers)
        found["errors"] = errors_plot(data.answers)
    if data.decomposition is not None:
        found["decomposition"] = decomposition_pictures(data.decomposition)
    return _Pictures(**found)


def _filled(data: ReportData, section: str) -> bool:
    """Tell whether a section has anything to show."""
    parts = {
        "data": data.data,
        "performance": data.tables.get("performance")
        or data.cross_validation
        or data.out_of_fold
        or data.answers,
        "model": True,
        "threshold": data.threshold,
        "abstentions": data.abstentions,
        "card": data.card,
        "software": data.software or data.hashes,
    }
    return bool(parts[section])


def _threshold(data: ReportData) -> float:
    """Give the chosen threshold, or one half."""
    return 0.5 if data.threshold is None else data.threshold.value


def _highlights(data: ReportData) -> list[tuple[str, str, str]]:
    """Choose what stands on top: label, figure, note."""
    found = []
    if data.data is not None and data.data.class_counts:
        counts = data.data.class_counts
        note = ", ".join(f"{number(count)} {name}" for name, count in counts.items())
        found.append(("rows", number(sum(counts.values())), note))
    if data.cross_validation is not None and data.cross_validation.rows:
        figures = data.cross_validation.rows[0].figures
        for name in _ON_TOP:
            pair = figures.get(name)
            if pair is not None:
                mean, sd = pair
                text = data.cross_validation.metrics[name]
                found.append((text, f"{mean:,.3f}", f"± {sd:,.3f} over the folds"))
    return found


def _decisions(data: ReportData) -> Mapping[str, Any] | None:
    """Say what the threshold does, here and where the positive class is rarer."""
    scores = data.out_of_fold
    if scores is None or not scores.positive.any() or scores.positive.all():
        return None
    (kept, alarms), (missed, hits) = performance.confusion(scores, _threshold(data)).tolist()
    sensitivity, specificity = hits / (hits + missed), kept / (kept + alarms)
    share = float(np.mean(scores.positive))
    rates = [share, *(rate for rate in _BASE_RATES if rate < share)]
    rows = [(rate, precision_at_base_rate(sensitivity, specificity, rate)) for rate in rates]
    return {"sensitivity": sensitivity, "specificity": specificity, "precision": rows}
