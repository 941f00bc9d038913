"""Documents: what each user wrote, as counts of stems. Topics are fitted on them.

Counts merge like sums. Rare stems are taken out at the end only, when it is known how many users
use each: a stem of few users names persons more than topics.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from whybox.errors import InputError
from whybox.features.codes import sorted_codes

__all__ = [
    "DOCUMENTS_SCHEMA",
    "document_counts",
    "document_frequencies",
    "encode_documents",
    "merge_documents",
    "surface_frequencies",
    "surfaces",
    "vocabulary",
]

DOCUMENTS_SCHEMA = pa.schema(
    [
        ("user_id", pa.string()),
        ("stem", pa.string()),
        ("word", pa.string()),
        ("count", pa.int64()),
    ]
)
"""One row for each word that a user uses, with the word's stem."""

_FREQUENCIES_SCHEMA = pa.schema([("stem", pa.string()), ("users", pa.int64())])
_SURFACES_SCHEMA = pa.schema([("stem", pa.string()), ("word", pa.string()), ("users", pa.int64())])
_KEYS = ["user_id", "stem", "word"]
_SORTED = [(name, "ascending") for name in _KEYS]


def document_counts(table: pa.Table) -> pa.Table:
    """Count the stems of each user, and the words that they were made of.

    Parameters
    ----------
    table : pyarrow.Table
        What :func:`whybox.features.post_features` returned with stems. Posts without a user are in
        no document.

    Returns
    -------
    pyarrow.Table
        Columns as in :data:`DOCUMENTS_SCHEMA`, sorted by user_id, stem and word.

    Raises
    ------
    InputError
        If there are no columns of stems and words.

    Examples
    --------
    >>> columns = {"stems": [["sun", "sea"], ["sun"]], "words": [["suns", "sea"], ["suns"]]}
    >>> counts = document_counts(pa.table({"user_id": ["a", "a"], **columns}))
    >>> counts.select(["stem", "word", "count"]).to_pylist()
    [{'stem': 'sea', 'word': 'sea', 'count': 1}, {'stem': 'sun', 'word': 'suns', 'count': 2}]
    """
    if not {"stems", "words"} <= set(table.column_names):
        raise InputError("no column stems", remedy="call post_features with with_stems=True")
    table = table.select(["user_id", "stems", "words"]).filter(pc.is_valid(table["user_id"]))
    if not table.num_rows:
        return DOCUMENTS_SCHEMA.empty_table()
    from whybox.kernels.pairs import count_pairs

    lists = table["words"].combine_chunks()
    users, user_names = sorted_codes(table["user_id"])
    words, word_names = sorted_codes(lists.flatten())
    stems, stem_names = sorted_codes(table["stems"].combine_chunks().flatten())
    stem_of = np.zeros(len(word_names), np.int64)
    stem_of[words] = stems  # a word has one stem
    place = np.empty_like(stem_of)
    by_stem = np.argsort(stem_of, kind="stable")  # and by word, as words are sorted
    place[by_stem] = np.arange(len(by_stem))
    owners = np.repeat(users, np.diff(lists.offsets.to_numpy()))
    user, number, counts = count_pairs(owners, place[words], len(user_names), len(word_names))
    word = by_stem[number]
    numbers = (user_names, user), (stem_names, stem_of[word]), (word_names, word)
    columns = [names.take(pa.array(codes)) for names, codes in numbers]
    return pa.table([*columns, pa.array(counts)], schema=DOCUMENTS_SCHEMA)


def merge_documents(tables: Sequence[pa.Table]) -> pa.Table:
    """Merge counts of words; associative, and the same in any order.

    Parameters
    ----------
    tables : sequence of pyarrow.Table
        What :func:`document_counts` or this function returned.

    Returns
    -------
    pyarrow.Table
        Columns as in :data:`DOCUMENTS_SCHEMA`, sorted by user_id, stem and word.

    Examples
    --------
    >>> one = pa.table([["a"], ["sun"], ["suns"], [2]], schema=DOCUMENTS_SCHEMA)
    >>> merge_documents([one, one]).to_pylist()
    [{'user_id': 'a', 'stem': 'sun', 'word': 'suns', 'count': 4}]
    """
    table = pa.concat_tables([DOCUMENTS_SCHEMA.empty_table(), *tables])
    merged = table.group_by(_KEYS, use_threads=False).aggregate([("count", "sum")])
    merged = merged.rename_columns([*_KEYS, "count"]).cast(DOCUMENTS_SCHEMA)
    return merged.sort_by(_SORTED).combine_chunks()


def document_frequencies(counts: pa.Table) -> pa.Table:
    """Count the users of each stem.

    Parameters
    ----------
    counts : pyarrow.Table
        What :func:`merge_documents` returned: all posts of each of its users. The frequencies of
        disjoint sets of users may be added up.

    Returns
    -------
    pyarrow.Table
        stem, users (int64), sorted by stem.

    Examples
    --------
    >>> counts = pa.table({"user_id": ["a", "b"], "stem": ["sun", "sun"], "count": [2, 1]})
    >>> document_frequencies(counts).to_pylist()
    [{'stem': 'sun', 'users': 2}]
    """
    in_whatever_form = counts.group_by(["user_id", "stem"], use_threads=False)
    used = in_whatever_form.aggregate([])
    grouped = used.group_by("stem", use_threads=False).aggregate([("user_id", "count")])
    grouped = grouped.rename_columns(["stem", "users"]).cast(_FREQUENCIES_SCHEMA)
    return grouped.sort_by("stem").combine_chunks()


def surface_frequencies(counts: pa.Table) -> pa.Table:
    """Count the users of each word.

    Parameters
    ----------
    counts : pyarrow.Table
        What :func:`merge_documents` returned: all posts of each of its users. The frequencies of
        disjoint sets of users may be added up.

    Returns
    -------
    pyarrow.Table
        stem, word, users (int64), sorted by stem and word.

    Examples
    --------
    >>> counts = pa.table([["a", "b"], ["sun"] * 2, ["sun", "suns"], [2, 1]], schema=DOCUMENTS_SCHEMA)
    >>> surface_frequencies(counts)["users"].to_pylist()
    [1, 1]
    """
    grouped = counts.group_by(["stem", "word"], use_threads=False).aggregate([("user_id", "count")])
    grouped = grouped.rename_columns(["stem", "word", "users"]).cast(_SURFACES_SCHEMA)
    return grouped.sort_by([("stem", "ascending"), ("word", "ascending")]).combine_chunks()


def surfaces(frequencies: pa.Table, vocabulary: pa.Array, *, min_users: int = 10) -> pa.Array:
    """Find how each stem is mostly written.

    Parameters
    ----------
    frequencies : pyarrow.Table
        stem, word and users, as :func:`surface_frequencies` makes them; the rows of a word are
        added.
    vocabulary : pyarrow.StringArray
        Stems.
    min_users : int, default 10
        Users that a word must have, to be shown.

    Returns
    -------
    pyarrow.StringArray
        For each stem the word of most users, of equals the first in the alphabet; the stem itself
        where no word has users enough.

    Examples
    --------
    >>> columns = {"stem": ["earn"] * 2, "word": ["earn", "earning"], "users": [11, 12]}
    >>> surfaces(pa.table(columns), pa.array(["earn", "sun"])).to_pylist()
    ['earning', 'sun']
    """
    grouped = frequencies.group_by(["stem", "word"], use_threads=False).aggregate(
        [("users", "sum")]
    )
    grouped = grouped.filter(pc.greater_equal(grouped["users_sum"], min_users))
    grouped = grouped.sort_by([("users_sum", "ascending"), ("word", "descending")])
    best = dict(zip(grouped["stem"].to_pylist(), grouped["word"].to_pylist(), strict=True))
    stems = vocabulary.to_pylist()
    return pa.array([best.get(stem, stem) for stem in stems], pa.string())


def vocabulary(frequencies: pa.Table, *, min_users: int = 10) -> pa.Array:
    """List the stems that enough users use.

    Parameters
    ----------
    frequencies : pyarrow.Table
        stem and users, as :func:`document_frequencies` makes them; the rows of a stem are added.
    min_users : int, default 10
        Users that a stem must have.

    Returns
    -------
    pyarrow.StringArray
        Stems, sorted: a stem's position is its number in every document.

    Examples
    --------
    >>> vocabulary(pa.table({"stem": ["sun", "sea"], "users": [12, 9]})).to_pylist()
    ['sun']
    """
    grouped = frequencies.group_by("stem", use_threads=False).aggregate([("users", "sum")])
    kept = grouped.filter(pc.greater_equal(grouped["users_sum"], min_users))
    return kept.sort_by("stem")["stem"].combine_chunks()


def encode_documents(counts: pa.Table, vocabulary: pa.Array) -> pa.Table:
    """Write each user's document as numbers of stems and their counts.

    Parameters
    ----------
    counts : pyarrow.Table
        What :func:`merge_documents` returned.
    vocabulary : pyarrow.StringArray
        What :func:`vocabulary` returned; other stems are left out.

    Returns
    -------
    pyarrow.Table
        user_id, stems (list<int32>, ascending) and counts (list<int32>), sorted by user_id. A user
        none of whose stems is in the vocabulary has empty lists.

    Examples
    --------
    >>> columns = {"user_id": ["a", "a", "b"], "stem": ["sea", "sun", "sun"], "count": [1, 2, 3]}
    >>> counts = pa.table(columns)
    >>> encode_documents(counts, pa.array(["sun"])).to_pylist()
    [{'user_id': 'a', 'stems': [0], 'counts': [2]}, {'user_id': 'b', 'stems': [0], 'counts': [3]}]
    """
    counts = counts.group_by(["user_id", "stem"], use_threads=False).aggregate([("count", "sum")])
    counts = counts.rename_columns(["user_id", "stem", "count"])
    users, user_names = sorted_codes(counts["user_id"])
    numbers = pc.index_in(counts["stem"], value_set=vocabulary)
    known = np.asarray(pc.is_valid(numbers).to_numpy(), bool)
    stems = pc.fill_null(numbers, -1).to_numpy()[known]
    values = counts["count"].to_numpy()[known]
    order = np.lexsort((stems, users[known]))
    indptr = np.zeros(len(user_names) + 1, np.int32)
    np.cumsum(np.bincount(users[known], minlength=len(user_names)), out=indptr[1:])
    offsets = pa.array(indptr, pa.int32())
    lists = [
        pa.ListArray.from_arrays(offsets, pa.array(column[order], pa.int32()))
        for column in (stems, values)
    ]
    return pa.table([user_names, *lists], names=["user_id", "stems", "counts"])
