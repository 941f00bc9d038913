"""``whybox train``: figures by cross-validation beside the peers, then a fit on every labelled row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from whybox.config import TrainConfig
from whybox.errors import InputError
from whybox.explain.card import model_card
from whybox.features.lda import TopicSettings
from whybox.graph.folds import fit_on_all
from whybox.graph.session import Session, using
from whybox.model_io import model_hash, save_model
from whybox.model_selection import (
    Fold,
    Threshold,
    choose_threshold,
    expand,
    feature_ranges,
    is_installed,
    make_splitter,
    pool,
    read_grid,
    summarise,
)
from whybox.pipelines.dataset import Dataset, load_dataset
from whybox.pipelines.evidence import Evidence, Question, gather
from whybox.pipelines.labelling import labelled_rows, positive_class
from whybox.pipelines.outcome import Outcome, Table
from whybox.pipelines.topic_columns import Topical, add_topics, refuse_ready_made, topic_summary
from whybox.progress import SILENT, Progress

__all__ = ["run"]

TRAINABLE = ("cbpt", "adaboost-pt")
PEERS = ("hist-gradient-boosting", "lightgbm", "majority")
SHOWN = ("accuracy", "f1_macro", "f1_positive", "auc", "brier")


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
    if config.model not in TRAINABLE:
        raise InputError(
            f"no model {config.model!r} can be trained and stored",
            where="--model",
            remedy=f"choose one of {', '.join(TRAINABLE)}",
        )
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
    data = labelled_rows(table, f"{config.source}, column {config.target}", config.classes)
    y = data.labels.astype(str)
    positive = positive_class(np.unique(y).tolist(), config.positive)
    folds = make_splitter(config.cv, seed=config.seed).split(y, data.groups)
    with using(session, config, progress) as opened:
        topical = _with_topics(opened, config, data, folds)
        model, evidence = _compute(opened, config, data, topical, y, positive, folds)
    threshold = _threshold(config, evidence, y, positive)
    card = _card(config, table, topical, model, evidence, threshold, positive)
    validation = _validation(config, evidence, y, positive)
    save_model(model, config.out, card=card, validation=validation, topics=topical.topics)
    return _outcome(config, table, topical.data, model, evidence)


def _with_topics(
    session: Session, config: TrainConfig, data: Dataset, folds: tuple[Fold, ...]
) -> Topical:
    """Fit topics if they are asked for, on the labelled rows alone."""
    if not config.topics:
        return Topical(data)
    settings = TopicSettings(config.topics, config.seed)
    return add_topics(session, data, folds, settings, config.topic_names)


def _compute(
    session: Session,
    config: TrainConfig,
    data: Dataset,
    topical: Topical,
    y: np.ndarray,
    positive: str | None,
    folds: tuple[Fold, ...],
) -> tuple[Any, Evidence]:
    """Cross-validate, then fit on all rows."""
    params = {"n_estimators": config.n_estimators, "learning_rate": config.learning_rate}
    grid = read_grid(config.grid).get(config.model)
    candidates: dict[str, Sequence[Mapping[str, Any]]] = {
        config.model: [{**params, **given} for given in expand(grid)] if grid else [params]
    }
    candidates |= {name: [{}] for name in PEERS if folds and is_installed(name)}
    question = Question(candidates, folds, config.threshold, config.seed)
    evidence = gather(session, question, data.X, y, data.groups, positive, topical.columns)
    found = dict(evidence.params)
    model = fit_on_all(session, config.model, config.seed, found, topical.data.frame(), y)
    return model, evidence


def _threshold(
    config: TrainConfig, evidence: Evidence, y: np.ndarray, positive: str | None
) -> Threshold | None:
    """The threshold of two classes, chosen on out-of-fold scores where it depends on scores."""
    if positive is None or len(np.unique(y)) != 2:
        if config.threshold != "0.5":
            raise InputError(
                "a threshold needs two classes", where=f"--threshold {config.threshold}"
            )
        return None
    scores, truth = np.zeros(0), np.zeros(0, dtype=bool)
    if evidence.results:
        scores, truth, _ = _out_of_fold(config, evidence, y, positive)
    return choose_threshold(config.threshold, scores, truth)


def _out_of_fold(
    config: TrainConfig, evidence: Evidence, y: np.ndarray, positive: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each row's probability of the positive class, whether it is one, and whether by vote."""
    pooled = pool(evidence.results, config.model)
    assert pooled.proba is not None
    scores = pooled.proba[:, np.unique(y).tolist().index(positive)]
    return scores, y[pooled.rows] == positive, pooled.y_pred == positive


def _validation(
    config: TrainConfig, evidence: Evidence, y: np.ndarray, positive: str | None
) -> dict[str, np.ndarray] | None:
    """Out-of-fold scores for the report's curves, sorted so that they tell of no one's row."""
    if not evidence.results or positive is None:
        return None
    scores, truth, votes = _out_of_fold(config, evidence, y, positive)
    order = np.lexsort((truth, scores))
    return {"scores": scores[order], "positive": truth[order], "votes": votes[order]}


def _card(
    config: TrainConfig,
    table: Dataset,
    topical: Topical,
    model: Any,
    evidence: Evidence,
    threshold: Threshold | None,
    positive: str | None,
) -> dict[str, Any]:
    """What the model file says of itself."""
    data = topical.data
    classes, counts = np.unique(data.labels.astype(str), return_counts=True)
    ranges = feature_ranges(data.X)
    about = {
        "target": config.target,
        "rows": len(data.labels),
        "rows_without_label": int((~table.has_label).sum()),
        "class_counts": dict(zip(classes.tolist(), counts.tolist(), strict=True)),
        "positive": positive,
        "low": [_finite(value) for value in ranges.low],
        "high": [_finite(value) for value in ranges.high],
        "users_dropped": len(table.dropped),
    }
    if topical.topics is not None:
        about["topics"] = topic_summary(topical.topics)
    figures = None
    if evidence.results:
        nested = {} if evidence.search is None else {"nested_search": dict(evidence.search)}
        figures = {
            "folds": config.cv,
            "grouped_by": config.group or ("user" if data.groups is not None else None),
            "stratified": True,
            **nested,
            "models": [_without_times(row) for row in summarise(evidence.results)],
        }
    chosen = None
    if threshold is not None:
        chosen = {
            "value": threshold.value,
            "rule": threshold.spec,
            "reason": _reason(threshold),
        }
        if evidence.thresholds:
            chosen["figures_at"] = "thresholds chosen in the inner folds: " + ", ".join(
                f"{value:.4g}" for value in evidence.thresholds
            )
    return model_card(
        model,
        data=about,
        recipe=data.recipe or {},
        figures=figures,
        threshold=chosen,
        hashes={"features": data.fingerprint},
        contact=config.contact,
    )


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _without_times(row: Mapping[str, Any]) -> dict[str, Any]:
    """Figures that are the same in every run; a second is not."""
    return {name: value for name, value in row.items() if "seconds" not in name}


def _reason(threshold: Threshold) -> str:
    """How the threshold came about."""
    if threshold.n_rows == 0 or (":" not in threshold.spec and threshold.spec != "youden"):
        return "given, not chosen on scores"
    return (
        f"chosen on {threshold.n_rows} out-of-fold scores, of which it flags {threshold.n_flagged}"
    )


def _outcome(
    config: TrainConfig, table: Dataset, data: Dataset, model: Any, evidence: Evidence
) -> Outcome:
    """The figures as a table, and where the model is."""
    classes, counts = np.unique(data.labels.astype(str), return_counts=True)
    rows = summarise(evidence.results) if evidence.results else []
    values = {
        "model": str(config.out),
        "model_sha256": model_hash(config.out),
        "rows": len(data.labels),
        "rows_without_label": int((~table.has_label).sum()),
        "classes": dict(zip(classes.tolist(), counts.tolist(), strict=True)),
        "features": list(data.names),
        "columns_left_out": list(data.left_out),
        "figures": rows,
        "trees": len(model.estimators_),
    }
    lines = [
        f"learnt from {len(data.labels)} rows ("
        + ", ".join(f"{n} {name}" for name, n in zip(classes, counts, strict=True))
        + f") and {len(data.names)} features; {values['rows_without_label']} rows without a label"
    ]
    if data.left_out:
        lines.append(f"not used, since they hold no numbers: {', '.join(data.left_out)}")
    lines += [f"look at column {name}: {why}" for name, why in _suspects(data)]
    lines.append(f"model with {len(model.estimators_)} trees and its card: {config.out}")
    title = f"Cross-validation ({config.cv}), mean and sd over folds"
    tables = (figures_table(title, rows),) if rows else ()
    return Outcome("train", values, tuple(lines), tables)


def figures_table(title: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    """Show models side by side.

    Parameters
    ----------
    title : str
    rows : sequence of mapping
        From `whybox.model_selection.summarise`.

    Returns
    -------
    Table
        A row a model, a column a metric.

    Examples
    --------
    >>> figures_table("", [{"model": "m", "accuracy_mean": 0.9, "accuracy_sd": 0.01}]).rows[0][:2]
    ('m', '.900 ± .010')
    """
    header = ("model", "accuracy", "F1 macro", "F1 positive", "AUC", "Brier")
    body = tuple(
        (str(row["model"]), *(_cell(row.get(f"{m}_mean"), row.get(f"{m}_sd")) for m in SHOWN))
        for row in rows
    )
    return Table(title, header, body)


def _cell(mean: float | None, sd: float | None) -> str:
    """A figure with its spread, as in .884 ± .006."""
    if mean is None:
        return "–"
    text = f"{mean:.3f}" + (f" ± {sd:.3f}" if sd is not None else "")
    return text.replace("0.", ".")


def _suspects(data: Dataset) -> list[tuple[str, str]]:
    """Columns that count the rows: a number of a row is no feature, and may give the class away."""
    found = []
    for position, name in enumerate(data.names):
        column = data.X[:, position]
        if len(column) > 20 and np.all(np.diff(column) == 1):
            found.append((name, "it counts the rows; leave it out with --features"))
    return found
