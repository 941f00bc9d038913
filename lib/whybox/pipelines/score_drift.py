"""Drift of a run: against the model's training rows, and against the version that stood before."""

from __future__ import annotations

import json
from collections import Counter
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
    changes : list of dict
        ``before``, ``now``, ``users``: how many of those who stayed have another answer now.
    exceeded : list of str
        Features that drifted from the training rows by more than is allowed.
    """

    distribution: dict[str, Any]
    rows: list[dict[str, Any]]
    users: dict[str, int]
    changes: list[dict[str, Any]]
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
    rows = _rows(TRAINING, _training(model), distribution["counts"])
    users, changes = dict[str, int](), list[dict[str, Any]]()
    if previous is not None:
        before = json.loads((previous / DRIFT).read_text("utf-8"))["distribution"]
        if before["edges"] == distribution["edges"]:
            rows += _rows(PREVIOUS, before["counts"], distribution["counts"])
        manifest = json.loads((previous / "manifest.json").read_text("utf-8"))
        if manifest["key"] == key_id:
            users, changes = _came_and_went(previous, [part.path for part in found.parts])
    return Drift(distribution, rows, users, changes, _exceeded(rows, limit))


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
    rows, told = values["rows"], (values["users"], values["changes"])
    return Drift(values["distribution"], rows, *told, _exceeded(rows, limit))


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
    values = {"distribution": drift.distribution, "rows": drift.rows, "changes": drift.changes}
    values |= drift.summary
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


def _came_and_went(
    previous: Path, paths: Sequence[Path]
) -> tuple[dict[str, int], list[dict[str, Any]]]:
    """Count users by pseudonym, and those with another answer.

    A user is in the part of the same number whenever there are as many parts: they are then held
    against each other one by one, and never more than two are in memory.
    """
    before = sorted((previous / "scores").glob("*.parquet"))
    alike = len(before) == len(paths)
    pairs = [([b], [n]) for b, n in zip(before, paths, strict=True)] if alike else [(before, paths)]
    users, changes = Counter(dict.fromkeys(("gone", "new", "stayed"), 0)), Counter[Any]()
    for olds, news in pairs:
        old, now = _answers(olds), _answers(news)
        places = pc.index_in(now["user"], old["user"])
        known = pc.is_valid(places)
        stayed = int(pc.sum(known).as_py() or 0)
        users.update(gone=len(old) - stayed, new=len(now) - stayed, stayed=stayed)
        answers = zip(
            old["answer"].take(places.filter(known)).to_pylist(),
            now["answer"].filter(known).to_pylist(),
            strict=True,
        )
        changes.update(pair for pair in answers if pair[0] != pair[1])
    return dict(users), [
        {"before": pair[0], "now": pair[1], "users": n} for pair, n in sorted(changes.items())
    ]


def _answers(paths: Sequence[Path]) -> pa.Table:
    """Users with the class decided, or that there is none."""
    tables = [pq.read_table(path, columns=["user", "decision"]) for path in paths]
    table = pa.concat_tables(tables).combine_chunks()
    decided = pc.fill_null(table["decision"], "no answer")
    return pa.table({"user": table["user"], "answer": decided}).combine_chunks()
