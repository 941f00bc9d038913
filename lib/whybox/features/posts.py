"""Features of single posts: columns of whole numbers beside a table of posts.

A post without a time has no hour: its `night` is null, and it is left out of the share of posts at
night, above and below the line.
"""

from __future__ import annotations

import re
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from whybox.errors import InputError
from whybox.features.codes import sorted_codes
from whybox.features.names import AVERAGED, FEATURES, require_columns
from whybox.features.recipe import Recipe
from whybox.text.cleaning import clean_many
from whybox.text.counter import PostCounts, TextCounter

__all__ = ["post_features", "post_level_features", "select_posts"]


def select_posts(table: pa.Table, recipe: Recipe) -> tuple[pa.Table, dict[str, int]]:
    """Keep the posts that a recipe asks for, and count the others by the first reason that applies.

    Parameters
    ----------
    table : pyarrow.Table
        Posts, with the columns lang, is_retweet, anchor and text where the recipe needs them.
    recipe : Recipe
        Its `lang`, `own_posts_only`, `drop_anchors` and `drop_matching`.

    Returns
    -------
    kept : pyarrow.Table
        In the order given.
    left_out : dict of str to int
        Reason (``language``, ``retweet``, ``anchor``, ``matching``) -> number of posts, zeros not
        listed. A post without a language is left out where languages are asked for.

    Examples
    --------
    >>> table = pa.table({"lang": ["en", "es", None]})
    >>> kept, left_out = select_posts(table, Recipe(lang="en"))
    >>> kept.num_rows, left_out
    (1, {'language': 2})
    """
    keep = np.ones(table.num_rows, bool)
    left_out: dict[str, int] = {}
    for reason, reject in _rejections(table, recipe):
        now = keep & reject
        keep &= ~reject
        if now.any():
            left_out[reason] = int(now.sum())
    return (table if keep.all() else table.filter(pa.array(keep))), left_out


def post_features(
    table: pa.Table, counter: TextCounter, recipe: Recipe, *, with_stems: bool = False
) -> pa.Table:
    """Add the features of each post to a table of posts.

    Parameters
    ----------
    table : pyarrow.Table
        Posts, with the columns text, created_at and mention_count at least.
    counter : TextCounter
        This process's counter, of the recipe's lexicon and language.
    recipe : Recipe
        Its `timezone`, `own_timezones` (for which the table has a column timezone) and `night`.
    with_stems : bool, default False
        Add the columns `stems` and `words` (what the stems were made of) as well:
        ``list<dictionary<int32, string>>`` in the order of the text, each with a sorted dictionary
        of the table's own.

    Returns
    -------
    pyarrow.Table
        The table with int32 columns night (0, 1, null without a time), negative_words,
        positive_words, emoji_number and emoticons; mention_count counted from the text where null.

    Raises
    ------
    InputError
        If a column is missing, or the counter is of another lexicon or language.

    Examples
    --------
    >>> table = pa.table({
    ...     "text": ["@ann good :)"],
    ...     "created_at": pa.array([0], pa.timestamp("s", "UTC")),
    ...     "mention_count": pa.array([None], pa.int64()),
    ... })
    >>> features = post_features(table, TextCounter(), Recipe())
    >>> features.select(["mention_count", "night", "positive_words", "emoticons"]).to_pylist()
    [{'mention_count': 1, 'night': 1, 'positive_words': 1, 'emoticons': 1}]
    """
    require_columns(table, ("text", "created_at", "mention_count"))
    got = (counter.lexicon.name, counter.language, counter.spelling)
    expected = (recipe.lexicon, recipe.language, recipe.spelling)
    if got != expected:
        raise InputError(
            f"got a counter of {', '.join(got)}, expected the recipe's {', '.join(expected)}",
            remedy="make the counter from the recipe",
        )
    counts = counter.count(_one_array(table["text"]))
    mentions = pc.coalesce(table["mention_count"], pa.array(counts.mentions, pa.int64()))
    position = table.schema.get_field_index("mention_count")
    table = table.set_column(position, "mention_count", mentions)
    table = _put(table, "night", _night(table, recipe))
    for name in ("negative_words", "positive_words", "emoji_number", "emoticons"):
        table = _put(table, name, pa.array(getattr(counts, name)))
    if with_stems:
        table = _put(table, "stems", _lists(counts, counts.vocabulary))
        table = _put(table, "words", _lists(counts, counts.words))
    return table


def post_level_features(table: pa.Table) -> pa.Table:
    """Take each post for a user of its own.

    Parameters
    ----------
    table : pyarrow.Table
        What :func:`post_features` returned.

    Returns
    -------
    pyarrow.Table
        post_id, user_id, label, then the thirteen features as float64, null where a post does not
        carry one; posting_number is 1 and time_distribution is 0 or 1.

    Raises
    ------
    InputError
        If a column is missing.

    Examples
    --------
    >>> columns = dict.fromkeys(["post_id", "user_id", "label"], ["a"])
    >>> columns |= {column: [2] for column in AVERAGED.values()}
    >>> row = post_level_features(pa.table(columns)).to_pylist()[0]
    >>> row["posting_number"], row["emoticons"]
    (1.0, 2.0)
    """
    ids = ("post_id", "user_id", "label")
    require_columns(table, (*ids, *AVERAGED.values()))
    columns = {name: table[name] for name in ids}
    for name in FEATURES:
        if name == "posting_number":
            columns[name] = pa.array(np.ones(table.num_rows))
        else:
            columns[name] = table[AVERAGED[name]].cast(pa.float64())
    return pa.table(columns)


def _rejections(table: pa.Table, recipe: Recipe) -> list[tuple[str, NDArray[np.bool_]]]:
    """Reasons that the recipe names, each with the posts it applies to."""
    found = []
    if recipe.languages is not None:
        wanted = pa.array(sorted(recipe.languages), pa.string())
        found.append(("language", ~_mask(pc.is_in(table["lang"], wanted))))
    if recipe.own_posts_only:
        found.append(("retweet", _mask(table["is_retweet"])))
    if recipe.drop_anchors:
        found.append(("anchor", _mask(table["anchor"])))
    if recipe.drop_matching:
        search = re.compile(recipe.drop_matching, re.IGNORECASE).search
        texts = clean_many(table["text"].to_pylist())
        matches = np.fromiter((search(text) is not None for text in texts), bool, len(texts))
        found.append(("matching", matches))
    return found


def _mask(column: pa.ChunkedArray) -> NDArray[np.bool_]:
    """Booleans of a column, false where null."""
    return np.asarray(pc.fill_null(column, False).to_numpy(), bool)


def _night(table: pa.Table, recipe: Recipe) -> pa.Array:
    """1 where the local time is in the window, 0 where not, null without a time."""
    times = table["created_at"]
    missing = np.asarray(pc.is_null(times).to_numpy(), bool)
    seconds = pc.fill_null(times.cast(pa.int64()), 0).to_numpy()
    if recipe.own_timezones and "timezone" in table.column_names:
        minutes = np.empty(len(seconds), np.int64)
        zones = pc.fill_null(table["timezone"], recipe.timezone)
        encoded = _one_array(zones).dictionary_encode()
        for code, zone in enumerate(encoded.dictionary.to_pylist()):
            where = encoded.indices.to_numpy() == code
            minutes[where] = _local_minutes(seconds[where], zone)
    else:
        minutes = _local_minutes(seconds, recipe.timezone)
    first, last = recipe.night_minutes
    if first < last:
        night = (minutes >= first) & (minutes < last)
    else:  # the window goes over midnight
        night = (minutes >= first) | (minutes < last)
    return pa.array(night.astype(np.int32), mask=missing)


def _local_minutes(seconds: NDArray[np.int64], zone: str) -> NDArray[np.int64]:
    """Minute of the day in a zone."""
    if zone == "UTC":
        return seconds // 60 % 1440
    import pandas as pd

    utc = pd.DatetimeIndex(seconds.astype("datetime64[s]"), tz="UTC")
    local = utc.tz_convert(ZoneInfo(zone))
    minutes: NDArray[np.int64] = np.asarray(local.hour, np.int64) * 60 + np.asarray(local.minute)
    return minutes


def _lists(counts: PostCounts, texts: list[str]) -> pa.Array:
    """Give the stems, or the words, of each post a sorted dictionary that no other table shares."""
    used = np.flatnonzero(np.bincount(counts.stems))
    found = pa.array([texts[i] for i in used.tolist()], pa.string())
    codes, dictionary = sorted_codes(found)
    rank = np.zeros(used[-1] + 1 if len(used) else 0, np.int32)
    rank[used] = codes
    values = pa.DictionaryArray.from_arrays(pa.array(rank[counts.stems], pa.int32()), dictionary)
    return pa.ListArray.from_arrays(pa.array(counts.indptr, pa.int32()), values)


def _one_array(column: pa.ChunkedArray) -> pa.StringArray:
    """The column in one piece, not copied if it is one."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _put(table: pa.Table, name: str, column: pa.Array) -> pa.Table:
    """Set a column that may be there already, so that a second pass gives the same table."""
    position = table.schema.get_field_index(name)
    if position < 0:
        return table.append_column(name, column)
    return table.set_column(position, name, column)
