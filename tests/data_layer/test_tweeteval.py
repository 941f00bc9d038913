"""TweetEval: texts and labels side by side, neither taken without the other."""

from __future__ import annotations

import pytest

from whybox.data import read_records
from whybox.errors import InputError


@pytest.fixture
def root(tmp_path):
    (tmp_path / "train_text.txt").write_bytes("one\u2028 \ntw\u0085o\r\n\nfour".encode())
    (tmp_path / "train_labels.txt").write_text("0\n1\n1\n0\n")
    (tmp_path / "mapping.txt").write_text("0\tnon_irony\n1\tirony")
    (tmp_path / "README.txt").write_text("what this is\n")
    return tmp_path


@pytest.mark.parametrize("format", ["auto", "tweeteval"])
def test_a_line_is_a_text_with_its_label(root, format):
    records = read_records(root, format)
    rows = [row for table in records for row in table.to_pylist()]
    assert [(row["text"], row["label"]) for row in rows] == [
        ("one\u2028 ", "non_irony"),
        ("tw\u0085o", "irony"),
        ("", "irony"),
        ("four", "non_irony"),
    ]
    assert records.counts.lines == 4 and records.counts.total.flagged == {"empty_text": 1}


def test_without_a_mapping_labels_stay_numbers(root):
    (root / "mapping.txt").unlink()
    labels = [label for t in read_records(root) for label in t["label"].to_pylist()]
    assert labels == ["0", "1", "1", "0"]


@pytest.mark.parametrize("labels", ["0\n1\n1\n", "0\n1\n1\n0\n0\n"])
def test_too_few_or_many_labels_are_refused(root, labels):
    (root / "train_labels.txt").write_text(labels)
    with pytest.raises(InputError, match=f"4 texts, but {labels.count(chr(10))} labels"):
        list(read_records(root))


def test_texts_without_labels_are_no_such_data_set(root):
    (root / "train_labels.txt").unlink()
    with pytest.raises(InputError, match=r"X_text.txt and X_labels.txt"):
        read_records(root, "tweeteval")


@pytest.mark.reference
@pytest.mark.parametrize(
    ("name", "sizes"), [("irony", [784, 2_862, 955]), ("emotion", [1_421, 3_257, 374])]
)
def test_the_real_files(reference, name, sizes):
    records = read_records(reference / "data" / "tweeteval" / name)
    assert sum(table.num_rows for table in records) == sum(sizes)
    assert [entry.counts.lines for entry in records.counts] == sizes
