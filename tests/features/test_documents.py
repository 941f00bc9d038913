from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from posts_strategies import posts_table
from whybox.errors import InputError
from whybox.features.documents import (
    DOCUMENTS_SCHEMA,
    document_counts,
    document_frequencies,
    encode_documents,
    merge_documents,
    surface_frequencies,
    surfaces,
    vocabulary,
)
from whybox.features.posts import post_features
from whybox.features.recipe import Recipe
from whybox.text.counter import TextCounter

COUNTER = TextCounter()
_words = st.lists(
    st.sampled_from(["Rain", "raining", "#sun", "the", "été", "war!", "ok"]), max_size=6
)
posts = st.lists(
    st.tuples(st.sampled_from([None, "a", "b", "ü"]), _words.map(" ".join)), max_size=8
)


def stemmed(pairs):
    table = posts_table(*({"user_id": user, "text": text} for user, text in pairs))
    return post_features(table, COUNTER, Recipe(), with_stems=True)


def slow_counts(table):
    """A user's stems and words, one at a time."""
    counts = Counter(
        (row["user_id"], stem, word)
        for row in table.to_pylist()
        for stem, word in zip(row["stems"], row["words"], strict=True)
        if row["user_id"] is not None
    )
    ordered = sorted(counts, key=lambda key: [part.encode() for part in key])
    return [{"user_id": u, "stem": s, "word": w, "count": counts[u, s, w]} for u, s, w in ordered]


@given(posts)
def test_documents_count_the_stems_of_each_user(pairs):
    table = stemmed(pairs)
    counts = document_counts(table)
    assert counts.schema.equals(DOCUMENTS_SCHEMA)
    assert counts.to_pylist() == slow_counts(table)


@given(posts, st.integers(0, 8))
def test_documents_merge_in_any_grouping_and_order(pairs, cut):
    whole = document_counts(stemmed(pairs))
    parts = [document_counts(stemmed(pairs[:cut])), document_counts(stemmed(pairs[cut:]))]
    assert merge_documents(parts).equals(whole)
    assert merge_documents(parts[::-1]).equals(whole)
    assert merge_documents([merge_documents(parts), merge_documents([])]).equals(whole)


@given(posts, posts)
def test_a_table_of_several_dictionaries_is_counted_as_one(first, second):
    together = pa.concat_tables([stemmed(first), stemmed(second)])
    assert document_counts(together).equals(document_counts(stemmed(first + second)))


@given(posts, st.integers(1, 3))
def test_the_vocabulary_holds_the_stems_of_enough_users(pairs, min_users):
    counts = document_counts(stemmed(pairs))
    users = {}
    for row in counts.to_pylist():
        users.setdefault(row["stem"], set()).add(row["user_id"])
    expected = sorted((s for s in users if len(users[s]) >= min_users), key=str.encode)
    frequencies = document_frequencies(counts)
    assert vocabulary(frequencies, min_users=min_users).to_pylist() == expected
    # Users in parts: the frequencies of disjoint users add up.
    halves = [counts.filter(pa.compute.equal(counts["user_id"], u)) for u in ("a", "b", "ü")]
    parts = pa.concat_tables([document_frequencies(half) for half in halves])
    assert vocabulary(parts, min_users=min_users).to_pylist() == expected


@given(posts, st.sets(st.sampled_from(["rain", "sun", "été", "moon"])))
def test_encoding_keeps_what_is_in_the_vocabulary_and_every_user(pairs, known):
    counts = document_counts(stemmed(pairs))
    stems = pa.array(sorted(known), pa.string())
    encoded = encode_documents(counts, stems)
    decoded = [
        {"user_id": row["user_id"], "stem": stems[stem].as_py(), "count": count}
        for row in encoded.to_pylist()
        for stem, count in zip(row["stems"], row["counts"], strict=True)
    ]
    expected = Counter()
    for row in counts.to_pylist():
        if row["stem"] in known:
            expected[row["user_id"], row["stem"]] += row["count"]
    assert decoded == [
        {"user_id": u, "stem": s, "count": n}
        for (u, s), n in sorted(expected.items(), key=lambda e: [p.encode() for p in e[0]])
    ]
    assert encoded["user_id"].to_pylist() == counts["user_id"].unique().to_pylist()
    assert encoded.schema.field("stems").type == pa.list_(pa.int32())


@given(posts, st.integers(1, 3))
def test_a_stem_is_shown_as_the_word_of_most_users(pairs, min_users):
    counts = document_counts(stemmed(pairs))
    users: dict[str, dict[str, set[str]]] = {}
    for row in counts.to_pylist():
        users.setdefault(row["stem"], {}).setdefault(row["word"], set()).add(row["user_id"])
    expected = []
    for stem in sorted(users):
        ranked = sorted(users[stem].items(), key=lambda item: (-len(item[1]), item[0]))
        word, writers = ranked[0]
        expected.append(word if len(writers) >= min_users else stem)
    halves = [counts.filter(pa.compute.equal(counts["user_id"], u)) for u in ("a", "b", "ü")]
    parts = pa.concat_tables([surface_frequencies(half) for half in halves])
    stems = pa.array(sorted(users), pa.string())
    for frequencies in (surface_frequencies(counts), parts):
        assert surfaces(frequencies, stems, min_users=min_users).to_pylist() == expected


def test_a_word_of_nine_users_is_not_shown():
    frequencies = pa.table({"stem": ["earn"] * 2, "word": ["earned", "earning"], "users": [9, 3]})
    assert surfaces(frequencies, pa.array(["earn"])).to_pylist() == ["earn"]


def test_ten_users_are_asked_for_by_default():
    frequencies = pa.table({"stem": ["b", "a", "a", "c"], "users": [10, 4, 6, 9]})
    assert vocabulary(frequencies).to_pylist() == ["a", "b"]


def test_a_table_without_stems_is_refused():
    with pytest.raises(InputError, match="with_stems=True"):
        document_counts(posts_table({}))
