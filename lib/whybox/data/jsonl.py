"""JSON objects of any form, one a line, read with a column map."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa

from whybox.data.jsonlines import read_units
from whybox.data.loosejson import Refused, identifier, json_values
from whybox.data.mapped import MappedRows
from whybox.data.source import ColumnMap

if TYPE_CHECKING:
    from whybox.data.accounting import Tally
    from whybox.data.blocks import Span
    from whybox.data.source import Input, Source

__all__ = ["read"]


def read(entry: Input, source: Source, span: Span | None, tally: Tally) -> Iterator[pa.Table]:
    """Read objects; the key ``id`` is the post's id unless the map names another.

    Parameters
    ----------
    entry : Input
    source : Source
        Its `columns` name the keys; beside an id's key ``k``, ``k_str`` wins if there is one.
    span : Span or None
        The byte range, or None for the whole file.
    tally : Tally
        Takes the accounts.

    Yields
    ------
    pyarrow.Table
        With the schema `POSTS`.
    """
    keys = {"post_id": "id", **(source.columns or ColumnMap()).named()}
    rows = MappedRows(list(keys), tally)
    decode = msgspec.json.Decoder().decode
    for units in read_units(entry, source, span, tally):
        for unit in units:
            try:
                value = decode(unit)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                value = None
            found = [(value, unit)] if isinstance(value, dict) else json_values(unit, tally)
            for each, raw in found:
                _add(each, raw, keys, rows)
        if rows.is_full():
            yield rows.table()
    if rows.rows:
        yield rows.table()


def _add(value: Any, raw: bytes, keys: Mapping[str, str], rows: MappedRows) -> None:
    """Take an object as a row; anything else is no record."""
    if not isinstance(value, dict):
        rows.tally.skip("not_an_object")
        return
    found = {name: value.get(key) for name, key in keys.items()}
    try:
        for name in ("post_id", "user_id"):
            if (key := keys.get(name)) is not None:
                found[name] = identifier(value.get(key), value.get(f"{key}_str"), name, rows.tally)
        rows.add(list(found.values()))
    except Refused as verdict:
        rows.tally.quarantine(str(verdict), raw)
