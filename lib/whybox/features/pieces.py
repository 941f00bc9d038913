"""What the pieces of an extraction are told, and what each of them tells the next."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from whybox.data.parquet import Part
from whybox.data.reader import BlockResult
from whybox.data.resolve import PostKeys
from whybox.data.source import Source
from whybox.features.recipe import Recipe

__all__ = ["FinishedBlock", "FinishedBucket", "Job", "StagedBlock"]


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
    profiles : pyarrow.Table, optional
        Further features of users, with a column user_id.
    keep_posts, with_documents : bool, default True
        Write posts/; and sum the words of users.

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
    profiles: pa.Table | None = None
    keep_posts: bool = True
    with_documents: bool = True


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
    left_out : dict of int to dict of str to int
        By input and kind: anchors and posts outside the window, if the recipe leaves them out.
    """

    part: Part | None
    sums: str | None
    documents: str | None
    quarantine: pa.Table
    left_out: dict[int, dict[str, int]] = field(default_factory=dict)


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
    frequencies, surfaces : pyarrow.Table
        Users of each stem, and of each word.
    class_counts : dict of str to int
        Users a label, "" for none.
    """

    users: Part | None
    dropped: Part | None
    contradictory: int
    documents: str
    frequencies: pa.Table
    surfaces: pa.Table
    class_counts: dict[str, int]
