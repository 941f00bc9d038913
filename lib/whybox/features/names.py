"""Names of the features, in the one order they have everywhere (Tong et al., Table S1)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from whybox.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["AVERAGED", "FEATURES", "PERSON", "POST_COLUMNS", "PROFILE", "require_columns"]

PROFILE = ("total_favourites", "friends", "followers", "listed_count")
"""Counts of the user object as each post carries it."""

FEATURES = (
    *PROFILE,
    "favourites_count",
    "retweet_count",
    "mention_count",
    "posting_number",
    "time_distribution",
    "negative_words",
    "positive_words",
    "emoji_number",
    "emoticons",
)
"""The thirteen features that are no topics."""

PERSON = ("age", "gender")
"""Features of the person that only some data have (CLPsych): years; 0 for male, 1 for female."""

POST_COLUMNS = ("night", "negative_words", "positive_words", "emoji_number", "emoticons")
"""Columns that :func:`whybox.features.post_features` adds to a table of posts."""

_RENAMED = {"favourites_count": "favorite_count", "time_distribution": "night"}

AVERAGED = {name: _RENAMED.get(name, name) for name in FEATURES if name != "posting_number"}
"""Feature -> the column of a table of posts whose mean it is."""


def require_columns(table: pa.Table, names: Iterable[str]) -> None:
    """Refuse a table of posts that lacks columns.

    Parameters
    ----------
    table : pyarrow.Table
        Posts.
    names : iterable of str
        Columns that must be there.

    Raises
    ------
    InputError
        If one is missing.

    Examples
    --------
    >>> import pyarrow as pa
    >>> require_columns(pa.table({"text": ["a"]}), ["text", "night"])
    Traceback (most recent call last):
    whybox.errors.InputError: no column night (table of posts): give a table that a reader made ...
    """
    missing = [name for name in names if name not in table.column_names]
    if missing:
        raise InputError(
            f"no column {', '.join(missing)}",
            where="table of posts",
            remedy="give a table that a reader made and post_features completed",
        )
