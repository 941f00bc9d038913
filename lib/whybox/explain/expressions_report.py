"""The report of a model of expressions: one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from whybox.explain import performance
from whybox.explain.card import RESPONSIBLE_USE
from whybox.explain.class_report import class_pictures
from whybox.explain.context import CLASS_METRICS
from whybox.explain.expressions_context import ExpressionsReport
from whybox.explain.expressions_plots import falling_plot, reach_plot, rising_plot
from whybox.explain.page import environment
from whybox.explain.svg import Plot
from whybox.explain.wording import number

__all__ = ["build_expressions_report"]

_LISTED = 12  # rules; the others can be unfolded
_ELSEWHERE = ("responsible_use", "card_version", "appraisal", "expressions", "features")
_SECTIONS = {
    "expressions": "The expressions",
    "decision": "How it decides",
    "performance": "How well it does",
    "matches": "Where they match",
    "ranking": "How they are ranked",
    "threshold": "The threshold",
    "card": "Model card",
    "software": "Software and hashes",
}


def build_expressions_report(data: ExpressionsReport) -> str:
    """Write a report of expressions.

    Parameters
    ----------
    data : ExpressionsReport
        Parts that are empty are left out.

    Returns
    -------
    str
        An HTML document with all styles and pictures inside: no script, no outside address. The
        same data give the same bytes. Words from the texts are escaped.

    Examples
    --------
    >>> from whybox.explain.context import ModelSummary
    >>> from whybox.explain.expressions_context import Column
    >>> columns = [Column("<b>", "positive", 9, 1, 0.9, 0.3, 1.2, 10, 4)]
    >>> data = ExpressionsReport("T", "S", ModelSummary("expressions-tree"), 10, "texts", columns, 5)
    >>> page = build_expressions_report(data)
    >>> "<b>" in page, "&lt;b&gt;" in page, "<script" in page
    (False, True, False)
    """
    return (
        environment()
        .get_template("expressions.html.j2")
        .render(
            data=data,
            sections={name: title for name, title in _SECTIONS.items() if _filled(data, name)},
            responsible_use=data.card.get("responsible_use", RESPONSIBLE_USE),
            card={name: part for name, part in data.card.items() if name not in _ELSEWHERE},
            highlights=_highlights(data),
            metrics=CLASS_METRICS,
            losses="the Brier score",
            pictures={
                **_performance(data),
                "answers": None,
                "reach": reach_plot(data.columns) if data.columns else None,
                "curves": [plot(data.columns, data.n_training) for plot in (falling_plot, rising_plot)],
            },
            decisions=None,
            listed=_LISTED,
        )
    )  # fmt: skip


def _performance(data: ExpressionsReport) -> Mapping[str, Any]:
    """Curves of out-of-fold scores where there are two classes, decisions where there are more."""
    scores, found = data.out_of_fold, list[Plot]()
    appraisal = data.card.get("appraisal") or {}
    classes = class_pictures(appraisal) if appraisal.get("kind") == "classes" else []
    if scores is None or scores.positive.all() or not scores.positive.any():
        return {"performance": found, "classes": classes, "scores": None}
    value = 0.5 if data.threshold is None else data.threshold.value
    found = [
        performance.roc_plot(scores, value),
        performance.precision_recall_plot(scores, value),
        performance.confusion_plot(scores, value),
        performance.calibration_plot(scores),
    ]
    return {"performance": found, "classes": [], "scores": performance.score_plot(scores, value)}


def _filled(data: ExpressionsReport, section: str) -> bool:
    """Tell whether a section has anything to show."""
    parts: dict[str, Any] = {
        "expressions": data.columns,
        "decision": True,
        "performance": data.cross_validation or data.out_of_fold,
        "matches": any(each.forms for each in data.columns),
        "ranking": True,
        "threshold": data.threshold,
        "card": data.card,
        "software": data.software or data.hashes,
    }
    return bool(parts[section])


def _highlights(data: ExpressionsReport) -> list[tuple[str, str, str]]:
    """Choose what stands on top: label, figure, note."""
    found = [("expressions", number(len(data.columns)), f"of {number(data.n_training)} texts")]
    if data.cross_validation is not None and data.cross_validation.rows:
        figures = data.cross_validation.rows[0].figures
        for name in ("accuracy", "f1_positive", "f1_macro", "auc"):
            pair = figures.get(name)
            if pair is not None and len(found) < 4:
                found.append(
                    (CLASS_METRICS[name], f"{pair[0]:.3f}", f"± {pair[1]:.3f} over the folds")
                )
    if "rules" in data.cost:
        note = f"of {data.cost['clauses']:.1f} conditions each"
        found.append(("rules", number(round(data.cost["rules"], 1)), note))
    return found
