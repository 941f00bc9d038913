"""A stored model as `score` uses it: with its card, its threshold, and what it was trained on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from whybox.config import ScoreConfig
from whybox.data.pseudonym import Key
from whybox.errors import InputError
from whybox.features.topics import TopicModel
from whybox.graph.parts import Scoring
from whybox.model_io import load_card, load_model, load_topics, load_validation, model_hash
from whybox.model_selection.abstention import Abstention, Ranges
from whybox.model_selection.answers import Rule
from whybox.model_selection.drift import SCORE_EDGES, count_bins, range_edges
from whybox.model_selection.text_answers import is_of_texts
from whybox.pipelines.topic_columns import features_without_topics

__all__ = ["ScoredModel", "open_model"]


@dataclass(frozen=True, eq=False)
class ScoredModel:
    """What is known of a model.

    Parameters
    ----------
    path : pathlib.Path
    card : dict
    topics : TopicModel or None
        If some of its features are topics.
    positive : str
        The class whose probability is told.
    """

    path: Path
    card: dict[str, Any]
    topics: TopicModel | None
    positive: str

    @property
    def reads_texts(self) -> bool:
        """Whether it looks at the texts of posts, and at nothing else."""
        return False

    @cached_property
    def features(self) -> list[str]:
        """Columns that a table must have."""
        return features_without_topics(self.card, self.topics, str(self.path))

    @cached_property
    def categorical(self) -> list[str] | None:
        """Features of words; None if the model knows numbers only."""
        words = self.card["data"].get("categorical")
        return None if words is None else list(words)

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """Features that are numbers, topics included, as the card lists them."""
        words = set(self.categorical or ())
        return tuple(name for name in self.card["features"] if name not in words)

    @cached_property
    def edges(self) -> list[list[float]]:
        """By which the numbers are counted: the training rows' deciles, else pieces of the range."""
        data, n = self.card["data"], len(self.numbers)
        known = data.get("distribution")
        if known:
            return list(known["edges"][:n])
        return range_edges(data["low"][:n], data["high"][:n])

    @cached_property
    def bins(self) -> list[list[int]] | None:
        """How many training rows are in each bin, if the card has it."""
        known = self.card["data"].get("distribution")
        return list(known["counts"][: len(self.numbers)]) if known else None

    @cached_property
    def scores(self) -> list[int] | None:
        """Out-of-fold probabilities of the training rows, counted, if it was cross-validated."""
        found = load_validation(self.path)
        if found is None or "scores" not in found:
            return None
        return count_bins(found["scores"][:, None], [SCORE_EDGES.tolist()])[0]

    def scoring(self, config: ScoreConfig, key: Key) -> Scoring:
        """Say how to score with it."""
        data, n = self.card["data"], len(self.numbers)
        low, high = (np.array(data[name][:n], dtype=np.float64) for name in ("low", "high"))
        return self._scoring(config, key, Ranges(low, high))

    def _scoring(self, config: ScoreConfig, key: Key, ranges: Ranges | None) -> Scoring:
        """The same, with the ranges of the numbers at hand."""
        threshold = config.threshold
        if threshold is None:
            threshold = self.card["threshold"]["value"]
        Abstention(band=config.band)  # refuses what is none
        rule = Rule(
            self.positive,
            threshold,
            config.band,
            ranges,
            config.reasons,
            self.card["data"].get("leaf_support"),
        )
        path = str(self.path.absolute())
        return Scoring(path, model_hash(self.path), rule, key, self.edges, self.numbers)


def open_model(config: ScoreConfig) -> ScoredModel:
    """Read a model for scoring.

    Parameters
    ----------
    config : ScoreConfig

    Returns
    -------
    ScoredModel

    Raises
    ------
    InputError
        It is none, has no card, no two classes, or learnt something else than features.
    """
    model, card = load_model(config.model), load_card(config.model)
    if card is None:
        raise InputError(
            "the model has no card",
            where=str(config.model),
            remedy="train it with `whybox train`, which writes one",
        )
    topics = load_topics(config.model)
    features_without_topics(card, topics, str(config.model))  # refuses a file of topics alone
    classes = [str(name) for name in getattr(model, "classes_", ())]
    positive = card["data"].get("positive")
    if len(classes) != 2 or positive not in classes:
        raise InputError(
            f"the model knows {len(classes)} classes, scores are of a positive one of two",
            where=str(config.model),
            remedy="train it with --classes a,b",
        )
    if is_of_texts(model):
        from whybox.pipelines.score_texts import TextModel

        return TextModel(config.model, card, topics, str(positive), model)
    return ScoredModel(config.model, card, topics, str(positive))
