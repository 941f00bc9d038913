"""Reports of decompositions: steps, network, unfolded space, tuning, and rules in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from whybox.config import ExplainConfig
from whybox.data.pseudonym import load_key
from whybox.explain.card import software_versions
from whybox.explain.context import ModelSummary, ReportData
from whybox.explain.report import build_report
from whybox.explain.s3d_context import Decomposition, OutOfFoldAnswers
from whybox.explain.s3d_space import FeatureSpace
from whybox.explain.wording import number
from whybox.graph.session import Session
from whybox.model_io import load_model, load_validation, model_hash
from whybox.pipelines.accounts import data_summary
from whybox.pipelines.dataset import Dataset
from whybox.pipelines.describe_s3d import blocks_in_order, blocks_table, said
from whybox.pipelines.outcome import Outcome
from whybox.pipelines.people import drawn_rows, rows_of_users, short_name
from whybox.pipelines.report_tables import appraisal_tables, class_tables, data_tables
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
from whybox.pipelines.training import OUTCOME_FIGURES
from whybox.progress import SILENT, Progress

__all__ = ["run"]

_MOST_RULES, _FEWER = 25, 10
_READABLE, _OUTLINE = 4, 3  # features of a rule that one can read; of its outline otherwise

_DESCRIPTION = (
    "The space of a few features is cut into blocks, feature by feature, where a cut explains most "
    "of what is still unexplained. A row is answered with what the training rows of its block "
    "were: every answer is one readable rule. Values that were missing have bins of their own; a "
    "block of too few rows answers as the coarser block around it does."
)


def run(
    config: ExplainConfig, *, progress: Progress = SILENT, session: Session | None = None
) -> Outcome:
    """Write a report of a decomposition; see `whybox.pipelines.explain.run`.

    Parameters
    ----------
    config : ExplainConfig
    progress : Progress, optional
    session : Session, optional
        Not needed: landing rows in blocks is the work of a moment.

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
    table = explained_rows(config, card, card["features"], categorical=card["data"]["categorical"])
    chosen = rows_of_users(table.ids, load_key(config.key_file), config.users)
    rows = drawn_rows(len(table.labels), config.max_rows, config.seed, chosen)
    progress.say("drawing the report")
    label = model.classes_[class_column(model, card)] if hasattr(model, "classes_") else None
    data = _report_data(config, card, model, table, table.take(rows), label)
    return write_page(config.out, build_report(data), len(rows))


def _report_data(
    config: ExplainConfig,
    card: Mapping[str, Any],
    model: Any,
    table: Dataset,
    explained: Dataset,
    label: Any,
) -> ReportData:
    """Everything that the report shows."""
    found, target = load_validation(config.model), card["data"]["target"]
    facts = {
        "features chosen": ", ".join(card["data"]["chosen"]) or "none: the answer is the mean",
        "features": len(card["features"]),
        "blocks": len(model.grid_.weight[-1]),
        "R² of the training rows": number(model.r2_),
        "rows shown in a block without training rows": _strangers(model, explained),
    }
    name = type(model).__name__
    shown = ModelSummary(name, _DESCRIPTION, str(label), card["model"]["parameters"], facts)
    common: dict[str, Any] = {
        "model": shown,
        "decomposition": _decomposition(config, card, model, explained, label),
        "card": card,
        "software": software_versions(),
        "hashes": {"model": model_hash(config.model), "features": table.fingerprint},
    }
    if label is None:
        answers = None if found is None else OutOfFoldAnswers(
            found["outcomes"], found["answers"], target
        )  # fmt: skip
        return ReportData(
            title=f"What {target} depends on, and why the model answers as it does",
            summary=_outcome_summary(card),
            data=data_summary(table, by_class=False),
            cross_validation=cross_validation(card, OUTCOME_FIGURES),
            answers=answers,
            tables={"performance": appraisal_tables(card)},
            **common,
        )
    asked = told_apart(card)
    return ReportData(
        title=f"What tells {asked} apart, and why the model answers as it does",
        summary=class_summary(card),
        data=data_summary(table),
        cross_validation=cross_validation(card),
        out_of_fold=out_of_fold_scores(found, model, class_column(model, card)),
        threshold=threshold_choice(card, None),  # the model decides by one threshold, no vote
        abstentions=abstentions(config.scores),
        tables={
            "data": data_tables(config.source, table),
            "performance": class_tables(config, card, None),  # one threshold, no vote
            "abstentions": review_tables(config.scores, card, table, load_key(config.key_file)),
        },
        **common,
    )


def _outcome_summary(card: Mapping[str, Any]) -> str:
    """One paragraph in plain words."""
    data, figures = card["data"], card.get("figures")
    text = (
        f"The question was what {len(card['features'])} features tell about {data['target']!r}. "
        f"The model learnt from {data['rows']} rows (mean {data['outcome']['mean']:.6g}, standard "
        f"deviation {data['outcome']['sd']:.6g}) and chose {len(data['chosen'])} features."
    )
    if not isinstance(figures, Mapping):
        return text + " It was not cross-validated, so nothing is known of how well it does."
    own = figures["models"][0]
    if own["r2_mean"] is not None:
        text += f" On rows that it had not seen it explained {own['r2_mean']:.1%} of the variance"
    return text + (
        f", its mean absolute error was {own['mae_mean']:.4g}. These are figures about groups."
    )


def _strangers(model: Any, explained: Dataset) -> int:
    """Rows in blocks that no training row was in."""
    return int((model.transform(explained.frame())[:, -1] < 0).sum())


def _decomposition(
    config: ExplainConfig, card: Mapping[str, Any], model: Any, explained: Dataset, label: Any
) -> Decomposition:
    """What the pictures and the rules are made of."""
    blocks, n_small = blocks_in_order(model)
    many = len(model.grid_.levels) > _READABLE
    sentences, listed = said(model, card), blocks[: _FEWER if many else _MOST_RULES]
    coarse = said(model, card, _OUTLINE) if many else []
    outline = blocks_in_order(model, _OUTLINE)[0][:_MOST_RULES] if many else []
    note = f"The {len(listed)} blocks of most training rows, of {len(blocks) + n_small}."
    if n_small:
        note += (
            f" {n_small} hold fewer than {number(float(model.min_samples))} rows and are never "
            "listed: a coarser block answers there."
        )
    return Decomposition(
        FeatureSpace.of(model, label, model.min_samples),
        model.tuning_,
        "R²" if label is None else "AUC",
        [sentences[block] for block in listed],
        [coarse[block] for block in outline],
        blocks_table(model, listed),
        note,
        [] if label is None else _people(config, card, model, explained, label, sentences),
    )


def _people(
    config: ExplainConfig,
    card: Mapping[str, Any],
    model: Any,
    explained: Dataset,
    label: Any,
    sentences: Sequence[str],
) -> list[tuple[str, str]]:
    """A typical row on either side of the threshold, with the rule that answers it."""
    if card["threshold"] is None:
        return []
    frame, value = explained.frame(), card["threshold"]["value"]
    scores = model.predict_proba(frame)[:, model.classes_.tolist().index(label)]
    block, weight = model.transform(frame)[:, -1], model.grid_.weight[-1]
    ruled = (block >= 0) & (weight[block] >= model.min_samples)
    key, people = load_key(config.key_file), []
    for row in rows_of_users(explained.ids, key, config.users):
        said_of = sentences[int(block[row])] if ruled[row] else "A coarser block answers."
        people.append((short_name(key, str(explained.ids[row])), f"asked for. {said_of}"))
    if people:
        return people
    for side, note in ((scores >= value, "typical of those flagged"),
                       (scores < value, "typical of those not flagged")):  # fmt: skip
        rows = np.flatnonzero(side & ruled)
        if len(rows):
            row = int(rows[np.argsort(scores[rows], kind="stable")[len(rows) // 2]])
            name = short_name(key, str(explained.ids[row]))
            people.append((name, f"{note}. {sentences[int(block[row])]}"))
    return people
