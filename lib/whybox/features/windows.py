"""Which posts a window of time keeps: so many days up to each user's last post, anchor, or a date.

Counts of posts grow with the length of a crawl; a window of one length for everybody makes them
comparable. Where a user's window ends is only known when all of the user's posts have been seen:
each block tells the latest times it holds, and the latest of all blocks is the end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from whybox.errors import InputError

__all__ = ["ENDS_SCHEMA", "fixed_end", "inside", "merge_ends", "window_ends", "window_seconds"]

ENDS_SCHEMA = pa.schema(
    [("user_id", pa.string()), ("last", pa.int64()), ("last_anchor", pa.int64())]
)
"""One row a user: the times (seconds since 1970, UTC) of the last post and of the last anchor."""

_UNITS = {"h": 3_600, "d": 86_400, "w": 7 * 86_400}


def window_seconds(window: str) -> int:
    """Read the length of a window.

    Parameters
    ----------
    window : str
        A number of hours, days or weeks, as in 36h, 30d or 4w.

    Returns
    -------
    int
        Seconds.

    Raises
    ------
    InputError
        If it is none.

    Examples
    --------
    >>> window_seconds("30d")
    2592000
    """
    match = re.fullmatch(r"([1-9][0-9]{0,5})([hdw])", window)
    if match is None:
        raise InputError(
            f"got {window!r}, expected a length of time",
            where="window",
            remedy="write it like 36h, 30d or 4w",
        )
    return int(match[1]) * _UNITS[match[2]]


def fixed_end(window_end: str, timezone: str) -> int | None:
    """Read where all windows end, if that is one point in time.

    Parameters
    ----------
    window_end : str
        ``last`` or ``anchor``; or a date, whose whole day belongs to the window; or a time.
    timezone : str
        IANA zone of a date, or of a time that names none.

    Returns
    -------
    int or None
        Last second that belongs to the window, since 1970, UTC; None for last and anchor.

    Raises
    ------
    InputError
        If it is none of these.

    Examples
    --------
    >>> fixed_end("last", "UTC") is None, fixed_end("1970-01-01", "UTC")
    (True, 86399)
    """
    if window_end in ("last", "anchor"):
        return None
    try:
        point = datetime.fromisoformat(window_end)
    except ValueError:
        raise InputError(
            f"got {window_end!r}, expected the end of the window",
            where="window_end",
            remedy="give last, anchor, or a date like 2021-06-30",
        ) from None
    if point.tzinfo is None:
        point = point.replace(tzinfo=ZoneInfo(timezone))
    if len(window_end) <= len("2021-06-30"):
        point += timedelta(days=1, seconds=-1)  # of the calendar: a day may have 23 hours
    return int(point.timestamp())


def window_ends(table: pa.Table, *, without_anchors: bool = False) -> pa.Table:
    """Tell the latest times of each user.

    Parameters
    ----------
    table : pyarrow.Table
        Posts, with the columns user_id, created_at and anchor. Posts without a user or a time say
        nothing.
    without_anchors : bool, default False
        Anchors are no posts that `last` could be.

    Returns
    -------
    pyarrow.Table
        Columns as in :data:`ENDS_SCHEMA`, sorted by user_id.

    Examples
    --------
    >>> posts = pa.table({
    ...     "user_id": ["a", "a"],
    ...     "created_at": pa.array([5, 9], pa.timestamp("s", "UTC")),
    ...     "anchor": [True, False],
    ... })
    >>> window_ends(posts).to_pylist()
    [{'user_id': 'a', 'last': 9, 'last_anchor': 5}]
    """
    known = pc.and_(pc.is_valid(table["user_id"]), pc.is_valid(table["created_at"]))
    table = table.select(["user_id", "created_at", "anchor"]).filter(known)
    seconds = table["created_at"].cast(pa.int64())
    none = pa.scalar(None, pa.int64())
    last = pc.if_else(table["anchor"], none, seconds) if without_anchors else seconds
    columns = [table["user_id"], last, pc.if_else(table["anchor"], seconds, none)]
    return merge_ends([pa.table(columns, schema=ENDS_SCHEMA)])


def merge_ends(tables: Sequence[pa.Table]) -> pa.Table:
    """Merge the latest times of users; associative, and the same in any order.

    Parameters
    ----------
    tables : sequence of pyarrow.Table
        What :func:`window_ends` or this function returned.

    Returns
    -------
    pyarrow.Table
        Columns as in :data:`ENDS_SCHEMA`, sorted by user_id.

    Examples
    --------
    >>> one = pa.table([["a"], [3], [None]], schema=ENDS_SCHEMA)
    >>> two = pa.table([["a"], [1], [2]], schema=ENDS_SCHEMA)
    >>> merge_ends([one, two]).to_pylist()
    [{'user_id': 'a', 'last': 3, 'last_anchor': 2}]
    """
    names = ENDS_SCHEMA.names
    table = pa.concat_tables([ENDS_SCHEMA.empty_table(), *tables])
    merged = table.group_by("user_id").aggregate([(name, "max") for name in names[1:]])
    merged = merged.select(["user_id", *(f"{name}_max" for name in names[1:])])
    return merged.rename_columns(names).cast(ENDS_SCHEMA).sort_by("user_id").combine_chunks()


def inside(
    table: pa.Table, window: str, end: int | str, ends: pa.Table | None = None
) -> NDArray[np.bool_]:
    """Tell which posts are in the window of their user.

    Parameters
    ----------
    table : pyarrow.Table, n rows
        Posts, with the columns user_id and created_at.
    window : str
        Its length; a post just so long before the end is outside.
    end : int or {"last", "anchor"}
        One end for all, or what it is for each user; a user without an anchor has the last post.
    ends : pyarrow.Table, optional
        What :func:`merge_ends` returned for all posts, unless there is one end for all.

    Returns
    -------
    bool array of shape (n,)
        A post without a time is outside. A post without a user is its own last post.

    Examples
    --------
    >>> posts = pa.table({
    ...     "user_id": ["a", "a", "b"],
    ...     "created_at": pa.array([0, 3600, 0], pa.timestamp("s", "UTC")),
    ... })
    >>> ends = pa.table([["a", "b"], [3600, 0], [None, None]], schema=ENDS_SCHEMA)
    >>> inside(posts, "1h", "last", ends).tolist()
    [False, True, True]
    """
    seconds = table["created_at"].cast(pa.int64()).combine_chunks()
    if isinstance(end, int) or ends is None:
        until = pa.array(np.full(table.num_rows, end, np.int64))
    else:
        known = ends["last"] if end == "last" else pc.coalesce(ends["last_anchor"], ends["last"])
        places = pc.index_in(table["user_id"].combine_chunks(), ends["user_id"].combine_chunks())
        until = pc.coalesce(known.combine_chunks().take(places), seconds)
    since = pc.subtract(until, window_seconds(window))
    kept = pc.and_(pc.greater(seconds, since), pc.less_equal(seconds, until))
    return np.asarray(pc.fill_null(kept, False).to_numpy(zero_copy_only=False), bool)
