"""Where a fit on workers gets its statistics from: parts that stay there, and tasks over them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import Any

import numpy as np

from whybox.graph import s3d_parts
from whybox.graph.s3d_ranges import outline, range_ends, thinned, within
from whybox.graph.session import Session
from whybox.s3d.categories import CategorySums, merge_category_sums, ordered_categories
from whybox.s3d.columns import (
    DEFAULT_BINS,
    Coding,
    ColumnSummary,
    WeightedValues,
    make_coding,
    merge_weighted_values,
)
from whybox.s3d.grid import Level
from whybox.s3d.outcome import OutcomeUnits
from whybox.s3d.source import ColumnRules
from whybox.s3d.statistics import Shape, Statistics, merge_all
from whybox.trees.tree import Array

__all__ = ["KeptParts", "WorkerSource"]

_FAN_IN = 8  # results that one task merges
_ENTRY = 24  # bytes of a statistic's entry
_BATCH = 64 << 20  # bytes of statistics that travel at once
_VALUES = 1 << 20  # distinct values that are merged at once


class WorkerSource:
    """Statistics of parts that are kept on a session's workers.

    A ``whybox.s3d.source.StatisticsSource``; `whybox.graph.s3d.fit_on_parts` makes one.

    Parameters
    ----------
    work : KeptParts
        Parts whose labels are numbered.
    units : OutcomeUnits
    rules : ColumnRules
    """

    def __init__(self, work: KeptParts, units: OutcomeUnits, rules: ColumnRules) -> None:
        self._work, self.units = work, units
        work.become(s3d_parts.start, units)
        self._totals = self._add_up()
        self.categories = self._ordered(rules.categorical)
        work.become(s3d_parts.with_categories, self.categories)
        self.codings = self._codings(rules)
        self._cells = work.kept(work.tasks(s3d_parts.first_cells))
        work.become(s3d_parts.encoded, self.codings, self.categories)

    def totals(self) -> tuple[int, list[int], int]:
        """Give the sum of weights, of outcomes a channel, and of squares, of all rows."""
        return self._totals

    def statistics(self, features: Sequence[int], n_blocks: int) -> Iterator[Statistics]:
        """Give the features' statistics given the rows' blocks, a few megabytes of them at once."""
        for batch in self._batches(features, n_blocks):
            shapes = self._work.session.share(batch)
            task = self._work.lazily(s3d_parts.statistics_part)
            merged = self._work.merged(
                [
                    task(part, cell, shapes)
                    for part, cell in zip(self._work.parts, self._cells, strict=True)
                ],
                _merge_statistics,
                f"adding up {len(batch)} features",
            )
            for j in batch:
                yield merged.pop(j).unpacked()

    def regroup(self, level: Level, bin_of_code: Array) -> None:
        """Move every row to its block in the next level of the grid."""
        there = self._work.session.share(level), self._work.session.share(bin_of_code)
        task = self._work.lazily(s3d_parts.moved)
        pairs = zip(self._work.parts, self._cells, strict=True)
        self._cells = self._work.kept([task(part, cell, *there) for part, cell in pairs])

    def limb_sums(self, n_blocks: int) -> Array:
        """Give the sums by block from which exact means are made: int64 (blocks, LIMBS)."""
        task = self._work.lazily(s3d_parts.limb_part)
        pairs = zip(self._work.parts, self._cells, strict=True)
        tasks = [task(part, cell, n_blocks) for part, cell in pairs]
        return np.asarray(self._work.merged(tasks, _add_arrays, "adding up outcomes"))

    def _add_up(self) -> tuple[int, list[int], int]:
        """Add up all rows."""
        work = self._work
        total = work.merged(work.tasks(s3d_parts.total_part), _merge_all, "adding up outcomes")
        squares = sum(work.session.compute(work.tasks(s3d_parts.square_part), "adding up squares"))
        entries, sums = total.entries, [0] * self.units.n_channels
        channels = entries.channel if len(sums) > 1 else np.zeros(len(entries.s), np.int64)
        for channel, s in zip(channels.tolist(), entries.s.tolist(), strict=True):
            sums[channel] += s
        return int(entries.n.sum()), sums, squares

    def _ordered(self, categorical: Sequence[int]) -> dict[int, list[Any]]:
        """Order the categories of all columns that hold some."""
        if not categorical:
            return {}
        work = self._work
        sums = work.merged(
            work.tasks(s3d_parts.category_part), _merge_categories, "ordering labels"
        )
        several = self.units.n_channels > 1
        channel = int(np.argmax(self._totals[1])) if several else 0
        return {j: ordered_categories(found, channel) for j, found in sums.items()}

    def _codings(self, rules: ColumnRules) -> list[Coding]:
        """Make a coding a column that holds in all parts."""
        work = self._work
        there = work.session.share(self.categories)
        tasks = work.tasks(s3d_parts.summaries, there)
        found: list[ColumnSummary] = work.merged(tasks, _merge_summaries, "reading columns")

        def coding(j: int) -> Coding:
            def weighted_values() -> WeightedValues:
                n_bins = rules.max_bins or DEFAULT_BINS
                tasks = work.tasks(s3d_parts.weighted_part, j, there)
                return _few_values(work, work.kept(tasks), n_bins, cuts)

            cuts = rules.cuts.get(j, np.zeros(0))
            return make_coding(found[j], weighted_values, rules.max_bins, cuts)

        return [coding(j) for j in range(len(found))]

    def _batches(self, features: Sequence[int], n_blocks: int) -> Iterator[dict[int, Shape]]:
        """Cut features into runs whose statistics are small together."""
        batch: dict[int, Shape] = {}
        size = 0
        for j in features:
            n_codes = self.codings[j].n_codes + int(self.codings[j].missing)
            shape = Shape(n_codes, n_blocks, self.units.n_channels)
            more = _ENTRY * shape.n_codes * shape.n_cells
            if batch and size + more > _BATCH:
                yield batch
                batch, size = {}, 0
            batch[j] = shape
            size += more
        if batch:
            yield batch


class KeptParts:
    """Values on a session's workers, one a part of the rows, and tasks over them.

    Parameters
    ----------
    session : Session

    Examples
    --------
    >>> from whybox.graph import connect
    >>> with connect("sync") as session:
    ...     work = KeptParts(session)
    ...     work.keep([work.lazily(abs)(n) for n in (-1, -2, -3)])
    ...     work.merged(work.tasks(abs), sum, "adding up")
    6
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.parts: list[Any] = []

    def lazily(self, function: Callable[..., Any]) -> Any:
        """Make tasks of a function's calls."""
        from dask.delayed import delayed

        return delayed(function, pure=False)

    def tasks(self, function: Callable[..., Any], *more: Any) -> list[Any]:
        """Make a task a part."""
        task = self.lazily(function)
        return [task(part, *more) for part in self.parts]

    def kept(self, tasks: list[Any]) -> list[Any]:
        """Compute tasks where their results stay; what stands for them holds on to them."""
        from dask.base import persist

        if self.session.client is None:
            return list(persist(*tasks, scheduler="synchronous"))
        return list(self.session.client.persist(tasks))

    def keep(self, tasks: list[Any]) -> None:
        """Compute the parts, which stay on their workers."""
        self.parts = self.kept(tasks)

    def become(self, function: Callable[..., Any], *more: Any) -> None:
        """Make new parts of the parts; the arguments are sent once."""
        shared = [self.session.share(value) for value in more]
        self.keep(self.tasks(function, *shared))

    def merging(self, tasks: list[Any], merge: Callable[[list[Any]], Any]) -> Any:
        """Make the task that is left when results are merged, a few neighbours at a time."""
        task = self.lazily(merge)
        while len(tasks) > 1:
            tasks = [task(tasks[at : at + _FAN_IN]) for at in range(0, len(tasks), _FAN_IN)]
        return tasks[0]

    def merged(self, tasks: list[Any], merge: Callable[[list[Any]], Any], label: str) -> Any:
        """Merge results on the workers, and give the one that is left."""
        return self.session.compute([self.merging(tasks, merge)], label)[0]


def _few_values(work: KeptParts, pairs: list[Any], n_bins: int, cuts: Array) -> WeightedValues:
    """Give those distinct values that bins end at, a range of values after the other."""
    tell, select, thin = work.lazily(outline), work.lazily(within), work.lazily(thinned)
    outlines = work.session.compute([tell(pair) for pair in pairs], "reading values")
    whole, before = sum(each.weight for each in outlines), 0
    found: list[WeightedValues] = []
    low = -np.inf
    for high in range_ends(outlines, _VALUES):
        tasks = [select(pair, low, high) for pair in pairs]
        merged = work.merging(tasks, _merge_values)
        some = work.session.compute([thin(merged, before, whole, n_bins, cuts)], "binning")[0]
        before, low = before + int(some[1].sum()), high
        found.append(some)
    return np.concatenate([v for v, _ in found]), np.concatenate([w for _, w in found])


def _merge_all(found: list[Statistics]) -> Statistics:
    """Module-level, like those below, so that a worker finds it."""
    return merge_all(found)


def _merge_statistics(found: list[dict[int, Statistics]]) -> dict[int, Statistics]:
    return {j: merge_all([each[j] for each in found]).packed() for j in found[0]}


def _merge_categories(found: list[dict[int, CategorySums]]) -> dict[int, CategorySums]:
    return {j: reduce(merge_category_sums, [each[j] for each in found]) for j in found[0]}


def _merge_summaries(found: list[list[ColumnSummary]]) -> list[ColumnSummary]:
    return [reduce(ColumnSummary.merge, column) for column in zip(*found, strict=True)]


def _merge_values(found: list[WeightedValues]) -> WeightedValues:
    return reduce(merge_weighted_values, found)


def _add_arrays(found: list[Array]) -> Array:
    return np.asarray(np.sum(found, axis=0))
