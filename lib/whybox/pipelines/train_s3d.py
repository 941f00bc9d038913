"""Training of decompositions of the feature space (S3D), for classes and for real outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from whybox.config import TrainConfig
from whybox.errors import InputError
from whybox.explain.card import model_card, with_appraisal
from whybox.graph.session import Session, using
from whybox.model_io import model_hash, save_model
from whybox.model_selection import Threshold, make_splitter, read_grid, summarise
from whybox.model_selection.regression import regression_folds, summarise_outcomes
from whybox.model_selection.s3d_tuning import PENALTIES
from whybox.model_selection.summary import pool
from whybox.pipelines.appraisal import appraise, appraise_outcomes, judged_rows
from whybox.pipelines.dataset import Dataset, load_dataset
from whybox.pipelines.labelling import decide_task, labelled_rows, numbered_rows, positive_class
from whybox.pipelines.outcome import Outcome
from whybox.pipelines.s3d_evidence import (
    NAME,
    S3DEvidence,
    S3DQuestion,
    gather_classes,
    gather_outcomes,
)
from whybox.pipelines.topic_columns import refuse_ready_made
from whybox.pipelines.training import (
    CLASS_FIGURES,
    OUTCOME_FIGURES,
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
from whybox.s3d.decisions import own_decision

__all__ = ["run"]

_UNUSED = "since they are empty or hold names (--features takes them all the same)"


def run(
    config: TrainConfig, *, progress: Progress = SILENT, session: Session | None = None
) -> Outcome:
    """Train a decomposition; see `whybox.pipelines.train.run`.

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
        The rows, columns, outcomes or penalties do not allow it.
    """
    if config.topics:
        raise InputError(
            "s3d does not fit topics", where=f"--topics {config.topics}", remedy="use --model cbpt"
        )
    penalties = _penalties(config)
    table = load_dataset(
        config.source,
        target=config.target,
        features=config.features,
        group=config.group,
        categorical=config.categorical,
    )
    refuse_ready_made(table.features, config.source, as_given=config.topics_as_given, n_topics=0)
    task = decide_task(table, "classification" if config.classes else config.task)
    learn = _learn_classes if task == "classification" else _learn_outcomes
    with using(session, config, progress) as opened:
        return learn(config, table, penalties, opened)


def _penalties(config: TrainConfig) -> tuple[float, ...]:
    """The penalties to choose from; none if there is nothing to choose."""
    if config.grid == "paper":
        return PENALTIES
    grid = read_grid(config.grid).get(NAME)
    if not grid:
        return ()
    if set(grid) != {"penalty"}:
        raise InputError(
            f"the grid of s3d lists {', '.join(sorted(grid))}",
            where=f"--grid {config.grid}",
            remedy="list values of penalty; all numbers of features are tried with each",
        )
    return tuple(float(value) for value in grid["penalty"])


def _parameters(config: TrainConfig) -> dict[str, Any]:
    """What the command line says of the model."""
    return {
        "penalty": config.penalty,
        "max_features": config.max_features,
        "min_samples": config.min_samples,
    }


def _learn_classes(
    config: TrainConfig, table: Dataset, penalties: tuple[float, ...], session: Session
) -> Outcome:
    """Learn a class."""
    from whybox.s3d import S3DClassifier

    data = labelled_rows(table, f"{config.source}, column {config.target}", config.classes)
    y = data.labels.astype(str)
    positive = positive_class(np.unique(y).tolist(), config.positive)
    judged = judged_rows(config, data)
    folds = make_splitter(config.cv, seed=config.seed).split(y, data.groups)
    model = S3DClassifier(**_parameters(config))
    question = S3DQuestion(
        model, data, y, folds, penalties, config.rule, config.threshold, config.seed
    )
    evidence = gather_classes(session, question, positive)
    own = None
    if positive is not None and len(evidence.model.classes_) == 2:
        decision = own_decision(evidence.model, positive)
        own = Threshold(decision.threshold, OWN, int(decision.n_flagged), int(decision.n_rows))
    threshold = decision_threshold(config, evidence.results, y, positive, own)
    rows = summarise(evidence.results) if evidence.results else []
    counts = class_counts(data.labels)
    about = {"task": "classification", "class_counts": counts, "positive": positive}
    card = _card(config, table, data, evidence, about, rows, threshold)
    appraisal = appraise(config, evidence.results, judged, positive, threshold)
    card = with_appraisal(card, appraisal)
    validation = validation_of_classes(evidence.results, NAME, y, positive)
    save_model(evidence.model, config.out, card=card, validation=validation)
    what = ", ".join(f"{n} {name}" for name, n in counts.items())
    return _outcome(config, table, data, evidence.model, {"classes": counts}, what, rows)


def _learn_outcomes(
    config: TrainConfig, table: Dataset, penalties: tuple[float, ...], session: Session
) -> Outcome:
    """Learn a real outcome."""
    from whybox.s3d import S3DRegressor

    if config.threshold != OWN or config.positive is not None:
        given = "--positive" if config.positive is not None else "--threshold"
        raise InputError(
            f"{config.target!r} holds numbers, of which none is positive and none is decided on",
            where=given,
            remedy=f"leave {given} out, or use --task classification",
        )
    if config.subgroups or config.base_rate is not None:
        raise InputError(
            "errors of groups and base rates are of classes, not of real outcomes",
            where="--subgroups" if config.subgroups else "--base-rate",
            remedy="leave it out, or use --task classification",
        )
    data, y = numbered_rows(table, f"{config.source}, column {config.target}")
    folds = regression_folds(make_splitter(config.cv, seed=config.seed), y, data.groups)
    question = S3DQuestion(
        S3DRegressor(**_parameters(config)), data, y, folds, penalties, config.rule,
        seed=config.seed,
    )  # fmt: skip
    evidence = gather_outcomes(session, question)
    rows = summarise_outcomes(evidence.results) if evidence.results else []
    spread = {
        "mean": float(y.mean()),
        "sd": float(y.std()),
        "low": float(y.min()),
        "high": float(y.max()),
    }
    about = {"task": "regression", "outcome": spread, "positive": None}
    card = _card(config, table, data, evidence, about, rows, None)
    people = data.ids if data.groups is None else data.groups
    card["appraisal"] = appraise_outcomes(config, evidence.results, y, people)
    save_model(evidence.model, config.out, card=card, validation=_answers(evidence, y))
    what = f"{config.target} of mean {spread['mean']:.6g}, sd {spread['sd']:.6g}"
    return _outcome(config, table, data, evidence.model, {"outcome": spread}, what, rows)


def _answers(evidence: S3DEvidence, y: np.ndarray) -> dict[str, np.ndarray] | None:
    """Out-of-fold answers for the report, sorted so that they tell of no one's row."""
    if not evidence.results:
        return None
    pooled = pool(evidence.results, NAME)
    answers, truth = pooled.y_pred, y[pooled.rows]
    order = np.lexsort((truth, answers))
    return {"answers": answers[order], "outcomes": truth[order]}


def _card(
    config: TrainConfig,
    table: Dataset,
    data: Dataset,
    evidence: S3DEvidence,
    about: Mapping[str, Any],
    rows: list[dict[str, Any]],
    threshold: Threshold | None,
) -> dict[str, Any]:
    """What the model file says of itself."""
    model = evidence.model
    described = {
        "target": config.target,
        **about,
        "rows": len(data.labels),
        "rows_without_label": int((~table.has_label).sum()),
        "categorical": list(data.categories),
        **described_features(data.X, len(data.categories)),
        "users_dropped": len(table.dropped),
        "chosen": [model.feature_labels_[j] for j in model.selected_features_],
        "blocks": len(model.grid_.weight[-1]),
        "r2_of_training_rows": model.r2_,
    }
    grouped, figures = data.groups is not None, None
    if rows:
        figures = card_figures(config, grouped, rows, evidence.search)
        figures["stratified"] = about["task"] == "classification"
    card = model_card(
        model,
        data=described,
        recipe=data.recipe or {},
        figures=figures,
        threshold=card_threshold(threshold, evidence.thresholds),
        hashes={"features": data.fingerprint},
        contact=config.contact,
    )
    # without two classes nothing is decided by a share
    return card if threshold is not None else {**card, "threshold": None}


def _outcome(
    config: TrainConfig,
    table: Dataset,
    data: Dataset,
    model: Any,
    told: Mapping[str, Any],
    what: str,
    rows: list[dict[str, Any]],
) -> Outcome:
    """The figures as a table, what was chosen, and where the model is."""
    names = [model.feature_labels_[j] for j in model.selected_features_]
    kind = "regression" if "outcome" in told else "classification"
    values = {
        "model": str(config.out),
        "model_sha256": model_hash(config.out),
        "task": kind,
        "rows": len(data.labels),
        "rows_without_label": int((~table.has_label).sum()),
        **told,
        "features": list(data.features),
        "categorical": list(data.categories),
        "columns_left_out": list(data.left_out),
        "figures": rows,
        "chosen": names,
        "blocks": len(model.grid_.weight[-1]),
        "penalty": model.penalty,
        "r2_of_training_rows": model.r2_,
    }
    lines = [f"task: {kind}{_why(config)}", *training_lines(table, data, what, _UNUSED)]
    if data.categories:
        lines.append(f"categories: {', '.join(data.categories)}")
    if rows:
        lines.append(f"{config.cv} folds; {_chosen_how(config, model)}")
    lines.append(
        f"chosen: {', '.join(names) or 'no feature, the answer is the mean'} "
        f"({values['blocks']} blocks, R² of the training rows {model.r2_:.3f})"
    )
    lines.append(f"model with its card: {config.out}")
    title = f"Cross-validation ({config.cv}), mean and sd over folds"
    shown = OUTCOME_FIGURES if kind == "regression" else CLASS_FIGURES
    tables = (figures_table(title, rows, shown),) if rows else ()
    return Outcome("train", values, tuple(lines), tables)


def _why(config: TrainConfig) -> str:
    """How the task came about."""
    if config.task != "auto" or config.classes:
        return ", as asked"
    return " (told from the target's values; --task says otherwise)"


def _chosen_how(config: TrainConfig, model: Any) -> str:
    if model.tuning_ is None:
        return f"penalty {model.penalty:g} as given, nothing was tuned (--grid paper does)"
    return f"penalty {model.penalty:g} and at most {model.max_features} features, chosen by inner folds"
