"""Features of users: whole-number sums that merge in any order, and the means at the very end.

A user's posts may be spread over files and workers. What each of them holds is summed per user;
sums of whole numbers are the same whatever the order, so the means are the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from whybox.errors import InputError
from whybox.features.names import AVERAGED, FEATURES, require_columns
from whybox.features.recipe import Recipe

__all__ = [
    "SUMS_SCHEMA",
    "UserFeatures",
    "merge_sums",
    "user_features",
    "user_sums",
    "with_profiles",
]

_LABELS = ("label_min", "label_max")
_TOTALS = ("n_posts", *(f"{name}_{part}" for name in AVERAGED for part in ("sum", "n")))

SUMS_SCHEMA = pa.schema(
    [("user_id", pa.string())]
    + [(name, pa.string()) for name in _LABELS]
    + [(name, pa.int64()) for name in _TOTALS]
)
"""Columns of the sums: for each averaged feature its sum and the number of posts that carry it."""


class UserFeatures(NamedTuple):
    """Users to model, and those who were treated by rule.

    Parameters
    ----------
    table : pyarrow.Table
        user_id, label, n_posts (int64) and the thirteen features (float64), sorted by user_id.
    dropped : pyarrow.Table
        user_id, label, n_posts and reason (``few_posts``) of the users who are not in `table`.
    contradictory : pyarrow.Table
        user_id and n_posts of users whose posts bear different labels: in `table` with label null.

    Examples
    --------
    >>> user_features(merge_sums([]), Recipe()).table.num_rows
    0
    """

    table: pa.Table
    dropped: pa.Table
    contradictory: pa.Table


def user_sums(table: pa.Table) -> pa.Table:
    """Sum the posts of each user.

    Parameters
    ----------
    table : pyarrow.Table
        What :func:`whybox.features.post_features` returned. Posts without a user are in no sum:
        ``table.num_rows`` less the sum of n_posts.

    Returns
    -------
    pyarrow.Table
        One row a user, sorted by user_id, columns as in :data:`SUMS_SCHEMA`. The least and the
        greatest label tell later whether all labels agree; posts without a label do not object.

    Raises
    ------
    InputError
        If a column is missing.

    Examples
    --------
    >>> posts = {"user_id": ["b", "a", "b"], "label": [None, "x", "y"]}
    >>> posts |= {column: [1, 2, 3] for column in AVERAGED.values()}
    >>> sums = user_sums(pa.table(posts))
    >>> sums.select(["user_id", "label_max", "n_posts", "emoticons_sum"]).to_pylist()
    [{'user_id': 'a', 'label_max': 'x', 'n_posts': 1, 'emoticons_sum': 2},
     {'user_id': 'b', 'label_max': 'y', 'n_posts': 2, 'emoticons_sum': 4}]
    """
    require_columns(table, ("user_id", "label", *AVERAGED.values()))
    table = table.filter(pc.is_valid(table["user_id"]))
    ones = pa.array(np.ones(table.num_rows, np.int64))
    columns = {"user_id": table["user_id"], "n_posts": ones}
    columns |= dict.fromkeys(_LABELS, table["label"])
    carried = {}  # by all posts: as many as there are
    for name, column in AVERAGED.items():
        columns[f"{name}_sum"] = table[column].cast(pa.int64())
        if table[column].null_count:
            columns[f"{name}_n"] = pc.is_valid(table[column]).cast(pa.int64())
        else:
            carried[f"{name}_n"] = "n_posts"
    return _merge(pa.table(columns), carried)


def merge_sums(tables: Sequence[pa.Table]) -> pa.Table:
    """Merge sums of users; associative, and the same in any order.

    Parameters
    ----------
    tables : sequence of pyarrow.Table
        What :func:`user_sums` or this function returned.

    Returns
    -------
    pyarrow.Table
        One row a user, sorted by user_id, columns as in :data:`SUMS_SCHEMA`.

    Raises
    ------
    InputError
        If a table has other columns.

    Examples
    --------
    >>> merge_sums([]).num_rows
    0
    """
    for table in tables:
        _check_sums(table)
    return _merge(pa.concat_tables([SUMS_SCHEMA.empty_table(), *tables]))


def user_features(sums: pa.Table, recipe: Recipe) -> UserFeatures:
    """Turn the sums of all posts into the features of users.

    Parameters
    ----------
    sums : pyarrow.Table
        What :func:`merge_sums` returned for all of the input.
    recipe : Recipe
        Its `min_posts`.

    Returns
    -------
    UserFeatures
        Means over the posts that carry a value (Tong et al., Table S1); null where none does, as
        for time_distribution where no post has a time.

    Examples
    --------
    >>> posts = {"user_id": ["a", "a"], "label": ["x", "y"]}
    >>> posts |= {column: [1, 2] for column in AVERAGED.values()}
    >>> result = user_features(user_sums(pa.table(posts)), Recipe(min_posts=2))
    >>> result.table["emoticons"].to_pylist(), result.table["label"].to_pylist()
    ([1.5], [None])
    >>> result.contradictory.to_pylist()
    [{'user_id': 'a', 'n_posts': 2}]
    """
    _check_sums(sums)
    contradicts = pc.fill_null(pc.not_equal(sums["label_min"], sums["label_max"]), False)
    label = pc.if_else(contradicts, pa.scalar(None, pa.string()), sums["label_min"])
    enough = pc.greater_equal(sums["n_posts"], recipe.min_posts)
    kept, few = sums.filter(enough), sums.filter(pc.invert(enough))
    columns = {
        "user_id": kept["user_id"],
        "label": label.filter(enough),
        "n_posts": kept["n_posts"],
    }
    columns |= {name: _mean(kept, name) for name in FEATURES}
    dropped = {"user_id": few["user_id"], "label": label.filter(pc.invert(enough))}
    dropped |= {
        "n_posts": few["n_posts"],
        "reason": pa.array(["few_posts"] * few.num_rows, pa.string()),
    }
    contradictory = kept.filter(contradicts.filter(enough)).select(["user_id", "n_posts"])
    return UserFeatures(pa.table(columns), pa.table(dropped), contradictory)


def with_profiles(users: pa.Table, profiles: pa.Table | None) -> pa.Table:
    """Add features that are known of users, and not from their posts.

    Parameters
    ----------
    users : pyarrow.Table
        The table of :func:`user_features`.
    profiles : pyarrow.Table or None
        user_id, each once, and the features; None adds nothing.

    Returns
    -------
    pyarrow.Table
        With the features at the end, null for users without a profile.

    Examples
    --------
    >>> profiles = pa.table({"user_id": ["b", "a"], "age": [20.0, 30.0]})
    >>> with_profiles(pa.table({"user_id": ["a", "c"]}), profiles)["age"].to_pylist()
    [30.0, None]
    """
    if profiles is None:
        return users
    places = pc.index_in(users["user_id"], profiles["user_id"].combine_chunks())
    for name in profiles.column_names:
        if name != "user_id":
            users = users.append_column(name, profiles[name].combine_chunks().take(places))
    return users


def _check_sums(table: pa.Table) -> None:
    """Refuse what is no table of sums."""
    if not table.schema.equals(SUMS_SCHEMA):
        raise InputError("got other columns than those of sums", remedy="call user_sums first")


def _merge(table: pa.Table, same: Mapping[str, str] | None = None) -> pa.Table:
    """Sum the rows of each user; the least and the greatest of the labels. ``same``: copies."""
    same = same or {}
    totals = [name for name in _TOTALS if name not in same]
    rules = [("label_min", "min"), ("label_max", "max"), *((name, "sum") for name in totals)]
    grouped = table.group_by("user_id", use_threads=False).aggregate(rules)
    columns = {"user_id": grouped["user_id"]}
    columns |= {name: grouped[f"{name}_{rule}"] for name, rule in rules}
    # A sum without a value is null in Arrow, and zero here: nobody carried one.
    columns |= {name: pc.fill_null(columns[name], 0) for name in totals}
    columns |= {name: columns[other] for name, other in same.items()}
    merged = pa.table([columns[name] for name in SUMS_SCHEMA.names], schema=SUMS_SCHEMA)
    return merged.sort_by("user_id").combine_chunks()


def _mean(sums: pa.Table, name: str) -> pa.ChunkedArray:
    """Mean of a feature, null where no post carries it."""
    if name == "posting_number":
        return sums["n_posts"].cast(pa.float64())
    number = sums[f"{name}_n"]
    number = pc.if_else(pc.equal(number, 0), pa.scalar(None, pa.int64()), number)
    return pc.divide(sums[f"{name}_sum"].cast(pa.float64()), number.cast(pa.float64()))
