"""Parquet: any types, one table a batch, and files that are none."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from whybox.data import read_records
from whybox.errors import InputError

COLUMNS = {"text": "tweet", "label": "class", "post_id": "id", "created_at": "when"}


def read(path, columns=COLUMNS, format="auto"):
    """Rows and accounts."""
    records = read_records(path, format, columns=columns)
    return [row for table in records for row in table.to_pylist()], records


def write(path, **columns):
    """A file of posts with columns replaced."""
    whole = {
        "tweet": ["good", "bad", None],
        "class": [1, 0, None],
        "id": [1234567890123456789, 1234567890123456788, 3],
        "when": [datetime(2009, 4, 6, 22, 19, 45, 999_999), None, datetime(1960, 1, 1)],
    }
    pq.write_table(pa.table({**whole, **columns}), path)
    return path


@pytest.mark.parametrize("format", ["auto", "parquet"])
def test_rows_become_records(tmp_path, format):
    rows, records = read(write(tmp_path / "posts.parquet"), format=format)
    assert [(row["post_id"], row["text"], row["label"]) for row in rows] == [
        ("1234567890123456789", "good", "1"),
        ("1234567890123456788", "bad", "0"),
    ]
    assert rows[0]["created_at"] == datetime(2009, 4, 6, 22, 19, 45, tzinfo=UTC)
    assert records.counts.quarantined == {"no_text": 1}
    assert records.counts.lines == 3


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        (pa.array([0], pa.timestamp("us", "America/New_York")), datetime(1970, 1, 1, tzinfo=UTC)),
        (pa.array([date(2020, 2, 29)]), datetime(2020, 2, 29, tzinfo=UTC)),
        (pa.array(["2020-02-29T01:00:00Z"]), datetime(2020, 2, 29, 1, tzinfo=UTC)),
        (pa.array([17]), None),
    ],
)
def test_times_of_every_type(tmp_path, times, expected):
    path = tmp_path / "posts.pq"
    pq.write_table(pa.table({"tweet": ["a"], "class": ["x"], "id": ["1"], "when": times}), path)
    rows, records = read(path)
    assert rows[0]["created_at"] == expected
    assert records.counts.total.coerced == ({} if expected else {"created_at": 1})


def test_an_id_that_is_a_float_has_lost_digits(tmp_path):
    rows, records = read(write(tmp_path / "a.parquet", id=[1.5e18, 2.0, 3.0]))
    assert rows == []
    assert records.counts.quarantined == {"float_id": 3}


def test_many_rows_come_in_tables_of_bounded_size(tmp_path):
    path = tmp_path / "posts.parquet"
    pq.write_table(pa.table({"text": [f"t{n}" for n in range(20_000)]}), path)
    tables = list(read_records(path, "parquet"))
    assert max(table.num_rows for table in tables) < 10_000
    lines = [line for table in tables for line in table["line"].to_pylist()]
    assert lines == list(range(1, 20_001))


def test_what_cannot_be_read_is_told(tmp_path):
    path = write(tmp_path / "posts.parquet")
    with pytest.raises(InputError, match=r"there is no column 'text'.*'tweet', 'class'"):
        read(path, {"text": "text"})
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match="no whole Parquet file"):
        read(path)
