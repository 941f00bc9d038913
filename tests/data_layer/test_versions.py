"""Folders in a store appear whole or not at all, whatever the store does, and are read as published."""

from __future__ import annotations

import json
import threading

import pytest

from stored import OUT, n_versions, publish, read, stands, write
from whybox.data import remote as remote_module
from whybox.data import storage as storage_module
from whybox.data.publish import keep_degraded, publishing
from whybox.data.versions import fetched
from whybox.errors import InputError, RunError

FAULTS = ("InternalError", "SlowDown", "cut", "short", "stall")


def hurry(monkeypatch, fault):
    """Give a stalled answer up soon."""
    if fault == "stall":
        monkeypatch.setattr(storage_module, "READ_TIMEOUT", 1)


def test_what_the_manifest_lists_is_published_under_its_hash(store):
    assert stands() is None
    publish("one")
    assert stands() == "one"
    assert sorted(read()) == ["manifest.json", "rows/a.txt", "rows/b.txt"]
    assert sorted(read(wanted=lambda manifest: [manifest["text"]])) == ["manifest.json"]
    assert sorted(read(f"{OUT}/", lambda _: ["rows"])) == sorted(read())
    named = json.loads(store.cat_file("posts/some/out/manifest.json"))
    keys = {f"posts/some/out/{named['folder']}/{entry['path']}" for entry in named["objects"]}
    beside = {f"posts/some/out/{name}.json" for name in ("manifest", "lease")}
    assert set(store.find("posts")) == keys | beside


def test_a_large_part_is_sent_in_pieces_and_comes_back(store):
    text = "0123456789abcdef" * 6_600  # b.txt has 100.7 MiB, more than one request takes
    publish(text)
    assert stands() == text


def test_a_second_publication_replaces_the_first_at_once_for_readers(store):
    publish("one")
    during = []
    with publishing(OUT) as staging:
        write(staging, "two")
        during.append(stands())
    assert during == ["one"] and stands() == "two"


def test_a_reader_of_the_older_version_still_gets_it_whole(store):
    publish("one")
    texts = []

    def wanted(manifest):  # between the manifest and the parts
        publish("two")
        texts.append(manifest["text"])
        return ["rows"]

    assert read(wanted=wanted)["rows/a.txt"] == "one" and texts == ["one"]
    assert stands() == "two"


def test_the_same_folder_again_is_the_same_version(store):
    publish("one")
    before = store.find("posts")
    publish("one")
    assert store.find("posts") == before and stands() == "one"


@pytest.mark.parametrize("fault", FAULTS)
def test_a_passing_fault_of_a_part_is_tried_again(store, proxy, fault, monkeypatch):
    hurry(monkeypatch, fault)
    proxy.spoil(fault, 2, "PUT", "versions/")
    publish("one")
    assert proxy.left == 0 and stands() == "one"


@pytest.mark.parametrize(
    ("fault", "older"), [("InternalError", "one"), ("cut", None), ("cut", "one"), ("stall", "one")]
)
def test_a_passing_fault_of_the_last_step_is_tried_again(store, proxy, fault, older, monkeypatch):
    hurry(monkeypatch, fault)
    if older:
        publish(older)
    proxy.spoil(fault, 1, "PUT", "out/manifest.json")
    publish("two")
    assert proxy.left == 0 and stands() == "two"


@pytest.mark.parametrize(
    ("fault", "older"), [*((fault, "one") for fault in FAULTS), ("SlowDown", None), ("cut", None)]
)
def test_a_lasting_fault_names_the_object_and_publishes_nothing(
    store, proxy, fault, older, monkeypatch
):
    if older:
        publish(older)
    hurry(monkeypatch, fault)
    monkeypatch.setattr(remote_module, "ATTEMPTS", 3)
    proxy.spoil(fault, 1_000, "PUT", "rows/b.txt")
    with pytest.raises(RunError, match=r"s3://posts/some/out/versions/\w+/rows/b\.txt") as caught:
        publish("two")
    assert "failed 3 times" in str(caught.value)
    proxy.spoil("none", 0)
    assert stands() == older
    publish("two")  # and what the failed run left is in nobody's way
    assert stands() == "two"


@pytest.mark.parametrize("fault", ["InternalError", "SlowDown"])
def test_a_lasting_fault_of_the_last_step_publishes_nothing(store, proxy, fault, monkeypatch):
    monkeypatch.setattr(remote_module, "ATTEMPTS", 3)
    proxy.spoil(fault, 1_000, "PUT", "out/manifest.json")
    with pytest.raises(RunError, match=r"s3://posts/some/out/manifest\.json"):
        publish("one")
    proxy.spoil("none", 0)
    assert stands() is None


@pytest.mark.parametrize("fault", FAULTS)
def test_reading_tries_again_then_fails_with_the_objects_name(store, proxy, fault, monkeypatch):
    publish("one")
    hurry(monkeypatch, fault)
    proxy.spoil(fault, 2, "GET", "rows/b.txt")
    assert stands() == "one" and proxy.left == 0
    monkeypatch.setattr(remote_module, "ATTEMPTS", 2)
    proxy.spoil(fault, 1_000, "GET", "rows/b.txt")
    with pytest.raises(RunError, match=r"s3://posts/some/out/versions/\w+/rows/b\.txt"):
        read()


@pytest.mark.parametrize("text", ["onf", "longer"])
def test_other_bytes_than_were_published_are_an_error(store, text):
    publish("one")
    path = next(path for path in store.find("posts") if path.endswith("a.txt"))
    store.pipe_file(path, text.encode())
    with pytest.raises(RunError, match=r"rows/a\.txt"):
        read()
    store.rm_file(path)
    with pytest.raises(InputError, match=r"rows/a\.txt"):
        read()


@pytest.mark.parametrize("older", [None, "zero"])
def test_of_two_runs_at_once_the_second_is_told_at_once(store, older):
    if older:
        publish(older)
    with publishing(OUT) as staging:
        write(staging, "first")
        with pytest.raises(RunError, match=r"locked: another run .* process \d+ on .*lease\.json"):
            publish("second")
    assert stands() == "first"
    publish("third")
    assert stands() == "third"


def test_of_many_publishers_one_wins(store):
    start = threading.Barrier(4)
    failures = []

    def run(text):
        start.wait()
        try:
            with publishing(OUT) as staging:
                write(staging, text)
                ended.wait(20)
        except RunError as error:
            failures.append((text, str(error)))
            if len(failures) == 3:
                ended.set()

    ended = threading.Event()
    threads = [threading.Thread(target=run, args=(f"text {n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(failures) == 3 and all("locked" in told for _, told in failures)
    assert {stands()} == {f"text {n}" for n in range(4)} - {text for text, _ in failures}


def test_what_was_removed_meanwhile_is_not_replaced(store):
    publish("one")
    with pytest.raises(RunError, match="another run published"), publishing(OUT) as staging:
        write(staging, "two")
        store.rm_file("posts/some/out/manifest.json")
    assert stands() is None


def test_a_store_without_conditions_is_written_to_all_the_same(store, proxy):
    proxy.spoil("NotImplemented", 1_000, "PUT")
    publish("one")
    publish("two")
    assert stands() == "two"
    with publishing(OUT) as staging:
        write(staging, "slow")
        with pytest.raises(RunError, match="locked"):
            publish("fast")
    assert stands() == "slow"
    for text in ("three", "four"):
        publish(text)
    assert n_versions(store) == 5  # without conditions nobody may remove what may be another's


def test_a_body_that_raises_publishes_nothing(store):
    with pytest.raises(KeyError), publishing(OUT) as staging:
        write(staging, "one")
        raise KeyError
    assert store.find("posts") == ["posts/some/out/lease.json"]


def test_a_degraded_run_is_kept_beside_what_stands(store):
    publish("one")
    for text in ("bad", "worse"):
        with publishing(OUT) as staging:
            write(staging, text)
            keep_degraded(staging, OUT)
        assert stands() == "one" and stands(f"{OUT}/degraded") == text
    store.rm_file("posts/some/out/manifest.json")
    publish("two")
    assert stands() == "two"


def test_what_is_not_ours_is_neither_replaced_nor_read(store):
    for key in ("foreign.txt", "manifest.json"):
        store.pipe_file(f"posts/some/out/{key}", b'{"parts": []}')
        with pytest.raises(InputError, match=r"published by|whybox published"):
            publish("one")
        store.rm_file(f"posts/some/out/{key}")
    with pytest.raises(InputError, match="no such bucket"):
        publish("one", "s3://no-bucket/out")
    with pytest.raises(InputError, match="no folder is published there"):
        read("s3://no-bucket/out")
    assert store.find("posts") == []


@pytest.mark.parametrize("path", ["../escaped", "/escaped", "rows/../../escaped"])
def test_a_path_that_leads_out_of_the_folder_is_refused(store, path):
    publish("one")
    named = json.loads(store.cat_file("posts/some/out/manifest.json"))
    for entry in named["objects"]:
        if entry["path"] != "manifest.json":
            entry["path"] = path
    store.pipe_file("posts/some/out/manifest.json", json.dumps(named).encode())
    with pytest.raises(InputError, match="leads elsewhere"):
        read()


def test_errors_about_a_copy_name_the_address(store):
    publish("one")
    with pytest.raises(InputError) as caught, fetched(OUT) as folder:
        raise InputError("nothing", where=f"{folder}/rows", remedy="look")
    assert str(caught.value) == f"nothing ({OUT}/rows): look"
