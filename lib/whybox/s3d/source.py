"""Where a fit gets its statistics from: the protocol, one partition of rows, and partitions at hand.

A fit needs one pass for the codes, and one pass a chosen feature, in which the rows go to their
new blocks and all remaining features are added up. Only statistics leave a partition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Protocol

import numpy as np

from whybox.kernels.s3d_rows import add_by_block, regroup
from whybox.s3d.categories import category_sums, merge_category_sums, ordered_categories
from whybox.s3d.columns import (
    Coding,
    ColumnSummary,
    LocalCodes,
    WeightedValues,
    make_coding,
    merge_weighted_values,
)
from whybox.s3d.grid import Level
from whybox.s3d.outcome import LIMBS, OutcomeUnits
from whybox.s3d.statistics import Shape, Statistics, Workspace, merge_all
from whybox.s3d.table import Table, plain_labels
from whybox.trees.tree import Array

__all__ = ["ColumnRules", "LocalSource", "Partition", "StatisticsSource"]

_SLICE = 1 << 15


@dataclass(frozen=True)
class ColumnRules:
    """How columns are to be encoded.

    Parameters
    ----------
    max_bins : int or None
    categorical : tuple of int
        Columns that hold categories.
    cuts : mapping of int to float64 (cuts,)
        Bins that the user wants: column -> inner cut values.

    Examples
    --------
    >>> ColumnRules(None, (), {}).max_bins is None
    True
    """

    max_bins: int | None
    categorical: tuple[int, ...]
    cuts: Mapping[int, Array]


class StatisticsSource(Protocol):
    """What a fit asks of the rows, wherever they are."""

    units: OutcomeUnits
    codings: list[Coding]

    def totals(self) -> tuple[int, list[int], int]:
        """Give the sum of weights, of outcomes a channel, and of squares, of all rows."""

    def statistics(self, features: Sequence[int], n_blocks: int) -> Iterator[Statistics]:
        """Give the features' statistics given the rows' blocks, each valid until the next."""

    def regroup(self, level: Level, bin_of_code: Array) -> None:
        """Move every row to its block in the next level of the grid."""

    def limb_sums(self, n_blocks: int) -> Array:
        """Give the sums by block from which exact means are made: int64 (blocks, LIMBS)."""


class Partition:
    """Some of the rows: their codes, their blocks and their outcomes.

    Parameters
    ----------
    table : Table
    y : float64 or int64 (rows,)
        Outcomes, or class numbers.
    weight : float64 (rows,) or None
        All positive.

    Examples
    --------
    >>> part = Partition(Table(np.array([[1.0], [2.0]]), ["x"]), np.array([0, 1]), None)
    >>> part.local_codes(0, {}).codes.tolist()
    [0, 1]
    """

    def __init__(self, table: Table, y: Array, weight: Array | None) -> None:
        self.table, self.y, self.weight = table, y, weight
        self.codes: list[Array] = []

    def set_units(self, units: OutcomeUnits) -> None:
        """Turn outcomes into whole numbers and put all rows into one block."""
        self.units = units
        self.rows = units.rows(self.y, self.weight)
        channel = self.rows.channel
        self.cell = np.zeros(len(self.y), np.int32) if channel is None else channel.copy()

    def local_codes(self, j: int, categories: Mapping[int, list[Any]]) -> LocalCodes:
        """Encode a column by the values that this partition has."""
        return LocalCodes.of(self.table.column(j, categories), self.table.names[j])

    def statistics(self, j: int, shape: Shape, workspace: Workspace | None = None) -> Statistics:
        """Add up a feature given the rows' blocks."""
        return Statistics.of(self.codes[j], self.cell, self.rows, shape, workspace)

    def regroup(self, level: Level, bin_of_code: Array) -> None:
        """Move the rows to their blocks in the next level."""
        code = self.codes[level.feature]
        regroup(
            self.cell, code, bin_of_code, self.units.n_channels, level.offsets, level.bins
        )  # fmt: skip

    def limb_sums(self, n_blocks: int) -> Array:
        """Add up outcomes exactly: int64 (blocks, LIMBS)."""
        sums = np.zeros((LIMBS, n_blocks), np.int64)
        for some in self._slices():
            weight = None if self.weight is None else self.weight[some]
            factor = self.rows.weight
            factor = factor[some] if factor is not None and self.units.copies else None
            for limb, row in zip(self.units.limbs(self.y[some], weight), sums, strict=True):
                add_by_block(self.cell[some], self.units.n_channels, limb, factor, row)
        return sums.T

    def square_sum(self) -> int:
        """Add up squared outcomes: see ``OutcomeUnits.square_sum``."""
        return sum(
            self.units.square_sum(self.y[s], None if self.weight is None else self.weight[s])
            for s in self._slices()
        )

    def _slices(self) -> list[slice]:
        """Cut the rows so that what is computed on the way stays in a core's cache."""
        return [slice(at, at + _SLICE) for at in range(0, len(self.y), _SLICE)]


class LocalSource:
    """Partitions in this process.

    Parameters
    ----------
    parts : list of Partition
    units : OutcomeUnits
    rules : ColumnRules

    Attributes
    ----------
    codings : list of Coding
        One a column.
    categories : dict of int to list
        Categorical column -> its categories in the order of their mean outcome.

    Examples
    --------
    >>> from whybox.s3d.outcome import OutcomeSummary
    >>> y = np.array([0, 1])
    >>> part = Partition(Table(np.array([[1.0], [2.0]]), ["x"]), y, None)
    >>> units = OutcomeUnits.of(OutcomeSummary.of(y, None), 2)
    >>> source = LocalSource([part], units, ColumnRules(None, (), {}))
    >>> next(source.statistics([0], 1)).entries.s.tolist()
    [0, 1]
    """

    def __init__(self, parts: list[Partition], units: OutcomeUnits, rules: ColumnRules) -> None:
        self.parts, self.units = parts, units
        self._workspace = Workspace()
        for part in parts:
            part.set_units(units)
        self.categories = {j: self._ordered(j) for j in rules.categorical}
        n_features = len(parts[0].table.names)
        self.codings = [self._encode(j, rules) for j in range(n_features)]

    def _ordered(self, j: int) -> list[Any]:
        """Order a column's categories by their outcomes in all partitions."""
        merged: dict[Any, tuple[int, list[int]]] = {}
        for part in self.parts:
            labels, name = plain_labels(part.table.raw(j)), part.table.names[j]
            sums = category_sums(labels, part.rows, self.units.n_channels, name)
            merged = merge_category_sums(merged, sums)
        several = self.units.n_channels > 1
        return ordered_categories(merged, int(np.argmax(self.totals()[1])) if several else 0)

    def _encode(self, j: int, rules: ColumnRules) -> Coding:
        """Encode a column in all partitions."""
        locals_ = [part.local_codes(j, self.categories) for part in self.parts]
        columns = [
            part.table.column(j, self.categories) if local.values is None else np.zeros(0)
            for part, local in zip(self.parts, locals_, strict=True)
        ]  # read again only where there are too many values
        rows = list(zip(locals_, columns, self.parts, strict=True))

        def weighted_values() -> WeightedValues:
            pairs = [
                local.weighted_values(column, part.rows.weight) for local, column, part in rows
            ]
            return reduce(merge_weighted_values, pairs)

        summary = reduce(ColumnSummary.merge, [local.summary(column) for local, column, _ in rows])
        cuts = rules.cuts.get(j, np.zeros(0))
        coding = make_coding(summary, weighted_values, rules.max_bins, cuts)
        for local, column, part in rows:
            part.codes.append(local.recoded(coding, column))
        return coding

    def totals(self) -> tuple[int, list[int], int]:
        """Give the sum of weights, of outcomes a channel, and of squares, of all rows."""
        n, s, squares = 0, [0] * self.units.n_channels, 0
        for part in self.parts:
            value, weight, channel = part.rows.value, part.rows.weight, part.rows.channel
            n += len(part.y) if weight is None else int(weight.sum())
            for k in range(len(s)):
                if value is not None:
                    s[k] += int(value.sum(dtype=np.int64))
                else:
                    has = channel == k
                    s[k] += int(np.count_nonzero(has) if weight is None else weight[has].sum())
            if not self.units.n_classes:
                squares += part.square_sum()
        return n, s, squares

    def statistics(self, features: Sequence[int], n_blocks: int) -> Iterator[Statistics]:
        """Give the features' statistics given the rows' blocks, each valid until the next."""
        for j in features:
            n_codes = self.codings[j].n_codes + int(self.codings[j].missing)
            shape = Shape(n_codes, n_blocks, self.units.n_channels)
            if len(self.parts) == 1:
                yield self.parts[0].statistics(j, shape, self._workspace)
            else:
                yield merge_all([part.statistics(j, shape) for part in self.parts])

    def regroup(self, level: Level, bin_of_code: Array) -> None:
        """Move every row to its block in the next level of the grid."""
        for part in self.parts:
            part.regroup(level, bin_of_code)

    def limb_sums(self, n_blocks: int) -> Array:
        """Give the sums by block from which exact means are made: int64 (blocks, LIMBS)."""
        sums = np.stack([part.limb_sums(n_blocks) for part in self.parts])
        return np.asarray(sums.sum(axis=0))
