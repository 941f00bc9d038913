"""The depression data set's folders: labels by folder, screen names in file names.

``labeled/{positive,negative}/data/`` and ``unlabeled/data/`` hold ``timeline/`` (a v1.1 tweet a
line), ``tweet/`` (anchors: the posts by which users were found) and ``users/`` (profiles).  An
anchor's post is also in its user's timeline: it counts once, there.  So the lines of ``tweet/``
are the non-record ``anchor`` and only mark the posts of the timelines that have their ids; the
lines of ``users/`` are the non-record ``profile``.  A user is told by the tweets' ``user.id_str``
and may have several files.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa

from whybox.data import tweets
from whybox.data.jsonlines import read_units
from whybox.data.pseudonym import Key, pseudonym

if TYPE_CHECKING:
    from whybox.data.accounting import Tally
    from whybox.data.blocks import Span
    from whybox.data.source import Input, Source

__all__ = ["display_path", "read"]


def display_path(path: str, key: Key) -> str:
    """Name a file without its user's screen name: the folder, and a keyed pseudonym.

    Parameters
    ----------
    path : str
    key : Key

    Returns
    -------
    str

    Examples
    --------
    >>> display_path("d/unlabeled/data/timeline/ada-7.json", Key(b"0123456789abcdef"))
    'd/unlabeled/data/timeline/a6ae486319ea7bc9'
    """
    folder, _, name = path.rpartition("/")
    return f"{folder}/{pseudonym(key, name)[:16]}"


def read(entry: Input, source: Source, span: Span | None, tally: Tally) -> Iterator[pa.Table]:
    """Read a file of the data set: tweets with the folder's label, anchors, or profiles.

    Parameters
    ----------
    entry : Input
    source : Source
    span : Span or None
        The byte range, or None for the whole file.
    tally : Tally
        Takes the accounts.

    Yields
    ------
    pyarrow.Table
        With the schema `POSTS`; none of anchors and profiles.
    """
    if entry.role == "posts":
        yield from tweets.read(entry, source, span, tally)
        return
    for units in read_units(entry, source, span, tally):
        for unit in units:
            if entry.role == "profile" or not unit.strip():
                tally.skip("profile" if unit.strip() else "blank")
            else:
                tweets.note_anchor(unit, tally)
