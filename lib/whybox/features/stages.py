"""The pieces of work that turn raw posts into a folder of features, each a function of plain values.

1. `stage_blocks`: read some blocks, count their texts, park the posts as Arrow files.
2. (with all ids at hand, decide which posts stay: `whybox.data.resolve`)
3. `finish_block`: write the posts that stay, and the block's sums for each bucket of users.
4. `finish_bucket`: merge one bucket's sums into users and documents.
5. `encode_bucket`: write the documents in the words that enough users use.

Users go to a fixed number of buckets by a hash of their id, and posts to one part a block, so that
no file depends on how many tasks or workers there were.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from whybox.data.accounting import QUARANTINE, Counts
from whybox.data.blocks import Block
from whybox.data.parquet import Part, write_parquet
from whybox.data.reader import BlockResult, read_block, shift_lines
from whybox.data.records import conflicts, settle
from whybox.data.resolve import PostKeys
from whybox.data.source import Source
from whybox.features.documents import (
    DOCUMENTS_SCHEMA,
    document_counts,
    document_frequencies,
    encode_documents,
    merge_documents,
)
from whybox.features.parking import batch, park, park_buckets, parked
from whybox.features.posts import post_features, select_posts
from whybox.features.recipe import Recipe
from whybox.features.users import merge_sums, user_features, user_sums
from whybox.text.counter import TextCounter

__all__ = [
    "FinishedBlock",
    "FinishedBucket",
    "Job",
    "StagedBlock",
    "encode_bucket",
    "finish_block",
    "finish_bucket",
    "stage_blocks",
]

_CHUNK_ROWS = 16_384


@dataclass(frozen=True)
class Job:
    """What every piece of one extraction needs to know.

    Parameters
    ----------
    source : Source
        With a format that is settled.
    recipe : Recipe
    scratch, out : str
        Folders that every worker sees: for parked work, and for what is to be published.
    keep_text : bool, default False
        Keep texts in posts/.

    Examples
    --------
    >>> Job(Source("csv"), Recipe(), "scratch", "out").keep_text
    False
    """

    source: Source
    recipe: Recipe
    scratch: str
    out: str
    keep_text: bool = False


@dataclass(frozen=True, eq=False)
class StagedBlock:
    """A block that has been read and counted, its posts parked in ``chunks``.

    Parameters
    ----------
    index : int
    result : BlockResult
        Its accounts, posts that the recipe leaves out already taken out.
    keys : PostKeys
        Of its posts, in order.
    inputs : int32 array of shape (n,)
        The input of each post.
    chunks : tuple of str
        Arrow files.
    n_with_user : int
        Posts with a user.
    """

    index: int
    result: BlockResult
    keys: PostKeys
    inputs: NDArray[np.int32]
    chunks: tuple[str, ...]
    n_with_user: int


@dataclass(frozen=True, eq=False)
class FinishedBlock:
    """A block whose posts are written.

    Parameters
    ----------
    part : Part or None
        The file of posts; None if none stayed.
    sums, documents : str or None
        Arrow files with a record batch for each bucket.
    quarantine : pyarrow.Table
        Posts whose labels contradict each other.
    anchors_left_out : dict of int to int
        By input, if the recipe leaves anchors out.
    """

    part: Part | None
    sums: str | None
    documents: str | None
    quarantine: pa.Table
    anchors_left_out: dict[int, int] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class FinishedBucket:
    """A bucket whose users are written.

    Parameters
    ----------
    users, dropped : Part or None
    contradictory : int
        Users whose posts bear different labels: kept without a label.
    documents : str
        Arrow file of the kept users' stems.
    frequencies : pyarrow.Table
        Users of each stem.
    class_counts : dict of str to int
        Users a label, "" for none.
    """

    users: Part | None
    dropped: Part | None
    contradictory: int
    documents: str
    frequencies: pa.Table
    class_counts: dict[str, int]


def stage_blocks(blocks: Sequence[Block], job: Job) -> list[StagedBlock]:
    """Read blocks, count the features of their posts, and park them.

    Parameters
    ----------
    blocks : sequence of Block
    job : Job

    Returns
    -------
    list of StagedBlock
        One a block, each the same whichever blocks went before it.

    Raises
    ------
    InputError, RunError
        As the readers do.
    """
    return [_stage_block(block, job) for block in blocks]


def _stage_block(block: Block, job: Job) -> StagedBlock:
    """One block."""
    reader = read_block(block, job.source)
    left_out: dict[int, Counts] = {}
    keys, inputs, n_with_user = [], [], 0
    chunks: list[str] = []
    for posts in _in_chunks(_selected(iter(reader), job.recipe, left_out)):
        table = post_features(posts, _counter(job.recipe), job.recipe, with_stems=True)
        if not job.keep_text:
            table = table.drop_columns(["text"])
        keys.append(PostKeys.of(posts))
        inputs.append(posts["input"].to_numpy())
        n_with_user += posts.num_rows - posts["user_id"].null_count
        path = Path(job.scratch) / f"block-{block.index:05d}-{len(chunks):05d}.arrow"
        park([table], path, table.schema)
        chunks.append(str(path))
    counts = {
        index: found.without_records(left_out[index].non_records, {})
        if index in left_out
        else found
        for index, found in reader.result.counts.items()
    }
    return StagedBlock(
        block.index,
        replace(reader.result, counts=counts),
        PostKeys.concatenate(keys),
        np.concatenate([np.zeros(0, np.int32), *inputs]),
        tuple(chunks),
        n_with_user,
    )


@lru_cache(maxsize=4)
def _counter(recipe: Recipe) -> TextCounter:
    """This process's counter: its memory of words serves every block."""
    return TextCounter(recipe.lexicon, recipe.language)


def _selected(
    tables: Iterator[pa.Table], recipe: Recipe, left_out: dict[int, Counts]
) -> Iterator[pa.Table]:
    """Posts that the recipe keeps; the others are noted by input. Anchors are not known yet."""
    recipe = replace(recipe, drop_anchors=False)
    for table in tables:
        kept, reasons = select_posts(table, recipe)
        if reasons:
            index = table["input"][0].as_py()  # a reader's table is of one input
            left_out[index] = left_out.get(index, Counts()) + Counts(non_records=reasons)
        yield kept


def _in_chunks(tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Put small tables together: ten thousand timelines are ten thousand small files."""
    held: list[pa.Table] = []
    rows = 0
    for table in tables:
        if table.num_rows:
            held.append(table)
            rows += table.num_rows
        if rows >= _CHUNK_ROWS:
            yield pa.concat_tables(held).combine_chunks()
            held, rows = [], 0
    if rows:
        yield pa.concat_tables(held).combine_chunks()


def finish_block(
    staged: StagedBlock,
    job: Job,
    offset: int,
    verdicts: NDArray[np.uint8],
    anchors: NDArray[np.bool_],
    by_user: bool,
) -> FinishedBlock:
    """Write the posts of a block that stay, and sum them by user.

    Parameters
    ----------
    staged : StagedBlock
    job : Job
    offset : int
        Lines of the block's file that stand before the block.
    verdicts : uint8 array of shape (n,)
        About each of its posts.
    anchors : bool array of shape (n,)
    by_user : bool
        False if only posts are asked for.

    Returns
    -------
    FinishedBlock
    """
    tables, quarantined, sums, documents = [], [], [], []
    left_out: dict[int, int] = {}
    for table, rows in _parked_rows(staged):
        table = shift_lines(table, offset)
        quarantined.append(conflicts(table, verdicts[rows]))
        table = settle(table, verdicts[rows], anchors[rows])
        if job.recipe.drop_anchors:
            table = _without_anchors(table, left_out)
        if by_user:
            sums.append(user_sums(table))
            documents.append(document_counts(table))
        tables.append(table.drop_columns(["stems"]))
    part, scratch = None, Path(job.scratch)
    if any(table.num_rows for table in tables):
        path = Path(job.out) / "posts" / f"part-{staged.index:05d}.parquet"
        part = write_parquet(tables, path, tables[0].schema, root=Path(job.out))
    return FinishedBlock(
        part,
        park_buckets(merge_sums(sums), scratch / f"sums-{staged.index:05d}.arrow")
        if sums
        else None,
        park_buckets(merge_documents(documents), scratch / f"documents-{staged.index:05d}.arrow")
        if documents
        else None,
        pa.concat_tables([QUARANTINE.empty_table(), *quarantined]),
        left_out,
    )


def _parked_rows(staged: StagedBlock) -> Iterator[tuple[pa.Table, slice]]:
    """A block's chunks, and which of its posts each holds."""
    start = 0
    for path in staged.chunks:
        table = pa.concat_tables(parked(path))
        yield table, slice(start, start + table.num_rows)
        start += table.num_rows


def _without_anchors(table: pa.Table, left_out: dict[int, int]) -> pa.Table:
    """Leave anchors out and count them by input."""
    gone = table.filter(table["anchor"])["input"].value_counts()
    for entry in gone.to_pylist():
        left_out[entry["values"]] = left_out.get(entry["values"], 0) + entry["counts"]
    return table.filter(pc.invert(table["anchor"]))


def finish_bucket(bucket: int, blocks: Sequence[FinishedBlock], job: Job) -> FinishedBucket:
    """Merge one bucket's sums over all blocks, and write its users.

    Parameters
    ----------
    bucket : int
        0 to `N_BUCKETS` - 1.
    blocks : sequence of FinishedBlock
        All of them.
    job : Job

    Returns
    -------
    FinishedBucket
    """
    sums = merge_sums([batch(block.sums, bucket) for block in blocks if block.sums])
    found = user_features(sums, job.recipe)
    documents = merge_documents(
        [batch(block.documents, bucket) for block in blocks if block.documents]
    )
    kept = pc.is_in(documents["user_id"], found.table["user_id"].combine_chunks())
    documents = documents.filter(kept)
    path = Path(job.scratch) / f"bucket-{bucket:02d}.arrow"
    park([documents], path, DOCUMENTS_SCHEMA)
    counts = found.table["label"].fill_null("").value_counts().to_pylist()
    return FinishedBucket(
        _write_bucket(found.table, "users", bucket, job),
        _write_bucket(found.dropped, "dropped", bucket, job) if found.dropped.num_rows else None,
        found.contradictory.num_rows,
        str(path),
        document_frequencies(documents),
        {entry["values"]: entry["counts"] for entry in counts},
    )


def encode_bucket(bucket: int, documents: str, vocabulary: pa.Array, job: Job) -> Part:
    """Write the documents of a bucket's users.

    Parameters
    ----------
    bucket : int
    documents : str
        Of its `FinishedBucket`.
    vocabulary : pyarrow.StringArray
        The stems that enough users use, of all buckets.
    job : Job

    Returns
    -------
    Part
    """
    counts = pa.concat_tables(parked(documents))
    return _write_bucket(encode_documents(counts, vocabulary), "documents", bucket, job)


def _write_bucket(table: pa.Table, folder: str, bucket: int, job: Job) -> Part:
    """One part of a folder of users."""
    path = Path(job.out) / folder / f"part-{bucket:02d}.parquet"
    return write_parquet(table, path, table.schema, root=Path(job.out))
