"""Documents made of a few themes, for tests of topics."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from whybox.features.corpus import Corpus
from whybox.features.documents import document_frequencies, encode_documents, vocabulary

THEMES = (
    ["ball", "goal", "league", "match", "team", "win"],
    ["chord", "concert", "guitar", "record", "singer", "song"],
    ["bread", "cake", "cook", "oven", "recipe", "soup"],
)


def made_counts(n_users: int, seed: int = 0, n_words: int = 40) -> pa.Table:
    """Counts of stems, as `merge_documents` gives them; user u has mostly theme u modulo 3."""
    random = np.random.default_rng(seed)
    rows = []
    for user in range(n_users):
        leaning = np.full(3, 0.1)
        leaning[user % 3] = 0.8
        for theme in random.choice(3, n_words, p=leaning):
            rows.append((f"u{user:03d}", random.choice(THEMES[theme])))
    table = pa.table({"user_id": [u for u, _ in rows], "stem": [str(w) for _, w in rows]})
    counted = table.group_by(["user_id", "stem"]).aggregate([("stem", "count")])
    counted = counted.rename_columns(["user_id", "stem", "count"])
    return counted.sort_by([("user_id", "ascending"), ("stem", "ascending")])


def as_corpus(counts: pa.Table) -> Corpus:
    """The corpus that extraction would make of these counts."""
    words = vocabulary(document_frequencies(counts))
    return Corpus.from_tables(encode_documents(counts, words), pa.table({"stem": words}))


def made_corpus(n_users: int, seed: int = 0, n_words: int = 40) -> Corpus:
    """The corpus of `made_counts`."""
    return as_corpus(made_counts(n_users, seed, n_words))
