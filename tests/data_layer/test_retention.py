"""Of the versions in a store the newest stay, and nothing is removed that may still stand."""

from __future__ import annotations

import json

import pytest

from stored import OUT, n_versions, publish, put_foreign, read, stands, write
from whybox.data.lease import leased
from whybox.data.publish import publishing
from whybox.data.retention import retain, surplus
from whybox.data.versions import leasing, uploading
from whybox.errors import RunError

AT = "posts/some/out"


def tidy(keep):
    with leasing(OUT) as lease:
        retain(OUT, keep, lease)


def pointer(store):
    return json.loads(store.cat_file(f"{AT}/manifest.json"))


def test_the_newest_stay_and_the_others_go_with_what_dead_runs_left(store, monkeypatch):
    monkeypatch.setattr("whybox.data.publish._KEPT", 2)
    folders = []
    for text in ("one", "two", "one", "three"):
        publish(text)
        folders.append(pointer(store)["folder"])
    assert folders[0] == folders[2] and n_versions(store) == 2 and stands() == "three"
    assert pointer(store)["older"] == folders[:2]  # both were there when it was written
    dead, foreign = f"versions/{'0d' * 16}", f"{AT}/versions/notes.txt"
    for name in ("rows/a.txt", "manifest.json"):
        store.pipe_file(f"{AT}/{dead}/{name}", b"half")
    store.pipe_file(foreign, b"of somebody")
    assert surplus(OUT, 2) == [dead] and surplus(OUT, 1) == sorted([dead, folders[0]])
    tidy(keep=1)
    assert [p for p in store.find(f"{AT}/versions") if folders[3] not in p] == [foreign]
    assert surplus(OUT, 1) == [] and stands() == "three"


def test_a_reader_of_the_version_before_still_gets_it_whole(store):
    publish("one")

    def wanted(manifest):  # between the manifest and the parts
        publish("two")
        return ["rows"]

    assert read(wanted=wanted)["rows/a.txt"] == "one"


def test_whose_lease_was_taken_publishes_and_removes_nothing(store):
    publish("one")
    with pytest.raises(RunError, match="took the lease over"), publishing(OUT) as staging:
        write(staging, "two")
        put_foreign(store)
    assert stands() == "one" and n_versions(store) == 2
    with leased(f"{OUT}/elsewhere") as lease:
        put_foreign(store, address=f"{OUT}/elsewhere")
        with pytest.raises(RunError, match="took the lease over"):
            retain(OUT, 1, lease)
    assert n_versions(store) == 2 and stands() == "one"


def test_what_is_removed_cannot_stand_any_more(store, monkeypatch):
    """A run sleeps after its last look at the lease, is taken for dead, and wakes."""
    publish("one")
    with (
        pytest.raises(RunError, match="another run published"),
        leasing(OUT) as lease,
        uploading(OUT, lease) as staging,
    ):
        write(staging, "two")

        def sleep():
            put_foreign(store, state="released")
            tidy(keep=1)

        monkeypatch.setattr(lease, "check", sleep)
    assert stands() == "one" and n_versions(store) == 1
    publish("three")
    assert stands() == "three"


def test_a_fault_of_the_store_is_tried_again_and_a_lasting_one_names_the_object(
    store, proxy, monkeypatch
):
    for text in ("one", "two"):
        publish(text)
    monkeypatch.setattr("whybox.data.remote.ATTEMPTS", 2)
    proxy.spoil("InternalError", 1_000, "DELETE", "versions/")
    with pytest.raises(RunError, match=r"s3://posts/some/out/versions/\w+/"):
        tidy(keep=1)
    proxy.spoil("InternalError", 1, "DELETE", "versions/")
    tidy(keep=1)
    assert proxy.left == 0 and n_versions(store) == 1 and stands() == "two"
