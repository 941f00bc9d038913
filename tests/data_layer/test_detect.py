"""The format is told by folders, keys, the first row and the name."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from whybox.data import ColumnMap, Source, detect_format, find_inputs
from whybox.errors import InputError


@pytest.mark.parametrize(
    ("name", "content", "columns", "expected"),
    [
        ("a.jsonl", b'{"id_str": "1", "text": "a"}\n', None, "twitter-v1"),
        ("a.jsonl", b'null\n\n{"delete": {}}\n', None, "twitter-v1"),
        ("a.json", b'[\n {"user": null}]', None, "twitter-v1"),
        ("a.jsonl", b'{"id": 1, "text": "a"}\n', None, "jsonl"),
        ("a.jsonl", b'{"user": "x", "text": "a"}\n', None, "jsonl"),
        ("a.jsonl", b'{"id_str": "x", "text": "a"}\n', ColumnMap(post_id="id_str"), "jsonl"),
        ("a.jsonl.gz", gzip.compress(b'{"full_text": "a"}', mtime=0), None, "twitter-v1"),
        ("a.dat", b' {"full_text": "a"}', None, "twitter-v1"),
        ("a.csv", b'"0","1","Mon Apr 06 22:19:45 PDT 2009","N","u","t"', None, "sentiment140"),
        ("a.csv", b"text,label\n", None, "csv"),
        ("a.tsv.gz", gzip.compress(b"text\tlabel\n", mtime=0), None, "csv"),
        ("a.jsonl", b"", None, "jsonl"),
    ],
)
def test_formats_are_told(tmp_path, name, content, columns, expected):
    (tmp_path / name).write_bytes(content)
    inputs = find_inputs(str(tmp_path / name))
    assert detect_format(Source(columns=columns), inputs) == expected


def test_what_is_not_recognised_is_an_error(tmp_path):
    (tmp_path / "a.dat").write_bytes(b"who knows")
    with pytest.raises(InputError, match=r"not recognised.*a.dat.*twitter-v1"):
        detect_format(Source(), find_inputs(str(tmp_path / "a.dat")))


def test_a_folder_of_several_formats_is_refused_and_told(tmp_path):
    (tmp_path / "labels").mkdir()
    (tmp_path / "labels" / "users.csv").write_text("user_id,label\n1,a\n")
    for name in ("a.jsonl", "b.jsonl.gz"):
        (tmp_path / name).write_bytes(b'{"id_str": "1", "text": "a"}\n')
    with pytest.raises(InputError, match=r"2 like .*a\.jsonl \(twitter-v1\), 1 like .*csv"):
        detect_format(Source(), find_inputs(str(tmp_path)))
    kept = find_inputs(str(tmp_path), "twitter-v1")
    assert [Path(entry.path).name for entry in kept] == ["a.jsonl", "b.jsonl.gz"]


def test_files_of_one_family_are_of_one_format(tmp_path):
    for name in ("a.csv", "b.tsv", "c.txt"):
        (tmp_path / name).write_text("text,label\n")
    assert detect_format(Source(), find_inputs(str(tmp_path))) == "csv"


def test_files_of_no_known_name_may_stand_beside_others(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"id": 1, "text": "a"}\n')
    (tmp_path / "b.dat").write_text('{"id": 2, "text": "b"}\n')
    inputs = find_inputs([str(tmp_path / "a.jsonl"), str(tmp_path / "b.dat")])
    assert detect_format(Source(), inputs) == "jsonl"
