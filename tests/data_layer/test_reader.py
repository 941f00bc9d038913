"""Blocks of any size give the same records, lines and accounts as one."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybox.data import (
    POSTS,
    Source,
    find_inputs,
    line_offsets,
    merge_results,
    plan_blocks,
    read_block,
    read_records,
    shift_lines,
)
from whybox.errors import RunError

UNITS = st.sampled_from(
    [
        b"",
        b"null",
        b"{broken",
        b'{"id":1,"text":"a","user":null}',
        b'{"id":2,"text":"b\xff","user":null}\r{"id":3,"text":"c","user":null}',
        b'[{"id":4,"text":"d","user":null},5]',
        b'{"delete":{"status":{"id":1}}}',
        json.dumps({"id": 6, "text": "e" * 70, "user": {"id": 1}}).encode(),
    ]
)


def read_all(folder, block_bytes):
    """Read a folder in blocks: the posts, and the merged accounts."""
    source = Source("twitter-v1")
    blocks = plan_blocks(find_inputs(str(folder), "twitter-v1"), source, block_bytes)
    tables, results = [], []
    for block in blocks:
        reader = read_block(block, source)
        tables.append(list(reader))
        results.append(reader.result)
    offsets = line_offsets(blocks, results)
    shifted = [shift_lines(t, n) for ts, n in zip(tables, offsets, strict=True) for t in ts]
    posts = pa.concat_tables([POSTS.empty_table(), *shifted])
    return posts.to_pylist(), merge_results(blocks, results), len(blocks)


@given(st.lists(UNITS, min_size=1), st.integers(1, 200))
def test_the_size_of_blocks_does_not_matter(tmp_path_factory, units, block_bytes):
    folder = tmp_path_factory.mktemp("blocks")
    (folder / "a.jsonl").write_bytes(b"null\n" + b"\n".join(units))
    (folder / "b.jsonl").write_bytes(b"null\n" + b"\n".join(units[::-1]) + b"\n")
    whole_posts, whole, one = read_all(folder, 1 << 20)
    posts, merged, _ = read_all(folder, block_bytes)
    assert one == 1 and posts == whole_posts
    assert merged.counts == whole.counts and merged.deleted == whole.deleted
    assert merged.quarantine.to_pylist() == whole.quarantine.to_pylist()


def test_results_are_known_only_at_the_end(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"id": 1, "text": "a"}\n')
    source = Source("jsonl")
    [block] = plan_blocks(find_inputs(str(tmp_path), "jsonl"), source)
    with pytest.raises(RunError, match="all tables"):
        _ = read_block(block, source).result
    records = read_records(tmp_path, "jsonl")
    for what in ("counts", "quarantine"):
        with pytest.raises(RunError, match="all tables"):
            getattr(records, what)


def test_records_can_be_read_twice(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"id": 1, "text": "a"}\n' * 3)
    records = read_records(tmp_path, "jsonl")
    first = [table.to_pylist() for table in records]
    counts = records.counts
    assert [table.to_pylist() for table in records] == first
    assert records.counts == counts and counts.non_records == {"duplicate": 2}
