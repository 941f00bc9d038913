"""``whybox train`` of raw texts: expressions found in each training fold, then in all labelled texts."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whybox.config import TrainConfig
from whybox.errors import InputError
from whybox.explain.card import model_card, with_appraisal
from whybox.expressions.estimator import DiscriminatoryExpressions
from whybox.expressions.learning import Choice
from whybox.expressions.mining import Settings
from whybox.graph.session import Session, using
from whybox.graph.text_folds import FAMILY, TextProblem, fit_text_model, make_text_model
from whybox.model_io import model_hash, save_model
from whybox.model_selection.grids import expand
from whybox.model_selection.splitters import make_splitter
from whybox.model_selection.summary import summarise
from whybox.model_selection.thresholds import Threshold
from whybox.pipelines.appraisal import Judged, appraise, check_base_rate
from whybox.pipelines.describe_texts import describe, expression_entries
from whybox.pipelines.labelling import positive_class
from whybox.pipelines.outcome import Outcome
from whybox.pipelines.text_evidence import TextEvidence, TextQuestion, gather_texts
from whybox.pipelines.texts import Posts, labelled_posts, open_posts, reading_of, units_with
from whybox.pipelines.training import (
    card_figures,
    card_threshold,
    class_counts,
    decision_threshold,
    figures_table,
    validation_of_classes,
)
from whybox.progress import SILENT, Progress

__all__ = ["PAPER", "run"]

PAPER: Mapping[str, Sequence[Any]] = {
    "min_precision": [0.6, 0.75, 0.9],
    "min_recall": [0.001, 0.003, 0.01],
    "max_words": [1, 2, 3],
}
"""What ``--grid paper`` chooses from: p, r and alpha, of which the paper prints no values."""

_OWN = ("n_expressions", "min_precision", "min_recall", "max_words", "language")


@dataclass(frozen=True, eq=False)
class _Fitted:
    """All that a run has found."""

    problem: TextProblem
    users: NDArray[Any] | None
    evidence: TextEvidence
    model: Any
    advice: Sequence[str]
    entries: Sequence[Mapping[str, Any]]
    about: Mapping[str, Any]
    threshold: Threshold | None

    @property
    def unit(self) -> str:
        """What holders of an expression are."""
        return "texts" if self.users is None else "users"


def run(
    config: TrainConfig, *, progress: Progress = SILENT, session: Session | None = None
) -> Outcome:
    """Train a model of expressions.

    Parameters
    ----------
    config : TrainConfig
        Its ``source`` is raw posts, or a folder that was extracted with texts.
    progress : Progress, optional
    session : Session, optional
        An open one to use; by default one is opened as the configuration says.

    Returns
    -------
    Outcome
        With the tables of figures and of expressions; the model file has its card.

    Raises
    ------
    InputError
        The posts, their classes, or a threshold do not allow it: the message says which to lower.
    RunError
        Too many lines of raw input are not understood.
    """
    candidates = _candidates(config)
    reading = _with_target(config)
    with using(session, config, progress) as opened, open_posts(reading, opened) as posts:
        found = _learn(opened, reading, posts, candidates)
        card = _card(config, posts, found)
    validation = validation_of_classes(
        found.evidence.results, config.model, found.problem.y, found.problem.positive
    )
    save_model(found.model, config.out, card=card, validation=validation)
    return _outcome(config, found, card)


def _with_target(config: TrainConfig) -> TrainConfig:
    """``--target`` names the column of the labels as well as ``--label-column`` does."""
    if config.label_column or config.target == "label":
        return config
    return replace(config, label_column=config.target)


def _candidates(config: TrainConfig) -> list[dict[str, Any]]:
    """The parameters of the expressions, or what they are chosen from; refused before any work."""
    check_base_rate(config.base_rate)
    if config.subgroups:
        raise InputError(
            "groups of people are columns of a table, not of raw texts",
            where="--subgroups",
            remedy="leave it out",
        )
    given = {name: getattr(config, name) for name in _OWN}
    known = sorted({f.name for kind in (Settings, Choice) for f in fields(kind)} - {"pos_label"})
    found = []
    for chosen in expand(_grid(config)):
        params = {**given, **chosen}
        unknown = sorted(set(chosen) - set(known))
        if unknown:
            raise InputError(
                f"expressions have no {', '.join(unknown)}",
                where=f"--grid {config.grid}",
                remedy=f"choose among {', '.join(known)}",
            )
        if params.get("classes") == "positive" and config.positive:
            params["pos_label"] = config.positive
        for kind in (Settings, Choice):
            names = {f.name for f in fields(kind)}
            kind(**{k: v for k, v in params.items() if k in names and v is not None})
        found.append(params)
    return found


def _with_precision(params: Mapping[str, Any], y: NDArray[Any]) -> dict[str, Any]:
    """Where a word that tells nothing would reach the usual precision, ask for half of what is left."""
    if params["min_precision"] is not None:
        return dict(params)
    share = max(class_counts(y).values()) / len(y)
    usual = _usual_precision()
    return {**params, "min_precision": usual if share < usual else round((1 + share) / 2, 2)}


def _usual_precision() -> float:
    return DiscriminatoryExpressions().min_precision


def _grid(config: TrainConfig) -> Mapping[str, Sequence[Any]]:
    """Values to choose from."""
    if config.grid == "none":
        return {}
    if config.grid == "paper":
        return PAPER
    where = f"--grid {config.grid}"
    try:
        tables = tomllib.loads(Path(os.fspath(config.grid)).read_text("utf-8"))
    except OSError as error:
        raise InputError(f"cannot read the grid: {error.strerror}", where=where) from error
    except ValueError as error:
        raise InputError(f"the grid is no TOML: {error}", where=where) from error
    grid = tables.get(config.model)
    if not isinstance(grid, dict) or not all(isinstance(v, list) and v for v in grid.values()):
        raise InputError(
            f"there is no table of lists named {config.model!r}",
            where=where,
            remedy=f"write [{config.model}], and below it such as min_precision = [0.6, 0.9]",
        )
    return grid


def _learn(
    session: Session, config: TrainConfig, posts: Posts, candidates: Sequence[dict[str, Any]]
) -> _Fitted:
    """Cross-validate, then fit to all labelled texts."""
    rows = labelled_posts(posts, str(config.source), config.classes)
    y = posts.labels[rows].astype(str)
    positive = positive_class(np.unique(y).tolist(), config.positive)
    if len(np.unique(y)) > 2:
        decision_threshold(config, (), y, positive)  # refused now, not after the folds
    users = None if posts.users is None else posts.users[rows]
    corpus = posts.encode(session, config.language).take(rows)
    problem = TextProblem(corpus, y, positive, config.language, config.seed)
    make_text_model(config.model, problem, {})
    candidates = [_with_precision(params, y) for params in candidates]
    folds = make_splitter(config.cv, seed=config.seed).split(y, users)
    question = TextQuestion(config.model, candidates, folds, users, config.threshold)
    evidence = gather_texts(session, problem, question)
    threshold = decision_threshold(config, evidence.results, y, positive)
    model, advice = fit_text_model(session, problem, config.model, evidence.params)
    matrix = model.transformer_.transform(corpus)
    holders = units_with(matrix, users)
    unlabelled = sum(label is None for label in posts.labels)
    about = {
        "target": config.label_column or config.target,
        "rows": len(y),
        "rows_without_label": unlabelled,
        "rows_of_other_classes": len(posts) - len(rows) - unlabelled,
        "class_counts": class_counts(y),
        "positive": positive,
        "users": None if users is None else len(np.unique(users)),
        "texts_said_before": posts.n_repeated(),
        "anchors": int(posts.anchors[rows].sum()),
        "texts_with_an_expression": int((np.diff(matrix.indptr) > 0).sum()),
        "read_as": dict(reading_of(config)),
    }
    entries = expression_entries(model, holders)
    return _Fitted(problem, users, evidence, model, advice, entries, about, threshold)


def _card(config: TrainConfig, posts: Posts, found: _Fitted) -> dict[str, Any]:
    """What the model file says of itself: no text, and no expression of fewer than ten users."""
    figures = None
    if found.evidence.results:
        rows = summarise(found.evidence.results)
        grouped = found.users is not None
        figures = card_figures(config, grouped, rows, found.evidence.search)
        figures["learnt_in_folds"] = "expressions, words and weights, from the training texts alone"
    card = model_card(
        found.model,
        data=found.about,
        recipe={**posts.manifest.get("recipe", {}), "language_of_texts": config.language},
        figures=figures,
        threshold=card_threshold(found.threshold, found.evidence.thresholds),
        hashes={"texts": posts.fingerprint},
        contact=config.contact,
    )
    people = np.arange(len(found.problem.y)) if found.users is None else found.users
    rows_judged = Judged(found.problem.y, people)
    card = with_appraisal(
        card,
        appraise(
            config, found.evidence.results, rows_judged, found.problem.positive, found.threshold
        ),
    )
    transformer = found.model.transformer_
    card["model"]["parameters"] = {
        "classifier": config.model.removeprefix(FAMILY),
        **{k: v for k, v in transformer.get_params().items() if v is not None},
    }
    card["features"] = [entry["expression"] or "(not shown)" for entry in found.entries]
    coverage = {str(label): round(share, 4) for label, share in transformer.coverage_.items()}
    card["expressions"] = {
        "found": list(found.entries),
        "counted_in": found.unit,
        "of": transformer.n_found_,
        "share_of_class_with_one": coverage,
        "advice": list(found.advice),
    }
    return card


def _outcome(config: TrainConfig, found: _Fitted, card: Mapping[str, Any]) -> Outcome:
    """The figures and the expressions, and where the model is."""
    about = found.about
    rows = summarise(found.evidence.results) if found.evidence.results else []
    values, tables = describe(found.model, card)
    what = ", ".join(f"{count} {name}" for name, count in about["class_counts"].items())
    of_users = "" if about["users"] is None else f" of {about['users']} users"
    lines = [
        f"learnt from {about['rows']} texts{of_users} ({what}); "
        f"{about['rows_without_label']} texts without a label, "
        f"{about['rows_of_other_classes']} of other classes",
        f"{about['texts_with_an_expression']} of them have one of the expressions",
    ]
    if about["texts_said_before"]:
        lines.append(f"{about['texts_said_before']} texts repeat another: figures flatter by that")
    if about["anchors"]:
        lines.append(
            f"{about['anchors']} texts are those that labels were given for, and may say so: to leave "
            "them out, extract with --drop-anchors --allow-text REASON, and train on the folder"
        )
    chosen = found.evidence.params["min_precision"]
    if config.min_precision is None and config.grid == "none" and chosen != _usual_precision():
        lines.append(
            f"--min-precision {chosen}, since one class is large; --grid paper chooses by accuracy"
        )
    lines += [f"note: {each}" for each in found.advice]
    lines.append(f"model and its card: {config.out}")
    if rows:
        title = f"Cross-validation ({config.cv}), mean and sd over folds"
        tables = [figures_table(title, rows), *tables]
    known = {
        "model": str(config.out),
        "model_sha256": model_hash(config.out),
        **{name: about[name] for name in ("rows", "rows_without_label", "users")},
        "classes": about["class_counts"],
        "figures": rows,
        "advice": list(found.advice),
    }
    return Outcome("train", {**known, **values}, tuple(lines), tuple(tables))
