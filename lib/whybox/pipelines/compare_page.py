"""What the page of a comparison is told: the question, the answer in a sentence, figures by task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from whybox.config import CompareConfig
from whybox.explain.card import software_versions
from whybox.explain.comparison import ComparedTask, Comparison
from whybox.explain.wording import percent
from whybox.model_selection.comparison import staged_errors
from whybox.pipelines.accounts import data_summary
from whybox.pipelines.contest import Task
from whybox.pipelines.dataset import Dataset

__all__ = ["Candidates", "Finding", "page_of"]

Candidates = Mapping[str, Sequence[Mapping[str, Any]]]


@dataclass(frozen=True, eq=False)
class Finding:
    """What came out of one task.

    Attributes
    ----------
    task : Task
    rows : list of dict
        From `whybox.model_selection.comparison.compare_models`.
    params, figures : dict
        By model and number of the outer fold, what was chosen and what was found.
    learning : dict of str to curve
        Mean accuracy by share of the train rows.
    """

    task: Task
    rows: list[dict[str, Any]]
    params: dict[tuple[str, int], dict[str, Any]]
    figures: dict[tuple[str, int], dict[str, Any]]
    learning: dict[str, list[tuple[float, float]]]


def page_of(
    config: CompareConfig,
    data: Dataset,
    left_out: int,
    findings: Sequence[Finding],
    candidates: Candidates,
) -> Comparison:
    """Gather what the page shows.

    Parameters
    ----------
    config : CompareConfig
    data : Dataset
        The rows that were compared on.
    left_out : int
        Rows of the source that were not.
    findings : sequence of Finding
        One a task.
    candidates : mapping of str to sequence of dict
        What each model could choose from.

    Returns
    -------
    Comparison
    """
    grouped = config.group or ("user" if data.groups is not None else None)
    tried = {name: len(given) for name, given in candidates.items() if len(given) > 1}
    chosen = f"chosen by {config.select_by} on {config.inner} inner folds of the train rows"
    method = {
        "source": Path(config.source).name,
        "target": config.target,
        "rows": len(data.labels),
        "features": len(data.names),
        "topics": f"{config.topics}, fitted inside each fold" if config.topics else "none",
        "outer folds": config.cv,
        "grouped by": grouped or "nothing: rows are taken for independent",
        "parameters": chosen if tried else "one setting a model, nothing was chosen",
        "candidates": tried or "none",
        "trees": config.n_estimators or "as the grids and defaults say",
        "seed": config.seed,
        "data, sha256": data.fingerprint,
        "software": software_versions(),
    }
    summary = (
        f"The question was which of {len(candidates)} models tells {config.target} best from "
        f"{len(data.names)} features of {len(data.labels):,} rows"
        + (f", grouped by {grouped}" if grouped else "")
        + f". {_answer(findings)} No test row took part in any choice; what these figures say of "
        "other populations was not measured, and they are of groups, not of anybody."
    )
    told = data_summary(data)
    if left_out:
        dropped = {**told.users_dropped, "no label, or of another class": left_out}
        told = replace(told, users_dropped=dropped)
    tasks = [_compared(finding, tried) for finding in findings]
    return Comparison(f"Models of {config.target}, side by side", summary, tasks, method, told)


def _answer(findings: Sequence[Finding]) -> str:
    """Say in a sentence or two what was found."""
    if len(findings) > 1:
        first = findings[0].rows[0]["model"]
        won = sum(f.rows[0]["accuracy_mean"] == _best(f.rows)["accuracy_mean"] for f in findings)
        return (
            f"On {won} of {len(findings)} tasks no model is right more often than {first}, the "
            "first of them."
        )
    rows = {row["model"]: row for row in findings[0].rows}
    first, best = findings[0].rows[0], _best(findings[0].rows)
    told = f"{first['model']}, the first, is right for {percent(first['accuracy_mean'])} of unseen rows"
    if best["accuracy_mean"] > first["accuracy_mean"]:
        told += f", {best['model']}, the best of them, for {percent(best['accuracy_mean'])}"
        told += _by_chance(best["accuracy_p"])
    return f"{told}; always naming the largest class, for {percent(rows['majority']['accuracy_mean'])}."


def _best(rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The model that is right most often, the earlier one of equals."""
    return max(rows, key=lambda row: float(row["accuracy_mean"]))


def _by_chance(p: float | None) -> str:
    """Whether a difference may be chance."""
    if p is None:
        return ""
    return f" (a difference that may be chance, p = {p:.2f})" if p >= 0.05 else f" (p = {p:.3f})"


def _compared(finding: Finding, tried: Collection[str]) -> ComparedTask:
    """One task's part of the page."""
    problem = finding.task.problem
    models = [row["model"] for row in finding.rows]
    outer = range(len(problem.outer))
    summed = {
        what: {
            m: sum(np.asarray(finding.figures[m, k][what]) for k in outer)
            for m in models
            if all(finding.figures[m, k][what] is not None for k in outer)
        }
        for what in ("confusion", "tally")
    }
    stages = {m: staged_errors([finding.figures[m, k] for k in outer]) for m in models}
    classes, counts = np.unique(problem.y, return_counts=True)
    listed = ", ".join(f"{n} of class {name}" for name, n in zip(classes, counts, strict=True))
    positive = "" if problem.positive is None else f" The positive class is {problem.positive}."
    return ComparedTask(
        title=finding.task.name,
        about=f"{len(problem.y)} rows: {listed}.{positive}",
        rows=finding.rows,
        stages={model: curve for model, curve in stages.items() if len(curve) > 1},
        learning=finding.learning,
        classes=[str(label) for label in classes],
        confusions=summed["confusion"],
        tallies=summed["tally"],
        chosen=_chosen(finding, tried),
    )


def _chosen(finding: Finding, tried: Collection[str]) -> list[tuple[str, str, int]]:
    """Count the parameters of each model that had a choice."""
    counts = Counter(
        (model, ", ".join(f"{name} = {value}" for name, value in sorted(params.items())))
        for (model, _), params in finding.params.items()
        if model in tried
    )
    return sorted(((m, params, n) for (m, params), n in counts.items()), key=_often)


def _often(chosen: tuple[str, str, int]) -> tuple[str, int, str]:
    """Model by model, the commonest first."""
    return chosen[0], -chosen[2], chosen[1]
