"""Data sets that are folders: what a file's name and its neighbours say of it.

ttdd: ``labeled/{positive,negative}/data/{timeline,tweet,users}`` and ``unlabeled/data/timeline``.
clpsych: archives of timelines, and one table that says who is in them.
tweeteval: ``X_text.txt`` with a text a line, ``X_labels.txt`` with a label a line beside it, and
perhaps ``mapping.txt``, which names the labels.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Literal

__all__ = ["CLPSYCH_TABLE", "LAYOUTS", "Place", "lay_out", "ttdd_place"]

LAYOUTS: Mapping[str, str] = {
    "ttdd": "labeled/{positive,negative}/data/{timeline,tweet,users} or unlabeled/data/timeline",
    "clpsych": "anonymized_user_info_by_chunk.csv and archives (.tgz) of timelines",
    "tweeteval": "pairs of X_text.txt and X_labels.txt",
}
"""Formats that are told by where files stand, and what has to be there."""

CLPSYCH_TABLE = "anonymized_user_info_by_chunk.csv"
_ARCHIVE = (".tgz", ".tar.gz")
_TEXTS, _LABELS, _MAPPING = "_text.txt", "_labels.txt", "mapping.txt"
_TTDD = re.compile(
    r"(?:^|/)(?:labell?ed/(positive|negative)|unlabell?ed)/data/(timeline|tweet|users)/[^/]+$"
)
Role = Literal["posts", "anchor", "profile"]
_ROLES: dict[str, Role] = {"timeline": "posts", "tweet": "anchor", "users": "profile"}


@dataclass(frozen=True)
class Place:
    """What a file's place says of it.

    Parameters
    ----------
    label : str or None
        The class of all its posts.
    role : {"posts", "anchor", "profile"}
        What its lines are.
    beside : tuple of str
        Other files that are needed to read it.
    """

    label: str | None = None
    role: Role = "posts"
    beside: tuple[str, ...] = ()


def lay_out(paths: Collection[str], format: str = "auto") -> tuple[str | None, dict[str, Place]]:
    """Find out whether files make up a data set, and what each of them is in it.

    Parameters
    ----------
    paths : collection of str
    format : str, default="auto"
        One of `LAYOUTS`, or auto for any; another format has no layout.

    Returns
    -------
    format : str or None
        None if the files make up none.
    places : dict of str to Place
        The files that belong to it.

    Examples
    --------
    >>> lay_out(["d/train_text.txt", "d/train_labels.txt", "d/README.txt"])[0]
    'tweeteval'
    >>> lay_out(["d/posts.jsonl"])
    (None, {})
    """
    for name, find in _FINDERS.items():
        if format in ("auto", name) and (places := find(paths)):
            return name, places
    return None, {}


def ttdd_place(path: str) -> Place | None:
    """Tell what a file's folder says in the layout ttdd: its label and its role.

    Parameters
    ----------
    path : str

    Returns
    -------
    Place or None
        None if the file is in no such folder.

    Examples
    --------
    >>> ttdd_place("d/labeled/positive/data/timeline/ada-7.json").label
    'positive'
    >>> ttdd_place("d/posts.jsonl") is None
    True
    """
    match = _TTDD.search(path)
    return match and Place(match[1], _ROLES[match[2]])


def _ttdd(paths: Collection[str]) -> dict[str, Place]:
    """Files in the folders of ttdd."""
    return {path: place for path in paths if (place := ttdd_place(path)) is not None}


def _clpsych(paths: Collection[str]) -> dict[str, Place]:
    """The tables, and the archives below the folder of one of them (the nearest)."""
    tables = [path for path in paths if path.rpartition("/")[2] == CLPSYCH_TABLE]
    places = {path: Place(role="profile") for path in tables}
    for path in paths:
        above = [t for t in tables if path.startswith(t.removesuffix(CLPSYCH_TABLE))]
        if above and path.lower().endswith(_ARCHIVE):
            places[path] = Place(beside=(max(above, key=len),))
    return places


def _tweeteval(paths: Collection[str]) -> dict[str, Place]:
    """Files of texts whose labels are there, too."""
    known = set(paths)
    places = {}
    for path in known:
        labels = path.removesuffix(_TEXTS) + _LABELS
        if path.endswith(_TEXTS) and labels in known:
            mapping = path.rpartition("/")[0] + "/" + _MAPPING
            places[path] = Place(beside=(labels, mapping) if mapping in known else (labels,))
    return places


_FINDERS: dict[str, Callable[[Collection[str]], dict[str, Place]]] = {
    "ttdd": _ttdd,
    "clpsych": _clpsych,
    "tweeteval": _tweeteval,
}
