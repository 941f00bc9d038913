"""What is kept of a cell is given back as it was, or made again."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
import pytest

from scored import make_crawl
from whybox.data.detect import settle_format
from whybox.data.source import Source, find_inputs
from whybox.data.storage import file_sha256
from whybox.features.recipe import Recipe
from whybox.graph.cells import Reading, cut_cells, read_cell, sum_cell
from whybox.graph.kept import Kept


@pytest.fixture
def cell(tmp_path):
    """A cell that was read, how, and the files that are kept of it."""
    (tmp_path / "cells").mkdir()
    inputs = find_inputs([str(path) for path in make_crawl(tmp_path / "crawl", 1, 6)], "auto")
    source = settle_format(Source("auto"), inputs)
    reading = Reading(source, Recipe(), str(tmp_path / "cells"), with_documents=False)
    digests = {entry.path: file_sha256(entry.path) for entry in inputs}
    (cell,) = cut_cells(inputs, digests, reading)
    read_cell(cell, reading)
    return cell, reading, reading.kept(cell)


def _sum(cell, reading, kept):
    n_posts = len(kept.load_keys().owners)
    verdicts = np.zeros(n_posts, np.uint8)
    sum_cell(cell, "context", reading, verdicts, np.zeros(n_posts, bool), None)
    return kept.find_sums("context")


@pytest.mark.parametrize("spoil", [lambda data: data[:-1], lambda data: b"\0" * len(data)])
def test_parked_posts_that_were_spoilt_are_read_again(cell, spoil):
    wanted = _sum(*cell)
    kept = cell[2]
    assert wanted is not None and not kept.scratch.exists()
    read_cell(*cell[:2])
    (chunk,) = kept.scratch.glob("*.arrow")
    chunk.write_bytes(spoil(chunk.read_bytes()))
    assert kept.find_chunks(kept.load_keys()) is None
    assert _sum(*cell) == wanted


def test_keys_with_one_flipped_bit_count_as_not_there(cell):
    path = cell[2].keys_path
    data = path.read_bytes()
    assert cell[2].find_keys() is not None
    for place in range(0, len(data), 97):
        flipped = bytearray(data)
        flipped[place] ^= 1 << place % 8
        path.write_bytes(flipped)
        assert cell[2].find_keys() is None


def test_posts_and_words_that_nobody_asks_for_are_not_written(cell, tmp_path):
    assert _sum(*cell)["documents"] is None
    assert not list(tmp_path.rglob("*.parquet"))


def test_ends_that_were_spoilt_count_as_not_there(tmp_path):
    kept = Kept(tmp_path, "0a")
    moment = datetime(2019, 4, 1, tzinfo=UTC)
    ends = pa.table({"user_id": ["1"], "end": pa.array([moment], pa.timestamp("s", "UTC"))})
    assert kept.find_ends("c") is None
    kept.write_ends("c", ends)
    assert kept.find_ends("c").equals(ends)
    path = kept.summed("c", "ends.arrow")
    path.write_bytes(path.read_bytes()[:-1])
    assert kept.find_ends("c") is None
