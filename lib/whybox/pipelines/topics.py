"""``whybox topics``: topics of the users' documents, for a look: words, coherence, shares of classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from whybox.config import TopicsConfig
from whybox.errors import InputError
from whybox.explain.card import software_versions
from whybox.features.coherence import coherence
from whybox.features.lda import TopicSettings
from whybox.features.topics import TopicModel
from whybox.graph.session import Session, using
from whybox.model_io import model_hash, save_model
from whybox.pipelines.dataset import Dataset, load_dataset
from whybox.pipelines.outcome import Outcome, Table
from whybox.pipelines.topic_columns import add_topics
from whybox.progress import SILENT, Progress

__all__ = ["run"]

_JUDGED_WORDS = 10  # a topic's likeliest words, by which its coherence is judged


def run(
    config: TopicsConfig, *, progress: Progress = SILENT, session: Session | None = None
) -> Outcome:
    """Fit topics and show them.

    Parameters
    ----------
    config : TopicsConfig
    progress : Progress, optional
    session : Session, optional
        An open one to use; by default one is opened as the configuration says.

    Returns
    -------
    Outcome
        With a table of the topics; OUT holds them, and the same figures on its card.

    Raises
    ------
    InputError
        FEATURES has no documents, no user has a label where labelled ones are asked for, or no
        word is used by 10 of them.
    """
    if config.words < 2:
        raise InputError(f"got {config.words} words to show of each topic", remedy="show 2 or more")
    data = _rows(config)
    with using(session, config, progress) as opened:
        topical = add_topics(opened, data, (), TopicSettings(config.num, config.seed), config.names)
    topics, shares = topical.topics, topical.columns[0]
    assert topics is not None and data.documents is not None
    found = _described(config, data, topics, shares)
    card = {
        "kind": "topics, for a look",
        "users": len(data.ids),
        "words": len(topics.vocabulary),
        "topics": found,
        "recipe": data.recipe,
        "hashes": {"features": data.fingerprint},
        "software": software_versions(),
    }
    save_model(topics, config.out, card=card)
    return _outcome(config, card)


def _rows(config: TopicsConfig) -> Dataset:
    """The users whose documents topics are fitted to."""
    data = load_dataset(config.source, target=config.target, documents=True)
    wanted = data.has_label if config.rows == "labelled" else np.ones(len(data.ids), bool)
    if config.classes:
        wanted &= np.isin(data.labels.astype(str), config.classes)
    if not wanted.any():
        raise InputError(
            f"no user has a label in column {config.target}",
            where=config.source,
            remedy="check --target and --classes, or fit to all users with --rows all",
        )
    return data.take(wanted)


def _described(
    config: TopicsConfig, data: Dataset, topics: TopicModel, shares: np.ndarray
) -> list[dict[str, Any]]:
    """Each topic in JSON values: its words, how well they go together, whose topic it is."""
    assert data.documents is not None
    known = data.documents.recoded(topics.vocabulary, topics.surfaces)
    judged = coherence(known, topics.top_numbers(_JUDGED_WORDS))
    classes = np.array([label or "no label" for label in data.labels])
    means = {str(name): shares[classes == name].mean(axis=0) for name in np.unique(classes)}
    return [
        {
            "name": name,
            "words": list(words),
            "c_v": float(judged.c_v[at]),
            "u_mass": float(judged.u_mass[at]),
            "shares": {label: float(mean[at]) for label, mean in means.items()},
        }
        for at, (name, words) in enumerate(
            zip(topics.names, topics.top_words(config.words), strict=True)
        )
    ]


def _outcome(config: TopicsConfig, card: Mapping[str, Any]) -> Outcome:
    """The topics as a table, and where they are."""
    found = card["topics"]
    header = ("topic", "c_v", "u_mass", *(f"in {name}" for name in found[0]["shares"]), "words")
    rows = tuple(
        (
            topic["name"],
            f"{topic['c_v']:.2f}",
            f"{topic['u_mass']:.2f}",
            *(f"{share:.1%}" for share in topic["shares"].values()),
            " ".join(topic["words"]),
        )
        for topic in found
    )
    means = {name: float(np.mean([topic[name] for topic in found])) for name in ("c_v", "u_mass")}
    values = {
        "out": str(config.out),
        "sha256": model_hash(config.out),
        "users": card["users"],
        "words": card["words"],
        "topics": found,
        **means,
    }
    lines = (
        f"{len(found)} topics of {card['users']} users and {card['words']} words that 10 or more "
        f"of them use; mean c_v {means['c_v']:.3f}, u_mass {means['u_mass']:.3f}",
        f"topics, to be looked at with `whybox inspect`: {config.out}",
    )
    table = Table(f"Topics of {config.source}", header, rows)
    return Outcome("topics", values, lines, (table,))
