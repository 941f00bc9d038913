"""``whybox train``: figures by cross-validation beside the peers, then a fit on every labelled row.

How that is done differs by family of models: see `whybox.pipelines.families`.
"""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from whybox.config import ExplainConfig, TrainConfig
from whybox.graph.session import Session
from whybox.pipelines.families import family_of_name, resolve
from whybox.pipelines.outcome import Outcome
from whybox.progress import SILENT, Progress

__all__ = ["run"]


def run(
    config: TrainConfig, *, progress: Progress = SILENT, session: Session | None = None
) -> Outcome:
    """Train a model.

    Parameters
    ----------
    config : TrainConfig
    progress : Progress, optional
    session : Session, optional
        An open one to use; by default one is opened as the configuration says.

    Returns
    -------
    Outcome
        With the table of figures; the model file has its card.

    Raises
    ------
    InputError
        The rows, columns, classes, or the model's name do not allow it.
    """
    family = family_of_name(config.model)
    shared: dict[str, Any] = {"progress": progress, "session": session}
    outcome: Outcome = resolve(family.train)(config, **shared)
    if config.report is None:
        return outcome
    report: Outcome = resolve(family.explain)(_explanation(config, config.report), **shared)
    values = {**outcome.values, "report": str(config.report)}
    return replace(outcome, values=values, lines=(*outcome.lines, *report.lines))


def _explanation(config: TrainConfig, out: Path) -> ExplainConfig:
    """How to explain what was just trained, with the same options where both verbs have them."""
    names = {field.name for field in fields(ExplainConfig)}
    shared = {
        field.name: getattr(config, field.name) for field in fields(config) if field.name in names
    }
    return ExplainConfig(**{**shared, "model": config.out, "out": out})
