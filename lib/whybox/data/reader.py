"""Reading: a block's tables and its accounts, and all records of a set of inputs.

`read_block` is one piece of work, for a worker: it knows its own lines only.  `merge_results` puts
the accounts of all blocks together, and `line_offsets` tells where the lines of a block begin in a
file that was cut.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from whybox.data.accounting import QUARANTINE, Counts, Tally
from whybox.data.blocks import Block
from whybox.data.source import Input, Source
from whybox.errors import RunError

__all__ = [
    "BlockReader",
    "BlockResult",
    "line_offsets",
    "merge_results",
    "read_block",
    "shift_lines",
]

_MODULES = {
    "twitter-v1": "tweets",
    "twitter-v2": "tweets",
    "clpsych": "clpsych",
    "tass": "tass",
    "tweeteval": "tweeteval",
    "parquet": "columnar",
    "ttdd": "ttdd",
    "sentiment140": "sentiment140",
    "csv": "csv",
    "jsonl": "jsonl",
}


@dataclass(frozen=True)
class BlockResult:
    """What is known of a block when it has been read.

    Parameters
    ----------
    counts : mapping of int to Counts
        By the input's index.
    quarantine : pyarrow.Table
        Of schema `QUARANTINE`.
    deleted, anchors : tuple of str
        Ids of posts that delete notices take back, and of anchors.

    Examples
    --------
    >>> BlockResult({0: Counts(lines=2, records=2)}).counts[0].records
    2
    """

    counts: Mapping[int, Counts] = field(default_factory=dict)
    quarantine: pa.Table = field(default_factory=QUARANTINE.empty_table)
    deleted: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()


class BlockReader:
    """The tables of a block, one after the other; then its `result`.

    Parameters
    ----------
    block : Block
    source : Source

    Examples
    --------
    >>> reader = BlockReader(Block(0, ()), Source("jsonl"))
    >>> list(reader), reader.result.counts
    ([], {})
    """

    def __init__(self, block: Block, source: Source) -> None:
        self.block, self.source = block, source
        self._result: BlockResult | None = None

    def __iter__(self) -> Iterator[pa.Table]:
        read = importlib.import_module(f"whybox.data.{_MODULES[self.source.format]}").read
        tallies = []
        for entry in self.block.inputs:
            tally = Tally(entry.index)
            yield from read(entry, self.source, self.block.span, tally)
            self._close(entry, tally)
            tallies.append(tally)
        self._result = BlockResult(
            {tally.input: tally.counts() for tally in tallies},
            pa.concat_tables([QUARANTINE.empty_table(), *(t.quarantine_table() for t in tallies)]),
            tuple(post_id for tally in tallies for post_id in tally.deleted),
            tuple(post_id for tally in tallies for post_id in tally.anchors),
        )

    def _close(self, entry: Input, tally: Tally) -> None:
        """Check the accounts of an input; damage is an error unless it is to be salvaged."""
        tally.counts().check(entry.display)
        if tally.damage is not None and not self.source.salvage:
            raise RunError(
                f"the file {tally.damage}: {tally.lines} whole lines could be read",
                where=entry.display,
                remedy="fetch the file again, or keep its whole lines with --salvage",
            )

    @property
    def result(self) -> BlockResult:
        """The accounts, once all tables have been taken."""
        if self._result is None:
            raise RunError("the accounts are known only when all tables have been taken")
        return self._result


def read_block(block: Block, source: Source) -> BlockReader:
    """Read a block.

    Parameters
    ----------
    block : Block
    source : Source
        With a format that is settled.

    Returns
    -------
    BlockReader
        Iterate for tables of schema `POSTS`, then take `result`.  Line numbers are relative to
        the block (see `line_offsets`); repeated and deleted posts are still among the records.

    Raises
    ------
    InputError, RunError
        While iterating: see the formats; RunError for a damaged file without `salvage`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from whybox.data import find_inputs, plan_blocks
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "a.jsonl").write_text('{"id": 1, "text": "hello"}')
    ...     inputs = find_inputs(folder, "jsonl")
    ...     reader = read_block(plan_blocks(inputs, Source("jsonl"))[0], Source("jsonl"))
    ...     [table.num_rows for table in reader], reader.result.counts[0].lines
    ([1], 1)
    """
    return BlockReader(block, source)


def shift_lines(table: pa.Table, offset: int) -> pa.Table:
    """Add an offset to the column ``line``.

    Parameters
    ----------
    table : pyarrow.Table
        Of schema `POSTS` or `QUARANTINE`.
    offset : int

    Returns
    -------
    pyarrow.Table

    Examples
    --------
    >>> shift_lines(pa.table({"line": [1, 2]}), 10)["line"].to_pylist()
    [11, 12]
    """
    if not offset:
        return table
    place = table.schema.get_field_index("line")
    lines = pc.add(table.column(place), pa.scalar(offset, pa.int64()))
    return table.set_column(place, table.schema.field(place), lines)


def line_offsets(blocks: Sequence[Block], results: Sequence[BlockResult]) -> list[int]:
    """Tell how many lines of a block's file stand before the block.

    Parameters
    ----------
    blocks : sequence of Block
    results : sequence of BlockResult
        In the same order.

    Returns
    -------
    list of int
        0 for a block of whole files.

    Examples
    --------
    >>> from whybox.data.blocks import Span
    >>> file = Input(0, "a", 9, "a")
    >>> blocks = [Block(0, (file,), Span(0, 5)), Block(1, (file,), Span(5, 9))]
    >>> line_offsets(blocks, [BlockResult({0: Counts(lines=3)}), BlockResult({0: Counts()})])
    [0, 3]
    """
    before: dict[int, int] = {}
    offsets = []
    for block, result in zip(blocks, results, strict=True):
        offsets.append(0)
        if block.span is not None:
            index = block.inputs[0].index
            offsets[-1] = before.get(index, 0)
            before[index] = offsets[-1] + result.counts[index].lines
    return offsets


def merge_results(blocks: Sequence[Block], results: Sequence[BlockResult]) -> BlockResult:
    """Put the accounts of all blocks together, with line numbers of the whole files.

    Parameters
    ----------
    blocks : sequence of Block
    results : sequence of BlockResult
        In the same order.

    Returns
    -------
    BlockResult

    Examples
    --------
    >>> merge_results([], []).quarantine.num_rows
    0
    """
    counts: dict[int, Counts] = {}
    for result in results:
        for index, part in result.counts.items():
            counts[index] = counts.get(index, Counts()) + part
    shifted = [
        shift_lines(result.quarantine, offset)
        for result, offset in zip(results, line_offsets(blocks, results), strict=True)
    ]
    return BlockResult(
        counts,
        pa.concat_tables([QUARANTINE.empty_table(), *shifted]),
        tuple(post_id for result in results for post_id in result.deleted),
        tuple(post_id for result in results for post_id in result.anchors),
    )
