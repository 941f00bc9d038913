"""Training of boosted and pruned trees (CBPT, AdaBoost.PT) on numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from whybox.config import TrainConfig
from whybox.errors import InputError
from whybox.explain.card import model_card, with_appraisal
from whybox.features.lda import TopicSettings
from whybox.graph.folds import fit_on_all
from whybox.graph.session import Session, using
from whybox.model_io import model_hash, save_model
from whybox.model_selection import (
    Fold,
    Threshold,
    expand,
    is_installed,
    make_splitter,
    read_grid,
    summarise,
)
from whybox.model_selection.leaf_support import support_of
from whybox.pipelines.appraisal import Judged, appraise, judged_rows, trivial_rows
from whybox.pipelines.dataset import Dataset, load_dataset
from whybox.pipelines.evidence import Evidence, Question, gather
from whybox.pipelines.labelling import labelled_rows, positive_class
from whybox.pipelines.outcome import Outcome
from whybox.pipelines.topic_columns import Topical, add_topics, refuse_ready_made, topic_summary
from whybox.pipelines.training import (
    OWN,
    card_figures,
    card_threshold,
    class_counts,
    decision_threshold,
    described_features,
    figures_table,
    training_lines,
    validation_of_classes,
)
from whybox.progress import SILENT, Progress

__all__ = ["run"]

PEERS = ("hist-gradient-boosting", "lightgbm", "majority")


def run(
    config: TrainConfig, *, progress: Progress = SILENT, session: Session | None = None
) -> Outcome:
    """Train a committee of trees; see `whybox.pipelines.train.run`.

    Parameters
    ----------
    config : TrainConfig
    progress : Progress, optional
    session : Session, optional

    Returns
    -------
    Outcome

    Raises
    ------
    InputError
        The rows, columns or classes do not allow it.
    """
    if config.task == "regression":
        raise InputError(
            f"{config.model} learns classes, not numbers",
            where="--task regression",
            remedy="use --model s3d",
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
    judged = judged_rows(config, data)
    folds = make_splitter(config.cv, seed=config.seed).split(y, data.groups)
    with using(session, config, progress) as opened:
        topical = _with_topics(opened, config, data, folds)
        model, evidence = _compute(opened, config, data, topical, y, positive, folds)
    threshold = decision_threshold(config, evidence.results, y, positive)
    card = _card(config, table, topical, judged, model, evidence, threshold, positive)
    validation = validation_of_classes(evidence.results, config.model, y, positive)
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
    if folds:
        candidates |= {name: [{}] for name in PEERS if is_installed(name)}
        candidates |= trivial_rows(data.names)
    threshold = "0.5" if config.threshold == OWN else config.threshold
    question = Question(candidates, folds, threshold, config.seed)
    evidence = gather(session, question, data.X, y, data.groups, positive, topical.columns)
    found = dict(evidence.params)
    model = fit_on_all(session, config.model, config.seed, found, topical.data.frame(), y)
    return model, evidence


def _card(
    config: TrainConfig,
    table: Dataset,
    topical: Topical,
    judged: Judged,
    model: Any,
    evidence: Evidence,
    threshold: Threshold | None,
    positive: str | None,
) -> dict[str, Any]:
    """What the model file says of itself."""
    data = topical.data
    about = {
        "target": config.target,
        "rows": len(data.labels),
        "rows_without_label": int((~table.has_label).sum()),
        "class_counts": class_counts(data.labels),
        "positive": positive,
        **described_features(data.X),
        "users_dropped": len(table.dropped),
    }
    about["leaf_support"] = support_of(model, data.X)
    if topical.topics is not None:
        about["topics"] = topic_summary(topical.topics)
    figures = None
    if evidence.results:
        rows = summarise(evidence.results)
        figures = card_figures(config, data.groups is not None, rows, evidence.search)
    card = model_card(
        model,
        data=about,
        recipe=data.recipe or {},
        figures=figures,
        threshold=card_threshold(threshold, evidence.thresholds),
        hashes={"features": data.fingerprint},
        contact=config.contact,
    )
    return with_appraisal(card, appraise(config, evidence.results, judged, positive, threshold))


def _outcome(
    config: TrainConfig, table: Dataset, data: Dataset, model: Any, evidence: Evidence
) -> Outcome:
    """The figures as a table, and where the model is."""
    counts = class_counts(data.labels)
    rows = summarise(evidence.results) if evidence.results else []
    values = {
        "model": str(config.out),
        "model_sha256": model_hash(config.out),
        "rows": len(data.labels),
        "rows_without_label": int((~table.has_label).sum()),
        "classes": counts,
        "features": list(data.names),
        "columns_left_out": list(data.left_out),
        "figures": rows,
        "trees": len(model.estimators_),
    }
    lines = training_lines(table, data, ", ".join(f"{n} {name}" for name, n in counts.items()))
    lines.append(f"model with {len(model.estimators_)} trees and its card: {config.out}")
    title = f"Cross-validation ({config.cv}), mean and sd over folds"
    tables = (figures_table(title, rows),) if rows else ()
    return Outcome("train", values, tuple(lines), tables)
