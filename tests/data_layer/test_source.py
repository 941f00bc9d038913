"""Finding inputs: files, folders and globs, in one order; errors that say what is wrong."""

from __future__ import annotations

import pytest

from whybox.data import ColumnMap, Source, column_map, find_inputs, read_records
from whybox.errors import InputError


@pytest.fixture
def folder(tmp_path):
    for name in ("b.jsonl", "sub/a.json.gz", "c.csv", ".hidden.jsonl", "_tmp/d.jsonl", "README.md"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("")
    return tmp_path


def names(folder, found):
    """Paths relative to the folder."""
    return [entry.path.removeprefix(f"{folder}/") for entry in found]


def test_a_folder_is_searched_for_files_of_the_format(folder):
    assert names(folder, find_inputs(str(folder), "jsonl")) == ["b.jsonl", "sub/a.json.gz"]
    assert names(folder, find_inputs(str(folder), "csv")) == ["c.csv"]
    assert names(folder, find_inputs(str(folder))) == ["b.jsonl", "c.csv", "sub/a.json.gz"]


def test_the_order_in_which_inputs_are_named_does_not_matter(folder):
    given = [str(folder / "c.csv"), str(folder / "b.jsonl"), str(folder / "*.jsonl")]
    found = find_inputs(given)
    assert names(folder, found) == ["b.jsonl", "c.csv"]
    assert found == find_inputs(given[::-1])
    assert [entry.index for entry in found] == [0, 1]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("missing.jsonl", "no such file"),
        ("*.parquet", "no file matches"),
        ("empty", "holds no posts"),
    ],
)
def test_what_is_missing_is_named(folder, given, message):
    (folder / "empty").mkdir()
    with pytest.raises(InputError, match=message) as caught:
        find_inputs(str(folder / given), "jsonl")
    assert given in str(caught.value) and caught.value.exit_code == 2


def test_a_file_with_a_sign_of_globs_in_its_name_is_found(tmp_path):
    (tmp_path / "a[1].jsonl").write_text("")
    assert len(find_inputs(str(tmp_path / "a[1].jsonl"), "jsonl")) == 1


def test_options_that_are_not_known_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"format 'xml' is not known.*twitter-v1"):
        read_records(tmp_path, "xml")
    with pytest.raises(InputError, match="delimiter"):
        Source("csv", delimiter="||")
    with pytest.raises(InputError, match="quoting"):
        Source("csv", quoting="some")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"no column 'txt'.*text, label"):
        column_map({"txt": "a"})
    with pytest.raises(InputError, match="no input"):
        find_inputs([])
    assert column_map(ColumnMap(text="a")) == ColumnMap(text="a")
