"""What an extracted folder's users are like: figures of each class, and its commonest words."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from whybox.pipelines.outcome import Table

__all__ = ["describe_users"]

_FIGURES = ("min", "max", "mean", "median")


def describe_users(path: Path, manifest: Mapping[str, Any]) -> tuple[dict[str, Any], list[Table]]:
    """Describe the users of a folder.

    Parameters
    ----------
    path : pathlib.Path
        A folder that ``whybox extract`` wrote.
    manifest : mapping
        Its manifest.

    Returns
    -------
    values : dict
        ``statistics`` and ``words``: a list of rows each. Empty if the folder has no users.
    tables : list of Table
        The same for a person.
    """
    if manifest.get("kind") != "features" or manifest.get("level") != "user":
        return {}, []
    import pyarrow.parquet as pq

    from whybox.features.names import FEATURES, PERSON
    from whybox.features.statistics import (
        characteristic_words,
        class_statistics,
        commonest_words,
    )

    users = pq.read_table(path / "users")
    names = [name for name in (*FEATURES, *PERSON) if name in users.column_names]
    figures = class_statistics(users, names).to_pylist()
    documents = [pq.read_table(part) for part in sorted((path / "documents").glob("part-*"))]
    vocabulary = pq.read_table(path / "documents" / "vocabulary.parquet")["stem"]
    bags = _concatenated(documents)
    words = commonest_words(bags, vocabulary, users).to_pylist()
    telling = characteristic_words(bags, vocabulary, users).to_pylist()
    header = ("class", "feature", "users", "missing", *_FIGURES)
    rows = tuple(
        (
            _class(row),
            *(row[name] for name in ("feature", "n", "missing")),
            *("" if row[name] is None else f"{row[name]:.4g}" for name in _FIGURES),
        )
        for row in figures
    )
    common = tuple((_class(row), row["word"], row["count"], row["users"]) for row in words)
    apart = tuple(
        (_class(row), row["word"], row["count"], row["users"], f"{row['cf_icf']:.3f}")
        for row in telling
    )
    tables = [
        Table("features of each class", header, rows),
        Table("commonest words, of 10 users or more", ("class", "stem", "count", "users"), common),
        Table(
            "words that tell classes apart, of 10 users or more",
            ("class", "stem", "count", "users", "CF-ICF"),
            apart,
        ),
    ]
    return {"statistics": figures, "words": words, "characteristic_words": telling}, tables


def _class(row: Mapping[str, Any]) -> str:
    return str(row["label"]) or "no label"


def _concatenated(tables: list[Any]) -> Any:
    import pyarrow as pa

    return pa.concat_tables(tables)
