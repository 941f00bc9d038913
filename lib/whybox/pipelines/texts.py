"""Labelled posts with their texts: of a folder that was extracted with them, or of raw input.

Raw input goes through the same extraction as everywhere, into a folder that is gone when the work
is done: lines are accounted for, duplicates and deleted posts are left out, and what is quarantined
is not learnt from.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from whybox.config import ExtractConfig, PostsConfig
from whybox.data.versions import fetched, is_store
from whybox.errors import InputError, RunError
from whybox.expressions.analysis import Analyzer
from whybox.expressions.corpus import Corpus
from whybox.graph.session import Session
from whybox.graph.text_folds import encode_files
from whybox.pipelines import extract

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["HIDDEN_BELOW", "Posts", "labelled_posts", "open_posts", "reading_of", "units_with"]

HIDDEN_BELOW = 10
"""An expression of fewer users, or texts where users are not known, is nobody's business."""

_READING = (
    "format", "text_column", "label_column", "user_column", "id_column", "time_column",
    "delimiter", "quoting", "encoding",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Posts:
    """Posts in the files of a folder.

    Attributes
    ----------
    files : tuple of Path
        Parquet, each with a column of texts.
    labels : object array (posts,)
        A text, or None.
    users : array of str (posts,), or None
        None if no post has a user. A post without one is its own.
    anchors : bool (posts,)
        Posts for which a user's label was given: they tell it by themselves.
    manifest : dict
        Of the extraction.
    fingerprint : str
        SHA-256 of the manifest.
    """

    files: tuple[Path, ...]
    labels: NDArray[Any]
    users: NDArray[Any] | None
    anchors: NDArray[np.bool_]
    manifest: dict[str, Any]
    fingerprint: str

    def __len__(self) -> int:
        return len(self.labels)

    def encode(self, session: Session, language: str) -> Corpus:
        """Tokenise all texts, where the files are read."""
        return encode_files(session, self.files, Analyzer(language=language))

    def texts(self) -> list[str]:
        """Read all texts."""
        texts: list[str] = _read(self.files, ["text"])["text"].to_pylist()
        return texts

    def n_repeated(self) -> int:
        """Count texts that an earlier post has too, to the letter."""
        texts = self.texts()
        return len(texts) - len(set(texts))


@contextlib.contextmanager
def open_posts(config: Any, session: Session, scratch: Path | None = None) -> Iterator[Posts]:
    """Open the posts that a configuration names.

    Parameters
    ----------
    config : TrainConfig, ExplainConfig or ScoreConfig
        Its ``source``; of raw input also how it is to be read.
    session : Session
    scratch : Path, optional
        Folder that every worker sees, for the texts of raw input while they are looked at; by
        default one of this machine's.

    Yields
    ------
    Posts
        Their files are there until the block ends.

    Raises
    ------
    InputError
        There is no such source, no text was kept, or extraction refuses it.
    RunError
        Too many lines of raw input are not understood.
    """
    sources = _sources(config)
    source = ", ".join(sources)
    if (Path(source).expanduser() / "manifest.json").is_file() or (
        is_store(source) and config.format == "auto"
    ):
        with fetched(source, lambda _: ("posts",)) as folder:
            yield _posts(folder, source)
        return
    with tempfile.TemporaryDirectory(prefix="whybox-", dir=scratch) as own:
        folder = Path(own) / "posts"
        yield _posts(_extracted(config, sources, folder, session), source)


def _sources(config: Any) -> tuple[str, ...]:
    """What is to be read: of one verb many files, of others one."""
    given = config.source
    return tuple(map(str, given)) if isinstance(given, tuple) else (str(given),)


def _extracted(config: Any, sources: tuple[str, ...], folder: Path, session: Session) -> Path:
    """Extract raw input, texts included."""
    reading = {name: getattr(config, name) for name in _READING}
    outcome = extract.run(
        ExtractConfig(
            inputs=sources,
            out=str(folder),
            level="post",
            allow_text="to look for expressions",
            salvage=getattr(config, "salvage", False),
            partitions=config.partitions,
            **reading,
        ),
        session=session,
    )
    if outcome.status == "degraded":
        raise RunError(
            "too many lines were not understood",
            where=", ".join(sources),
            remedy="look at them with `whybox extract --allow-text REASON`, and give the folder",
        )
    return folder


def _posts(folder: Path, source: str) -> Posts:
    """Read all but the texts."""
    try:
        manifest = (folder / "manifest.json").read_text("utf-8")
    except OSError as error:
        raise InputError(
            f"no folder of posts: {error.strerror}", where=source, remedy="check the path"
        ) from error
    files = tuple(sorted((folder / "posts").glob("*.parquet")))
    if not files or "text" not in _schema(files[0]).names:
        raise InputError(
            "the folder holds no texts",
            where=source,
            remedy="extract again with --allow-text REASON, or give the raw posts themselves",
        )
    table = _read(files, ["label", "user_id", "anchor", "input", "line"])
    labels = np.array(table["label"].cast("string").to_pylist(), dtype=object)
    return Posts(
        files,
        labels,
        _users(table),
        np.array(table["anchor"].to_pylist(), bool),
        json.loads(manifest),
        hashlib.sha256(manifest.encode()).hexdigest(),
    )


def _users(table: pa.Table) -> NDArray[Any] | None:
    """Whose post each is; one of nobody known is a group of its own."""
    users = table["user_id"].to_pylist()
    if not any(user is not None for user in users):
        return None
    own = zip(users, table["input"].to_pylist(), table["line"].to_pylist(), strict=True)
    return np.array([f"{i}:{line}" if user is None else f"u{user}" for user, i, line in own])


def _schema(path: Path) -> pa.Schema:
    import pyarrow.parquet as pq

    return pq.read_schema(path)


def _read(files: Sequence[Path], columns: list[str]) -> pa.Table:
    """Read some columns of all files."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    return pa.concat_tables([pq.read_table(path, columns=columns) for path in files])


def labelled_posts(posts: Posts, where: str, classes: Sequence[str] = ()) -> NDArray[np.int64]:
    """Choose the posts to learn from.

    Parameters
    ----------
    posts : Posts
    where : str
        For messages.
    classes : sequence of str, optional
        Only these.

    Returns
    -------
    int64 (chosen,)

    Raises
    ------
    InputError
        If there are fewer than two classes, or so many that it is no class label.
    """
    wanted = np.array(
        [label is not None and (not classes or label in classes) for label in posts.labels], bool
    )
    found = sorted(set(posts.labels[wanted].tolist()))
    if len(found) < 2:
        raise InputError(
            f"{int(wanted.sum())} labelled posts of {len(found)} classes, at least 2 are needed",
            where=where,
            remedy="name the column of the labels with --label-column, and check --classes",
        )
    if len(found) > max(20, int(wanted.sum()) // 5):
        raise InputError(
            f"{len(found)} classes in {int(wanted.sum())} posts: that is no class label",
            where=where,
            remedy="name another --label-column",
        )
    return np.flatnonzero(wanted)


def units_with(matrix: Any, units: NDArray[Any] | None) -> NDArray[np.int64]:
    """Count the users, or texts where users are not known, that have each column.

    Parameters
    ----------
    matrix : csr_matrix of bool (texts, columns)
    units : array (texts,) or None
        The user of each text.

    Returns
    -------
    int64 (columns,)

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> matrix = csr_matrix(np.array([[1, 0], [1, 1], [0, 1]], bool))
    >>> units_with(matrix, np.array(["u", "u", "v"])).tolist(), units_with(matrix, None).tolist()
    ([1, 2], [2, 2])
    """
    rows, columns = matrix.nonzero()
    codes = rows if units is None else np.unique(units, return_inverse=True)[1][rows]
    pairs = np.unique(np.column_stack([columns, codes]), axis=0)
    return np.bincount(pairs[:, 0], minlength=matrix.shape[1]).astype(np.int64)


def reading_of(config: Any) -> dict[str, Any]:
    """List what was said of how raw input is to be read, for the card.

    Parameters
    ----------
    config : PostsConfig

    Returns
    -------
    dict

    Examples
    --------
    >>> from whybox.config import PostsConfig
    >>> reading_of(PostsConfig(format="csv", text_column="text"))
    {'format': 'csv', 'text_column': 'text'}
    """
    usual = PostsConfig()
    return {
        name: getattr(config, name)
        for name in _READING
        if getattr(config, name) != getattr(usual, name)
    }
