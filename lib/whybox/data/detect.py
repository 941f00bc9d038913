"""Which format inputs have, when none was named."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from whybox.data.source import FORMATS, Input, Source
from whybox.data.storage import read_head
from whybox.errors import InputError

__all__ = ["detect_format", "settle_format"]

_TWEET_KEYS = re.compile(
    rb'"(?:id_str|full_text|extended_tweet|retweeted_status|in_reply_to_status_id|delete|limit'
    rb'|statuses)"\s*:|"user"\s*:\s*(?:\{|null)'
)
_TWEET_KEYS_V2 = re.compile(
    rb'"(?:author_id|public_metrics|includes|edit_history_tweet_ids|result_count|tweet_count)"\s*:'
)
_SENTIMENT140 = re.compile(
    rb'(?:\xef\xbb\xbf)?"?[024]"?,"?\d+"?,"?[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d [\d:]{8} [A-Z]{3} \d{4}"?,'
)
_ANY = tuple(sorted({ending for endings in FORMATS.values() for ending in endings}))
_PACKED = re.compile(r"\.(gz|zst)$", re.IGNORECASE)


def settle_format(source: Source, inputs: Sequence[Input]) -> Source:
    """Replace the format "auto" by the one that the inputs have.

    Parameters
    ----------
    source : Source
    inputs : sequence of Input

    Returns
    -------
    Source

    Raises
    ------
    InputError
        See `detect_format`.

    Examples
    --------
    >>> settle_format(Source("csv"), []).format
    'csv'
    """
    return (
        replace(source, format=detect_format(source, inputs))
        if source.format == "auto"
        else (source)
    )


def detect_format(source: Source, inputs: Sequence[Input]) -> str:
    """Tell the format by the inputs' folders, and else by the first one that is not empty.

    JSON is twitter-v1 or twitter-v2 if it has keys that only their tweets have (and no column map
    is given; the first of the two to be met), else jsonl.  XML with tweets is tass, and a file
    that begins like Parquet is parquet.  Rows that begin like Sentiment140's are sentiment140; other files whose names end like
    a CSV's are csv.

    Parameters
    ----------
    source : Source
    inputs : sequence of Input

    Returns
    -------
    str

    Raises
    ------
    InputError
        If no format is recognised, or the names of files are those of several.

    Examples
    --------
    >>> detect_format(Source(), [Input(0, "data/users/a.json", 1, "d", layout="ttdd")])
    'ttdd'
    """
    layout = next((entry.layout for entry in inputs if entry.layout), None)
    if layout is not None:
        return layout
    for entry in inputs:
        head = read_head(entry.path, source.storage_options)
        if head.strip():
            found = _by_head(head, entry, source)
            _check_names(inputs, entry, found)
            return found
    return "jsonl"  # nothing to read in any: every format says the same of them


def _check_names(inputs: Sequence[Input], first: Input, found: str) -> None:
    """Refuse files whose names end as those of other formats do: read as this one they were lost."""
    others = [entry for entry in inputs if not _ends(entry, FORMATS[found]) and _ends(entry, _ANY)]
    if others and _ends(first, FORMATS[found]):
        raise InputError(
            f"files of several formats: {len(inputs) - len(others)} like {first.display} "
            f"({found}), {len(others)} like {others[0].display}",
            remedy="name the format, and a folder is searched for files of that alone, or name the files",
        )


def _ends(entry: Input, endings: tuple[str, ...]) -> bool:
    """Tell whether a file's name ends in one of these, packed or not."""
    return _PACKED.sub("", entry.path.lower()).endswith(endings)


def _by_head(head: bytes, entry: Input, source: Source) -> str:
    """Tell the format by a file's beginning and name."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    name = _PACKED.sub("", entry.path.lower())
    if _SENTIMENT140.match(head):
        return "sentiment140"
    if name.endswith(FORMATS["jsonl"]) or (
        start.startswith((b"{", b"[")) and not name.endswith(FORMATS["csv"])
    ):
        return _kind_of_json(head) if source.columns is None else "jsonl"
    if head.startswith(b"PAR1"):
        return "parquet"
    if start.startswith(b"<") and b"<tweet" in start:
        return "tass"
    if name.endswith(FORMATS["csv"]):
        return "csv"
    raise InputError(
        "the format was not recognised",
        where=entry.display,
        remedy="name it: " + ", ".join(sorted(FORMATS)),
    )


def _kind_of_json(head: bytes) -> str:
    """Tell tweets of both APIs, by the key that is met first, from other objects."""
    met = {"twitter-v1": _TWEET_KEYS.search(head), "twitter-v2": _TWEET_KEYS_V2.search(head)}
    places = {name: match.start() for name, match in met.items() if match}
    return min(places, key=places.__getitem__, default="jsonl")
