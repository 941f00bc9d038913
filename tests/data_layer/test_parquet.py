"""Parquet: the same bytes for the same rows, however they were cut."""

from __future__ import annotations

import hashlib
import itertools

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from whybox.data import parquet, write_parquet
from whybox.errors import RunError

TABLE = pa.table(
    {
        "id": pa.array([str(i) for i in range(1000)]),
        "label": pa.array(["a", None, "b", "a"] * 250),
        "x": pa.array(np.arange(1000) / 7),
    }
)


@pytest.mark.parametrize("cuts", [[], [1], [100, 101, 102], [999], [300, 600, 900]])
def test_cuts_do_not_show_in_the_file(tmp_path, monkeypatch, cuts):
    monkeypatch.setattr(parquet, "ROW_GROUP", 300)
    edges = [0, *cuts, TABLE.num_rows]
    tables = [TABLE[a:b] for a, b in itertools.pairwise(edges)]
    part = write_parquet(iter(tables), tmp_path / "a" / "cut.parquet", TABLE.schema, root=tmp_path)
    whole = write_parquet(TABLE, tmp_path / "whole.parquet", TABLE.schema)
    assert part.sha256 == whole.sha256
    assert (part.path, part.rows) == ("a/cut.parquet", 1000)
    file = tmp_path / "a" / "cut.parquet"
    assert hashlib.sha256(file.read_bytes()).hexdigest() == part.sha256
    assert pq.read_table(file).equals(TABLE)
    sizes = [pq.ParquetFile(file).metadata.row_group(i).num_rows for i in range(4)]
    assert sizes == [300, 300, 300, 100]


def test_metadata_of_pandas_is_left_out(tmp_path):
    table = TABLE.replace_schema_metadata({"pandas": "{}"})
    plain = write_parquet(TABLE, tmp_path / "a.parquet", TABLE.schema)
    assert write_parquet(table, tmp_path / "b.parquet", table.schema).sha256 == plain.sha256


def test_no_rows_make_a_file_with_columns(tmp_path):
    part = write_parquet([], tmp_path / "a.parquet", TABLE.schema)
    assert part.rows == 0 and pq.read_schema(tmp_path / "a.parquet").names == ["id", "label", "x"]


def test_another_schema_is_refused(tmp_path):
    with pytest.raises(RunError, match="other types or order"):
        write_parquet([TABLE.select(["id"])], tmp_path / "a.parquet", TABLE.schema)
