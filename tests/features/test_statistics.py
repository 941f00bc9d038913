"""Figures and words of each class, against plain loops."""

from __future__ import annotations

import statistics
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybox.features.statistics import characteristic_words, class_statistics, commonest_words

LABELS = st.sampled_from(["x", "y", None])


@given(st.lists(st.tuples(LABELS, st.none() | st.integers(0, 99).map(float)), max_size=12))
def test_figures_are_those_of_plain_loops(rows):
    labels = pa.array([label for label, _ in rows], pa.string())
    users = pa.table({"label": labels, "f": pa.array([value for _, value in rows], pa.float64())})
    found = class_statistics(users, ["f"]).to_pylist()
    assert [row["label"] for row in found] == sorted({label or "" for label, _ in rows})
    for row in found:
        values = [v for label, v in rows if (label or "") == row["label"] and v is not None]
        assert row["n"] == len(values)
        assert row["n"] + row["missing"] == sum((la or "") == row["label"] for la, _ in rows)
        if values:
            assert (row["min"], row["max"]) == (min(values), max(values))
            assert row["median"] == statistics.median(values)
            assert abs(row["mean"] - statistics.fmean(values)) < 1e-9
        else:
            assert row["mean"] is row["median"] is row["min"] is None


@given(
    st.lists(st.tuples(LABELS, st.dictionaries(st.integers(0, 4), st.integers(1, 5)))),
    st.integers(1, 3),
    st.integers(1, 3),
)
def test_words_are_those_of_plain_loops(users, n_words, min_users):
    vocabulary = ["sea", "sun", "ann", "bob", "car"]
    documents = pa.table(
        {
            "user_id": pa.array([str(i) for i in range(len(users))], pa.string()),
            "stems": pa.array([list(d) for _, d in users], pa.list_(pa.int32())),
            "counts": pa.array([list(d.values()) for _, d in users], pa.list_(pa.int32())),
        }
    )
    labels = pa.array([label for label, _ in users], pa.string())
    people = pa.table({"user_id": documents["user_id"], "label": labels})
    found = commonest_words(
        documents, pa.array(vocabulary), people, n_words=n_words, min_users=min_users
    )
    expected = []
    for label in sorted({label or "" for label, _ in users}):
        counts, owners = Counter(), Counter()
        for other, document in users:
            if (other or "") == label:
                counts.update({vocabulary[s]: c for s, c in document.items()})
                owners.update(vocabulary[s] for s in document)
        known = [word for word in counts if owners[word] >= min_users]
        known.sort(key=lambda word: (-counts[word], word))
        expected += [(label, w, counts[w], owners[w]) for w in known[:n_words]]
    assert [tuple(row.values()) for row in found.to_pylist()] == expected


def test_words_that_everyone_uses_tell_nothing_apart():
    users = pa.table({"user_id": [f"u{n}" for n in range(8)], "label": ["x", "y"] * 4})
    documents = pa.table(
        {
            "user_id": [f"u{n}" for n in range(8)],
            "stems": [[0, 1] if n % 2 else [0] for n in range(8)],
            "counts": [[3, 2] if n % 2 else [3] for n in range(8)],
        }
    )
    found = characteristic_words(
        documents, pa.array(["all", "some"]), users, min_users=3
    ).to_pylist()
    rows = {(row["label"], row["word"]): row["cf_icf"] for row in found}
    assert rows["x", "all"] == rows["y", "all"] == pytest.approx(np.log(8 / 5))
    assert rows["y", "some"] == pytest.approx(8 / 12 * np.log(8))
    assert ("x", "some") not in rows
