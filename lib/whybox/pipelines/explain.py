"""``whybox explain``: a self-contained report of a model and of the rows it is shown."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from whybox._archive import write_file
from whybox.config import ExplainConfig
from whybox.data.pseudonym import Key, load_key, pseudonym
from whybox.data.versions import fetched
from whybox.errors import InputError, RunError, WhyboxError
from whybox.explain.card import software_versions
from whybox.explain.context import (
    Attribution,
    CrossValidation,
    DataSummary,
    History,
    InputCount,
    ModelSummary,
    OutOfFold,
    Person,
    ReportData,
    ScoreRow,
    ThresholdChoice,
)
from whybox.explain.report import build_report
from whybox.explain.summaries import feature_table
from whybox.explain.values import base_values
from whybox.graph.scoring import explain_in_blocks
from whybox.graph.session import Session, using
from whybox.model_io import load_card, load_model, load_topics, load_validation, model_hash
from whybox.pipelines.dataset import Dataset, load_dataset
from whybox.pipelines.outcome import Outcome
from whybox.pipelines.topic_columns import features_without_topics, infer_columns
from whybox.progress import SILENT, Progress

__all__ = ["run"]

_METRICS = ("accuracy", "f1_macro", "f1_positive", "auc", "brier")
_LISTED_INPUTS = 12


def run(
    config: ExplainConfig, *, progress: Progress = SILENT, session: Session | None = None
) -> Outcome:
    """Write a report.

    Parameters
    ----------
    config : ExplainConfig
    progress : Progress, optional
    session : Session, optional
        An open one to use; by default one is opened as the configuration says.

    Returns
    -------
    Outcome

    Raises
    ------
    InputError
        The model has no card, or the features are not those it was trained on.
    RunError
        The file cannot be written.
    """
    model, card = load_model(config.model), load_card(config.model)
    if card is None:
        raise InputError("the model has no card", where=str(config.model), remedy="train it again")
    topics = load_topics(config.model)
    table = _with_labels(
        config, card, features_without_topics(card, topics, str(config.model)), topics is not None
    )
    rows = _spread(len(table.X), config.max_rows)
    column = _column(model, card)
    with using(session, config, progress) as opened:
        table = infer_columns(opened, table, topics, partitions=config.partitions, titles=True)
        values = explain_in_blocks(opened, model, table.X[rows], config.partitions)[:, :, column]
    base = float(base_values(model)[column])
    attribution = Attribution(
        list(table.names), table.X[rows], values, base, f"probability of {model.classes_[column]}"
    )
    people = _people(
        attribution, table.ids[rows], load_key(config.key_file), card["threshold"]["value"]
    )
    page = build_report(_report_data(config, card, model, table, attribution, people, column))
    _write(config.out, page)
    values_out = {"out": str(config.out), "rows_explained": len(rows), "bytes": len(page.encode())}
    return Outcome("explain", values_out, (f"report: {config.out}",))


def _with_labels(
    config: ExplainConfig, card: Mapping[str, Any], features: Sequence[str], documents: bool
) -> Dataset:
    """The rows to explain, with labels where the table has the model's target."""
    target, source = card["data"]["target"], config.source
    try:
        return load_dataset(source, target=target, features=features, documents=documents)
    except InputError as error:
        if repr(target) not in error.what:
            raise
        return load_dataset(source, features=features, documents=documents)


def _spread(n_rows: int, at_most: int) -> np.ndarray:
    """Rows evenly spread, all if they are few."""
    if n_rows == 0:
        raise InputError("there are no rows to explain", remedy="give the features of some users")
    return np.unique(np.linspace(0, n_rows - 1, min(n_rows, at_most)).astype(np.int64))


def _column(model: Any, card: Mapping[str, Any]) -> int:
    """The class that is explained: the positive one, else the last."""
    classes = model.classes_.tolist()
    positive = card["data"].get("positive")
    return int(classes.index(positive)) if positive in classes else len(classes) - 1


def _report_data(
    config: ExplainConfig,
    card: Mapping[str, Any],
    model: Any,
    table: Dataset,
    attribution: Attribution,
    people: Sequence[Person],
    column: int,
) -> ReportData:
    """Everything that the report shows."""
    positive = str(model.classes_[column])
    validation = load_validation(config.model)
    summary = ModelSummary(
        name=type(model).__name__,
        description=_DESCRIPTION,
        positive=positive,
        parameters=card["model"]["parameters"],
        facts={
            "trees": len(model.estimators_),
            "leaves": card["model"].get("leaves"),
            "features": len(table.names),
        },
    )
    return ReportData(
        title=f"What tells {positive!r} apart, and why the model answers as it does",
        summary=_summary(card, positive),
        model=summary,
        data=_data(table),
        cross_validation=_cross_validation(card),
        out_of_fold=_out_of_fold(validation, model, column),
        attribution=attribution,
        people=people,
        history=History.from_records(model.history_),
        threshold=_threshold(card, validation),
        abstentions=_abstentions(config.scores),
        card=card,
        software=software_versions(),
        hashes={"model": model_hash(config.model), "features": table.fingerprint},
    )


_DESCRIPTION = (
    "A committee of decision trees, each grown in full and pruned back to what holds on rows it "
    "has not seen. Trees that come later look harder at what earlier ones got wrong. The "
    "probability is the trees' weighted mean; every answer is split exactly into what each "
    "feature added or took away."
)


def _summary(card: Mapping[str, Any], positive: str) -> str:
    """One paragraph in plain words."""
    data = card["data"]
    counts = ", ".join(f"{number} {name}" for name, number in data["class_counts"].items())
    text = (
        f"The question was whether {len(card['features'])} features tell {positive!r} apart. "
        f"The model learnt from {data['rows']} labelled rows ({counts})."
    )
    figures = card.get("figures")
    if not isinstance(figures, Mapping):
        return text + " It was not cross-validated, so nothing is known of how well it does."
    rows = {row["model"]: row for row in figures["models"]}
    own = figures["models"][0]
    text += (
        f" On rows that it had not seen it was right for {own['accuracy_mean']:.1%} of them "
        f"(F1 macro {own['f1_macro_mean']:.3f})"
    )
    if "majority" in rows:
        text += (
            f"; always naming the larger class is right for {rows['majority']['accuracy_mean']:.1%}"
        )
    return text + ". These are figures about groups: a score is no diagnosis of anybody."


def _data(table: Dataset) -> DataSummary:
    """Where the rows come from."""
    labels = np.array([label if label is not None else "no label" for label in table.labels])
    names, counts = np.unique(labels, return_counts=True)
    known = table.has_label
    features = None
    if known.any():
        features = feature_table(table.X[known], labels[known], list(table.names))
    dropped: dict[str, int] = {}
    for _, _, reason in table.dropped:
        dropped[reason] = dropped.get(reason, 0) + 1
    return DataSummary(
        inputs=_inputs(table.manifest),
        users_dropped=dropped,
        class_counts=dict(zip(names.tolist(), counts.tolist(), strict=True)),
        features=features,
    )


def _inputs(manifest: Mapping[str, Any] | None) -> list[InputCount]:
    """The inputs' accounts; folders together where there are many files."""
    entries = [] if manifest is None else manifest["inputs"]
    if len(entries) <= _LISTED_INPUTS:
        return [_input_count(entry["path"], [entry]) for entry in entries]
    folders: dict[str, list[Mapping[str, Any]]] = {}
    for entry in entries:
        folders.setdefault(str(Path(entry["path"]).parent), []).append(entry)
    return [
        _input_count(f"{folder} ({len(files)} files)", files)
        for folder, files in sorted(folders.items())
    ]


def _input_count(name: str, entries: Sequence[Mapping[str, Any]]) -> InputCount:
    """The accounts of some files together."""
    return InputCount(
        name,
        sum(entry["lines"] for entry in entries),
        sum(entry["records"] for entry in entries),
        _added(entry["non_records"] for entry in entries),
        _added(entry["quarantined"] for entry in entries),
        files=len(entries),
    )


def _added(counts: Any) -> dict[str, int]:
    """Counts by name, added up."""
    total: dict[str, int] = {}
    for part in counts:
        for name, number in part.items():
            total[name] = total.get(name, 0) + number
    return total


def _cross_validation(card: Mapping[str, Any]) -> CrossValidation | None:
    """The card's figures as a table."""
    figures = card.get("figures")
    if not isinstance(figures, Mapping):
        return None
    rows = [
        ScoreRow(row["model"], {name: _mean_sd(row, name) for name in _METRICS})
        for row in figures["models"]
    ]
    grouped = figures.get("grouped_by")
    description = f"{figures['folds']} folds, stratified" + (
        f", rows of one {grouped} never apart" if grouped else ""
    )
    return CrossValidation(rows, description + "; no parameter was tuned on the test rows")


def _mean_sd(row: Mapping[str, Any], name: str) -> tuple[float, float] | None:
    mean, sd = row.get(f"{name}_mean"), row.get(f"{name}_sd")
    return None if mean is None else (mean, sd or 0.0)


def _out_of_fold(
    found: Mapping[str, np.ndarray] | None, model: Any, column: int
) -> OutOfFold | None:
    """Scores by models that had not seen the rows, kept in the model file."""
    if found is None or len(model.classes_) != 2:
        return None
    names = (str(model.classes_[1 - column]), str(model.classes_[column]))
    return OutOfFold(found["positive"].astype(bool), found["scores"], names)


def _threshold(card: Mapping[str, Any], found: Mapping[str, np.ndarray] | None) -> ThresholdChoice:
    """The card's threshold, and where votes and probabilities disagree about it."""
    chosen = card["threshold"]
    disagreements = None
    if found is not None:
        decided = found["scores"] >= chosen["value"]
        disagreements = int((decided != found["votes"].astype(bool)).sum())
    return ThresholdChoice(chosen["value"], chosen["rule"], chosen.get("reason", ""), disagreements)


def _abstentions(scores: str | None) -> dict[str, int] | None:
    """Counts by reason, of a folder of scores."""
    if scores is None:
        return None
    try:
        with fetched(scores, lambda _: ()) as folder:
            manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
        return dict(manifest["counts"]["abstentions"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError("no folder of scores", where=str(scores)) from error


def _people(attribution: Attribution, ids: np.ndarray, key: Key, value: float) -> list[Person]:
    """A typical row on either side of the threshold."""
    scores = attribution.base + attribution.values.sum(axis=1)
    people = []
    for side, note in ((scores >= value, "typical of those flagged"),
                       (scores < value, "typical of those not flagged")):  # fmt: skip
        rows = np.flatnonzero(side)
        if len(rows):
            row = int(rows[np.argsort(scores[rows], kind="stable")[len(rows) // 2]])
            people.append(Person("u-" + pseudonym(key, str(ids[row]))[:8], row, note))
    return people


def _write(path: Path, page: str) -> None:
    """Write the page, whole or not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, page.encode("utf-8"))
    except (OSError, WhyboxError) as error:
        why = getattr(error.__cause__ or error, "strerror", str(error))  # the disk's own word
        raise RunError(f"the report cannot be written: {why}", where=str(path)) from error
