"""What the page of scores tells of people, read from finished parts, one at a time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from whybox.explain.scores import ReasonCount
from whybox.explain.wording import percent
from whybox.pipelines.review import MEANINGS, strongest

__all__ = ["ToldOfPeople", "read_people"]

_LISTED = 50
_COLUMNS = ["user", "probability", "decision", "abstention", "reasons"]


@dataclass(frozen=True)
class ToldOfPeople:
    """What is told.

    Attributes
    ----------
    reasons : list of ReasonCount
        Of the flagged, the most frequent first.
    review : list of (str, str, str, str)
        Users without an answer, at most 50: pseudonym, reason, probability, what it rests on.
    """

    reasons: list[ReasonCount]
    review: list[tuple[str, str, str, str]]


def read_people(paths: Iterable[Path], positive: str) -> ToldOfPeople:
    """Read parts of scores.

    Parameters
    ----------
    paths : iterable of pathlib.Path
        In any order; of each only sums and its first users are kept.
    positive : str
        The class that users are flagged as.

    Returns
    -------
    ToldOfPeople
    """
    totals: dict[str, np.ndarray] = {}
    listed: list[dict[str, Any]] = []
    for path in paths:
        part = pq.read_table(path, columns=_COLUMNS)
        for name, counts in _reasons(part.filter(pc.equal(part["decision"], positive))).items():
            totals[name] = totals.get(name, np.zeros(4, np.int64)) + counts
        listed = sorted(listed + _first_silent(part), key=_urgency)[:_LISTED]
    order = sorted(totals, key=lambda name: (-totals[name][1], -totals[name][0], name))
    return ToldOfPeople(
        [ReasonCount(name, *totals[name].tolist()) for name in order],
        [
            (
                f"u-{row['user'][:8]}",
                row["abstention"],
                percent(row["probability"]),
                strongest(row["reasons"] or ()),
            )
            for row in listed
        ],
    )


def _reasons(flagged: pa.Table) -> dict[str, np.ndarray]:
    """Count by feature: as the first reason, among them, raising and lowering."""
    lists = flagged["reasons"].combine_chunks()
    whose = pc.list_parent_indices(lists).to_numpy()
    reasons = pc.list_flatten(lists)
    shap = pc.struct_field(reasons, "shap").to_numpy(zero_copy_only=False)
    first = np.diff(whose, prepend=-1) > 0
    names, codes = np.unique(
        pc.struct_field(reasons, "feature").to_numpy(zero_copy_only=False).astype(str),
        return_inverse=True,
    )
    masks = (first, np.ones(len(first), bool), shap > 0, shap < 0)  # NaN, of a rule, is neither
    counts = np.stack([np.bincount(codes[mask], minlength=len(names)) for mask in masks], axis=1)
    return dict(zip(names.tolist(), counts, strict=True))


def _first_silent(part: pa.Table) -> list[dict[str, Any]]:
    """The users of a part without an answer that come first in the list of all."""
    silent = part.filter(pc.is_valid(part["abstention"]))
    rank = pc.fill_null(pc.index_in(silent["abstention"], pa.array(MEANINGS)), len(MEANINGS))
    keys = pa.table({"rank": rank, "p": silent["probability"], "user": silent["user"]})
    order = pc.sort_indices(
        keys, [("rank", "ascending"), ("p", "descending"), ("user", "ascending")]
    )
    found: list[dict[str, Any]] = silent.take(order[:_LISTED]).to_pylist()
    return found


def _urgency(row: dict[str, Any]) -> tuple[int, float, str]:
    """Those that a person can decide first, of these the likeliest positive."""
    known = list(MEANINGS)
    rank = known.index(row["abstention"]) if row["abstention"] in known else len(known)
    return rank, -(row["probability"] or 0.0), row["user"]
