"""The tables of a report of classes: figures with intervals, base rates, groups, words, topics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from whybox.config import ExplainConfig
from whybox.data.versions import fetched
from whybox.explain.blocks import (
    TableBlock,
    base_rate_block,
    figures_block,
    subgroup_block,
    topics_block,
    votes_block,
    with_and_without_block,
    words_block,
)
from whybox.explain.class_report import class_tables as several_classes
from whybox.explain.outcome_report import outcome_tables
from whybox.model_selection.intervals import Interval
from whybox.model_selection.votes import votes_against
from whybox.pipelines.appraisal import at_base_rates, check_base_rate
from whybox.pipelines.dataset import Dataset
from whybox.pipelines.description import describe_users
from whybox.pipelines.reporting import card_of

__all__ = [
    "appraisal_tables",
    "base_rates_at",
    "class_tables",
    "data_tables",
    "labelling_rule",
    "topic_tables",
]

_OF_KIND = {"classes": several_classes, "outcomes": outcome_tables}

Validation = Mapping[str, np.ndarray] | None

_SIDE_BY_SIDE = ("accuracy", "f1_macro", "f1_positive", "auc")
_OTHER_RECIPE = ("drop_matching", "drop_anchors")
_N_WORDS = 15


def class_tables(
    config: ExplainConfig, card: Mapping[str, Any], validation: Validation
) -> list[TableBlock]:
    """Make the tables on how well a model of classes does.

    Parameters
    ----------
    config : ExplainConfig
        Its ``base_rate`` and ``also``.
    card : mapping
    validation : mapping of str to array, or None
        Out-of-fold ``scores``, ``positive`` and ``votes``.

    Returns
    -------
    list of TableBlock

    Raises
    ------
    InputError
        No base rate, or ``also`` is no model with a card.
    """
    check_base_rate(config.base_rate)
    found = appraisal_tables(card, config.base_rate) + _votes(card, validation)
    other = None if config.also is None else card_of(config.also)
    return found + _rule(card, other)


def appraisal_tables(card: Mapping[str, Any], base_rate: float | None = None) -> list[TableBlock]:
    """Make the tables on what a model's figures are worth.

    Parameters
    ----------
    card : mapping
    base_rate : float, optional
        Instead of the one that was stated in training.

    Returns
    -------
    list of TableBlock
        Figures, base rates, groups; empty where nothing was measured.
    """
    known = card.get("appraisal")
    if known is None:
        return []
    if known.get("kind") in _OF_KIND:
        return _OF_KIND[known["kind"]](known)
    rows = known["base_rates"] if base_rate is None else base_rates_at(known, base_rate)
    fewer = known["groups_of_fewer_than"]
    return [
        figures_block(known),
        *([base_rate_block(rows)] if rows else []),
        *(subgroup_block(name, groups, fewer) for name, groups in known["subgroups"].items()),
    ]


def base_rates_at(known: Mapping[str, Any], stated: float) -> list[dict[str, Any]]:
    """Tell what decisions are worth anew, with the base rate that is stated now.

    Parameters
    ----------
    known : mapping
        A card's ``appraisal``.
    stated : float
        Share of the positive class where the model is used.

    Returns
    -------
    list of dict
        As `whybox.pipelines.appraisal.at_base_rates`.
    """
    pairs = {
        name: Interval(*known["figures"][name]) if known["figures"].get(name) else None
        for name in ("sensitivity", "specificity")
    }
    return at_base_rates(pairs, known["share"], stated)


def _votes(card: Mapping[str, Any], validation: Validation) -> list[TableBlock]:
    """Votes against probabilities, where both are kept."""
    if validation is None or "votes" not in validation or not card.get("threshold"):
        return []
    if not len(validation["scores"]):
        return []
    decided = validation["scores"] >= card["threshold"]["value"]
    found = votes_against(
        validation["votes"].astype(bool), decided, validation["positive"].astype(bool)
    )
    return [
        votes_block(
            found.n_rows,
            found.n_differ,
            found.votes_right,
            found.probabilities_right,
            found.votes_right_where_different,
        )
    ]


def labelling_rule(card: Mapping[str, Any]) -> tuple[str, str]:
    """Say which posts that the labels were made from are left out of a model's features.

    Parameters
    ----------
    card : mapping

    Returns
    -------
    left_out : str
        For a table.
    sentence : str
        For a reader.

    Examples
    --------
    >>> labelling_rule({"recipe": {"drop_matching": None, "drop_anchors": True}})[0]
    'anchors'
    >>> labelling_rule({"recipe": {"drop_matching": "diagnosed", "drop_anchors": False}})[0]
    'posts that match /diagnosed/'
    >>> labelling_rule({"recipe": {}})[0]
    'not known'
    """
    recipe = card.get("recipe") or {}
    if not any(name in recipe for name in _OTHER_RECIPE):
        return "not known", "The features came ready-made: what shaped them is not known here."
    parts = [f"posts that match /{recipe['drop_matching']}/"] if recipe["drop_matching"] else []
    parts += ["anchors"] if recipe["drop_anchors"] else []
    if parts:
        left_out = " and ".join(parts)
        return left_out, f"This model's features were made without the {left_out}."
    return "nothing", (
        "This model's features were made with all posts, those that gave the labels too: part of "
        "what it finds may be the labelling rule itself."
    )


def _rule(card: Mapping[str, Any], other: Mapping[str, Any] | None) -> list[TableBlock]:
    """Both models' figures, or what this one was trained on."""
    if not card.get("recipe") and other is None:
        return []
    left_out, sentence = labelling_rule(card)
    rows = [("this model", left_out, _figures(card))]
    if other is None and left_out == "nothing":
        sentence += (
            " Extract again with --drop-matching or --drop-anchors, train, and give that model "
            "with --also."
        )
    if other is not None:
        rows.append(("the other model", labelling_rule(other)[0], _figures(other)))
        sentence += (
            " The other model was judged by its own folds: differences within a few standard "
            "deviations are chance."
        )
    return [with_and_without_block(sentence, rows)]


def _figures(card: Mapping[str, Any]) -> list[tuple[float, float] | None]:
    """Mean and spread of a card's own figures."""
    figures = card.get("figures")
    if not isinstance(figures, Mapping):
        return [None] * len(_SIDE_BY_SIDE)
    own = figures["models"][0]
    return [
        None if own.get(f"{name}_mean") is None else (own[f"{name}_mean"], own[f"{name}_sd"] or 0.0)
        for name in _SIDE_BY_SIDE
    ]


def data_tables(source: str, table: Dataset) -> list[TableBlock]:
    """Make the tables on what the users of a folder write.

    Parameters
    ----------
    source : str
    table : Dataset
        Read from it.

    Returns
    -------
    list of TableBlock
        Only stems of ten users or more.
    """
    if table.manifest is None or table.manifest.get("level") != "user":
        return []
    with fetched(source, lambda _: ("users", "documents")) as folder:
        values, _ = describe_users(folder, table.manifest)
    told = {
        "characteristic_words": ("Words that tell classes apart", "By CF-ICF"),
        "words": ("Commonest words", "By how often they are used"),
    }
    return [
        words_block(_first(values[name]), title, f"{how}; only stems that 10 users or more wrote.")
        for name, (title, how) in told.items()
        if values.get(name)
    ]


def _first(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The first words of each class."""
    seen: dict[Any, int] = {}
    kept = []
    for row in rows:
        seen[row["label"]] = seen.get(row["label"], 0) + 1
        if seen[row["label"]] <= _N_WORDS:
            kept.append(row)
    return kept


def topic_tables(
    card: Mapping[str, Any], names: list[str], importance: np.ndarray | None
) -> list[TableBlock]:
    """Make the table of a model's topics.

    Parameters
    ----------
    card : mapping
    names : list of str
        The features as the report calls them; the topics are the last ones.
    importance : float array of shape (n_features,), or None
        Mean absolute Shapley values.

    Returns
    -------
    list of TableBlock
        Empty without topics.
    """
    known = card["data"].get("topics")
    if not known:
        return []
    topics = known["topics"]
    last = {} if importance is None else dict(
        zip(topics, importance[len(names) - len(topics) :].tolist(), strict=True)
    )  # fmt: skip
    return [topics_block(topics, last)]
