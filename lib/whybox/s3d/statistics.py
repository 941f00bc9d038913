"""The additive statistic of a feature: (value code, block) -> weight, and weight times outcome.

Statistics of different rows are merged by adding. All of it is whole numbers, so the merged one
is the same for any cut of the rows into parts and any order of merging, bit for bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from whybox.kernels.s3d import Entries, merge_entries
from whybox.kernels.s3d_rows import compress, dense_sums, sparse_sums
from whybox.s3d.outcome import OutcomeRows
from whybox.trees.tree import Array

__all__ = ["Shape", "Statistics", "Workspace", "merge_all"]

DENSE_PLACES = 1 << 17  # a table of so many places (of 16 bytes) stays in a core's cache
_TYPES = (np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32, np.int64)


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
        ours, theirs = self.entries, other.entries
        room = len(ours.n) + len(theirs.n)
        merged = Entries(
            np.empty(self.shape.n_codes + 1, np.int64),
            np.empty(room, np.int32),
            np.empty(room if self.shape.n_channels > 1 else 0, np.int32),
            np.empty(room, np.int64),
            np.empty(room, np.int64),
        )
        position = np.full(self.shape.n_cells, -1, np.int32)
        m = merge_entries(ours, theirs, self.shape.n_channels, position, merged)
        start, *columns = merged
        return Statistics(self.shape, Entries(start, *(column[:m] for column in columns)))

    def packed(self) -> Statistics:
        """Give the same sums in the smallest integers that hold them, to be kept or sent.

        Examples
        --------
        >>> rows = OutcomeRows(None, np.array([1], np.uint8), None)
        >>> code, cell = np.zeros(1, np.uint16), np.zeros(1, np.int32)
        >>> small = Statistics.of(code, cell, rows, Shape(1, 1, 1)).packed()
        >>> small.entries.n.dtype, small.unpacked().entries.n.dtype
        (dtype('uint8'), dtype('int64'))
        """
        return Statistics(self.shape, Entries(*map(_smallest, self.entries)))

    def unpacked(self) -> Statistics:
        """Give the sums in the integers that are computed with."""
        types = (np.int64, np.int32, np.int32, np.int64, np.int64)
        pairs = zip(self.entries, types, strict=True)
        return Statistics(self.shape, Entries(*(a.astype(t, copy=False) for a, t in pairs)))


def merge_all(parts: Sequence[Statistics]) -> Statistics:
    """Add up statistics of the same shape: neighbours first, then their sums, and so on.

    Parameters
    ----------
    parts : sequence of Statistics
        At least one; as they are or packed.

    Returns
    -------
    Statistics
        Not packed. The sums depend on the rows alone; the order of a code's entries, which no
        search minds, on that of the parts.

    Examples
    --------
    >>> rows = OutcomeRows(None, np.array([1], np.uint8), None)
    >>> one = Statistics.of(np.zeros(1, np.uint16), np.zeros(1, np.int32), rows, Shape(1, 1, 1))
    >>> merge_all([one, one.packed(), one]).entries.n.tolist()
    [3]
    """
    if len(parts) == 1:
        return parts[0].unpacked()
    middle = len(parts) // 2
    return merge_all(parts[:middle]).merge(merge_all(parts[middle:]))


def _smallest(values: Array) -> Array:
    """Copy whole numbers into the smallest type that holds them all."""
    low, high = (values.min(), values.max()) if len(values) else (0, 0)
    fits = (t for t in _TYPES if np.iinfo(t).min <= low and high <= np.iinfo(t).max)
    return values.astype(next(fits))


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
