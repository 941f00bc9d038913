"""Tables that describe a set of users: figures of each feature by class, and each class's words.

Like Tables S2 and S3 of Tong et al.: least, greatest, mean and median, to be held against the
published ones before anything is learnt.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["characteristic_words", "class_statistics", "commonest_words"]

NO_LABEL = ""
"""How users without a label are called."""

_BY_LABEL = [("label", "ascending")]


def class_statistics(users: pa.Table, features: Sequence[str]) -> pa.Table:
    """Describe each feature in each class.

    Parameters
    ----------
    users : pyarrow.Table
        With the column label and the features.
    features : sequence of str

    Returns
    -------
    pyarrow.Table
        label ("" for none), feature, n, missing (int64), min, max, mean, median (float64); sorted
        by label, features in the order given. n counts the users that carry the feature.

    Examples
    --------
    >>> users = pa.table({"label": ["x", "x", None], "friends": [1.0, 4.0, None]})
    >>> class_statistics(users, ["friends"]).to_pylist()[1]
    {'label': 'x', 'feature': 'friends', 'n': 2, 'missing': 0, 'min': 1.0, 'max': 4.0,
     'mean': 2.5, 'median': 2.5}
    """
    labels = users["label"].fill_null(NO_LABEL)
    rows = []
    for label in sorted(set(labels.to_pylist())):
        of_class = users.filter(pc.equal(labels, label))
        for name in features:
            values = of_class[name].drop_null().to_numpy()
            known = values.size > 0
            figures = [f(values) if known else None for f in (np.min, np.max, np.mean, np.median)]
            missing = of_class.num_rows - values.size
            rows.append((label, name, values.size, missing, *figures))
    names = ("label", "feature", "n", "missing", "min", "max", "mean", "median")
    types = (pa.string(), pa.string(), pa.int64(), pa.int64(), *[pa.float64()] * 4)
    schema = pa.schema(list(zip(names, types, strict=True)))
    return pa.table([list(column) for column in zip(*rows, strict=True)] or [[]] * 8, schema=schema)


def commonest_words(
    documents: pa.Table,
    vocabulary: pa.Array | pa.ChunkedArray,
    users: pa.Table,
    *,
    n_words: int = 20,
    min_users: int = 10,
) -> pa.Table:
    """List the commonest words of each class.

    Parameters
    ----------
    documents : pyarrow.Table
        user_id, stems, counts: as extracted.
    vocabulary : array of string
        The stems by their numbers.
    users : pyarrow.Table
        With the columns user_id and label.
    n_words : int, default 20
        Of each class.
    min_users : int, default 10
        Words that fewer users of the class use are left out: they tell of persons.

    Returns
    -------
    pyarrow.Table
        label ("" for none), word, count, users, sorted by label, then falling count, then word.

    Examples
    --------
    >>> documents = pa.table({"user_id": ["a", "b"], "stems": [[0, 1], [1]], "counts": [[5, 2], [4]]})
    >>> users = pa.table({"user_id": ["a", "b"], "label": ["x", "x"]})
    >>> commonest_words(documents, pa.array(["sea", "sun"]), users, min_users=2).to_pylist()
    [{'label': 'x', 'word': 'sun', 'count': 6, 'users': 2}]
    """
    table = _words_of_classes(documents, vocabulary, users)
    table = table.filter(pc.greater_equal(table["users"], min_users))
    return _first(
        table.sort_by([*_BY_LABEL, ("count", "descending"), ("word", "ascending")]), n_words
    )


def characteristic_words(
    documents: pa.Table,
    vocabulary: pa.Array | pa.ChunkedArray,
    users: pa.Table,
    *,
    n_words: int = 20,
    min_users: int = 10,
) -> pa.Table:
    """List the words that tell each class from the others, by CF-ICF.

    A user's document is one document: cf is a word's uses in the class to those of the class's
    most used word, icf is log(n / (n_neg + 1)) with n labelled users, of whom n_neg in other
    classes use the word (the discriminatory expressions' Eqs. 16 to 19).

    Parameters
    ----------
    documents, vocabulary, users, n_words, min_users
        As in `commonest_words`; users without a label are of no class here.

    Returns
    -------
    pyarrow.Table
        label, word, count, users, cf_icf, sorted by label, then falling cf_icf, then word.

    Examples
    --------
    >>> documents = pa.table({"user_id": ["a", "b"], "stems": [[0, 1], [1]], "counts": [[5, 2], [4]]})
    >>> users = pa.table({"user_id": ["a", "b"], "label": ["x", "y"]})
    >>> words = characteristic_words(documents, pa.array(["sea", "sun"]), users, min_users=1)
    >>> [(row["label"], row["word"], round(row["cf_icf"], 2)) for row in words.to_pylist()]
    [('x', 'sea', 0.69), ('x', 'sun', 0.0), ('y', 'sun', 0.0)]
    """
    labelled = users.filter(pc.is_valid(users["label"]))
    known = pc.is_in(documents["user_id"], labelled["user_id"].combine_chunks())
    table = _words_of_classes(documents.filter(known), vocabulary, labelled)
    frame = table.to_pandas()
    most = frame.groupby("label")["count"].transform("max")
    elsewhere = frame.groupby("word")["users"].transform("sum") - frame["users"]
    icf = np.log(max(labelled.num_rows, 1) / (elsewhere + 1))
    scored = pa.array((frame["count"] / most * icf).to_numpy(np.float64), pa.float64())
    table = table.append_column("cf_icf", scored)
    table = table.filter(pc.greater_equal(table["users"], min_users))
    return _first(
        table.sort_by([*_BY_LABEL, ("cf_icf", "descending"), ("word", "ascending")]), n_words
    )


def _words_of_classes(
    documents: pa.Table, vocabulary: pa.Array | pa.ChunkedArray, users: pa.Table
) -> pa.Table:
    """Count the uses and the users of each word in each class."""
    places = pc.index_in(documents["user_id"], users["user_id"].combine_chunks())
    labels = users["label"].fill_null(NO_LABEL).combine_chunks().take(places.combine_chunks())
    lengths = pc.list_value_length(documents["stems"]).to_numpy()
    words = pa.table(
        {
            "label": labels.take(pa.array(np.repeat(np.arange(len(lengths)), lengths))),
            "stem": pc.list_flatten(documents["stems"]),
            "count": pc.list_flatten(documents["counts"]).cast(pa.int64()),
        }
    )
    found = words.group_by(["label", "stem"]).aggregate([("count", "sum"), ("count", "count")])
    names = pc.take(vocabulary, found["stem"])
    columns = [found["label"], names, found["count_sum"], found["count_count"]]
    return pa.table(columns, names=["label", "word", "count", "users"])


def _first(table: pa.Table, n_words: int) -> pa.Table:
    """Keep the first rows of each label."""
    rank: dict[str, int] = {}
    kept = []
    for label in table["label"].to_pylist():
        rank[label] = rank.get(label, 0) + 1
        kept.append(rank[label] <= n_words)
    return table.filter(pa.array(kept, pa.bool_())).combine_chunks()
