"""Topics that were fitted: what each is about, what each user writes about, and how they are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from whybox.errors import InputError
from whybox.features.corpus import Corpus
from whybox.features.lda import Floats, TopicSettings, factors, infer

__all__ = ["TopicModel", "topic_columns"]

_MADE_BY = "use a file that `whybox train --topics` or `whybox topics` wrote"


def topic_columns(n_topics: int) -> tuple[str, ...]:
    """Name the features that topics give.

    Parameters
    ----------
    n_topics : int

    Returns
    -------
    tuple of str
        topic1, topic2, ..., as in Tong et al., Table S2.

    Examples
    --------
    >>> topic_columns(2)
    ('topic1', 'topic2')
    """
    return tuple(f"topic{number}" for number in range(1, n_topics + 1))


@dataclass(frozen=True, eq=False)
class TopicModel:
    """Topics of a vocabulary.

    Parameters
    ----------
    weights : float64 array of shape (n_topics, n_words)
        Dirichlet parameters of each topic's words (lambda).
    vocabulary : tuple of str
        Stems, sorted.
    surfaces : tuple of str
        How each stem is shown.
    settings : TopicSettings
    names : tuple of str, optional
        What a person calls the topics; by default topic1, topic2, ...

    Raises
    ------
    InputError
        The parts do not fit together.

    Examples
    --------
    >>> weights = np.array([[9.0, 1.0], [1.0, 3.0]])
    >>> model = TopicModel(weights, ("sea", "sun"), ("sea", "suns"), TopicSettings(n_topics=2))
    >>> model.top_words(1), model.names
    ([('sea',), ('suns',)], ('topic1', 'topic2'))
    """

    weights: Floats
    vocabulary: tuple[str, ...]
    surfaces: tuple[str, ...]
    settings: TopicSettings
    names: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        if not self.names:
            object.__setattr__(self, "names", topic_columns(self.settings.n_topics))
        _check(self)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the features: topic1, topic2, ..., whatever the topics are called."""
        return topic_columns(self.settings.n_topics)

    @property
    def word_shares(self) -> Floats:
        """How likely each topic is to write each word: (n_topics, n_words), rows sum to 1."""
        shares: Floats = self.weights / self.weights.sum(axis=1, keepdims=True)
        return shares

    def transform(self, corpus: Corpus) -> Floats:
        """Infer what each user writes about.

        Parameters
        ----------
        corpus : Corpus
            Of any vocabulary; words that the topics do not know say nothing.

        Returns
        -------
        float64 array of shape (n_users, n_topics)
            Shares, rows sum to 1; a row depends on that user's document alone. A document without
            a known word has equal shares.

        Examples
        --------
        >>> import pyarrow as pa
        >>> documents = pa.table({"user_id": ["a", "b"], "stems": [[0], []], "counts": [[9], []]})
        >>> corpus = Corpus.from_tables(documents, pa.table({"stem": ["sun"]}))
        >>> weights = np.array([[9.0, 1.0], [1.0, 9.0]])
        >>> settings = TopicSettings(n_topics=2)
        >>> TopicModel(weights, ("sea", "sun"), ("sea", "sun"), settings).transform(corpus).round(1)
        array([[0.1, 0.9],
               [0.5, 0.5]])
        """
        known = corpus.recoded(self.vocabulary, self.surfaces)
        gamma = infer(known, factors(self.weights), self.settings)[0]
        shares: Floats = gamma / gamma.sum(axis=1, keepdims=True)
        return shares

    def top_words(self, n_words: int = 10) -> list[tuple[str, ...]]:
        """List each topic's likeliest words, as they are mostly written.

        Parameters
        ----------
        n_words : int, default 10
            As in Tong et al., Tables S13 and S14.

        Returns
        -------
        list of tuple of str
            One a topic, likeliest first, equally likely ones in the order of the alphabet.
        """
        return [tuple(self.surfaces[w] for w in words) for words in self.top_numbers(n_words)]

    def top_numbers(self, n_words: int = 10) -> np.ndarray:
        """Number each topic's likeliest words: int64 array of shape (n_topics, n_words)."""
        return np.argsort(-self.word_shares, axis=1, kind="stable")[:, :n_words]

    def named(self, names: Sequence[str]) -> TopicModel:
        """Call the topics by names that a person gives; none leaves them as they are."""
        return replace(self, names=tuple(names)) if names else self

    def titles(self) -> tuple[str, ...]:
        """Say of each topic what it is: its given name, else its three likeliest words."""
        return tuple(
            f"{column} ({', '.join(words) if name == column else name})"
            for column, name, words in zip(self.columns, self.names, self.top_words(3), strict=True)
        )

    def to_state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Take the topics apart into JSON-able values and arrays.

        Returns
        -------
        meta : dict
        arrays : dict of str to array
        """
        meta = {
            "settings": asdict(self.settings),
            "vocabulary": list(self.vocabulary),
            "surfaces": list(self.surfaces),
            "names": list(self.names),
        }
        return meta, {"weights": self.weights}

    @classmethod
    def from_state(cls, meta: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> TopicModel:
        """Put topics together again.

        Parameters
        ----------
        meta, arrays : mapping
            From :meth:`to_state`.

        Returns
        -------
        TopicModel
            Equal to the one taken apart.

        Raises
        ------
        InputError
            A part is missing or does not fit the others.

        Examples
        --------
        >>> TopicModel.from_state({}, {})
        Traceback (most recent call last):
        whybox.errors.InputError: these are no topics: ValueError: arrays are missing: ...
        """
        try:
            if set(arrays) != {"weights"}:
                raise ValueError(f"arrays are {', '.join(sorted(arrays)) or 'missing'}")
            texts = [tuple(meta[name]) for name in ("vocabulary", "surfaces", "names")]
            settings = TopicSettings(**meta["settings"])
            return cls(np.array(arrays["weights"]), texts[0], texts[1], settings, texts[2])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, InputError):
                raise
            what = f"these are no topics: {type(error).__name__}: {error}"
            raise InputError(what, remedy=_MADE_BY) from error


def _check(model: TopicModel) -> None:
    """Refuse parts that do not fit together."""
    shape = (model.settings.n_topics, len(model.vocabulary))
    weights, texts = model.weights, (*model.vocabulary, *model.surfaces, *model.names)
    problems = {
        f"weights are {weights.dtype} of shape {weights.shape}, expected float64 of {shape}": (
            weights.dtype == np.float64 and weights.shape == shape and shape[1] > 0
        ),
        "weights are not all finite and positive": bool(
            weights.dtype.kind == "f" and np.isfinite(weights).all() and (weights > 0).all()
        ),
        "a word or a name is no text": all(isinstance(t, str) and t.strip() for t in texts),
        "the vocabulary is not sorted, or repeats a word": (
            list(model.vocabulary) == sorted(set(model.vocabulary))
        ),
        f"{len(model.surfaces)} surface forms for {shape[1]} words": (
            len(model.surfaces) == shape[1]
        ),
        f"{len(model.names)} names for {shape[0]} topics, or two topics have one name": (
            len(set(model.names)) == len(model.names) == shape[0]
        ),
    }
    for problem, is_fine in problems.items():
        if not is_fine:
            raise InputError(f"these are no topics: {problem}", remedy=_MADE_BY)
