"""Reports of boosted and pruned trees: Shapley values of every feature, people one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from whybox.config import ExplainConfig
from whybox.data.pseudonym import load_key
from whybox.explain.card import software_versions
from whybox.explain.context import Attribution, History, ModelSummary, Person, ReportData
from whybox.explain.plots import importances
from whybox.explain.report import build_report
from whybox.explain.values import base_values
from whybox.graph.scoring import explain_in_blocks
from whybox.graph.session import Session, using
from whybox.model_io import load_model, load_topics, load_validation, model_hash
from whybox.pipelines.accounts import data_summary
from whybox.pipelines.dataset import Dataset
from whybox.pipelines.outcome import Outcome
from whybox.pipelines.people import drawn_rows, people_of, rows_of_users, short_name
from whybox.pipelines.report_tables import class_tables, data_tables, topic_tables
from whybox.pipelines.reporting import (
    abstentions,
    card_of,
    class_column,
    class_summary,
    cross_validation,
    explained_rows,
    out_of_fold_scores,
    threshold_choice,
    told_apart,
    write_page,
)
from whybox.pipelines.review import review_tables
from whybox.pipelines.topic_columns import features_without_topics, infer_columns
from whybox.progress import SILENT, Progress

__all__ = ["run"]


def run(
    config: ExplainConfig, *, progress: Progress = SILENT, session: Session | None = None
) -> Outcome:
    """Write a report of a committee of trees; see `whybox.pipelines.explain.run`.

    Parameters
    ----------
    config : ExplainConfig
    progress : Progress, optional
    session : Session, optional

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
    model, card = load_model(config.model), card_of(config.model)
    topics = load_topics(config.model)
    table = explained_rows(
        config,
        card,
        features_without_topics(card, topics, str(config.model)),
        documents=topics is not None,
    )
    key = load_key(config.key_file)
    chosen = rows_of_users(table.ids, key, config.users)
    rows = drawn_rows(len(table.X), config.max_rows, config.seed, chosen)
    column = class_column(model, card)
    with using(session, config, progress) as opened:
        table = infer_columns(opened, table, topics, partitions=config.partitions, titles=True)
        values = explain_in_blocks(opened, model, table.X[rows], config.partitions)[:, :, column]
    base = float(base_values(model)[column])
    attribution = Attribution(
        list(table.names), table.X[rows], values, base, f"probability of {model.classes_[column]}"
    )
    names = [short_name(key, user) for user in table.ids[rows].tolist()]
    at = [rows.tolist().index(row) for row in chosen]
    people = people_of(attribution, names, at, card["threshold"]["value"])
    page = build_report(_report_data(config, card, model, table, attribution, people, column))
    return write_page(config.out, page, len(rows))


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
        title=f"What tells {told_apart(card)} apart, and why the model answers as it does",
        summary=class_summary(card),
        model=summary,
        data=data_summary(table),
        cross_validation=cross_validation(card),
        out_of_fold=out_of_fold_scores(validation, model, column),
        attribution=attribution,
        people=people,
        tables={
            "data": data_tables(config.source, table),
            "performance": class_tables(config, card, validation),
            "model": topic_tables(card, list(table.names), importances(attribution)[1]),
            "abstentions": review_tables(config.scores, card, table, load_key(config.key_file)),
        },
        rows=len(table.X),
        history=History.from_records(model.history_),
        threshold=threshold_choice(card, validation),
        abstentions=abstentions(config.scores),
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
