"""Drift of a run: against the model's training rows, and against the version that stood before."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from whybox.data.csvcells import csv_text
from whybox.data.storage import file_sha256
from whybox.graph.rounds import Round
from whybox.model_selection.drift import SCORE_EDGES, added, shift
from whybox.pipelines.outcome import Table
from whybox.pipelines.score_model import ScoredModel

__all__ = ["DRIFT", "Drift", "drift_tables", "measure_drift", "read_drift", "write_drift"]

DRIFT = "drift.json"

SCORE = "score"
"""The probability's name among the features."""

TRAINING, PREVIOUS = "training", "previous"
_COLUMNS = ("feature", "against", "psi", "ks", "missing_before", "missing_now")
_SHOWN = 5


@dataclass(frozen=True)
class Drift:
    """How far this run's users are from others.

    Parameters
    ----------
    distribution : dict
        ``edges`` and ``counts`` by feature, the probability as ``score``.
    rows : list of dict
        A feature against ``training`` or ``previous``: the columns of drift.csv.
    users : dict
        ``gone``, ``new`` and ``stayed`` against the version before; empty without one.
    exceeded : list of str
        Features that drifted from the training rows by more than is allowed.
    """

    distribution: dict[str, Any]
    rows: list[dict[str, Any]]
    users: dict[str, int]
    exceeded: list[str]

    @property
    def summary(self) -> dict[str, Any]:
        """The largest figures, and the users that came and went."""
        largest = {}
        for against in (TRAINING, PREVIOUS):
            rows = [row for row in self.rows if row["against"] == against]
            if rows:
                top = max(rows, key=lambda row: float(row["psi"]))
                largest[against] = {name: top[name] for name in ("feature", "psi", "ks")}
        return {"largest": largest, "users": self.users, "exceeded": self.exceeded}


def measure_drift(
    model: ScoredModel, found: Round, previous: Path | None, key_id: str, limit: float | None
) -> Drift:
    """Compare this run with the training rows, and with the version before.

    Parameters
    ----------
    model : ScoredModel
    found : Round
    previous : pathlib.Path or None
        The folder of the version before.
    key_id : str
        Of this run's pseudonyms; under another key nobody can be recognised.
    limit : float or None
        Stability index that no feature may exceed.

    Returns
    -------
    Drift
    """
    facts = [part.facts for part in found.parts]
    names, edges = (*model.numbers, SCORE), [*model.edges, SCORE_EDGES.tolist()]
    counts = [*added(facts, "bins"), *added(facts, "scores")]
    distribution = {
        "edges": dict(zip(names, edges, strict=True)),
        "counts": dict(zip(names, counts, strict=True)),
    }
    rows, users = _rows(TRAINING, _training(model), distribution["counts"]), {}
    if previous is not None:
        before = json.loads((previous / DRIFT).read_text("utf-8"))["distribution"]
        if before["edges"] == distribution["edges"]:
            rows += _rows(PREVIOUS, before["counts"], distribution["counts"])
        manifest = json.loads((previous / "manifest.json").read_text("utf-8"))
        if manifest["key"] == key_id:
            users = _came_and_went(previous, [part.path for part in found.parts])
    return Drift(distribution, rows, users, _exceeded(rows, limit))


def read_drift(folder: Path, limit: float | None) -> Drift:
    """Read what `write_drift` wrote.

    Parameters
    ----------
    folder : pathlib.Path
    limit : float or None
        As for `measure_drift`.

    Returns
    -------
    Drift
    """
    values = json.loads((folder / DRIFT).read_text("utf-8"))
    rows = values["rows"]
    return Drift(values["distribution"], rows, values["users"], _exceeded(rows, limit))


def write_drift(folder: Path, drift: Drift) -> list[dict[str, Any]]:
    """Write drift.json, with all counts, and drift.csv, the table.

    Parameters
    ----------
    folder : pathlib.Path
    drift : Drift

    Returns
    -------
    list of dict
        The manifest's entries of the two files.
    """
    values = {"distribution": drift.distribution, "rows": drift.rows, **drift.summary}
    text = json.dumps(values, indent=1, ensure_ascii=False) + "\n"
    (folder / DRIFT).write_text(text, encoding="utf-8")
    table = csv_text(_COLUMNS, ([row[name] for name in _COLUMNS] for row in drift.rows))
    (folder / "drift.csv").write_text(table, encoding="utf-8")
    return [
        {"path": name, "rows": len(drift.rows), "sha256": file_sha256(str(folder / name))}
        for name in (DRIFT, "drift.csv")
    ]


def drift_tables(drift: Drift) -> tuple[Table, ...]:
    """Show the features that drifted most.

    Parameters
    ----------
    drift : Drift

    Returns
    -------
    tuple of Table
        Empty if there is nothing to compare with.
    """
    if not drift.rows:
        return ()
    worst = sorted(drift.rows, key=lambda row: -row["psi"])[:_SHOWN]
    rows = [
        (row["feature"], row["against"], f"{row['psi']:.3f}", f"{row['ks']:.3f}") for row in worst
    ]
    rows += [(f"users {what}", PREVIOUS, str(number), "") for what, number in drift.users.items()]
    return (Table("Drift, the largest first", ("feature", "against", "PSI", "KS"), tuple(rows)),)


def _exceeded(rows: Sequence[Mapping[str, Any]], limit: float | None) -> list[str]:
    """Features that drifted more than is allowed."""
    return [
        row["feature"]
        for row in rows
        if limit is not None and row["against"] == TRAINING and row["psi"] > limit
    ]


def _training(model: ScoredModel) -> dict[str, Sequence[int]]:
    """Counts of the training rows, as far as the model's file has them."""
    known: dict[str, Sequence[int]] = {}
    if model.bins is not None:
        known |= dict(zip(model.numbers, model.bins, strict=True))
    if model.scores is not None:
        known[SCORE] = model.scores
    return known


def _rows(
    against: str, before: Mapping[str, Sequence[int]], now: Mapping[str, Sequence[int]]
) -> list[dict[str, Any]]:
    """A row a feature that both have."""
    rows = []
    for name, counts in now.items():
        moved = shift(before[name], counts) if name in before else None
        if moved is not None:
            missing = (float(c[-1] / sum(c)) for c in (before[name], counts))
            values = (name, against, moved.psi, moved.ks, *missing)
            rows.append(dict(zip(_COLUMNS, values, strict=True)))
    return rows


def _came_and_went(previous: Path, paths: Sequence[Path]) -> dict[str, int]:
    """Count users by pseudonym."""
    before = _users(sorted((previous / "scores").glob("*.parquet")))
    now = _users(paths)
    stayed = int(pc.sum(pc.is_in(now, before)).as_py() or 0)
    return {"gone": len(before) - stayed, "new": len(now) - stayed, "stayed": stayed}


def _users(paths: Sequence[Path]) -> pa.Array:
    columns = [pq.read_table(path, columns=["user"])["user"] for path in paths]
    chunks = [chunk for column in columns for chunk in column.chunks]
    return pa.chunked_array(chunks, pa.string()).combine_chunks()
