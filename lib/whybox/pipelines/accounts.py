"""What a report says of its rows: the inputs' accounts, the classes, the features."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from whybox.explain.context import DataSummary, InputCount
from whybox.explain.summaries import FeatureTable, feature_table
from whybox.pipelines.dataset import Dataset

__all__ = ["data_summary", "input_counts"]

_LISTED_INPUTS = 12
_MAX_CLASSES = 8  # of a table that compares them


def data_summary(table: Dataset, *, by_class: bool = True) -> DataSummary:
    """Say where the rows come from, and what they are like.

    Parameters
    ----------
    table : Dataset
    by_class : bool, default True
        False for real outcomes: features are then told of all rows together.

    Returns
    -------
    DataSummary
    """
    labels = np.array([label if label is not None else "no label" for label in table.labels])
    if not by_class:
        labels = np.where(labels == "no label", "no outcome", "rows with an outcome")
    names, counts = np.unique(labels, return_counts=True)
    dropped: dict[str, int] = {}
    for _, _, reason in table.dropped:
        dropped[reason] = dropped.get(reason, 0) + 1
    return DataSummary(
        inputs=input_counts(() if table.manifest is None else table.manifest["inputs"]),
        users_dropped=dropped,
        class_counts=dict(zip(names.tolist(), counts.tolist(), strict=True)),
        features=_features(table, labels),
    )


def _features(table: Dataset, labels: np.ndarray) -> FeatureTable | None:
    """The features' statistics, where there are labels, and few enough of them for a table."""
    known = table.has_label
    if not known.any() or not table.names or len(np.unique(labels[known])) > _MAX_CLASSES:
        return None
    return feature_table(table.X[known], labels[known], list(table.names))


def input_counts(entries: Sequence[Mapping[str, Any]]) -> list[InputCount]:
    """Read the inputs' accounts from a manifest; folders together where there are many files.

    Parameters
    ----------
    entries : sequence of mapping
        Its ``inputs``.

    Returns
    -------
    list of InputCount

    Examples
    --------
    >>> entry = {"path": "a", "lines": 2, "records": 1, "non_records": {"blank": 1},
    ...          "quarantined": {}}
    >>> input_counts([entry])[0].records
    1
    """
    if len(entries) <= _LISTED_INPUTS:
        return [_input_count(entry["path"], [entry]) for entry in entries]
    folders: dict[str, list[Mapping[str, Any]]] = {}
    for entry in entries:
        folders.setdefault(str(Path(entry["path"]).parent), []).append(entry)
    return [
        _input_count(f"{folder} ({len(files)} files)", files)
        for folder, files in sorted(folders.items())
    ]


def _input_count(name: str, entries: Sequence[Mapping[str, Any]]) -> InputCount:
    """The accounts of some files together."""
    return InputCount(
        name,
        sum(entry["lines"] for entry in entries),
        sum(entry["records"] for entry in entries),
        _added(entry["non_records"] for entry in entries),
        _added(entry["quarantined"] for entry in entries),
        files=len(entries),
    )


def _added(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Counts by name, added up."""
    total: dict[str, int] = {}
    for part in counts:
        for name, number in part.items():
            total[name] = total.get(name, 0) + number
    return total
