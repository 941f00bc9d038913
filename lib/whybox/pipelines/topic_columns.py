"""Topics as features of a table: refused where they come ready-made, fitted in each fold, inferred."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from whybox.errors import InputError
from whybox.features.lda import TopicSettings
from whybox.features.topics import TopicModel, topic_columns
from whybox.graph.session import Session
from whybox.graph.topics import fit_topics, fold_topics, infer_topics
from whybox.model_selection.splitters import Fold
from whybox.pipelines.dataset import Dataset

__all__ = [
    "Topical",
    "add_topics",
    "features_without_topics",
    "infer_columns",
    "refuse_ready_made",
    "topic_summary",
]

_READY_MADE = re.compile(r"(lda[ _-]?)?topics?[ _-]?\d+", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Topical:
    """A table with its topics.

    Parameters
    ----------
    data : Dataset
        With the columns of the topics that were fitted on all its rows.
    topics : TopicModel or None
    columns : mapping of int to float64 array of shape (n_rows, n_topics)
        By the fold's number, what that fold's topics say of all rows; under the number of folds,
        what the topics of all rows say.
    """

    data: Dataset
    topics: TopicModel | None = None
    columns: Mapping[int, np.ndarray] = field(default_factory=dict)


def refuse_ready_made(
    names: Sequence[str], where: str, *, as_given: bool = False, n_topics: int = 0
) -> None:
    """Refuse features that are topics already: whoever fitted them saw the rows to be judged on.

    Parameters
    ----------
    names : sequence of str
        Features.
    where : str
        For the message.
    as_given : bool, default False
        Take them nevertheless.
    n_topics : int, default 0
        Topics to be fitted, whose names must be free.

    Raises
    ------
    InputError
        A name says that it is a topic, and nobody asked for it; or it is that of one to be fitted.

    Examples
    --------
    >>> refuse_ready_made(["topical", "age"], "users.csv")
    >>> refuse_ready_made(["topic1", "age"], "users.csv")
    Traceback (most recent call last):
    whybox.errors.InputError: topics are fitted inside each fold, but topic1 is there ready-made ...
    """
    found = [name for name in names if _READY_MADE.fullmatch(name)]
    taken = sorted(set(names) & set(topic_columns(n_topics)))
    if (found and not as_given) or taken:
        raise InputError(
            f"topics are fitted inside each fold, but {', '.join((taken or found)[:3])} "
            f"{'is' if len(taken or found) == 1 else 'are'} there ready-made",
            where=where,
            remedy="leave the columns out with --features and use --topics on a folder from "
            "`whybox extract`, or say --topics-as-given without --topics",
        )


def add_topics(
    session: Session,
    data: Dataset,
    folds: Sequence[Fold],
    settings: TopicSettings,
    names: Sequence[str] = (),
) -> Topical:
    """Fit topics in each fold on its training users, and on all rows for the final model.

    Parameters
    ----------
    session : Session
    data : Dataset
        The rows to learn from, with documents.
    folds : sequence of Fold
        Numbered from 0.
    settings : TopicSettings
    names : sequence of str, optional
        What the final topics are called.

    Returns
    -------
    Topical

    Raises
    ------
    InputError
        The documents have too few words, or the names are not one a topic.
    """
    if names and len(set(names)) != settings.n_topics:
        raise InputError(
            f"got {len(set(names))} different names for {settings.n_topics} topics",
            remedy="give each topic a name of its own",
        )
    assert data.documents is not None
    columns = fold_topics(session, data.documents, folds, settings)
    topics = fit_topics(session, data.documents, settings).named(names)
    columns[len(folds)] = infer_topics(session, topics, data.documents)
    return Topical(data.with_columns(topics.columns, columns[len(folds)]), topics, columns)


def features_without_topics(
    card: Mapping[str, Any], topics: TopicModel | None, where: str
) -> list[str]:
    """List the features that a table must have; a model's topics, its last ones, are inferred.

    Parameters
    ----------
    card : mapping
        The model's.
    topics : TopicModel or None
    where : str
        The model, for the message.

    Returns
    -------
    list of str

    Raises
    ------
    InputError
        The file is no classifier's, or the model's last features are not its topics.

    Examples
    --------
    >>> features_without_topics({"features": ["friends", "topic1"]}, None, "m.whybox")
    ['friends', 'topic1']
    """
    if "features" not in card:
        raise InputError(
            "the file holds topics for a look, no classifier",
            where=where,
            remedy="train one with `whybox train --topics N`",
        )
    features = card["features"]
    if topics is None:
        return list(features)
    n_others = len(features) - len(topics.columns)
    if n_others < 1 or tuple(features[n_others:]) != topics.columns:
        raise InputError(
            "the model's last features are not the topics that it carries",
            where=where,
            remedy="train it again",
        )
    return list(features[:n_others])


def infer_columns(
    session: Session,
    table: Dataset,
    topics: TopicModel | None,
    *,
    partitions: int | None = None,
    titles: bool = False,
) -> Dataset:
    """Add the columns of a model's topics, inferred from each user's document alone.

    Parameters
    ----------
    session : Session
    table : Dataset
        With documents, if there are topics.
    topics : TopicModel or None
        None adds nothing.
    partitions : int, optional
        At most so many tasks.
    titles : bool, default False
        Name the columns by what the topics are about, for a reader.

    Returns
    -------
    Dataset
    """
    if topics is None:
        return table
    assert table.documents is not None
    columns = infer_topics(session, topics, table.documents, partitions)
    named = table.with_columns(topics.titles() if titles else topics.columns, columns)
    return replace(named, documents=None)


def topic_summary(topics: TopicModel) -> dict[str, Any]:
    """Tell of topics in JSON values: settings, size, and each topic's name and likeliest words.

    Parameters
    ----------
    topics : TopicModel

    Returns
    -------
    dict
    """
    return {
        "number": topics.settings.n_topics,
        "seed": topics.settings.seed,
        "words": len(topics.vocabulary),
        "topics": {
            f"{column}: {name}" if name != column else column: list(words)
            for column, name, words in zip(
                topics.columns, topics.names, topics.top_words(), strict=True
            )
        },
    }
