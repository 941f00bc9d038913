"""Folders that tests publish in a store, and leases that others hold there."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import timedelta

from whybox.data import pinned
from whybox.data.processes import Owner
from whybox.data.publish import publishing
from whybox.data.versions import fetched
from whybox.errors import InputError

OUT = "s3://posts/some/out"


def write(folder, text):
    """A folder of two parts and something private."""
    for name in ("rows", "private"):
        (folder / name).mkdir()
    (folder / "rows" / "a.txt").write_text(text)
    (folder / "rows" / "b.txt").write_text(text * 1000)
    (folder / "private" / "c.txt").write_text("hidden")
    manifest = {
        "kind": "features",
        "text": text,
        "parts": [{"path": "rows/b.txt"}, {"path": "rows/a.txt"}],
        "software": {"whybox": "0"},
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))


def publish(text, target=OUT):
    with publishing(target) as staging:
        write(staging, text)


def read(target=OUT, wanted=None):
    """Every file of what stands."""
    with fetched(target, wanted) as folder:
        return {
            path.relative_to(folder).as_posix(): path.read_text()
            for path in folder.rglob("*")
            if path.is_file()
        }


def stands(target=OUT):
    """The text of what stands, None if nothing does."""
    try:
        files = read(target)
    except InputError as error:
        assert "no folder is published there" in str(error)
        return None
    text = json.loads(files["manifest.json"])["text"]
    assert files["rows/a.txt"] == text and files["rows/b.txt"] == text * 1000
    return text


def n_versions(store, address="posts/some/out"):
    return len(store.ls(f"{address}/versions"))


def held(store, address=OUT):
    """What the lease of an address says."""
    return json.loads(store.cat_file(f"{address}/lease.json"))


def put_foreign(store, owner=None, address=OUT, **changed):
    """A lease that a process on another machine holds."""
    far = Owner("far.example", 1, "17 boot", "pid:[1]")
    values = {"state": "held", "serial": 4, "token": "t", "lasts": 90.0} | changed
    text = json.dumps(values | {"owner": asdict(owner or far)})
    store.pipe_file(f"{address}/lease.json", text.encode())


def let_pass(monkeypatch, seconds):
    """Put the store's clock forward, for what is looked at from now on."""
    parse, later = pinned.parsedate_to_datetime, timedelta(seconds=seconds)
    monkeypatch.setattr(pinned, "parsedate_to_datetime", lambda text: parse(text) + later)
