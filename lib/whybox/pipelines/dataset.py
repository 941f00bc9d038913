"""The rows a model learns from or scores: from a folder of `whybox extract`, CSV, or Parquet."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from whybox.data.versions import fetched
from whybox.errors import InputError
from whybox.pipelines.columns import as_labels, choose_columns, read_table

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from whybox.features.corpus import Corpus

__all__ = ["Dataset", "load_dataset"]

TARGET_OF_FOLDERS = "label"


class Dropped(NamedTuple):
    """A user who is not among the rows, and why."""

    user: str
    label: str | None
    reason: str


@dataclass(frozen=True)
class Dataset:
    """Rows of features with what is known of each.

    Attributes
    ----------
    X : float64 array of shape (n_rows, n_features)
        NaN where a value is missing.
    names : tuple of str
        The features, in the order of X's columns.
    ids : array of str of shape (n_rows,)
        A row's user, post or number.
    labels : object array of shape (n_rows,)
        A text, or None where there is no label.
    groups : array of str of shape (n_rows,), or None
        Rows of one group stay in one fold.
    dropped : tuple of Dropped
        Users that could not be modelled, with the reason.
    fingerprint : str
        SHA-256 of what was read.
    recipe : dict or None
        What shaped the features, if `whybox extract` made them.
    left_out : tuple of str
        Columns that are not used, since they hold no numbers, or nothing at all.
    manifest : dict or None
        Of the folder.
    documents : Corpus or None
        A document a row, if they were asked for.
    categories : mapping of str to object array of shape (n_rows,)
        Features that hold words, not numbers: a text a row, None where it is missing.
    """

    X: np.ndarray
    names: tuple[str, ...]
    ids: np.ndarray
    labels: np.ndarray
    groups: np.ndarray | None
    dropped: tuple[Dropped, ...]
    fingerprint: str
    recipe: dict[str, Any] | None = None
    left_out: tuple[str, ...] = ()
    manifest: dict[str, Any] | None = None
    documents: Corpus | None = None
    categories: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def features(self) -> tuple[str, ...]:
        """All features, as `frame` has them: the numbers, then the categories."""
        return (*self.names, *self.categories)

    @property
    def has_label(self) -> np.ndarray:
        """Which rows have a label: bool array of shape (n_rows,)."""
        return np.array([label is not None for label in self.labels], dtype=bool)

    def frame(self) -> pd.DataFrame:
        """Give the rows with the names of their features."""
        import pandas as pd

        frame = pd.DataFrame(self.X, columns=list(self.names))
        for name, column in self.categories.items():
            frame[name] = pd.Series(column, dtype=object)
        return frame

    def unlabelled(self) -> Dataset:
        """Keep what has no label, dropped users included."""
        dropped = tuple(user for user in self.dropped if user.label is None)
        return replace(self.take(~self.has_label), dropped=dropped)

    def take(self, rows: np.ndarray) -> Dataset:
        """Keep some rows, given by a mask or by indices."""
        groups = None if self.groups is None else self.groups[rows]
        documents = None if self.documents is None else self.documents.take(rows)
        return replace(
            self,
            X=self.X[rows],
            ids=self.ids[rows],
            labels=self.labels[rows],
            groups=groups,
            documents=documents,
            categories={name: column[rows] for name, column in self.categories.items()},
        )

    def without_empty_columns(self) -> Dataset:
        """Leave out features that no row has: nothing can be learnt from them."""
        some = ~np.isnan(self.X).all(axis=0)
        if some.all() or not some.any():
            return self
        names = np.array(self.names, dtype=object)
        return replace(
            self,
            X=np.ascontiguousarray(self.X[:, some]),
            names=tuple(names[some]),
            left_out=(*self.left_out, *names[~some]),
        )

    def with_columns(self, names: Sequence[str], columns: np.ndarray) -> Dataset:
        """Add features: columns of shape (n_rows, n_more), one a name."""
        return replace(self, X=np.hstack([self.X, columns]), names=(*self.names, *names))


def load_dataset(
    source: str | Path,
    *,
    target: str | None = None,
    features: Sequence[str] = (),
    group: str | None = None,
    categorical: Sequence[str] | None = None,
    documents: bool = False,
) -> Dataset:
    """Read the rows of a feature folder or file.

    Parameters
    ----------
    source : str or Path
        A folder that ``whybox extract`` wrote, here or at ``s3://bucket/folder``, a CSV or a
        Parquet file.
    target : str, optional
        The column to be learnt; without one all labels are None.
    features : sequence of str, optional
        The columns to use; by default a folder's features, or a file's numeric columns.
    group : str, optional
        A column whose rows stay in one fold.
    categorical : sequence of str, optional
        Columns whose values are words, whatever they look like. With a sequence, even an empty
        one, other columns of words are features too; without, only numbers are.
    documents : bool, default False
        Read the users' documents too, which only a folder has.

    Returns
    -------
    Dataset

    Raises
    ------
    InputError
        Nothing is there, it cannot be read, a column does not exist or holds no numbers, there
        are no rows, or no documents where they are asked for.
    RunError
        A store fails for good, or has other bytes than were published.
    """
    with fetched(source, partial(_needed, documents)) as path:
        return _load(path, target, features, group, categorical, documents)


def _needed(documents: bool, manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """The subfolders of an extracted folder that hold its rows."""
    if manifest.get("level") != "user":
        return ("posts",)
    return ("users", "dropped", "documents") if documents else ("users", "dropped")


def _load(
    path: Path,
    target: str | None,
    features: Sequence[str],
    group: str | None,
    categorical: Sequence[str] | None,
    documents: bool,
) -> Dataset:
    """Read the rows of a folder or file that is on this machine."""
    if not path.exists():
        raise InputError("no such file or folder", where=str(path), remedy="check the path")
    if path.is_dir():
        table = _from_folder(path, target, features, group, categorical)
    else:
        texts = [name for name in (target, *(categorical or ())) if name]
        table = _from_frame(read_table(path, texts), path, target, features, group, categorical)
        table = replace(table, fingerprint=hashlib.sha256(path.read_bytes()).hexdigest())
    if not len(table.X) and not table.dropped:
        raise InputError("there are no rows", where=str(path))
    _check_numbers(table, str(path))
    return replace(table, documents=_read_documents(path, table.ids)) if documents else table


def _from_folder(
    path: Path,
    target: str | None,
    features: Sequence[str],
    group: str | None,
    categorical: Sequence[str] | None,
) -> Dataset:
    """The users, or the posts where there are no users, of an extracted folder."""
    from whybox.features.names import FEATURES, PERSON

    try:
        text = (path / "manifest.json").read_text("utf-8")
        manifest = json.loads(text)
        rows, id_column, level = (
            ("users", "user_id", "user")
            if manifest["level"] == "user"
            else ("posts", "post_id", "post")
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            "no folder of features",
            where=str(path),
            remedy="give a folder that `whybox extract` wrote, a CSV or a Parquet file",
        ) from error
    parts = _read_parts(path / rows)
    if level == "post":
        frame = _single_posts(parts)
        # posts of one user stay in one fold, where users are known
        group = group or ("user_id" if frame["user_id"].notna().all() else None)
    else:
        frame = parts.to_pandas()
    known = (name for name in PERSON if name in frame.columns)
    names = tuple(features) or (*FEATURES, *known)
    table = _from_frame(frame, path, target, names, group, categorical, id_column=id_column)
    return replace(
        table,
        dropped=_read_dropped(path / "dropped"),
        fingerprint=hashlib.sha256(text.encode()).hexdigest(),
        recipe=manifest.get("recipe"),
        manifest=manifest,
        left_out=(),
    )


def _single_posts(parts: pa.Table) -> pd.DataFrame:
    """Posts as rows; those without an id are named by their place."""
    from whybox.features.posts import post_level_features

    frame: pd.DataFrame = post_level_features(parts).to_pandas()
    places = zip(parts["input"].to_pylist(), parts["line"].to_pylist(), strict=True)
    frame["post_id"] = [
        f"{place[0]}:{place[1]}" if name is None else name
        for name, place in zip(parts["post_id"].to_pylist(), places, strict=True)
    ]
    return frame


def _read_parts(folder: Path, stem: str = "*") -> pa.Table:
    """All parts of a folder of Parquet files, in the order of their names."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    parts = [pq.read_table(part) for part in sorted(folder.glob(f"{stem}.parquet"))]
    if not parts:
        raise InputError("there are no parts", where=str(folder), remedy="extract it again")
    return pa.concat_tables(parts)


def _read_documents(path: Path, ids: np.ndarray) -> Corpus:
    """The documents of users, one a row of the table."""
    import pyarrow.parquet as pq

    from whybox.features.corpus import Corpus

    words = path / "documents" / "vocabulary.parquet"
    if not words.is_file():
        raise InputError(
            "there are no documents of users, from which topics are computed",
            where=str(path),
            remedy="give a folder that `whybox extract` wrote for users, not for single posts",
        )
    corpus = Corpus.from_tables(_read_parts(words.parent, "part-*"), pq.read_table(words))
    return corpus.aligned(ids)


def _read_dropped(folder: Path) -> tuple[Dropped, ...]:
    """Users listed with the reason why they are not modelled."""
    if not folder.is_dir():
        return ()
    table = _read_parts(folder)
    columns = (table[name].to_pylist() for name in ("user_id", "label", "reason"))
    return tuple(map(Dropped, *columns))


def _from_frame(
    frame: pd.DataFrame,
    path: Path,
    target: str | None,
    features: Sequence[str],
    group: str | None,
    categorical: Sequence[str] | None = None,
    id_column: str | None = None,
) -> Dataset:
    """Split a frame into features, labels, groups and ids."""
    found = choose_columns(frame, str(path), features, (target, group, id_column), categorical)
    n_rows = len(frame)
    ids = frame[id_column] if id_column else [f"row {number}" for number in range(n_rows)]
    numbers = frame[list(found.numbers)].to_numpy(dtype=np.float64, na_value=np.nan)
    return Dataset(
        X=np.ascontiguousarray(numbers),
        names=found.numbers,
        ids=np.asarray(ids, dtype=str),
        labels=as_labels(frame[target]) if target else np.full(n_rows, None, dtype=object),
        groups=np.asarray(frame[group].astype(str)) if group else None,
        dropped=(),
        fingerprint="",
        left_out=found.left_out,
        categories={name: as_labels(frame[name]) for name in found.categories},
    )


def _check_numbers(table: Dataset, where: str) -> None:
    """Refuse infinite values, which no threshold separates."""
    infinite = np.isinf(table.X).any(axis=0)
    if infinite.any():
        names = ", ".join(np.array(table.names)[infinite])
        raise InputError(
            f"columns {names} hold infinite values", where=where, remedy="make them missing"
        )
