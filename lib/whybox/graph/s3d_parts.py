"""What a worker does for a decomposition: read a part of the rows, encode it, add it up, move it.

Every function gives a new value and leaves its arguments alone: a scheduler may compute a value
twice, and a worker may hand the one it has to several tasks. What a part keeps for each row is
two bytes a feature, the outcome, and its place in the grid; columns as they were read are kept
only until they are encoded, and only those that hold categories or too many values for codes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from whybox.errors import InputError
from whybox.s3d.categories import CategorySums, category_sums
from whybox.s3d.columns import Coding, ColumnSummary, LocalCodes, WeightedValues
from whybox.s3d.grid import Level
from whybox.s3d.outcome import OutcomeSummary, OutcomeUnits
from whybox.s3d.source import Partition
from whybox.s3d.statistics import Shape, Statistics
from whybox.s3d.table import Table, categorical_columns, column_labels, plain_labels
from whybox.s3d.validation import checked_rows
from whybox.trees.tree import Array

__all__ = [
    "Facts",
    "Part",
    "category_part",
    "encoded",
    "facts",
    "first_cells",
    "limb_part",
    "moved",
    "numbered",
    "read_part",
    "square_part",
    "start",
    "statistics_part",
    "summaries",
    "summary",
    "total_part",
    "weighted_part",
    "with_categories",
]


@dataclass(frozen=True)
class Facts:
    """What must be known of a part before its rows can be counted.

    Parameters
    ----------
    head : DataFrame
        Its first row, without outcome and weight.
    categorical : tuple of int
        The columns that hold categories.
    labels : array (labels,) or None
        The labels that occur; None for real outcomes.
    n_weighted : int
        Rows of a positive weight.

    Examples
    --------
    >>> Facts(None, (), None, 3).n_weighted
    3
    """

    head: Any
    categorical: tuple[int, ...]
    labels: Array | None
    n_weighted: int


@dataclass(frozen=True)
class Part:
    """The rows of a part, with what is known of each column.

    Parameters
    ----------
    facts : Facts
    rows : Partition
        Its table holds the columns ``kept`` only.
    local : tuple of LocalCodes or None
        By column; None: holds categories that have no order yet.
    kept : tuple of int
        The columns that are still needed as they were read.

    Examples
    --------
    >>> import pandas as pd
    >>> from whybox.s3d import S3DRegressor
    >>> frame = pd.DataFrame({"a": [7.0, 3.0], "b": ["x", "y"], "y": [0.5, 1.5]})
    >>> part = read_part(S3DRegressor(), frame, "y", None)
    >>> part.kept, part.local[0].values.tolist(), part.facts.categorical
    ((1,), [3.0, 7.0], (1,))
    """

    facts: Facts
    rows: Partition
    local: tuple[LocalCodes | None, ...]
    kept: tuple[int, ...]

    def raw(self, j: int, categories: Mapping[int, list[Any]]) -> Array:
        """Give a column that was kept as numbers; nothing of one that was not."""
        if j not in self.kept:
            return np.zeros(0)
        at = self.kept.index(j)
        return self.rows.table.column(at, {at: categories[j]} if j in categories else {})


def read_part(estimator: Any, frame: Any, target: str, weight: str | None) -> Part | None:
    """Check the rows of a part and encode its columns by the values it has.

    Parameters
    ----------
    estimator : S3DClassifier or S3DRegressor
        Not fitted; its parameters say which columns hold categories.
    frame : DataFrame
    target, weight : str
        Columns.

    Returns
    -------
    Part or None
        None if there are no rows.

    Raises
    ------
    InputError
        As ``fit`` raises it.
    """
    if not len(frame):
        return None
    model = clone(estimator)
    X = frame.drop(columns=[target] if weight is None else [target, weight])
    table, y, w = checked_rows(
        model, X, frame[target].to_numpy(), None if weight is None else frame[weight], reset=True
    )
    y = np.array(model._outcomes([y])[0])  # copies: a view would hold on to the whole frame
    w = None if w is None else np.array(w)
    wanted = model.categorical_features
    categorical = tuple(categorical_columns(X, wanted, column_labels(X)))
    head, labels = table.X.iloc[:1].reset_index(drop=True).copy(), getattr(model, "classes_", None)
    if w is not None and not w.all():
        heavy = w > 0
        table, y, w = table.rows(heavy), y[heavy], w[heavy]
    local = tuple(
        None if j in categorical else LocalCodes.of(table.column(j, {}), name)
        for j, name in enumerate(table.names)
    )
    kept = tuple(j for j, found in enumerate(local) if found is None or found.values is None)
    raw = table.X.iloc[:, list(kept)].reset_index(drop=True).copy()
    rest = Table(raw, [table.names[j] for j in kept])
    return Part(Facts(head, categorical, labels, len(y)), Partition(rest, y, w), local, kept)


def facts(part: Part | None) -> Facts | None:
    """Say what must be known of a part first; None if it has no rows."""
    return None if part is None else part.facts


def numbered(part: Part, labels: Array | None) -> Part:
    """Number the labels of a part by those of all parts; ``labels`` None: real outcomes."""
    if labels is None or part.facts.labels is None:
        return part
    rows = copy(part.rows)
    rows.y = np.searchsorted(labels, part.facts.labels)[rows.y]
    return Part(part.facts, rows, part.local, part.kept)


def summary(part: Part) -> OutcomeSummary:
    """Summarise the outcomes of a part."""
    return OutcomeSummary.of(part.rows.y, part.rows.weight)


def start(part: Part, units: OutcomeUnits) -> Part:
    """Turn outcomes into whole numbers and put all rows into one block."""
    rows = copy(part.rows)
    rows.set_units(units)
    return Part(part.facts, rows, part.local, part.kept)


def first_cells(part: Part) -> Array:
    """Give the rows' cells while all of them are in one block."""
    return part.rows.cell


def total_part(part: Part) -> Statistics:
    """Add up a part's weights and outcomes, as of a feature that has one value."""
    rows = part.rows
    shape = Shape(1, 1, rows.units.n_channels)
    return Statistics.of(np.zeros(len(rows.y), np.uint16), rows.cell, rows.rows, shape)


def square_part(part: Part) -> int:
    """Add up a part's squared outcomes; labels have none."""
    return 0 if part.rows.units.n_classes else part.rows.square_sum()


def category_part(part: Part) -> dict[int, CategorySums]:
    """Add up outcomes by category, for each column that holds some."""
    table, rows, n_channels = part.rows.table, part.rows.rows, part.rows.units.n_channels
    found = {}
    for j in part.facts.categorical:
        at = part.kept.index(j)
        found[j] = category_sums(plain_labels(table.raw(at)), rows, n_channels, table.names[at])
    return found


def with_categories(part: Part, categories: Mapping[int, list[Any]]) -> Part:
    """Encode the columns of categories, which have an order by now."""
    local = list(part.local)
    for j in categories:
        local[j] = LocalCodes.of(part.raw(j, categories), f"column {j}")
    return Part(part.facts, part.rows, tuple(local), part.kept)


def summaries(part: Part, categories: Mapping[int, list[Any]]) -> list[ColumnSummary]:
    """Say what all parts must know of each column before it gets its codes."""
    return [
        local.summary(part.raw(j, categories) if local.values is None else np.zeros(0))
        for j, local in enumerate(_known(part))
    ]


def weighted_part(part: Part, j: int, categories: Mapping[int, list[Any]]) -> WeightedValues:
    """Give a column's distinct values and the weight of each."""
    return _known(part)[j].weighted_values(part.raw(j, categories), part.rows.rows.weight)


def encoded(
    part: Part, codings: Sequence[Coding], categories: Mapping[int, list[Any]]
) -> Partition:
    """Give the rows with their codes and without the columns themselves."""
    rows = copy(part.rows)
    rows.table, rows.cell = Table(np.zeros((0, 0)), []), np.zeros(0, np.int32)
    rows.codes = [
        LocalCodes(local.values, local.codes.copy()).recoded(coding, part.raw(j, categories))
        for j, (local, coding) in enumerate(zip(_known(part), codings, strict=True))
    ]
    return rows


def statistics_part(
    rows: Partition, cell: Array, shapes: Mapping[int, Shape]
) -> dict[int, Statistics]:
    """Add up features given the rows' blocks; the sums are packed."""
    placed = _placed(rows, cell)
    return {j: placed.statistics(j, shape).packed() for j, shape in shapes.items()}


def moved(rows: Partition, cell: Array, level: Level, bin_of_code: Array) -> Array:
    """Give the rows' cells in the next level of the grid."""
    placed = _placed(rows, cell.copy())
    placed.regroup(level, bin_of_code)
    return placed.cell


def limb_part(rows: Partition, cell: Array, n_blocks: int) -> Array:
    """Add up outcomes exactly by block."""
    return _placed(rows, cell).limb_sums(n_blocks)


def _placed(rows: Partition, cell: Array) -> Partition:
    placed = copy(rows)
    placed.cell = cell
    return placed


def _known(part: Part) -> list[LocalCodes]:
    """Give all columns' codes, which all columns have once categories are in order."""
    local = [codes for codes in part.local if codes is not None]
    if len(local) < len(part.local):
        raise InputError("a column of categories has no order yet")
    return local
