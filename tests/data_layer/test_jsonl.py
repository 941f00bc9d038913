"""JSON lines with a column map, local and through a remote file system."""

from __future__ import annotations

import json

import fsspec
import pytest

from whybox.data import read_records


def write(path, *values):
    """Write values as JSON lines."""
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return path


def rows_of(records):
    """All rows as dicts."""
    return [row for table in records for row in table.to_pylist()]


def test_keys_are_mapped_and_values_of_any_type_are_read(tmp_path):
    path = write(
        tmp_path / "a.jsonl",
        {"tweet": "one", "class": 1, "who": 7, "when": "2020-01-01", "n": "3", "rt": "True"},
        {"tweet": "two", "class": False, "who": "8", "when": 5, "n": None},
        {"tweet": "three", "class": "", "n": 2.0, "id": 12},
    )
    columns = {
        **{"text": "tweet", "label": "class", "user_id": "who", "created_at": "when"},
        **{"favorite_count": "n", "is_retweet": "rt"},
    }
    records = read_records(path, "jsonl", columns=columns)
    found = [
        (row["text"], row["label"], row["user_id"], row["favorite_count"], row["is_retweet"])
        for row in rows_of(records)
    ]
    assert found == [
        ("one", "1", "7", 3, True),
        ("two", "false", "8", None, False),
        ("three", None, None, 2, False),
    ]
    assert records.counts.total.coerced == {"created_at": 1, "favorite_count": 1}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({"txt": "other key"}, "no_text"),
        ({"text": 5}, "wrong_type"),
        ({"text": "a", "id": 1.5}, "float_id"),
        ({"text": "a", "id": [1]}, "wrong_type"),
        ({"text": "a", "label": {"b": 1}}, "wrong_type"),
    ],
)
def test_what_does_not_fit_is_quarantined(tmp_path, value, reason):
    columns = {"text": "text", "label": "label"}
    records = read_records(write(tmp_path / "a.jsonl", value), "jsonl", columns=columns)
    assert rows_of(records) == [] and records.counts.quarantined == {reason: 1}


def test_other_values_and_arrays_are_classified(tmp_path):
    path = write(tmp_path / "a.jsonl", 5, [{"text": "a"}, {"text": "b"}], "c")
    records = read_records(path, "jsonl")
    assert [row["line"] for row in rows_of(records)] == [2, 3]
    assert records.counts.non_records == {"not_an_object": 2}


def test_a_remote_folder_is_read_like_a_local_one():
    fs = fsspec.filesystem("memory")
    fs.pipe("/whybox-test/b.jsonl", b'{"id": 2, "text": "b"}\n')
    fs.pipe("/whybox-test/a.jsonl", b'{"id": 1, "text": "a"}\n')
    for given in ("memory://whybox-test", "memory://whybox-test/*.jsonl"):
        records = read_records(given, "jsonl")
        assert [row["text"] for row in rows_of(records)] == ["a", "b"]
        assert all(entry.path.startswith("memory://") for entry in records.counts)
