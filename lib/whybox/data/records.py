"""All records of a set of inputs, in one process: what `read_records` gives."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from whybox.data.accounting import QUARANTINE, Accounting, InputCounts, line_hash
from whybox.data.blocks import plan_blocks
from whybox.data.detect import settle_format
from whybox.data.reader import BlockResult, merge_results, read_block, shift_lines
from whybox.data.resolve import (
    CONFLICTING,
    KEPT,
    PostKeys,
    mark_anchors,
    post_keys,
    resolve,
    verdict_counts,
)
from whybox.data.schema import POSTS
from whybox.data.source import ColumnMap, Input, Source, column_map, find_inputs
from whybox.data.storage import file_sha256
from whybox.errors import RunError

__all__ = ["Records", "account", "conflicts", "read_records", "settle"]


def settle(table: pa.Table, verdicts: NDArray[np.uint8], anchors: NDArray[np.bool_]) -> pa.Table:
    """Leave out the posts that were decided against, and mark the anchors.

    Parameters
    ----------
    table : pyarrow.Table, n rows
        Of schema `POSTS`.
    verdicts : numpy.ndarray of uint8, shape (n,)
        Of `whybox.data.resolve.resolve`.
    anchors : numpy.ndarray of bool, shape (n,)

    Returns
    -------
    pyarrow.Table

    Examples
    --------
    >>> settle(POSTS.empty_table(), np.zeros(0, np.uint8), np.zeros(0, bool)).num_rows
    0
    """
    if anchors.any():
        place = table.schema.get_field_index("anchor")
        table = table.set_column(place, table.schema.field(place), pa.array(anchors))
    return table if (verdicts == KEPT).all() else table.filter(pa.array(verdicts == KEPT))


def conflicts(table: pa.Table, verdicts: NDArray[np.uint8]) -> pa.Table:
    """List the posts whose labels contradict each other, for the quarantine.

    Parameters
    ----------
    table : pyarrow.Table, n rows
        Of schema `POSTS` (the columns input, line and post_id are used).
    verdicts : numpy.ndarray of uint8, shape (n,)

    Returns
    -------
    pyarrow.Table
        Of schema `QUARANTINE`; the hash is that of the post's id, as the line is gone.

    Examples
    --------
    >>> conflicts(POSTS.empty_table(), np.zeros(0, np.uint8)).num_rows
    0
    """
    rows = table.filter(pa.array(verdicts == CONFLICTING))
    hashes = [line_hash(post_id.as_py().encode("utf-8")) for post_id in rows["post_id"]]
    reasons = ["conflicting_labels"] * rows.num_rows
    columns = [rows["input"], rows["line"], pa.array(reasons, pa.string()), hashes]
    return pa.table(columns, schema=QUARANTINE)


def account(
    inputs: Sequence[Input],
    merged: BlockResult,
    verdicts: NDArray[np.uint8],
    row_inputs: NDArray[np.int32],
    sha256: Sequence[str],
) -> Accounting:
    """Draw up the accounts of a run when all posts have been decided about.

    Parameters
    ----------
    inputs : sequence of Input
    merged : BlockResult
        Of all blocks.
    verdicts : numpy.ndarray of uint8, shape (n,)
        About every post read.
    row_inputs : numpy.ndarray of int32, shape (n,)
        The index of each post's input.
    sha256 : sequence of str
        Of each input file.

    Returns
    -------
    Accounting
        Checked: every line of every input is accounted for.

    Raises
    ------
    RunError
        If one is not.

    Examples
    --------
    >>> nothing = np.zeros(0, np.uint8), np.zeros(0, np.int32)
    >>> account([], BlockResult(), *nothing, []).records
    0
    """
    leaving = verdict_counts(verdicts, row_inputs, len(inputs))
    return Accounting(
        tuple(
            InputCounts(
                entry.display,
                entry.bytes,
                digest,
                merged.counts[entry.index].without_records(*left).check(entry.display),
            )
            for entry, left, digest in zip(inputs, leaving, sha256, strict=True)
        )
    )


class Records:
    """The records of a set of inputs: iterate for tables, then look at `counts`.

    Whether a post stays can only be told when all ids have been seen: until then posts wait in a
    temporary file without a name, which is gone with the process.

    Parameters
    ----------
    inputs : sequence of Input
    source : Source
        With a format that is settled.

    Examples
    --------
    >>> records = Records([], Source("jsonl"))
    >>> list(records), records.counts.lines
    ([], 0)
    """

    def __init__(self, inputs: Sequence[Input], source: Source) -> None:
        self.inputs, self.source = list(inputs), source
        self._counts: Accounting | None = None
        self._quarantine: pa.Table | None = None

    def __iter__(self) -> Iterator[pa.Table]:
        self._counts = self._quarantine = None
        with tempfile.TemporaryFile(prefix="whybox-") as spool:
            merged, posts, owners = self._spool(spool)
            verdicts = resolve(posts, post_keys(pa.array(merged.deleted, pa.string())))
            anchors = mark_anchors(posts, post_keys(pa.array(merged.anchors, pa.string())))
            against = [merged.quarantine]
            spool.seek(0)
            start = 0
            for batch in pa.ipc.open_stream(spool):
                rows = slice(start, start + batch.num_rows)
                table = pa.Table.from_batches([batch])
                against.append(conflicts(table, verdicts[rows]))
                kept = settle(table, verdicts[rows], anchors[rows])
                if kept.num_rows:
                    yield kept
                start = rows.stop
        options = self.source.storage_options
        digests = [file_sha256(e.path, options, size=e.bytes) for e in self.inputs]
        self._quarantine = pa.concat_tables(against).sort_by(
            [("input", "ascending"), ("line", "ascending")]
        )
        self._counts = account(self.inputs, merged, verdicts, owners, digests)

    def _spool(self, spool: IO[bytes]) -> tuple[BlockResult, PostKeys, NDArray[np.int32]]:
        """Read all blocks into a file; keep their accounts and the keys of the posts."""
        blocks = plan_blocks(self.inputs, self.source)
        results: list[BlockResult] = []
        keys: list[PostKeys] = []
        owners = [np.zeros(0, np.int32)]
        before: Counter[int] = Counter()  # lines of a file in its earlier blocks
        with pa.ipc.new_stream(spool, POSTS) as writer:
            for block in blocks:
                reader = read_block(block, self.source)
                first = block.inputs[0].index
                for table in reader:
                    table = shift_lines(table, before[first] if block.span else 0)
                    writer.write_table(table)
                    keys.append(PostKeys.of(table))
                    owners.append(table["input"].to_numpy())
                results.append(reader.result)
                before[first] += reader.result.counts[first].lines
        merged = merge_results(blocks, results)
        return merged, PostKeys.concatenate(keys), np.concatenate(owners)

    @property
    def counts(self) -> Accounting:
        """The accounts, once all tables have been taken."""
        if self._counts is None:
            raise RunError("the accounts are known only when all tables have been taken")
        return self._counts

    @property
    def quarantine(self) -> pa.Table:
        """What was not understood or contradicts others, once all tables have been taken."""
        if self._quarantine is None:
            raise RunError("the quarantine is known only when all tables have been taken")
        return self._quarantine


def read_records(
    inputs: str | Path | Sequence[str | Path],
    format: str = "auto",
    *,
    columns: ColumnMap | Mapping[str, str] | None = None,
    encoding: str | None = None,
) -> Records:
    r"""Read posts from files of any known format.

    Parameters
    ----------
    inputs : path or sequence of paths
        Files, folders and globs; plain, gzip or zstd; local or URLs.
    format : str, default="auto"
        One of `whybox.data.FORMATS`, or auto.
    columns : ColumnMap or mapping, optional
        For csv, jsonl and parquet: column of `POSTS` -> column of the file, such as
        ``{"text": "tweet", "label": "class"}``.
    encoding : str, optional
        Of CSV files; found by default.

    Returns
    -------
    Records
        Iterate for tables of schema `POSTS`; then ``counts`` says where every line went, and
        ``quarantine`` lists those that were not understood.

    Raises
    ------
    InputError
        If an input is missing, or an option is not known.
    RunError
        While iterating: a compressed file is damaged.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "posts.csv")
    ...     _ = path.write_text("id,text\n1,hello\n1,hello\n")
    ...     records = read_records(path, "csv", columns={"text": "text", "post_id": "id"})
    ...     [table["text"].to_pylist() for table in records], records.counts.non_records
    ([['hello']], {'duplicate': 1, 'header': 1})
    """
    given = [inputs] if isinstance(inputs, str | Path) else list(inputs)
    source = Source(format, column_map(columns), encoding)
    found = find_inputs([str(entry) for entry in given], format)
    return Records(found, settle_format(source, found))
