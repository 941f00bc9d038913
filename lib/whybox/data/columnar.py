"""Parquet files of posts, read with a column map, a batch at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from whybox.data.loosejson import Refused, identifier
from whybox.data.mapped import ROWS, MappedRows
from whybox.data.source import ColumnMap
from whybox.data.storage import opened
from whybox.errors import InputError

if TYPE_CHECKING:
    from whybox.data.accounting import Tally
    from whybox.data.blocks import Span
    from whybox.data.source import Input, Source

__all__ = ["read"]


def read(entry: Input, source: Source, span: Span | None, tally: Tally) -> Iterator[pa.Table]:
    """Read a Parquet file; a row is a line.

    Parameters
    ----------
    entry : Input
    source : Source
        Its `columns` name the columns.
    span : Span or None
        Always None.
    tally : Tally
        Takes the accounts. An id that is a float goes to quarantine: it may have lost digits.

    Yields
    ------
    pyarrow.Table
        With the schema `POSTS`.

    Raises
    ------
    InputError
        If the file is no Parquet file, is cut, or has not the columns.
    """
    import pyarrow.parquet as pq

    wanted = (source.columns or ColumnMap()).named()
    try:
        with opened(entry.path, source.storage_options) as raw, pq.ParquetFile(raw) as file:
            _check_columns(wanted, file.schema_arrow.names, entry)
            rows = MappedRows(list(wanted), tally)
            for batch in file.iter_batches(ROWS, columns=sorted(set(wanted.values()))):
                _add_batch(batch, wanted, rows)
                if rows.rows:
                    yield rows.table()
    except (pa.ArrowException, OSError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(
            f"no whole Parquet file: {first}", where=entry.display, remedy="fetch or write it again"
        ) from error


def _check_columns(wanted: Mapping[str, str], there: Sequence[str], entry: Input) -> None:
    """Refuse a map of columns that are not there."""
    missing = [column for column in wanted.values() if column not in there]
    if missing:
        raise InputError(
            f"there is no column {', '.join(map(repr, missing))}",
            where=entry.display,
            remedy="the columns are " + ", ".join(map(repr, there)),
        )


def _add_batch(batch: pa.RecordBatch, wanted: Mapping[str, str], rows: MappedRows) -> None:
    """Take the rows of a batch."""
    columns = {name: _values(batch[column]) for name, column in wanted.items()}
    for values in zip(*columns.values(), strict=True):
        found = dict(zip(columns, values, strict=True))
        try:
            for name in ("post_id", "user_id"):
                if name in found:
                    found[name] = identifier(found[name], None, name, rows.tally)
            rows.add(list(found.values()))
        except Refused as verdict:
            rows.tally.quarantine(str(verdict), repr(values).encode("utf-8", "replace"))


def _values(column: pa.Array) -> list[Any]:
    """Give a column's values; times in ISO 8601, in UTC where they have no zone."""
    if pa.types.is_temporal(column.type):
        if pa.types.is_date(column.type) or pa.types.is_timestamp(column.type):
            column = column.cast(pa.timestamp("s", getattr(column.type, "tz", None)), safe=False)
            column = pc.strftime(column.cast(pa.timestamp("s", "UTC")), "%Y-%m-%dT%H:%M:%SZ")
        else:
            column = column.cast(pa.string())
    values: list[Any] = column.to_pylist()
    return values
