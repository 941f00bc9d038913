"""The tasks of an extraction: read blocks, decide with all ids at hand, write posts, then users."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from whybox.data.accounting import Accounting
from whybox.data.blocks import Block
from whybox.data.parquet import Part
from whybox.data.reader import BlockResult, line_offsets, merge_results
from whybox.data.records import account
from whybox.data.resolve import PostKeys, mark_anchors, post_keys, resolve
from whybox.data.source import Input
from whybox.features.documents import surfaces, vocabulary
from whybox.features.parking import N_BUCKETS
from whybox.features.stages import (
    FinishedBlock,
    FinishedBucket,
    Job,
    StagedBlock,
    encode_bucket,
    find_ends,
    finish_block,
    finish_bucket,
    stage_blocks,
)
from whybox.features.windows import fixed_end, merge_ends
from whybox.graph.calls import calling
from whybox.graph.hashing import hashing_tasks
from whybox.graph.posts import group_blocks
from whybox.graph.session import Session

__all__ = ["Extraction", "Users", "extract_posts", "extract_users"]

_READ_A_TASK, _WRITTEN_A_TASK = 2, 16  # blocks at most: some 0.1 s
_TASKS_A_WORKER = 8  # at least, so that none waits long for the others

_Piece = tuple[StagedBlock, int, NDArray[np.uint8], NDArray[np.bool_]]
"""A block to be written: with the lines before it, verdicts on its posts, and which are anchors."""


@dataclass(frozen=True, eq=False)
class Extraction:
    """Posts written, every line accounted for.

    Parameters
    ----------
    accounting : Accounting
    quarantine : pyarrow.Table
    blocks : sequence of FinishedBlock
    by_user : bool
        Whether there are users to sum.
    """

    accounting: Accounting
    quarantine: pa.Table
    blocks: Sequence[FinishedBlock]
    by_user: bool

    @property
    def parts(self) -> list[Part]:
        """Files of posts."""
        return [block.part for block in self.blocks if block.part is not None]


@dataclass(frozen=True, eq=False)
class Users:
    """Users and documents written.

    Parameters
    ----------
    buckets : sequence of FinishedBucket
    documents : sequence of Part
    vocabulary : pyarrow.Table
        stem, whose position is its number in the documents, and surface, how it is mostly written.
    """

    buckets: Sequence[FinishedBucket]
    documents: Sequence[Part]
    vocabulary: pa.Table


def extract_posts(
    session: Session,
    inputs: Sequence[Input],
    blocks: Sequence[Block],
    job: Job,
    *,
    partitions: int | None = None,
    level: str = "auto",
) -> Extraction:
    """Read blocks, decide about every post, and write those that stay.

    Parameters
    ----------
    session : Session
    inputs : sequence of Input
    blocks : sequence of Block
        What is read; their cut does not depend on ``partitions``.
    job : Job
    partitions : int, optional
        At most so many tasks a stage.
    level : {"auto", "user", "post"}, default "auto"
        Whether posts are summed by user; auto where any post has a user.

    Returns
    -------
    Extraction
    """
    files = [(entry.path, entry.bytes) for entry in inputs]
    hashing = hashing_tasks(files, job.source.storage_options)  # they run beside the others
    groups = group_blocks(blocks, partitions or _n_tasks(len(blocks), _READ_A_TASK, session))
    reading = [calling(stage_blocks, group, job)() for group in groups]
    found = session.compute([*hashing, *reading], "reading posts")
    hashes = [digest for task in found[: len(hashing)] for digest in task]
    staged: list[StagedBlock] = [block for group in found[len(hashing) :] for block in group]
    results = [block.result for block in staged]
    merged = merge_results(blocks, results)
    verdicts, anchors = _decide(staged, merged)
    by_user = level == "user" or (level == "auto" and any(b.n_with_user for b in staged))
    ends = _ends(session, staged, job, verdicts, anchors)
    pieces = [
        (_without_keys(block), offset, verdicts[rows], anchors[rows])
        for block, offset, rows in zip(
            staged, line_offsets(blocks, results), _rows_of(staged), strict=True
        )
    ]
    finished = _finish(session, pieces, job, by_user, ends, partitions)
    owners = np.concatenate([np.zeros(0, np.int32), *(block.inputs for block in staged)])
    accounting = account(inputs, _less_left_out(merged, finished), verdicts, owners, hashes)
    quarantine = pa.concat_tables([merged.quarantine, *(block.quarantine for block in finished)])
    return Extraction(
        accounting,
        quarantine.sort_by([("input", "ascending"), ("line", "ascending")]),
        finished,
        by_user,
    )


def extract_users(session: Session, extraction: Extraction, job: Job) -> Users:
    """Merge what all blocks say of each user, and write users and documents.

    Parameters
    ----------
    session : Session
    extraction : Extraction
    job : Job

    Returns
    -------
    Users
    """
    sums = [block.sums for block in extraction.blocks if block.sums]
    parked = [block.documents for block in extraction.blocks if block.documents]
    buckets: list[FinishedBucket] = session.compute(
        [calling(finish_bucket, bucket, sums, parked, job)() for bucket in range(N_BUCKETS)],
        "summing users",
    )
    words = vocabulary(pa.concat_tables([bucket.frequencies for bucket in buckets]))
    documents = session.compute(
        [
            calling(encode_bucket, number, bucket.documents, words, job)()
            for number, bucket in enumerate(buckets)
        ],
        "writing documents",
    )
    shown = surfaces(pa.concat_tables([bucket.surfaces for bucket in buckets]), words)
    return Users(buckets, documents, pa.table({"stem": words, "surface": shown}))


def _finish(
    session: Session,
    pieces: Sequence[_Piece],
    job: Job,
    by_user: bool,
    ends: Any,
    partitions: int | None,
) -> list[FinishedBlock]:
    """Write the posts of all blocks."""
    n_tasks = partitions or _n_tasks(len(pieces), _WRITTEN_A_TASK, session)
    tasks = [
        calling(_finish_blocks, group, job, by_user)(ends)
        for group in group_blocks(pieces, n_tasks)
    ]
    return [block for group in session.compute(tasks, "writing posts") for block in group]


def _finish_blocks(
    pieces: Sequence[_Piece], job: Job, by_user: bool, ends: pa.Table | None
) -> list[FinishedBlock]:
    """Module-level, so that a worker finds it."""
    return [
        finish_block(block, job, offset, verdicts, anchors, by_user, ends)
        for block, offset, verdicts, anchors in pieces
    ]


def _n_tasks(n_blocks: int, at_most: int, session: Session) -> int:
    """Share blocks out: some of them a task, as each costs the client some ms, yet tasks enough."""
    return max(-(-n_blocks // at_most), min(n_blocks, _TASKS_A_WORKER * session.n_workers))


def _without_keys(block: StagedBlock) -> StagedBlock:
    """What finishing a block needs: the keys have been decided about, and are most of its size."""
    return replace(block, keys=PostKeys.concatenate([]), inputs=np.zeros(0, np.int32))


def _decide(
    staged: Sequence[StagedBlock], merged: BlockResult
) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """What becomes of every post, and which are anchors."""
    keys = PostKeys.concatenate([block.keys for block in staged])
    deleted = post_keys(pa.array(merged.deleted, pa.string()))
    anchors = post_keys(pa.array(merged.anchors, pa.string()))
    return resolve(keys, deleted), mark_anchors(keys, anchors)


def _ends(
    session: Session,
    staged: Sequence[StagedBlock],
    job: Job,
    verdicts: NDArray[np.uint8],
    anchors: NDArray[np.bool_],
) -> Any:
    """The latest times of all users, shared; None if the window does not need them."""
    recipe = job.recipe
    if recipe.window is None or fixed_end(recipe.window_end, recipe.timezone) is not None:
        return None
    tasks = [
        calling(find_ends, block, job, verdicts[rows], anchors[rows])()
        for block, rows in zip(staged, _rows_of(staged), strict=True)
    ]
    return session.share(merge_ends(session.compute(tasks, "finding windows")))


def _rows_of(staged: Sequence[StagedBlock]) -> list[slice]:
    """Where each block's posts are among all posts."""
    ends = np.cumsum([0, *(len(block.inputs) for block in staged)]).tolist()
    return [slice(a, b) for a, b in pairwise(ends)]


def _less_left_out(merged: BlockResult, finished: Sequence[FinishedBlock]) -> BlockResult:
    """Posts that the recipe leaves out are no records."""
    counts = dict(merged.counts)
    for block in finished:
        for index, kinds in block.left_out.items():
            counts[index] = counts[index].without_records(kinds, {})
    return BlockResult(counts, merged.quarantine, merged.deleted, merged.anchors)
