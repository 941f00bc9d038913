"""Blocks: what is cut, what is grouped, what stays whole."""

from __future__ import annotations

import gzip
import itertools
import json
import pickle

import pytest

from whybox.data import Source, find_inputs, plan_blocks
from whybox.errors import InputError


@pytest.fixture
def folder(tmp_path):
    line = json.dumps({"id": 1, "text": "x" * 80}) + "\n"
    (tmp_path / "big.jsonl").write_text(line * 50)
    (tmp_path / "packed.jsonl.gz").write_bytes(gzip.compress(line.encode() * 500, 0))
    (tmp_path / "pretty.json").write_text(json.dumps([{"id": 1}] * 200, indent=2))
    for i in range(9):
        (tmp_path / f"small{i}.jsonl").write_text(line)
    return tmp_path


def test_blocks_cover_every_byte_once_in_order(folder):
    inputs = find_inputs(str(folder), "jsonl")
    blocks = plan_blocks(inputs, Source("jsonl"), 1_000)
    assert [block.index for block in blocks] == list(range(len(blocks)))
    order = [entry.index for block in blocks for entry in block.inputs]
    assert order == sorted(order) and set(order) == set(range(len(inputs)))
    spans = [block.span for block in blocks if block.span]
    assert spans[0].start == 0 and spans[-1].stop == inputs[0].bytes
    assert all(a.stop == b.start for a, b in itertools.pairwise(spans))
    whole = [block for block in blocks if block.span is None]
    assert [len(block.inputs) for block in whole] == [1, 1, 9]


def test_a_csv_file_stays_whole(folder):
    (folder / "big.csv").write_text("text\n" + "x\n" * 9_000)
    inputs = find_inputs(str(folder), "csv")
    [block] = plan_blocks(inputs, Source("csv"), 1_000)
    assert block.span is None


def test_blocks_pickle_and_compare_by_value(folder):
    blocks = plan_blocks(find_inputs(str(folder), "jsonl"), Source("jsonl"), 1_000)
    assert pickle.loads(pickle.dumps(blocks)) == blocks


def test_a_format_must_be_settled_first(folder):
    with pytest.raises(InputError, match="need a format"):
        plan_blocks([], Source("auto"))
