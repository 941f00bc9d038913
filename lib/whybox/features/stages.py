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

import collections
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from threading import get_ident

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from whybox.data.accounting import QUARANTINE, Counts
from whybox.data.blocks import Block
from whybox.data.parquet import Part, write_parquet
from whybox.data.reader import read_block, shift_lines
from whybox.data.records import conflicts, settle
from whybox.data.resolve import PostKeys
from whybox.features.documents import (
    DOCUMENTS_SCHEMA,
    document_counts,
    document_frequencies,
    encode_documents,
    merge_documents,
    surface_frequencies,
)
from whybox.features.parking import batch, park, park_buckets, parked
from whybox.features.pieces import FinishedBlock, FinishedBucket, Job, StagedBlock
from whybox.features.posts import post_features, select_posts
from whybox.features.recipe import Recipe
from whybox.features.users import merge_sums, user_features, user_sums, with_profiles
from whybox.features.windows import ENDS_SCHEMA, fixed_end, inside, window_ends
from whybox.text.counter import TextCounter

__all__ = [
    "FinishedBlock",
    "FinishedBucket",
    "Job",
    "StagedBlock",
    "encode_bucket",
    "find_ends",
    "finish_block",
    "finish_bucket",
    "stage_blocks",
]

_CHUNK_ROWS = 16_384
_MERGED_AT = 32


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
        counter = _counter(job.recipe, get_ident())
        table = post_features(posts, counter, job.recipe, with_stems=job.with_documents)
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


@lru_cache(maxsize=8)
def _counter(recipe: Recipe, thread: int) -> TextCounter:
    """This thread's counter: its memory of words serves every block, and is no one else's."""
    return TextCounter(recipe.lexicon, recipe.language, spelling=recipe.spelling)


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


def find_ends(
    staged: StagedBlock, job: Job, verdicts: NDArray[np.uint8], anchors: NDArray[np.bool_]
) -> pa.Table:
    """Tell the latest times of a block's users, of the posts that stay.

    Parameters
    ----------
    staged, job, verdicts, anchors
        As for `finish_block`.

    Returns
    -------
    pyarrow.Table
        Of schema `whybox.features.windows.ENDS_SCHEMA`.
    """
    tables = [
        settle(table, verdicts[rows], anchors[rows]).select(["user_id", "created_at", "anchor"])
        for table, rows in _parked_rows(staged)
    ]
    if not tables:
        return ENDS_SCHEMA.empty_table()
    return window_ends(pa.concat_tables(tables), without_anchors=job.recipe.drop_anchors)


def finish_block(
    staged: StagedBlock,
    job: Job,
    offset: int,
    verdicts: NDArray[np.uint8],
    anchors: NDArray[np.bool_],
    by_user: bool,
    ends: pa.Table | None = None,
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
    ends : pyarrow.Table, optional
        The latest times of all users, if the recipe's window needs them.

    Returns
    -------
    FinishedBlock
    """
    sums, documents = _Merging(merge_sums), _Merging(merge_documents)
    quarantined, scratch = [QUARANTINE.empty_table()], Path(job.scratch)
    left_out: dict[int, dict[str, int]] = {}

    def posts() -> Iterator[pa.Table]:
        """A chunk at a time, so that memory does not grow with a block that cannot be cut."""
        for table, rows in _parked_rows(staged):
            table = shift_lines(table, offset)
            quarantined.append(conflicts(table, verdicts[rows]))
            table = settle(table, verdicts[rows], anchors[rows])
            table = _rest(table, job.recipe, ends, left_out)
            if by_user:
                sums.add(user_sums(table))
                if job.with_documents:
                    documents.add(document_counts(table))
            if table.num_rows:
                yield table.drop_columns(["stems", "words"] if job.with_documents else [])

    return FinishedBlock(
        _write_posts(posts(), staged.index, job),
        sums.park(scratch / f"sums-{staged.index:05d}.arrow"),
        documents.park(scratch / f"documents-{staged.index:05d}.arrow"),
        pa.concat_tables(quarantined),
        left_out,
    )


def _write_posts(tables: Iterator[pa.Table], index: int, job: Job) -> Part | None:
    """Write a block's posts, if they are to be kept and there are any."""
    if (first := next(tables, None)) is None:
        return None
    chunks = itertools.chain([first], tables)
    if not job.keep_posts:
        collections.deque(chunks, maxlen=0)  # they are summed as they pass
        return None
    path = Path(job.out) / "posts" / f"part-{index:05d}.parquet"
    return write_parquet(chunks, path, first.schema, root=Path(job.out))


class _Merging:
    """Tables that are merged now and then, so that there are never many."""

    def __init__(self, merge: Callable[[Sequence[pa.Table]], pa.Table]) -> None:
        self.merge = merge
        self.held: list[pa.Table] = []

    def add(self, table: pa.Table) -> None:
        """Take one."""
        self.held.append(table)
        if len(self.held) >= _MERGED_AT:
            self.held = [self.merge(self.held)]

    def park(self, path: Path) -> str | None:
        """Park the whole, a record batch for each bucket; nothing if there were none."""
        if not self.held:
            return None
        whole = self.held[0] if len(self.held) == 1 else self.merge(self.held)
        return park_buckets(whole, path)


def _parked_rows(staged: StagedBlock) -> Iterator[tuple[pa.Table, slice]]:
    """A block's chunks, and which of its posts each holds."""
    start = 0
    for path in staged.chunks:
        table = pa.concat_tables(parked(path))
        yield table, slice(start, start + table.num_rows)
        start += table.num_rows


def _rest(
    table: pa.Table, recipe: Recipe, ends: pa.Table | None, left_out: dict[int, dict[str, int]]
) -> pa.Table:
    """Leave out what can only be told with all posts at hand, and count it by input and kind."""
    if recipe.drop_anchors:
        table = _keep(table, pc.invert(table["anchor"]), "anchor", left_out)
    if recipe.window is not None:
        end = fixed_end(recipe.window_end, recipe.timezone)
        mask = inside(table, recipe.window, recipe.window_end if end is None else end, ends)
        table = _keep(table, pa.array(mask), "outside_window", left_out)
    return table


def _keep(
    table: pa.Table, mask: pa.Array, kind: str, left_out: dict[int, dict[str, int]]
) -> pa.Table:
    """Keep some posts; count the others."""
    for entry in table.filter(pc.invert(mask))["input"].value_counts().to_pylist():
        kinds = left_out.setdefault(entry["values"], {})
        kinds[kind] = kinds.get(kind, 0) + entry["counts"]
    return table.filter(mask)


def finish_bucket(
    bucket: int, sums: Sequence[str], documents: Sequence[str], job: Job
) -> FinishedBucket:
    """Merge one bucket's sums over all blocks, and write its users.

    Parameters
    ----------
    bucket : int
        0 to `N_BUCKETS` - 1.
    sums, documents : sequence of str
        Arrow files, of all blocks' `FinishedBlock`.
    job : Job

    Returns
    -------
    FinishedBucket
    """
    found = user_features(merge_sums([batch(path, bucket) for path in sums]), job.recipe)
    users = with_profiles(found.table, job.profiles)
    words = merge_documents([batch(path, bucket) for path in documents])
    kept = pc.is_in(words["user_id"], found.table["user_id"].combine_chunks())
    words = words.filter(kept)
    path = Path(job.scratch) / f"bucket-{bucket:02d}.arrow"
    park([words], path, DOCUMENTS_SCHEMA)
    counts = found.table["label"].fill_null("").value_counts().to_pylist()
    return FinishedBucket(
        _write_bucket(users, "users", bucket, job),
        _write_bucket(found.dropped, "dropped", bucket, job) if found.dropped.num_rows else None,
        found.contradictory.num_rows,
        str(path),
        document_frequencies(words),
        surface_frequencies(words),
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
