"""What is to be read: the format and its options, and the files that hold it.

`Source` says how to read, `Input` is one file to read.  Inputs are listed in the order of their
paths, whatever the order in which they were named, so that no result depends on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from whybox.data.layouts import LAYOUTS, Place, lay_out
from whybox.data.pseudonym import Key, load_key
from whybox.data.remote import attempt
from whybox.data.storage import filesystem
from whybox.data.ttdd import display_path
from whybox.errors import InputError

__all__ = ["FORMATS", "ColumnMap", "Input", "Source", "column_map", "find_inputs"]

FORMATS: Mapping[str, tuple[str, ...]] = {
    "twitter-v1": (".json", ".jsonl", ".ndjson"),
    "twitter-v2": (".json", ".jsonl", ".ndjson"),
    "ttdd": (".json", ".jsonl", ".ndjson"),
    "clpsych": (".csv", ".tgz", ".tar.gz"),
    "tass": (".xml",),
    "tweeteval": (".txt",),
    "parquet": (".parquet", ".pq"),
    "sentiment140": (".csv",),
    "csv": (".csv", ".tsv", ".txt"),
    "jsonl": (".json", ".jsonl", ".ndjson"),
}
"""Formats that can be read, and how their files' names end when a folder is searched for them."""

_PACKED = ("", ".gz", ".zst")


@dataclass(frozen=True)
class ColumnMap:
    """Which column (or JSON key) holds what; None where the data have none.

    Decimal numbers instead of names are positions from 0, for a CSV file without a header.

    Examples
    --------
    >>> ColumnMap(text="tweet", label="class").named()
    {'text': 'tweet', 'label': 'class'}
    """

    text: str = "text"
    label: str | None = None
    user_id: str | None = None
    post_id: str | None = None
    created_at: str | None = None
    lang: str | None = None
    is_retweet: str | None = None
    favorite_count: str | None = None
    retweet_count: str | None = None
    mention_count: str | None = None
    total_favourites: str | None = None
    friends: str | None = None
    followers: str | None = None
    listed_count: str | None = None
    timezone: str | None = None

    def named(self) -> dict[str, str]:
        """Give the columns that are named: column of `POSTS` -> column of the file."""
        return {name: value for name, value in vars(self).items() if value is not None}


def column_map(columns: ColumnMap | Mapping[str, str] | None) -> ColumnMap | None:
    """Make a column map of a plain mapping.

    Parameters
    ----------
    columns : ColumnMap, mapping or None
        Column of `POSTS` -> column of the file.

    Returns
    -------
    ColumnMap or None

    Raises
    ------
    InputError
        If a name is no column of posts that a file can have.

    Examples
    --------
    >>> column_map({"text": "tweet"}).text
    'tweet'
    """
    if columns is None or isinstance(columns, ColumnMap):
        return columns
    unknown = sorted(set(columns) - set(vars(ColumnMap())))
    if unknown:
        raise InputError(
            f"posts have no column {', '.join(map(repr, unknown))}",
            remedy="the columns are " + ", ".join(vars(ColumnMap())),
        )
    return ColumnMap(**columns)


@dataclass(frozen=True)
class Source:
    """How to read inputs.

    Parameters
    ----------
    format : str, default="auto"
        One of `FORMATS`, or "auto" (see `whybox.data.detect.detect_format`).
    columns : ColumnMap, optional
        For csv, jsonl and parquet.
    encoding : str, optional
        Of a CSV file; by default strict UTF-8 over the whole file, else latin-1.
    delimiter : str, default=","
        One character.
    quoting : {"standard", "none"}, default="standard"
        "none": quotation marks are data.
    salvage : bool, default=False
        Keep the whole lines of a compressed file that is cut or corrupt.
    storage_options : mapping, optional
        For fsspec.

    Raises
    ------
    InputError
        If an option has a value that is not known.

    Examples
    --------
    >>> Source("csv", ColumnMap(text="tweet")).columns.text
    'tweet'
    """

    format: str = "auto"
    columns: ColumnMap | None = None
    encoding: str | None = None
    delimiter: str = ","
    quoting: Literal["standard", "none"] = "standard"
    salvage: bool = False
    storage_options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.format not in {"auto", *FORMATS}:
            raise InputError(
                f"format {self.format!r} is not known",
                remedy="the formats are auto, " + ", ".join(sorted(FORMATS)),
            )
        if self.quoting not in ("standard", "none"):
            raise InputError(f"quoting {self.quoting!r} is not known", remedy="standard or none")
        if len(self.delimiter) != 1 or self.delimiter in '\r\n"':
            raise InputError(
                f"delimiter {self.delimiter!r} cannot be used",
                remedy="give one character that is no line end and no quotation mark",
            )


@dataclass(frozen=True)
class Input:
    """One file to read.

    Parameters
    ----------
    index : int
        Its place in the run's list.
    path : str
        Where it is; not to be shown (`display` is).
    bytes : int
        Its size as stored.
    display : str
        Its name in messages and manifests.
    label : str or None
        The class that its folder gives to all its posts.
    role : {"posts", "anchor", "profile"}
        What its lines are.
    layout : str or None
        The format that is told by where it stands.
    beside : tuple of str
        Other files that are needed to read it.

    Examples
    --------
    >>> Input(0, "a.csv", 12, "a.csv").role
    'posts'
    """

    index: int
    path: str = field(repr=False)
    bytes: int
    display: str
    label: str | None = None
    role: Literal["posts", "anchor", "profile"] = "posts"
    layout: str | None = None
    beside: tuple[str, ...] = ()


def find_inputs(
    inputs: str | Sequence[str],
    format: str = "auto",
    *,
    storage_options: Mapping[str, Any] | None = None,
    key: Key | None = None,
) -> list[Input]:
    """List the files to read.

    Parameters
    ----------
    inputs : str or sequence of str
        Files, folders (searched to any depth for files of the format, hidden ones left out) and
        globs; local or URLs.
    format : str, default="auto"
    storage_options : mapping, optional
        For fsspec.
    key : Key, optional
        For the pseudonyms of ttdd's file names; by default `load_key()`.

    Returns
    -------
    list of Input
        Sorted by path, each file once.

    Raises
    ------
    InputError
        If a file or folder is missing, a glob matches nothing, or a folder holds no posts.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("b.jsonl", "a.jsonl"):
    ...         _ = pathlib.Path(folder, name).write_text("")
    ...     [entry.path[-7:] for entry in find_inputs(folder, "jsonl")]
    ['a.jsonl', 'b.jsonl']
    """
    Source(format)  # refuses a format that is not known
    sizes: dict[str, int] = {}
    for given in [inputs] if isinstance(inputs, str) else inputs:
        sizes.update(_expand(str(given), format, storage_options))
    if not sizes:
        raise InputError("no input was named", remedy="name a file, a folder or a glob")
    layout, places = lay_out(sizes, format)
    if format in LAYOUTS and layout is None:
        raise InputError(
            "no folder of this data set was found",
            where=str(inputs),
            remedy=f"name the folder that holds {LAYOUTS[format]}",
        )
    if layout is None:
        return [Input(i, path, size, path) for i, (path, size) in enumerate(sorted(sizes.items()))]
    if layout == "ttdd":
        key = key or load_key()
    return [
        _placed(Input(index, path, sizes[path], path, layout=layout), places[path], key)
        for index, path in enumerate(sorted(places))
    ]


def _placed(entry: Input, place: Place, key: Key | None) -> Input:
    """Say what an input is; a ttdd file's name holds a screen name and is shown as a pseudonym."""
    if entry.layout == "ttdd" and key is not None:
        entry = replace(entry, display=display_path(entry.path, key))
    return replace(entry, label=place.label, role=place.role, beside=place.beside)


def _expand(given: str, format: str, options: Mapping[str, Any] | None) -> dict[str, int]:
    """Find the files that one argument names, with their sizes."""
    fs, path = filesystem(given, options)
    if attempt(lambda: fs.isdir(path), given):
        everything = attempt(lambda: fs.find(path, detail=True), given)
        found = _wanted(everything, path, format)
        problem = f"the folder holds no posts: no file's name ends in {_endings(format)}"
    elif attempt(lambda: fs.exists(path), given):
        found, problem = {path: attempt(lambda: fs.info(path), given)}, ""
    elif any(sign in given for sign in "*?["):
        found, problem = _matching(_glob(fs, path, given)), "no file matches"
    else:
        found, problem = {}, "there is no such file or folder"
    if not found:
        raise InputError(problem, where=given, remedy="check the path, the pattern, the format")
    name = fs.unstrip_protocol if "://" in given else str
    return {name(path): int(info["size"] or 0) for path, info in found.items()}


def _glob(fs: Any, path: str, given: str) -> dict[str, Any]:
    """Find what a pattern matches."""
    found: dict[str, Any] = attempt(lambda: fs.glob(path, detail=True), given)
    return found


def _matching(found: Mapping[str, Any]) -> dict[str, Any]:
    """Keep the files that a glob found, hidden ones left out."""
    return {
        path: info
        for path, info in found.items()
        if info["type"] == "file" and not path.rpartition("/")[2].startswith(".")
    }


def _suffixes(format: str) -> Iterable[str]:
    """Give the endings of file names to look for."""
    return FORMATS[format] if format != "auto" else sorted({s for f in FORMATS.values() for s in f})


def _endings(format: str) -> str:
    """Tell the endings of file names to look for."""
    return ", ".join(_suffixes(format)) + " (or these with .gz or .zst)"


def _wanted(found: Mapping[str, Any], root: str, format: str) -> dict[str, Any]:
    """Keep the files of a format, hidden ones (a name or folder starting with . or _) left out."""
    endings = tuple(suffix + packed for suffix in _suffixes(format) for packed in _PACKED)
    return {
        path: info
        for path, info in found.items()
        if path.lower().endswith(endings)
        and not any(part.startswith((".", "_")) for part in path[len(root) :].split("/") if part)
    }
