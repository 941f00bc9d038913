"""Texts as what is scored: a row a post, of which the model's expressions are all that is kept.

Raw posts are extracted into a folder that is gone as soon as their expressions are known; parts,
ledger and scores hold which expressions a post has, and no text. Expressions that few people used
have a number instead of words, as on the model's card.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from whybox.config import ScoreConfig
from whybox.data.pseudonym import Key, load_key
from whybox.data.source import find_inputs
from whybox.data.versions import fetched, is_store
from whybox.data.workplace import Workplace
from whybox.graph.hashing import hash_files
from whybox.graph.parts import Scoring
from whybox.graph.people import Crowd, People, Rows
from whybox.graph.session import Session
from whybox.pipelines.describe_texts import MASK
from whybox.pipelines.score_model import ScoredModel
from whybox.pipelines.texts import Posts, open_posts, reading_of

__all__ = ["TextModel", "TextSource", "expression_columns"]


def expression_columns(entries: list[dict[str, Any]]) -> tuple[str, ...]:
    """Name a model's columns, no two alike: expressions in quotes, those not shown by a number.

    Parameters
    ----------
    entries : list of dict
        From the card.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> expression_columns([{"expression": "so … good"}, {"expression": None}, {"expression": "so"}])
    ('"so … good"', '"▒▒▒ 2"', '"so"')
    """
    met: Counter[str] = Counter()
    names = []
    for number, entry in enumerate(entries, 1):
        name = entry["expression"] or f"{MASK} {number}"
        met[name] += 1
        names.append(f'"{name}"' if met[name] == 1 else f'"{name} ({met[name]})"')
    return tuple(names)


@dataclass(frozen=True, eq=False)
class TextModel(ScoredModel):
    """What is known of a model of expressions: its features are which of them a text has.

    Parameters
    ----------
    path, card, topics, positive
        As for `ScoredModel`.
    fitted : ExpressionsClassifier, optional
        The model itself.
    """

    fitted: Any = None

    @property
    def reads_texts(self) -> bool:
        """It does."""
        return True

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """A column an expression."""
        return expression_columns(self.card["expressions"]["found"])

    @cached_property
    def features(self) -> list[str]:
        """The same."""
        return list(self.numbers)

    @cached_property
    def edges(self) -> list[list[float]]:
        """An expression is there or not."""
        return [[0.5]] * len(self.numbers)

    @cached_property
    def bins(self) -> list[list[int]] | None:
        """How many training texts lack each expression, and how many have it."""
        texts = self.card["data"]["rows"]
        having = [sum(entry["texts"]) for entry in self.card["expressions"]["found"]]
        return [[texts - number, number, 0] for number in having]

    def scoring(self, config: ScoreConfig, key: Key) -> Scoring:
        """Say how to score with it: no text is out of range."""
        return self._scoring(config, key, None)


@dataclass(frozen=True, eq=False)
class TextSource:
    """Raw posts, or a folder that was extracted with texts.

    Parameters
    ----------
    config : ScoreConfig
        With the reading that the model was trained with, where none was given.
    model : TextModel
    fingerprint : str
        SHA-256 of what is read, and of how.
    where : str
        Its name in messages.
    accounts : list of dict
        The manifest's entries, filled by `crowd`.
    """

    config: ScoreConfig
    model: TextModel
    fingerprint: str
    where: str
    accounts: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def open(cls, session: Session, config: ScoreConfig, model: TextModel) -> TextSource:
        """Hash what would be read."""
        place = config.source[0]
        is_folder = (Path(place).expanduser() / "manifest.json").is_file()
        if len(config.source) == 1 and (is_folder or (is_store(place) and config.format == "auto")):
            with fetched(place, lambda _: ()) as folder:
                manifest = (folder / "manifest.json").read_bytes()
            return cls(config, model, hashlib.sha256(manifest).hexdigest(), place)
        reading = reading_of(config) or _as_in_training(config, model)
        config = replace(config, **reading)
        inputs = find_inputs(config.source, config.format, key=load_key(config.key_file))
        sizes: dict[str, int | None] = {path: None for entry in inputs for path in entry.beside}
        sizes |= {entry.path: entry.bytes for entry in inputs}
        shape = {**reading, "salvage": config.salvage}
        told = json.dumps([sorted(hash_files(session, sizes).values()), shape], sort_keys=True)
        more = f" and {len(inputs) - 1} more files" if len(inputs) > 1 else ""
        fingerprint = hashlib.sha256(told.encode()).hexdigest()
        return cls(config, model, fingerprint, f"{inputs[0].display}{more}")

    def crowd(self, session: Session, place: Workplace) -> Crowd:
        """Look for the model's expressions in all posts, and deal the posts to parts."""
        transformer = self.model.fitted.transformer_
        scratch = place.folder("texts")
        _clear(scratch)
        with open_posts(self.config, session, scratch.absolute()) as posts:
            matrix = transformer.transform(posts.encode(session, transformer.language))
            ids = _ids(posts)
            self.accounts[:] = list(posts.manifest["inputs"])
        everybody = People(ids, matrix.toarray().astype(np.float64), self.model.numbers, _NOBODY)
        if self.config.rows == "unlabelled":
            everybody = everybody.take(np.array([label is None for label in posts.labels], bool))
        return Rows.of(everybody, self.config.parts)


_NOBODY = np.array([], dtype=str)


def _as_in_training(config: ScoreConfig, model: TextModel) -> dict[str, Any]:
    """How the model's own posts were read; labels matter only where they tell which posts have none."""
    known = dict(model.card["data"].get("read_as", {}))
    if config.rows == "all":
        known.pop("label_column", None)
    return known


def _clear(folder: Path) -> None:
    """Leave no text of a run that was killed while it read."""
    for path in folder.iterdir():
        shutil.rmtree(path)


def _ids(posts: Posts) -> np.ndarray:
    """Name each post by its id; one without by its line in the bytes of its file."""
    columns = ["post_id", "input", "line"]
    table = pa.concat_tables([pq.read_table(path, columns=columns) for path in posts.files])
    met: Counter[str] = Counter()
    files = []
    for entry in posts.manifest["inputs"]:
        met[entry["sha256"]] += 1
        files.append(f"{entry['sha256']}.{met[entry['sha256']]}")
    rows = zip(*(table[name].to_pylist() for name in columns), strict=True)
    return np.array(
        [f"{files[place]}:{line}" if name is None else f"p{name}" for name, place, line in rows],
        dtype=str,
    )
