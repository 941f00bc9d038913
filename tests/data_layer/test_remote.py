"""S3: every format through a real server, and through one that fails, stalls or cuts bodies off."""

from __future__ import annotations

import gzip
import json

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from whybox.data import Records, Source, find_inputs, read_records
from whybox.data import remote as remote_module
from whybox.data.remote import RemoteFile
from whybox.data.storage import file_sha256, read_chunks
from whybox.errors import InputError, RunError

LINES = "".join(json.dumps({"id": n, "text": f"t{7919 * n}"}) + "\n" for n in range(30_000))
TEXTS = [f"t{7919 * n}" for n in range(30_000)]


def texts_of(records):
    """All texts, in order."""
    return [text for table in records for text in table["text"].to_pylist()]


def test_folders_globs_and_packed_files_are_read(store):
    store.pipe_file("posts/a/1.jsonl", LINES.encode())
    store.pipe_file("posts/a/2.jsonl.gz", gzip.compress(b'{"id": 99999, "text": "last"}'))
    store.pipe_file("posts/a/_hidden.jsonl", b"{}")
    assert texts_of(read_records("s3://posts/a", "jsonl")) == [*TEXTS, "last"]
    records = read_records("s3://posts/a/*.gz")
    assert texts_of(records) == ["last"]
    assert records.counts.inputs[0].path == "s3://posts/a/2.jsonl.gz"
    assert records.counts.inputs[0].sha256 == file_sha256("s3://posts/a/2.jsonl.gz")


def test_parquet_and_csv_are_read(store, tmp_path):
    pq.write_table(pa.table({"text": TEXTS}), tmp_path / "a.parquet", row_group_size=5_000)
    store.pipe_file("posts/a.parquet", (tmp_path / "a.parquet").read_bytes())
    store.pipe_file("posts/b.csv", "text,label\ncafé,1\n".encode("latin-1"))
    assert texts_of(read_records("s3://posts/a.parquet")) == TEXTS
    assert texts_of(read_records("s3://posts/b.csv")) == ["café"]


def test_options_of_the_storage_win_over_the_environment(store, proxy, monkeypatch):
    store.pipe_file("posts/1.jsonl", b'{"text": "here"}')
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    options = {"endpoint_url": f"http://127.0.0.1:{proxy.server_port}"}
    inputs = find_inputs("s3://posts/1.jsonl", "jsonl", storage_options=options)
    assert texts_of(Records(inputs, Source("jsonl", storage_options=options))) == ["here"]


def test_a_listing_is_never_remembered(store):
    store.pipe_file("posts/1.jsonl", b'{"text": "one"}')
    assert texts_of(read_records("s3://posts", "jsonl")) == ["one"]
    other = fsspec.filesystem("s3", use_listings_cache=False, skip_instance_cache=True)
    other.pipe_file("posts/2.jsonl", b'{"text": "two"}')
    assert texts_of(read_records("s3://posts", "jsonl")) == ["one", "two"]


FAULTS = ("InternalError", "SlowDown", "cut", "short", "stall")


def impatient(fault):
    """Options by which a stalled answer is soon given up."""
    return {"config_kwargs": {"read_timeout": 1}} if fault == "stall" else {}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_passing_fault_is_tried_again(store, proxy, fault):
    store.pipe_file("posts/1.jsonl", LINES.encode())
    options = impatient(fault)
    inputs = find_inputs("s3://posts/1.jsonl", "jsonl", storage_options=options)
    proxy.spoil(fault, 2)
    assert texts_of(Records(inputs, Source("jsonl", storage_options=options))) == TEXTS
    assert proxy.left == 0


@pytest.mark.parametrize("fault", FAULTS)
def test_a_lasting_fault_fails_with_the_objects_name(store, proxy, fault, monkeypatch):
    monkeypatch.setattr(remote_module, "ATTEMPTS", 3)
    store.pipe_file("posts/1.jsonl", LINES.encode())
    options = impatient(fault)
    inputs = find_inputs("s3://posts/1.jsonl", "jsonl", storage_options=options)
    proxy.spoil(fault, 1_000)
    with pytest.raises(RunError, match=r"s3://posts/1\.jsonl") as caught:
        list(Records(inputs, Source("jsonl", storage_options=options)))
    proxy.spoil("none", 0)
    assert "failed 3 times" in str(caught.value)


def test_an_object_that_changes_while_it_is_read_is_an_error(store, monkeypatch):
    monkeypatch.setattr(remote_module, "ATTEMPTS", 2)
    store.pipe_file("posts/1.jsonl", LINES.encode() * 10)
    chunks = read_chunks("s3://posts/1.jsonl")
    next(chunks)
    store.pipe_file("posts/1.jsonl", LINES.encode() * 20)
    with pytest.raises(RunError, match=r"posts/1\.jsonl"):
        list(chunks)
    inputs = find_inputs("s3://posts/1.jsonl", "jsonl")
    store.pipe_file("posts/1.jsonl", LINES.encode())
    with pytest.raises(RunError, match="changed while it was read"):
        list(Records(inputs, Source("jsonl")))


def test_what_is_not_there_is_told_at_once(store, proxy):
    with pytest.raises(InputError, match="no such file"):
        find_inputs("s3://posts/none.jsonl", "jsonl")
    with pytest.raises(InputError, match="no file matches"):
        find_inputs("s3://posts/*.none", "jsonl")


def test_a_file_gives_any_place_and_no_more_than_it_has():
    fs = fsspec.filesystem("memory")
    data = bytes(range(256)) * 20_000
    fs.pipe_file("/places", data)
    file = RemoteFile(fs, "/places")
    for start, length in ((0, 10), (5, 3_000_000), (4_999_990, 100), (100, 0), (6_000_000, 5)):
        file.seek(start)
        assert file.read(length) == data[start : start + length]
        assert file.tell() == start + len(data[start : start + length])
    assert file.seek(-4, 2) == len(data) - 4 and file.read() == data[-4:]
    assert file.seek(2) == 2 and file.seek(3, 1) == 5


def test_extraction_reads_from_a_store(store, tmp_path):
    from whybox.config import ExtractConfig
    from whybox.pipelines import extract

    store.pipe_file("posts/1.jsonl", LINES.encode())
    config = ExtractConfig(inputs=("s3://posts/1.jsonl",), out=tmp_path / "f", scheduler="sync")
    assert extract.run(config).values["records"] == 30_000
