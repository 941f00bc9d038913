"""Bytes: compression by content, members and frames, and what a damaged file still gives."""

from __future__ import annotations

import gzip
import json

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from whybox.data import Records, Source, find_inputs, read_records
from whybox.data.storage import CHUNK, Damage, file_sha256, read_chunks, read_head
from whybox.errors import InputError, RunError

LINES = [json.dumps({"id": i, "text": f"t{7919 * i}"}) for i in range(20_000)]
PACKERS = {"gzip": gzip.compress, "zstd": zstandard.ZstdCompressor(write_checksum=True).compress}


def drained(path):
    """All bytes that a file gives, and whether it was damaged."""
    found = b""
    try:
        for chunk in read_chunks(str(path)):
            found += chunk
    except Damage:
        return found, True
    return found, False


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
@given(parts=st.lists(st.binary(max_size=50), min_size=1))
def test_members_are_read_one_after_the_other(tmp_path_factory, pack, parts):
    path = tmp_path_factory.mktemp("packed") / "no-suffix"
    path.write_bytes(b"".join(map(pack, parts)))
    assert drained(path) == (b"".join(parts), False)


def test_a_dense_file_comes_in_bounded_chunks(tmp_path):
    path = tmp_path / "zeros"
    path.write_bytes(gzip.compress(bytes(20 * CHUNK)))
    sizes = [len(chunk) for chunk in read_chunks(str(path))]
    assert sum(sizes) == 20 * CHUNK and max(sizes) <= CHUNK


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
def test_a_cut_file_gives_what_it_has_and_says_so(tmp_path, pack):
    whole = "\n".join(LINES).encode()
    path = tmp_path / "cut"
    path.write_bytes(pack(whole)[:-200])
    found, damaged = drained(path)
    assert damaged and whole.startswith(found) and len(found) > 0


def test_a_wrong_checksum_is_damage_though_all_bytes_are_there(tmp_path):
    packed = bytearray(gzip.compress(b"abc\n"))
    packed[-6] ^= 1
    path = tmp_path / "crc"
    path.write_bytes(packed)
    assert drained(path)[1]


def test_a_cut_gzip_fails_by_default_and_is_salvaged_on_demand(tmp_path):
    whole = ("\n".join(LINES) + "\n").encode()
    packed = gzip.compress(whole)
    path = tmp_path / "trunc.jsonl.gz"
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(RunError) as caught:
        list(read_records(path, "jsonl"))
    source = Source("jsonl", salvage=True)
    records = Records(find_inputs(str(path), "jsonl"), source)
    texts = [text for table in records for text in table["text"].to_pylist()]
    assert 0 < len(texts) < 20_000
    assert texts == [f"t{7919 * i}" for i in range(len(texts))]
    assert records.counts.total.partial and records.counts.quarantined == {}
    assert "trunc.jsonl.gz" in str(caught.value) and f"{len(texts)} whole lines" in str(
        caught.value
    )


def test_heads_hashes_and_unknown_protocols(tmp_path):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"hello")[:-3])
    assert read_head(str(path), size=4) == b"hell"
    (tmp_path / "empty").write_bytes(b"")
    assert read_head(str(tmp_path / "empty")) == b""
    assert file_sha256(str(tmp_path / "empty")).startswith("e3b0c44298fc1c14")
    with pytest.raises(InputError, match="no way to read"):
        read_head("gopher-9://x/y")
