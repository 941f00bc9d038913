"""Lines out of bytes: any cut into chunks and ranges gives the same lines."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from whybox.data import jsonlines
from whybox.data.accounting import Tally
from whybox.data.blocks import Span
from whybox.data.jsonlines import is_document, read_units, split_lines
from whybox.data.source import Input, Source

CONTENT = st.lists(st.sampled_from([b"\n", b"\r", b"ab", b"{", b"\xe2\x80\xa8", b"\xc2\x85"])).map(
    b"".join
)


def naive_lines(content: bytes) -> list[bytes]:
    """Cut at LF; a last line without LF counts unless it is empty."""
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    return lines if lines[-1] else lines[:-1]


def in_chunks(content: bytes, sizes: list[int]):
    """Cut content into chunks of these sizes, the last one taking the rest."""
    at = 0
    for size in sizes:
        if content[at : at + size]:
            yield content[at : at + size]
        at += size
    if content[at:]:
        yield content[at:]


@given(CONTENT, st.lists(st.integers(1, 5)))
def test_chunks_do_not_matter(content, sizes):
    found = [line for lines in split_lines(in_chunks(content, sizes)) for line in lines]
    assert found == naive_lines(content)


@given(CONTENT, st.lists(st.integers(1, 5)), st.lists(st.integers(0, 60)))
@example(b"a\nb\n", [], [2])
@example(b"abc\n\nd", [1, 1, 1], [1, 2, 3, 4, 5])
def test_byte_ranges_give_each_line_once(tmp_path_factory, content, sizes, cuts):
    path = tmp_path_factory.mktemp("ranges") / "a.jsonl"
    path.write_bytes(content)
    edges = sorted({0, len(content), *(cut for cut in cuts if cut < len(content))})
    entry = Input(0, str(path), len(content), "a.jsonl")
    found = []
    for start, stop in itertools.pairwise(edges):
        for lines in read_units(entry, Source("jsonl"), Span(start, stop), Tally()):
            found += lines
    assert found == naive_lines(content)


def test_a_range_may_be_far_smaller_than_a_line(tmp_path, monkeypatch):
    monkeypatch.setattr("whybox.data.storage.CHUNK", 3)
    content = b"x" * 50 + b"\n" + b"y" * 7 + b"\nz"
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    entry = Input(0, str(path), len(content), "a.jsonl")
    spans = [Span(i, min(i + 4, len(content))) for i in range(0, len(content), 4)]
    found = [
        line
        for span in spans
        for lines in read_units(entry, Source("jsonl"), span, Tally())
        for line in lines
    ]
    assert found == naive_lines(content)


def test_a_byte_order_mark_is_left_out():
    found = split_lines([b"\xef", b"\xbb\xbf{}\n", b"{}"])
    assert [list(lines) for lines in found] == [[b"{}"], [b"{}"]]
    assert not list(split_lines([b"\xef\xbb\xbf"]))


def test_a_line_without_end_takes_bounded_memory(monkeypatch):
    monkeypatch.setattr(jsonlines, "MAX_LINE", 10)
    found = [line for lines in split_lines([b"x" * 4] * 9 + [b"\ny"]) for line in lines]
    assert found == [b"x" * 11, b"y"]


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"", False),
        (b'{"id": 1}', False),
        (b'[{"id": 1}]\n', False),
        (b'{\n  "id": 1\n}\n', True),
        (b'[\n{"id": 1}\n]', True),
        (b"\xef\xbb\xbf \n[\n1]", True),
        (b'"text"\n{', False),
        (b"[" + b" " * (1 << 20), True),
    ],
)
def test_documents_are_told_from_lines(head, expected):
    assert is_document(head) is expected
