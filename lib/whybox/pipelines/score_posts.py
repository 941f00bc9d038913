"""Raw posts as what is scored: the model's own recipe makes their features."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from whybox.config import ScoreConfig
from whybox.data.clpsych import read_profiles
from whybox.data.detect import settle_format
from whybox.data.pseudonym import load_key
from whybox.data.source import Input, find_inputs
from whybox.data.workplace import Workplace, replace
from whybox.errors import InputError
from whybox.features.names import FEATURES, PERSON
from whybox.features.recipe import Recipe, recipe_differences
from whybox.graph.cells import Cell, Reading, cut_cells
from whybox.graph.crawl import Crawl, sum_inputs
from whybox.graph.hashing import hash_files
from whybox.graph.people import Crowd
from whybox.graph.session import Session
from whybox.pipelines.raw_posts import source_of
from whybox.pipelines.score_model import ScoredModel

__all__ = ["PostsSource"]


@dataclass(frozen=True, eq=False)
class PostsSource:
    """Files of raw posts.

    Parameters
    ----------
    config : ScoreConfig
    model : ScoredModel
    inputs : list of Input
    digests : mapping of str to str
        SHA-256 by path.
    reading : Reading
        Its folder is not known before the run has its place.
    accounts : list of dict
        The manifest's entries, filled by `crowd`.
    """

    config: ScoreConfig
    model: ScoredModel
    inputs: Sequence[Input]
    digests: Mapping[str, str]
    reading: Reading
    accounts: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def open(cls, session: Session, config: ScoreConfig, model: ScoredModel) -> PostsSource:
        """Find the files and hash them."""
        recipe = _recipe(model)
        inputs = find_inputs(config.source, config.format, key=load_key(config.key_file))
        source = settle_format(source_of(config), inputs)
        reading = Reading(source, recipe, "", model.topics is not None)
        sizes: dict[str, int | None] = {path: None for entry in inputs for path in entry.beside}
        sizes |= {entry.path: entry.bytes for entry in inputs}
        return cls(config, model, inputs, hash_files(session, sizes), reading)

    @property
    def cells(self) -> list[Cell]:
        """The pieces of the input, with the keys of what they hold."""
        return cut_cells(self.inputs, self.digests, self.reading)

    @property
    def fingerprint(self) -> str:
        """Of all files and of how they are read."""
        keys = [cell.key for cell in self.cells]
        return hashlib.sha256(json.dumps(keys).encode()).hexdigest()

    @property
    def where(self) -> str:
        """The first files, as they may be shown."""
        names = [entry.display for entry in self.inputs]
        more = f" and {len(names) - 3} more files" if len(names) > 3 else ""
        return ", ".join(names[:3]) + more

    def crowd(self, session: Session, place: Workplace) -> Crowd:
        """Read what is not kept yet, and list what is."""
        reading = Reading(
            self.reading.source,
            self.reading.recipe,
            str(place.folder("cells").absolute()),
            self.reading.with_documents,
        )
        found = sum_inputs(session, self.inputs, self.cells, self.digests, reading)
        self.accounts[:] = [entry.as_dict() for entry in found.accounts]
        listed = {"files": found.files}
        for what in ("sums", "documents"):
            listed[what] = [Path(path).name for path in getattr(found, what)]
        index = place.folder("index").absolute() / f"{self.fingerprint}.json"
        partial = index.with_name(f"{index.name}.partial.0")
        partial.write_text(json.dumps(listed, indent=1), "utf-8")
        replace(partial, index, "index")
        source, topics = reading.source, self.model.topics
        return Crawl(
            str(index),
            self.config.parts,
            reading.recipe,
            tuple(self.model.features),
            self.config.rows == "unlabelled",
            None if topics is None else tuple(topics.vocabulary),
            read_profiles(self.inputs, source) if source.format == "clpsych" else None,
        )


def _recipe(model: ScoredModel) -> Recipe:
    """The model's recipe, if this installation can follow it to the letter."""
    stored = model.card["recipe"]
    unknown = sorted(set(model.features) - {*FEATURES, *PERSON})
    if not stored or unknown:
        what = f"knows the features {', '.join(unknown[:5])}" if unknown else "has no recipe"
        raise InputError(
            f"features cannot be made of raw posts: the model {what}",
            where=str(model.path),
            remedy="give a table with the model's features, without --format",
        )
    recipe = Recipe.from_dict(stored)
    differences = recipe_differences(stored, recipe.as_dict())
    if differences:
        raise InputError(
            f"recipe_mismatch: the model was trained with another {', '.join(differences)}",
            where=str(model.path),
            remedy="use the software it was trained with, or train it again",
        )
    return recipe
