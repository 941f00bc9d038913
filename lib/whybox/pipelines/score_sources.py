"""What is scored: rows of a feature folder or file, raw posts, or the texts of posts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from whybox.config import ScoreConfig
from whybox.data.versions import fetched, is_store
from whybox.data.workplace import Workplace
from whybox.errors import InputError, WhyboxError
from whybox.graph.people import Crowd, People, Rows
from whybox.graph.session import Session
from whybox.pipelines.dataset import Dataset, load_dataset
from whybox.pipelines.score_model import ScoredModel
from whybox.pipelines.topic_columns import infer_columns

__all__ = ["Source", "open_source"]


class Source(Protocol):
    """Where users come from; opened without touching anything."""

    @property
    def fingerprint(self) -> str:
        """SHA-256 of what is read."""

    @property
    def where(self) -> str:
        """Its name in messages."""

    @property
    def accounts(self) -> list[dict[str, Any]]:
        """The manifest's entries of what was read, once it has been."""

    def crowd(self, session: Session, place: Workplace) -> Crowd:
        """Read it."""


def open_source(session: Session, config: ScoreConfig, model: ScoredModel) -> Source:
    """Find out what the sources are.

    Parameters
    ----------
    session : Session
    config : ScoreConfig
    model : ScoredModel

    Returns
    -------
    Source

    Raises
    ------
    InputError
        They are neither features nor posts, or not made as the model's were.
    """
    if model.reads_texts:
        from whybox.pipelines.score_texts import TextModel, TextSource

        assert isinstance(model, TextModel)
        return TextSource.open(session, config, model)
    if _has_features(config):
        return TableSource.open(session, config, model)
    from whybox.pipelines.score_posts import PostsSource

    return PostsSource.open(session, config, model)


@dataclass(frozen=True, eq=False)
class TableSource:
    """Rows of a feature folder or file.

    Parameters
    ----------
    table : Dataset
    where : str
    n_parts : int
    """

    table: Dataset
    where: str
    n_parts: int

    @classmethod
    def open(cls, session: Session, config: ScoreConfig, model: ScoredModel) -> TableSource:
        """Read the rows, and add the model's topics."""
        where = config.source[0]
        # labels matter only where they tell which rows have none
        target = model.card["data"]["target"] if config.rows == "unlabelled" else None
        table = load_dataset(
            where,
            target=target,
            features=model.features,
            categorical=model.categorical,
            documents=model.topics is not None,
        )
        _check_recipe(model, table, where)
        if config.rows == "unlabelled":
            table = table.unlabelled()
        table = infer_columns(session, table, model.topics, partitions=config.partitions)
        return cls(table, where, config.parts)

    @property
    def fingerprint(self) -> str:
        """Of the folder's manifest, or of the file."""
        return self.table.fingerprint

    @property
    def accounts(self) -> list[dict[str, Any]]:
        """One entry: the folder or file, whatever it is called."""
        users = {"users": len(self.table.ids), "users_dropped": len(self.table.dropped)}
        return [{"sha256": self.fingerprint, **users}]

    def crowd(self, session: Session, place: Workplace) -> Crowd:
        """Deal the rows to parts."""
        table = self.table
        dropped = np.array([name for name, _, _ in table.dropped], dtype=str)
        everybody = People(table.ids, table.X, table.names, dropped, table.categories)
        return Rows.of(everybody, self.n_parts)


def _has_features(config: ScoreConfig) -> bool:
    """Tell features from raw posts: a folder by its manifest, a single table unless it is said."""
    if len(config.source) != 1 or config.format != "auto":
        return False
    place = config.source[0]
    try:
        with fetched(place, lambda _: ()) as path:
            if path.is_dir():
                return (path / "manifest.json").is_file()
            if not path.exists():
                return not any(sign in place for sign in "*?[")
            return path.suffix.lower() in (".csv", ".parquet", ".pq")
    except WhyboxError:
        if is_store(place):
            return False
        raise


def _check_recipe(model: ScoredModel, table: Dataset, where: str) -> None:
    """Features made in another way are other features."""
    from whybox.features.recipe import recipe_differences

    recipe = model.card["recipe"]
    if not recipe or table.recipe is None:
        return
    differences = recipe_differences(recipe, table.recipe)
    if differences:
        raise InputError(
            f"recipe_mismatch: the model was trained with another {', '.join(differences)}",
            where=where,
            remedy="extract the posts with the model's recipe (whybox inspect MODEL), or give the "
            "raw posts: score applies it",
        )
