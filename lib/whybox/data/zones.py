"""Time zones of authors: names of the IANA database out of a column, all others told apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pyarrow as pa

if TYPE_CHECKING:
    from whybox.data.accounting import Tally

__all__ = ["is_zone", "zone_column"]


@cache
def is_zone(name: str) -> bool:
    """Tell whether a name is one of the IANA database.

    Parameters
    ----------
    name : str

    Returns
    -------
    bool

    Examples
    --------
    >>> is_zone("Asia/Kathmandu"), is_zone("Eastern Time (US & Canada)"), is_zone("../UTC")
    (True, False, False)
    """
    try:
        ZoneInfo(name)
    except (ValueError, OSError, LookupError):
        return False
    return True


def zone_column(values: Sequence[str | None], tally: Tally) -> pa.Array:
    """Make a column of zones.

    Parameters
    ----------
    values : sequence of str or None
        As given.
    tally : Tally
        Takes a name that is no zone as coerced to null, and what is null then as the flag
        ``no_timezone``.

    Returns
    -------
    pyarrow.StringArray
        IANA names; null where there is none.

    Examples
    --------
    >>> from whybox.data.accounting import Tally
    >>> zone_column(["Asia/Kathmandu", "Mars", None], tally := Tally()).to_pylist()
    ['Asia/Kathmandu', None, None]
    >>> tally.coerced["timezone"], tally.flagged["no_timezone"]
    (1, 2)
    """
    counts = Counter(values)
    known = {name: name for name in counts if name is not None and is_zone(name)}
    missing = len(values) - sum(counts[name] for name in known)
    if missing:
        tally.flagged["no_timezone"] += missing
    if bad := missing - counts[None]:
        tally.coerced["timezone"] += bad
    return pa.array([known.get(name) if name is not None else None for name in values], pa.string())
