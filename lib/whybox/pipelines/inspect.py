"""``whybox inspect``: what a model file is, or a folder that whybox wrote."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from whybox.config import InspectConfig
from whybox.errors import InputError
from whybox.model_io import load_card, load_model, model_hash
from whybox.pipelines.description import describe_users
from whybox.pipelines.families import family_of_model, resolve
from whybox.pipelines.outcome import Outcome, Table
from whybox.pipelines.report_tables import appraisal_tables
from whybox.progress import SILENT, Progress

__all__ = ["run"]


def run(config: InspectConfig, *, progress: Progress = SILENT) -> Outcome:
    """Tell what is at a path.

    Parameters
    ----------
    config : InspectConfig
    progress : Progress, optional

    Returns
    -------
    Outcome

    Raises
    ------
    InputError
        It is neither a model file nor a folder that whybox wrote.
    """
    return _folder(config.path) if config.path.is_dir() else _model(config.path)


def _model(path: Path) -> Outcome:
    """The card, and the model's size."""
    model, card = load_model(path), load_card(path)
    facts: dict[str, Any] = {"kind": type(model).__name__, "sha256": model_hash(path)}
    if hasattr(model, "classes_"):
        facts["classes"] = model.classes_.tolist()
    trees = getattr(model, "estimators_", None)
    if trees is not None:
        facts["trees"] = len(trees)
        facts["leaves"] = sum(tree.n_leaves for tree in trees)
    rows = [*facts.items(), *_flat(card or {"card": "none"})]
    family = family_of_model(model)
    values, tables = {}, ()
    if family is not None and family.describe is not None:
        values, tables = resolve(family.describe)(model, card)
    worth = [
        Table(block.title, tuple(block.table.columns), tuple(map(tuple, block.table.rows)))
        for block in appraisal_tables(card or {})
    ]
    return Outcome(
        "inspect", {**facts, **values, "card": card}, (), (_table(str(path), rows), *tables, *worth)
    )


def _folder(path: Path) -> Outcome:
    """The manifest, its inputs and parts counted, and what the users are like."""
    try:
        manifest = json.loads((path / "manifest.json").read_text("utf-8"))
        if not isinstance(manifest, dict) or "software" not in manifest:
            raise ValueError
    except (OSError, ValueError) as error:
        raise InputError(
            "no folder that whybox wrote", where=str(path), remedy="give one with a manifest.json"
        ) from error
    short = {
        name: f"{len(value)}" if name in ("inputs", "parts") else value
        for name, value in manifest.items()
    }
    values, tables = describe_users(path, manifest)
    table = _table(str(path), list(_flat(short)))
    return Outcome("inspect", {**manifest, **values}, (), (table, *tables))


def _flat(value: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """Nested names joined by dots, lists by commas."""
    rows: list[tuple[str, Any]] = []
    for name, part in value.items():
        if name in ("distribution", "appraisal"):  # for machines; told in tables of its own
            continue
        if isinstance(part, Mapping):
            rows += _flat(part, f"{prefix}{name}.")
        elif isinstance(part, list) and any(isinstance(entry, Mapping) for entry in part):
            for number, entry in enumerate(part):
                rows += _flat({str(number): entry}, f"{prefix}{name}.")
        else:
            rows.append(
                (prefix + name, ", ".join(map(str, part)) if isinstance(part, list) else part)
            )
    return rows


def _table(title: str, rows: list[tuple[str, Any]]) -> Table:
    return Table(title, ("what", "value"), tuple(rows))
