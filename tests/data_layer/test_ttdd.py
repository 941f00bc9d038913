"""The depression data set's folders: labels, anchors, profiles, and names that are not shown."""

from __future__ import annotations

import json

import pytest

from whybox.data import Key, Source, find_inputs, plan_blocks, read_block, read_records
from whybox.errors import InputError, RunError

NAME = "lady_adacreated_at-77.json"


def tweet(number, user="9", text="a post"):
    """A small v1.1 tweet."""
    return {
        **{"id": number, "id_str": str(number), "text": text},
        **{
            "created_at": "Mon Apr 06 22:19:45 +0000 2009",
            "user": {"id": int(user), "id_str": user},
        },
    }


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("WHYBOX_KEY", "a key for the tests only")
    files = {
        f"labeled/positive/data/timeline/{NAME}": [tweet(1), tweet(2)],
        "labeled/positive/data/timeline/lady_ada2created_at5.json": [tweet(3), tweet(2)],
        f"labeled/positive/data/tweet/{NAME}": [tweet(2), tweet(99)],
        f"labeled/positive/data/users/{NAME}": [{"id": 9, "screen_name": "lady_ada"}],
        "labeled/negative/data/timeline/bob.json": [tweet(4, "10")],
        "unlabeled/data/timeline/eve.json": [tweet(5, "11")],
        "unlabeled/readme.json": [{"not": "read"}],
    }
    for name, values in files.items():
        path = tmp_path / "ttdd" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(map(json.dumps, values)) + "\n")
    return tmp_path / "ttdd"


@pytest.mark.parametrize("format", ["ttdd", "auto"])
def test_labels_come_from_folders_and_anchors_mark_posts(root, format):
    records = read_records(root, format)
    rows = {row["post_id"]: row for table in records for row in table.to_pylist()}
    assert {key: (row["label"], row["user_id"], row["anchor"]) for key, row in rows.items()} == {
        "1": ("positive", "9", False),
        "2": ("positive", "9", True),
        "3": ("positive", "9", False),
        "4": ("negative", "10", False),
        "5": (None, "11", False),
    }
    assert records.counts.non_records == {"anchor": 2, "duplicate": 1, "profile": 1}
    assert records.counts.lines == 9 and len(records.counts) == 6


def test_a_part_of_the_tree_may_be_named(root):
    found = find_inputs(str(root / "labeled" / "negative" / "data" / "timeline" / "bob.json"))
    assert [(entry.label, entry.role) for entry in found] == [("negative", "posts")]


def test_no_screen_name_is_shown(root):
    records = read_records(root, "ttdd")
    list(records)
    shown = str([entry.as_dict() for entry in records.counts]) + repr(records.inputs)
    assert "labeled/positive/data/timeline/" in shown
    for name in ("ada", "bob", "eve"):
        assert name not in shown
    one = find_inputs(str(root), "ttdd", key=Key(b"another key, also 16+"))
    assert one[0].display != records.inputs[0].display


def test_an_error_in_a_file_shows_no_screen_name(root):
    import gzip

    path = root / "unlabeled" / "data" / "timeline" / "eve.json"
    path.write_bytes(gzip.compress(path.read_bytes() * 50)[:-9])
    inputs = find_inputs(str(root), "ttdd")
    with pytest.raises(RunError) as caught:
        for block in plan_blocks(inputs, Source("ttdd")):
            list(read_block(block, Source("ttdd")))
    assert "eve" not in str(caught.value)


def test_another_folder_is_refused(tmp_path):
    (tmp_path / "posts.jsonl").write_text("{}\n")
    with pytest.raises(InputError, match="no folder of this data set"):
        find_inputs(str(tmp_path), "ttdd")
