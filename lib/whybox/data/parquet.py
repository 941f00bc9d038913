"""Parquet files that are equal, byte for byte, whenever their rows are."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from whybox.errors import RunError

__all__ = ["ROW_GROUP", "Part", "write_parquet"]

ROW_GROUP = 1 << 16
"""Rows of a row group (the last one of a file has what is left)."""


@dataclass(frozen=True)
class Part:
    """A file that was written: an entry of a manifest's ``parts``.

    Examples
    --------
    >>> Part("posts/part-00000.parquet", 3, "00").as_dict()["rows"]
    3
    """

    path: str
    rows: int
    sha256: str

    def as_dict(self) -> dict[str, str | int]:
        """Give the manifest's entry."""
        return asdict(self)


def write_parquet(
    tables: pa.Table | Iterable[pa.Table],
    path: Path,
    schema: pa.Schema,
    *,
    root: Path | None = None,
) -> Part:
    """Write tables as one Parquet file.

    Row groups have `ROW_GROUP` rows however the rows are cut into tables; zstd; no clock, no
    metadata of pandas.

    Parameters
    ----------
    tables : pyarrow.Table or iterable of pyarrow.Table
        All of schema `schema`.
    path : pathlib.Path
        Its folder is made if need be.
    schema : pyarrow.Schema
    root : pathlib.Path, optional
        The part's path is relative to it; by default the file's name alone.

    Returns
    -------
    Part

    Raises
    ------
    RunError
        If a table has another schema, or the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> table = pa.table({"a": [1, 2, 3]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     whole = write_parquet(table, Path(folder, "a.parquet"), table.schema)
    ...     cut = write_parquet([table[:1], table[1:]], Path(folder, "b.parquet"), table.schema)
    >>> whole.rows, whole.sha256 == cut.sha256
    (3, True)
    """
    plain = schema.remove_metadata()
    given = [tables] if isinstance(tables, pa.Table) else tables
    rows = 0
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with pq.ParquetWriter(path, plain, compression="zstd", version="2.6") as writer:
            for group in _row_groups(given, plain):
                writer.write_table(group, row_group_size=ROW_GROUP)
                rows += group.num_rows
    except OSError as error:
        raise RunError(f"the file cannot be written: {error}", where=str(path)) from error
    name = path.relative_to(root).as_posix() if root is not None else path.name
    with path.open("rb") as file:
        return Part(name, rows, hashlib.file_digest(file, "sha256").hexdigest())


def _row_groups(tables: Iterable[pa.Table], schema: pa.Schema) -> Iterator[pa.Table]:
    """Cut tables into row groups, each of one chunk, so that pages do not depend on the cuts."""
    waiting: list[pa.Table] = []
    held = 0
    for table in tables:
        if not table.schema.equals(schema):
            raise RunError(
                f"a table has the columns {table.schema.names} with other types or order than "
                f"{schema.names}",
                remedy="this is a defect: please report it",
            )
        waiting.append(table.replace_schema_metadata(None))
        held += table.num_rows
        while held >= ROW_GROUP:
            whole = pa.concat_tables(waiting)
            yield whole[:ROW_GROUP].combine_chunks()
            waiting, held = [whole[ROW_GROUP:]], held - ROW_GROUP
    if held:
        yield pa.concat_tables(waiting).combine_chunks()
