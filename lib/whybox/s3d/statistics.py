"""The additive statistic of a feature: (value code, block) -> weight, and weight times outcome.

Statistics of different rows are merged by adding. All of it is whole numbers, so the merged one
is the same for any cut of the rows into parts and any order of merging, bit for bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from whybox.kernels.s3d import Entries
from whybox.kernels.s3d_rows import compress, dense_sums, sparse_sums
from whybox.s3d.outcome import OutcomeRows
from whybox.trees.tree import Array

__all__ = ["Shape", "Statistics", "Workspace", "merge_all"]

DENSE_PLACES = 1 << 17  # a table of so many places (of 16 bytes) stays in a core's cache


@dataclass(frozen=True)
class Shape:
    """The size of a statistic.

    Parameters
    ----------
    n_codes : int
        The missing value's included.
    n_blocks, n_channels : int

    Examples
    --------
    >>> Shape(3, 2, 1).n_cells
    2
    """

    n_codes: int
    n_blocks: int
    n_channels: int

    @property
    def n_cells(self) -> int:
        """Blocks times channels."""
        return self.n_blocks * self.n_channels


class Workspace:
    """Memory for the statistics of one feature after another; fresh pages cost more than the sums.

    Examples
    --------
    >>> Workspace().array("n", 3, np.int64).shape
    (3,)
    """

    def __init__(self) -> None:
        self._arrays: dict[str, Array] = {}

    def array(self, name: str, size: int, dtype: type) -> Array:
        """Give an array of at least this size, its content arbitrary."""
        held = self._arrays.get(name)
        if held is None or len(held) < size or held.dtype != dtype:
            held = self._arrays[name] = np.empty(size, dtype)
        return held[:size]


@dataclass(frozen=True)
class Statistics:
    """Sums by value code and block.

    Parameters
    ----------
    shape : Shape
    entries : Entries
        Sorted by code.

    Examples
    --------
    >>> rows = OutcomeRows(None, np.array([1, 0, 1], np.uint8), None)
    >>> code, cell = np.array([0, 1, 1], np.uint16), np.zeros(3, np.int32)
    >>> s = Statistics.of(code, cell, rows, Shape(2, 1, 1))
    >>> s.entries.n.tolist(), s.entries.s.tolist()
    ([1, 2], [1, 1])
    >>> both = s.update(code, cell, rows)
    >>> both.entries.n.tolist(), both.entries.s.tolist()
    ([2, 4], [2, 2])
    """

    shape: Shape
    entries: Entries

    @classmethod
    def of(
        cls,
        code: Array,
        cell: Array,
        rows: OutcomeRows,
        shape: Shape,
        workspace: Workspace | None = None,
    ) -> Statistics:
        """Add up rows.

        Parameters
        ----------
        code : uint16 (rows,)
        cell : int32 (rows,)
            Block times channels plus channel.
        rows : OutcomeRows
        shape : Shape
        workspace : Workspace, optional
            Memory that the result lies in, valid until the next use of the workspace.
        """
        space = workspace or Workspace()
        places = shape.n_codes * shape.n_cells
        room = min(places, len(code))
        entries = Entries(
            space.array("start", shape.n_codes + 1, np.int64),
            space.array("block", room, np.int32),
            space.array("channel", room if shape.n_channels > 1 else 0, np.int32),
            space.array("n", room, np.int64),
            space.array("s", room, np.int64),
        )
        if places <= DENSE_PLACES:
            table = space.array("table", 2 * places, np.int64)
            table = table.reshape(shape.n_codes, shape.n_cells, 2)
            dense_sums(code, cell, rows.value, rows.weight, table)
            m = compress(table, shape.n_channels, entries)
        else:
            label, value = rows.value, None
            if label is not None and label.dtype != np.uint8:
                label, value = None, rows.value
            buffers = _buffers(space, value, rows.weight, shape.n_cells, len(code))
            m = sparse_sums(
                code, cell, label, value, rows.weight, shape.n_channels, buffers, entries
            )
        start, block, channel, n, s = entries
        return cls(shape, Entries(start, block[:m], channel[:m], n[:m], s[:m]))

    def update(self, code: Array, cell: Array, rows: OutcomeRows) -> Statistics:
        """Add more rows."""
        return self.merge(Statistics.of(code, cell, rows, self.shape))

    def merge(self, other: Statistics) -> Statistics:
        """Add the sums of other rows; both must have the same shape."""
        return merge_all([self, other])


def merge_all(parts: Sequence[Statistics]) -> Statistics:
    """Add up statistics of the same shape, in a form that depends on the sums alone.

    Parameters
    ----------
    parts : sequence of Statistics
        At least one.

    Returns
    -------
    Statistics
        Sorted by code, block and channel.

    Examples
    --------
    >>> rows = OutcomeRows(None, np.array([1], np.uint8), None)
    >>> one = Statistics.of(np.zeros(1, np.uint16), np.zeros(1, np.int32), rows, Shape(1, 1, 1))
    >>> merge_all([one, one, one]).entries.n.tolist()
    [3]
    """
    shape = parts[0].shape
    place = np.concatenate([_places(part) for part in parts])
    order = np.argsort(place, kind="stable")
    place = place[order]
    first = np.flatnonzero(np.diff(place, prepend=-1))
    place = place[first]
    n = np.concatenate([part.entries.n for part in parts])[order]
    s = np.concatenate([part.entries.s for part in parts])[order]
    cell = place % shape.n_cells
    start = np.searchsorted(place, np.arange(shape.n_codes + 1) * shape.n_cells)
    channel = cell % shape.n_channels if shape.n_channels > 1 else np.zeros(0)
    return Statistics(
        shape,
        Entries(
            start.astype(np.int64),
            (cell // shape.n_channels).astype(np.int32),
            channel.astype(np.int32),
            np.add.reduceat(n, first) if len(first) else n,
            np.add.reduceat(s, first) if len(first) else s,
        ),
    )


def _places(part: Statistics) -> Array:
    """Give each entry's place in a table of all codes, blocks and channels."""
    entries, shape = part.entries, part.shape
    code = np.repeat(np.arange(shape.n_codes), np.diff(entries.start))
    cell = entries.block.astype(np.int64) * shape.n_channels
    if shape.n_channels > 1:
        cell += entries.channel
    return code * shape.n_cells + cell


def _buffers(
    space: Workspace, value: Array | None, weight: Array | None, n_cells: int, n_rows: int
) -> tuple[Array, Array, Array | None, Array | None]:
    """Give the room in which rows are put in the order of their codes."""
    position = space.array("position", n_cells, np.int32)
    position[:] = -1
    return (
        position,
        space.array("cells", n_rows, np.int32),
        None if value is None else space.array("values", n_rows, np.int64),
        None if weight is None else space.array("weights", n_rows, np.int64),
    )
