"""Sentiment140: six columns, no header; polarity, id, time, query, user, text.

Labels stay as given, "0" (negative) and "4" (positive); "2" (neutral, in the test file only) is
the non-record ``label_2``.  Texts such as "NA" and "null" are texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from whybox.data.csv import raw_row, read_mapped
from whybox.data.source import ColumnMap

if TYPE_CHECKING:
    from whybox.data.accounting import Tally
    from whybox.data.blocks import Span
    from whybox.data.source import Input, Source

__all__ = ["COLUMNS", "read"]

COLUMNS = ColumnMap(label="0", post_id="1", created_at="2", user_id="4", text="5")
_WIDTH = 6


def read(entry: Input, source: Source, span: Span | None, tally: Tally) -> Iterator[pa.Table]:
    """Read a file of Sentiment140.

    Parameters
    ----------
    entry : Input
    source : Source
    span : Span or None
        Always None: a CSV file is read whole.
    tally : Tally
        Takes the accounts.

    Yields
    ------
    pyarrow.Table
        With the schema `POSTS`.
    """
    yield from read_mapped(entry, source, COLUMNS, tally, keep=_keep, width=_WIDTH)


def _keep(fields: Sequence[str], tally: Tally) -> bool:
    """Keep the two classes; drop the neutral one; refuse what is no polarity."""
    if fields[0] in ("0", "4"):
        return True
    if fields[0] == "2":
        tally.skip("label_2")
    else:
        tally.quarantine("bad_label", raw_row(fields))
    return False
