"""What reports have in common, whatever the family of models: rows, accounts, figures, the file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from whybox._archive import write_file
from whybox.config import ExplainConfig
from whybox.data.versions import fetched
from whybox.errors import InputError, RunError, WhyboxError
from whybox.explain.context import (
    CLASS_METRICS,
    CrossValidation,
    OutOfFold,
    ScoreRow,
    ThresholdChoice,
)
from whybox.model_io import load_card
from whybox.pipelines.dataset import Dataset, load_dataset
from whybox.pipelines.outcome import Outcome

__all__ = [
    "abstentions",
    "card_of",
    "class_column",
    "class_summary",
    "cross_validation",
    "explained_rows",
    "out_of_fold_scores",
    "threshold_choice",
    "told_apart",
    "write_page",
    "write_text",
]


def card_of(path: Path) -> dict[str, Any]:
    """Read the card of a model that is to be explained.

    Parameters
    ----------
    path : pathlib.Path

    Returns
    -------
    dict

    Raises
    ------
    InputError
        If it has none.
    """
    card = load_card(path)
    if card is None:
        raise InputError("the model has no card", where=str(path), remedy="train it again")
    return card


def explained_rows(
    config: ExplainConfig,
    card: Mapping[str, Any],
    features: Sequence[str],
    *,
    categorical: Sequence[str] | None = None,
    documents: bool = False,
) -> Dataset:
    """Read the rows to explain, with labels where the table has the model's target.

    Parameters
    ----------
    config : ExplainConfig
    card : mapping
    features : sequence of str
        What the model needs.
    categorical : sequence of str, optional
        Which of them hold words.
    documents : bool, default False

    Returns
    -------
    Dataset

    Raises
    ------
    InputError
        As `whybox.pipelines.dataset.load_dataset`.
    """
    target, source = card["data"]["target"], config.source
    needed: dict[str, Any] = {
        "features": features,
        "categorical": categorical,
        "documents": documents,
    }
    try:
        return load_dataset(source, target=target, **needed)
    except InputError as error:
        if repr(target) not in error.what:
            raise
        return load_dataset(source, **needed)


def class_column(model: Any, card: Mapping[str, Any]) -> int:
    """Find the class that is explained.

    Parameters
    ----------
    model : fitted classifier
    card : mapping

    Returns
    -------
    int
        The positive one's column, else the last.
    """
    classes = model.classes_.tolist()
    positive = card["data"].get("positive")
    return int(classes.index(positive)) if positive in classes else len(classes) - 1


def told_apart(card: Mapping[str, Any]) -> str:
    """Name what a model of classes tells apart.

    Parameters
    ----------
    card : mapping

    Returns
    -------
    str
        The positive class, else how many there are.

    Examples
    --------
    >>> told_apart({"data": {"positive": None, "class_counts": {"a": 1, "b": 1, "c": 1}}})
    '3 classes'
    """
    positive = card["data"].get("positive")
    return repr(positive) if positive else f"{len(card['data']['class_counts'])} classes"


def class_summary(card: Mapping[str, Any]) -> str:
    """Say in plain words what was asked of a model of classes, and what was found.

    Parameters
    ----------
    card : mapping

    Returns
    -------
    str
        One paragraph.
    """
    data = card["data"]
    counts = ", ".join(f"{number} {name}" for name, number in data["class_counts"].items())
    text = (
        f"The question was whether {len(card['features'])} features tell {told_apart(card)} apart. "
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
    return (
        f"{text}. These are figures about groups of rows: an answer is a likeness to labelled ones, "
        "no finding about any of them."
    )


def cross_validation(
    card: Mapping[str, Any], metrics: Mapping[str, str] | None = None
) -> CrossValidation | None:
    """Read the card's figures as a table.

    Parameters
    ----------
    card : mapping
    metrics : mapping of str to str, optional
        What is shown, and what it is called; by default the figures of classes. One that no model
        has (of the positive class, where there is none) takes no column.

    Returns
    -------
    CrossValidation or None
        None if the model was not cross-validated.
    """
    figures = card.get("figures")
    if not isinstance(figures, Mapping):
        return None
    offered = CLASS_METRICS if metrics is None else metrics
    known = {name for row in figures["models"] for name in offered if _mean_sd(row, name)}
    shown = {name: text for name, text in offered.items() if name in known}
    rows = [
        ScoreRow(row["model"], {name: _mean_sd(row, name) for name in shown})
        for row in figures["models"]
    ]
    grouped = figures.get("grouped_by")
    description = f"{figures['folds']} folds"
    description += ", stratified" if figures.get("stratified", True) else ""
    description += f", rows of one {grouped} never apart" if grouped else ""
    return CrossValidation(rows, f"{description}; no parameter was tuned on the test rows", shown)


def _mean_sd(row: Mapping[str, Any], name: str) -> tuple[float, float] | None:
    mean, sd = row.get(f"{name}_mean"), row.get(f"{name}_sd")
    return None if mean is None else (mean, sd or 0.0)


def out_of_fold_scores(
    found: Mapping[str, np.ndarray] | None, model: Any, column: int
) -> OutOfFold | None:
    """Read scores by models that had not seen the rows, as the model file keeps them.

    Parameters
    ----------
    found : mapping of str to array, or None
        From `whybox.model_io.load_validation`.
    model : fitted classifier
    column : int
        Of the positive class.

    Returns
    -------
    OutOfFold or None
        None without scores, or with more than two classes.
    """
    if found is None or "scores" not in found or len(model.classes_) != 2:
        return None
    names = (str(model.classes_[1 - column]), str(model.classes_[column]))
    return OutOfFold(found["positive"].astype(bool), found["scores"], names)


def threshold_choice(
    card: Mapping[str, Any], found: Mapping[str, np.ndarray] | None
) -> ThresholdChoice | None:
    """Read the card's threshold, and where votes and probabilities disagree about it.

    Parameters
    ----------
    card : mapping
    found : mapping of str to array, or None
        As for `out_of_fold_scores`.

    Returns
    -------
    ThresholdChoice or None
        None where nothing is decided.
    """
    chosen = card["threshold"]
    if chosen is None:
        return None
    disagreements = None
    if found is not None and "votes" in found:
        decided = found["scores"] >= chosen["value"]
        disagreements = int((decided != found["votes"].astype(bool)).sum())
    return ThresholdChoice(chosen["value"], chosen["rule"], chosen.get("reason", ""), disagreements)


def abstentions(scores: str | None) -> dict[str, int] | None:
    """Count abstentions by reason.

    Parameters
    ----------
    scores : str or None
        A folder that `whybox score` wrote.

    Returns
    -------
    dict of str to int, or None
        None without a folder.

    Raises
    ------
    InputError
        If it is no such folder.
    """
    if scores is None:
        return None
    try:
        with fetched(scores, lambda _: ()) as folder:
            manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
        return dict(manifest["counts"]["abstentions"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError("no folder of scores", where=str(scores)) from error


def write_page(path: Path, page: str, n_rows: int) -> Outcome:
    """Write a report, whole or not at all.

    Parameters
    ----------
    path : pathlib.Path
    page : str
    n_rows : int
        Rows that were explained.

    Returns
    -------
    Outcome
        Of ``whybox explain``.

    Raises
    ------
    RunError
        The file cannot be written.
    """
    data = page.encode("utf-8")
    write_text(path, data, "report")
    values = {"out": str(path), "rows_explained": n_rows, "bytes": len(data)}
    return Outcome("explain", values, (f"report: {path}",))


def write_text(path: Path, data: bytes, what: str) -> None:
    """Write a file, whole or not at all, and the folders above it.

    Parameters
    ----------
    path : pathlib.Path
    data : bytes
    what : str
        What it is, for the message.

    Raises
    ------
    RunError
        The file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, data)
    except (OSError, WhyboxError) as error:
        why = getattr(error.__cause__ or error, "strerror", str(error))  # the disk's own word
        raise RunError(f"the {what} cannot be written: {why}", where=str(path)) from error
