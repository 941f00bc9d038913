"""The rows a model learns from or scores: from a folder of `whybox extract`, CSV, or Parquet."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from whybox.data.versions import fetched
from whybox.errors import InputError

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

    @property
    def has_label(self) -> np.ndarray:
        """Which rows have a label: bool array of shape (n_rows,)."""
        return np.array([label is not None for label in self.labels], dtype=bool)

    def frame(self) -> pd.DataFrame:
        """Give the rows with the names of their features."""
        import pandas as pd

        return pd.DataFrame(self.X, columns=list(self.names))

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
        return _load(path, target, features, group, documents)


def _needed(documents: bool, manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """The subfolders of an extracted folder that hold its rows."""
    if manifest.get("level") != "user":
        return ("posts",)
    return ("users", "dropped", "documents") if documents else ("users", "dropped")


def _load(
    path: Path, target: str | None, features: Sequence[str], group: str | None, documents: bool
) -> Dataset:
    """Read the rows of a folder or file that is on this machine."""
    if not path.exists():
        raise InputError("no such file or folder", where=str(path), remedy="check the path")
    if path.is_dir():
        table = _from_folder(path, target, features, group)
    else:
        table = _from_frame(_read_file(path, target), path, target, features, group)
        table = replace(table, fingerprint=hashlib.sha256(path.read_bytes()).hexdigest())
    if not len(table.X) and not table.dropped:
        raise InputError("there are no rows", where=str(path))
    _check_numbers(table, str(path))
    return replace(table, documents=_read_documents(path, table.ids)) if documents else table


def _from_folder(
    path: Path, target: str | None, features: Sequence[str], group: str | None
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
    table = _from_frame(frame, path, target, names, group, id_column=id_column)
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


def _read_file(path: Path, target: str | None) -> pd.DataFrame:
    """A CSV or a Parquet file, its target read as texts."""
    import pandas as pd

    try:
        with path.open("rb") as stream:
            is_parquet = stream.read(4) == b"PAR1"
        if is_parquet:
            return pd.read_parquet(path)
        return pd.read_csv(path, dtype={target: str} if target else None)
    except (OSError, ValueError) as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(
            f"neither a CSV nor a Parquet file: {first}",
            where=str(path),
            remedy="give a table with a header, or extract raw posts with `whybox extract`",
        ) from error


def _from_frame(
    frame: pd.DataFrame,
    path: Path,
    target: str | None,
    features: Sequence[str],
    group: str | None,
    id_column: str | None = None,
) -> Dataset:
    """Split a frame into features, labels, groups and ids."""
    known = [str(name) for name in frame.columns]
    for name in (*filter(None, (target, group)), *features):
        if name not in known:
            raise InputError(
                f"there is no column {name!r}",
                where=str(path),
                remedy=f"choose among {', '.join(known[:40])}",
            )
    others = [name for name in known if name not in (target, group, id_column)]
    numeric = [name for name in others if _is_numeric(frame[name])]
    names = list(features) or numeric
    words = [name for name in names if not _is_numeric(frame[name])]
    if words:
        raise InputError(
            f"columns {', '.join(words)} hold no numbers",
            where=str(path),
            remedy="leave them out, or turn them into numbers",
        )
    if not names:
        raise InputError("no column holds numbers", where=str(path))
    n_rows = len(frame)
    ids = frame[id_column] if id_column else [f"row {number}" for number in range(n_rows)]
    return Dataset(
        X=np.ascontiguousarray(frame[names].to_numpy(dtype=np.float64, na_value=np.nan)),
        names=tuple(names),
        ids=np.asarray(ids, dtype=str),
        labels=_as_labels(frame[target]) if target else np.full(n_rows, None, dtype=object),
        groups=np.asarray(frame[group].astype(str)) if group else None,
        dropped=(),
        fingerprint="",
        left_out=() if features else tuple(name for name in others if name not in names),
    )


def _is_numeric(column: pd.Series) -> bool:
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    return bool(is_numeric_dtype(column) or is_bool_dtype(column))


def _as_labels(column: pd.Series) -> np.ndarray:
    """Texts, None where there is none; whole floats as integers are written."""
    missing = column.isna()
    is_float = column.dtype.kind == "f"
    labels = [
        None if gone else _as_text(value, is_float)
        for value, gone in zip(column, missing, strict=True)
    ]
    return np.array(labels, dtype=object)


def _as_text(value: Any, is_float: bool) -> str:
    return str(int(value)) if is_float and float(value).is_integer() else str(value).strip()


def _check_numbers(table: Dataset, where: str) -> None:
    """Refuse infinite values, which no threshold separates."""
    infinite = np.isinf(table.X).any(axis=0)
    if infinite.any():
        names = ", ".join(np.array(table.names)[infinite])
        raise InputError(
            f"columns {names} hold infinite values", where=where, remedy="make them missing"
        )
