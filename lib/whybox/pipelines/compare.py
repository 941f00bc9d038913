"""``whybox compare``: models side by side by nested cross-validation, resumable, on any session."""

from __future__ import annotations

import hashlib
import json
import math
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from whybox.config import CompareConfig
from whybox.data.csvcells import csv_text
from whybox.data.publish import publishing
from whybox.explain.card import software_versions
from whybox.explain.comparison import build_comparison
from whybox.graph.search import choose_params, run_trials
from whybox.graph.session import Session, using
from whybox.model_selection.comparison import COMPARED, compare_models
from whybox.model_selection.ledger import TrialLedger, open_ledger
from whybox.model_selection.nested import SHARES, Trial, software_of
from whybox.pipelines.compare_page import Candidates, Finding, page_of
from whybox.pipelines.contest import ALL_PAIRS, Task, candidates_of, make_tasks, with_topics
from whybox.pipelines.dataset import load_dataset
from whybox.pipelines.labelling import labelled_rows
from whybox.pipelines.outcome import Outcome
from whybox.pipelines.topic_columns import refuse_ready_made
from whybox.pipelines.training import figures_table
from whybox.progress import SILENT, Progress

__all__ = ["run"]

TRIALS = "trials.jsonl"


def run(
    config: CompareConfig, *, progress: Progress = SILENT, session: Session | None = None
) -> Outcome:
    """Compare models.

    Parameters
    ----------
    config : CompareConfig
    progress : Progress, optional
    session : Session, optional
        An open one to use; by default one is opened as the configuration says.

    Returns
    -------
    Outcome
        ``already done`` if OUT holds the same comparison.

    Raises
    ------
    InputError
        The rows, columns, classes, models or grids do not allow it.
    RunError
        Another run is at work on OUT, or a worker died; what was done is kept.
    """
    table = load_dataset(
        config.source,
        target=config.target,
        features=config.features,
        group=config.group,
        documents=config.topics > 0,
    )
    refuse_ready_made(
        table.names, config.source, as_given=config.topics_as_given, n_topics=config.topics
    )
    wanted = () if config.classes == (ALL_PAIRS,) else config.classes
    data = labelled_rows(table, f"{config.source}, column {config.target}", wanted)
    candidates = candidates_of(config, data.names)
    tasks = make_tasks(config, data, searched=any(len(some) > 1 for some in candidates.values()))
    identity = _identity(config, candidates, tasks)
    if _is_done(config.out, identity):
        return Outcome(
            "compare", {"out": str(config.out)}, (f"already done: {config.out}",),
            status="already done",
        )  # fmt: skip
    beside = config.out.absolute().with_name(f".{config.out.name}.{TRIALS}")
    with open_ledger(beside) as ledger:
        if (config.out / TRIALS).exists():  # an earlier comparison, of other models perhaps
            ledger.take_over(config.out / TRIALS)
        known = len(ledger)
        with using(session, config, progress) as opened:
            tasks = [with_topics(opened, config, task) for task in tasks]
            findings = [_find(opened, config, task, candidates, ledger) for task in tasks]
        left_out = len(table.labels) - len(data.labels)
        page = build_comparison(page_of(config, data, left_out, findings, candidates))
        with publishing(config.out) as staging:
            _write(staging, findings, page, identity)
            shutil.copyfile(beside, staging / TRIALS)
        computed = len(ledger) - known
        beside.unlink()
    return _outcome(config, findings, computed)


def _find(
    session: Session,
    config: CompareConfig,
    task: Task,
    candidates: Candidates,
    ledger: TrialLedger,
) -> Finding:
    """Choose parameters in the inner folds, then judge them on the outer ones."""
    problem, metric = task.problem, config.select_by
    shared = session.share(problem)
    params = choose_params(session, problem, candidates, ledger, metric=metric, shared=shared)
    shares = SHARES if config.learning_curve else (1.0,)
    trials = [
        Trial(model, given, outer, None, share)
        for share in shares
        for (model, outer), given in params.items()
    ]
    label = f"cross-validating {len(candidates)} models on {task.name}"
    found: list[dict[str, Any]] = [{} for _ in trials]
    for at, figures in run_trials(session, problem, trials, ledger, label, shared=shared):
        found[at] = figures
    whole = {
        (trial.model, trial.outer): figures
        for trial, figures in zip(trials, found, strict=True)
        if trial.share == 1
    }
    learning = _learning(trials, found) if config.learning_curve else {}
    return Finding(task, compare_models(problem, whole), params, whole, learning)


def _learning(
    trials: Sequence[Trial], found: Sequence[Mapping[str, Any]]
) -> dict[str, list[tuple[float, float]]]:
    """Mean accuracy by model and share."""
    gathered: dict[tuple[str, float], list[float]] = {}
    for trial, figures in zip(trials, found, strict=True):
        gathered.setdefault((trial.model, trial.share), []).append(figures["metrics"]["accuracy"])
    curves: dict[str, list[tuple[float, float]]] = {}
    for (model, share), values in gathered.items():
        curves.setdefault(model, []).append((share, math.fsum(values) / len(values)))
    return curves


def _identity(config: CompareConfig, candidates: Candidates, tasks: Sequence[Task]) -> str:
    """A hash of all that shapes the comparison."""
    parts = {
        "problems": [task.problem.fingerprint for task in tasks],
        "names": [task.name for task in tasks],
        "candidates": [[name, list(given)] for name, given in candidates.items()],
        "splits": [config.cv, config.inner, config.group, config.seed, config.select_by],
        "learning_curve": config.learning_curve,
        "topics": config.topics,
        "software": {name: software_of(name) for name in candidates},
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _is_done(out: Path, identity: str) -> bool:
    """Whether OUT holds this comparison."""
    try:
        manifest = json.loads((out / "manifest.json").read_text("utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(manifest, dict) and manifest.get("identity") == identity


def _write(staging: Path, findings: Sequence[Finding], page: str, identity: str) -> None:
    """All files of a comparison; times are apart, since nothing else differs between two runs."""
    figures = [
        {"task": finding.task.name, **_without_times(row)}
        for finding in findings
        for row in finding.rows
    ]
    (staging / "comparison.csv").write_text(_as_csv(figures), encoding="utf-8")
    (staging / "folds.csv").write_text(_as_csv(_fold_rows(findings)), encoding="utf-8")
    (staging / "times.csv").write_text(_as_csv(_time_rows(findings)), encoding="utf-8")
    (staging / "comparison.html").write_text(page, encoding="utf-8")
    manifest = {
        "version": 1,
        "kind": "comparison",
        "identity": identity,
        "software": software_versions(),
    }
    text = json.dumps(manifest, indent=1) + "\n"
    (staging / "manifest.json").write_text(text, encoding="utf-8")


def _without_times(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if "seconds" not in name}


def _fold_rows(findings: Sequence[Finding]) -> Iterable[dict[str, Any]]:
    """Each model on each fold, with the parameters chosen for it."""
    for finding in findings:
        for (model, outer), figures in finding.figures.items():
            yield {
                "task": finding.task.name,
                "model": model,
                "fold": outer + 1,
                "n_train": figures["n_train"],
                "n_test": len(finding.task.problem.outer[outer].test),
                **figures["metrics"],
                "params": json.dumps(finding.params[model, outer], sort_keys=True),
            }


def _time_rows(findings: Sequence[Finding]) -> Iterable[dict[str, Any]]:
    """Seconds of each fit and prediction on the outer folds."""
    for finding in findings:
        for (model, outer), figures in finding.figures.items():
            seconds = {name: figures[name] for name in ("fit_seconds", "predict_seconds")}
            yield {"task": finding.task.name, "model": model, "fold": outer + 1, **seconds}


def _as_csv(rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows of the same keys as text; floats as they are, nothing for None."""
    listed = list(rows)
    return csv_text(list(listed[0]), (list(row.values()) for row in listed))


def _outcome(config: CompareConfig, findings: Sequence[Finding], computed: int) -> Outcome:
    """The figures as tables, and where the rest is."""
    tables, values = [], []
    for finding in findings:
        title = f"{finding.task.name}: mean and sd over folds ({config.cv})"
        tables.append(figures_table(title, finding.rows))
        values += [{"task": finding.task.name, **row} for row in finding.rows]
    shown = {"out": str(config.out), "metrics": list(COMPARED), "trials_computed": computed}
    lines = (f"{computed} trials were computed", f"page: {config.out / 'comparison.html'}")
    return Outcome("compare", {**shown, "figures": values}, lines, tuple(tables))
