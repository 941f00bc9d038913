"""CLPsych: persons in a table, timelines in archives."""

from __future__ import annotations

import io
import json
import tarfile

import pytest

from whybox.data import Records, Source, find_inputs, read_records
from whybox.data.clpsych import read_profiles
from whybox.errors import InputError, RunError

TABLE = (
    "anonymized_screen_name,age,num_tweets,gender,condition\n"
    "AAA,24.5,2,F,depression\nBBB,31,1,M,control\nCCC,,1,,ptsd\nDDD,old,0,X,control\n"
    "EEE,20,0,F,control\nEEE,20,0,F,ptsd\nFFF,20,0,M,healthy\n"
)


def tweet(number, text="a post"):
    """A tweet whose author is not told."""
    return {
        **{"id": number, "id_str": str(number), "text": text, "user": {"screen_name": "x"}},
        "created_at": "Mon Apr 06 22:19:45 +0000 2009",
    }


def archive(path, files):
    """Write an archive of JSON lines."""
    with tarfile.open(path, "w:gz") as tar:
        for name, values in files.items():
            data = "".join(json.dumps(value) + "\n" for value in values).encode()
            entry = tarfile.TarInfo(f"chunk/{name}")
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))


@pytest.fixture
def root(tmp_path):
    (tmp_path / "anonymized_user_info_by_chunk.csv").write_text(TABLE)
    (tmp_path / "chunks").mkdir()
    archive(
        tmp_path / "chunks" / "0.tgz",
        {"AAA.tweets": [tweet(1), tweet(2)], "BBB.tweets": [tweet(3)], "readme.txt": ["hello"]},
    )
    archive(tmp_path / "chunks" / "1.tgz", {"CCC.tweets": [tweet(4)], "ZZZ.tweets": [tweet(5)]})
    return tmp_path


@pytest.mark.parametrize("format", ["auto", "clpsych"])
def test_authors_are_the_files_names_and_labels_the_tables(root, format):
    records = read_records(root, format)
    rows = {row["post_id"]: row for table in records for row in table.to_pylist()}
    assert {key: (row["user_id"], row["label"]) for key, row in rows.items()} == {
        "1": ("AAA", "depression"),
        "2": ("AAA", "depression"),
        "3": ("BBB", "control"),
        "4": ("CCC", "ptsd"),
        "5": ("ZZZ", None),
    }
    counts = records.counts
    assert counts.non_records == {"header": 1, "profile": 5, "other_file": 1}
    assert counts.quarantined == {"conflicting_profile": 1, "bad_label": 1}
    assert counts.total.flagged == {"unlisted_user": 1}
    assert counts.total.coerced == {"age": 1, "gender": 1}
    assert counts.lines == 8 + 4 + 2


def test_age_and_gender_are_numbers_or_null(root):
    inputs = find_inputs(str(root), "clpsych")
    assert read_profiles(inputs, Source("clpsych")).to_pylist() == [
        {"user_id": "AAA", "age": 24.5, "gender": 1.0},
        {"user_id": "BBB", "age": 31.0, "gender": 0.0},
        {"user_id": "CCC", "age": None, "gender": None},
        {"user_id": "DDD", "age": None, "gender": None},
    ]


def test_a_cut_archive_fails_and_can_be_salvaged(root):
    path = root / "chunks" / "0.tgz"
    archive(path, {"AAA.tweets": [tweet(100 + n, f"t{7919 * n}") for n in range(20_000)]})
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(RunError, match=r"cut short|whole archive"):
        list(read_records(root, "clpsych"))
    records = Records(find_inputs(str(root), "clpsych"), Source("clpsych", salvage=True))
    texts = [
        row["text"] for table in records for row in table.to_pylist() if row["user_id"] == "AAA"
    ]
    assert 5_000 < len(texts) < 20_000
    assert texts == [f"t{7919 * n}" for n in range(len(texts))]
    assert records.counts.total.partial


def test_what_is_missing_is_named(root, tmp_path):
    (root / "anonymized_user_info_by_chunk.csv").write_text("name,age\nAAA,3\n")
    with pytest.raises(InputError, match="gender"):
        list(read_records(root, "clpsych"))
    (root / "anonymized_user_info_by_chunk.csv").unlink()
    with pytest.raises(InputError, match="no folder of this data set"):
        read_records(root, "clpsych")
