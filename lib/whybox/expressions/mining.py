"""The discriminatory expressions of one class, by pattern growth or by the queue as printed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whybox.errors import InputError, RunError
from whybox.expressions.corpus import Corpus
from whybox.expressions.literal import QueueSearch
from whybox.expressions.ranking import word_scores

__all__ = ["BUDGET", "Found", "Mined", "Settings", "WordCounts", "count_limit", "mine_class"]

BUDGET = (1 << 32, 1 << 12)
"""Looks at tokens that one class's search may take: the larger of so many, about 20 s, and so many
a token of the corpus. Short texts need less than a hundredth of it; a bound that is no clock."""


@dataclass(frozen=True)
class Settings:
    """What is asked of an expression, and in which order it is searched for.

    Parameters
    ----------
    min_precision, min_recall : float
        p and r of Eq. (9), from 0 to 1, both reached by equality.
    max_words : int
        alpha of Algorithm 3, at least 1.
    search : {"bfs", "dfs"}
        Order of the queue.
    seed_documents : {"class", "all"}
        Documents for which an expression is searched.
    allow_repeats : bool
        Whether a word may occur twice in an expression.
    max_gap : int or None
        Tokens allowed between two words.

    Raises
    ------
    InputError
        If a value is out of its range.

    Examples
    --------
    >>> Settings(min_precision=0.9).max_words
    3
    """

    min_precision: float = 0.6
    min_recall: float = 0.01
    max_words: int = 3
    search: str = "bfs"
    seed_documents: str = "class"
    allow_repeats: bool = False
    max_gap: int | None = None

    def __post_init__(self) -> None:
        for name in ("min_precision", "min_recall"):
            value = getattr(self, name)
            if not (isinstance(value, (int, float, np.number)) and 0 <= value <= 1):
                raise InputError(f"got {name}={value!r}", remedy="use a share from 0 to 1")
        if not _is_count(self.max_words, 1):
            raise InputError(f"got max_words={self.max_words!r}", remedy="use 1 or more")
        if not (self.max_gap is None or _is_count(self.max_gap, 0)):
            raise InputError(f"got max_gap={self.max_gap!r}", remedy="use 0 or more, or None")
        for name, values in (("search", ("bfs", "dfs")), ("seed_documents", ("class", "all"))):
            if getattr(self, name) not in values:
                raise InputError(
                    f"got {name}={getattr(self, name)!r}", remedy=f"use one of {values}"
                )

    @property
    def gap_limit(self) -> int:
        """The gap as kernels take it, -1 for no limit.

        Examples
        --------
        >>> Settings().gap_limit
        -1
        """
        return -1 if self.max_gap is None else int(self.max_gap)


class WordCounts(NamedTuple):
    """What one class needs to know about each word; sums over parts of a corpus.

    Examples
    --------
    >>> WordCounts(np.array([2]), np.array([1]), np.array([0])).uses
    array([2])
    """

    uses: NDArray[np.int64]  # in the documents of the class
    inside: NDArray[np.int64]  # documents of the class with the word
    others: NDArray[np.int64]  # documents of the rest with the word


class Found(NamedTuple):
    """An accepted expression: word numbers, and the documents of the class and the rest with it.

    Examples
    --------
    >>> Found((3, 1), 20, 2).tp
    20
    """

    words: tuple[int, ...]
    tp: int
    fp: int


class Mined(NamedTuple):
    """The expressions of a class, by their words, and how many seeds yielded none.

    Examples
    --------
    >>> Mined([], 7).n_uncovered
    7
    """

    found: list[Found]
    n_uncovered: int


def count_limit(min_recall: float, n_positive: int) -> int:
    """Compute the least number of positive documents, of which there is one always.

    Examples
    --------
    >>> count_limit(0.01, 2363), count_limit(0.1, 30), count_limit(0.0, 5)
    (24, 3, 1)
    """
    return max(1, math.ceil(min_recall * n_positive - 1e-9))


def mine_class(
    corpus: Corpus,
    positive: NDArray[np.bool_],
    counts: WordCounts,
    is_stop: NDArray[np.bool_],
    settings: Settings,
) -> Mined:
    """Find the discriminatory expressions of a class, Definition 2 and Algorithm 3.

    Parameters
    ----------
    corpus : Corpus
    positive : bool (documents,)
        The documents of the class.
    counts : WordCounts
        For the words of the corpus.
    is_stop : bool (words,)
    settings : Settings

    Returns
    -------
    Mined
        In the order of the words' numbers.

    Raises
    ------
    RunError
        If the search would take too long.

    Examples
    --------
    >>> from whybox.expressions.corpus import encode
    >>> corpus, positive = encode(["not bad", "not so bad", "bad"]), np.array([True, True, False])
    >>> counts = WordCounts(np.array([2, 2, 1]), np.array([2, 2, 1]), np.array([0, 1, 0]))
    >>> mine_class(corpus, positive, counts, np.zeros(3, bool), Settings(min_recall=1)).found
    [Found(words=(0,), tp=2, fp=0)]
    """
    if settings.search == "bfs" and not settings.allow_repeats:
        mined = _grow_patterns(corpus, positive, counts, is_stop, settings)
    else:
        mined = _search_queue(corpus, positive, counts, is_stop, settings)
    return Mined(sorted(mined.found), mined.n_uncovered)


def _grow_patterns(
    corpus: Corpus,
    positive: NDArray[np.bool_],
    counts: WordCounts,
    is_stop: NDArray[np.bool_],
    settings: Settings,
) -> Mined:
    """Mine all accepted expressions at once, keeping each seed's first."""
    from whybox.kernels.expressions import Rules, arrange, mine

    n, n_positive = len(corpus), int(positive.sum())
    need = count_limit(settings.min_recall, n_positive)
    kept = np.flatnonzero(counts.inside >= need)
    remap = np.full(len(corpus.words), -1, np.int32)
    remap[kept] = np.arange(len(kept))
    rows = np.concatenate([np.flatnonzero(positive), np.flatnonzero(~positive)])
    tokens = arrange(corpus.indptr, corpus.ids, remap, len(kept), rows)
    scores = word_scores(counts.uses, counts.others, n)[kept]
    rank = np.unique(-scores, return_inverse=True)[1].astype(np.int64)
    rules = Rules(
        need,
        float(settings.min_precision),
        int(settings.max_words),
        settings.gap_limit,
        n_positive,
        n_positive if settings.seed_documents == "class" else n,
        max(BUDGET[0], BUDGET[1] * len(corpus.tokens)),
    )
    owner, words, matches, looked = mine(tokens, rank, is_stop[kept], rules)
    if looked < 0:
        raise RunError(
            f"the search for expressions gave up after {-looked:,} looks at tokens: the documents are "
            f"too long (the longest has {int(np.diff(corpus.indptr).max()):,} tokens)",
            remedy="raise min_recall, lower max_words, or cut the documents",
        )
    owned = np.unique(owner[owner >= 0])
    numbers = [*kept.tolist(), None]  # -1 stands where an expression has no further word
    found = [
        Found(tuple(number for w in row if (number := numbers[w]) is not None), tp, fp)
        for row, (tp, fp) in zip(words[owned].tolist(), matches[owned].tolist(), strict=True)
    ]
    return Mined(found, int((owner < 0).sum()))


def _search_queue(
    corpus: Corpus,
    positive: NDArray[np.bool_],
    counts: WordCounts,
    is_stop: NDArray[np.bool_],
    settings: Settings,
) -> Mined:
    """Search document by document, as printed: slow, and the only way for the literal readings."""
    scores = word_scores(counts.uses, counts.others, len(corpus))
    search = QueueSearch(
        (corpus.indptr, corpus.ids),
        positive,
        scores,
        is_stop,
        count_limit(settings.min_recall, int(positive.sum())),
        settings,
    )
    seeds = np.arange(len(corpus)) if settings.seed_documents == "all" else np.flatnonzero(positive)
    found: dict[tuple[int, ...], Found] = {}
    n_uncovered = 0
    for i in seeds.tolist():
        expression = search.first_accepted(i)
        if expression is None:
            n_uncovered += 1
        else:
            found[expression] = Found(expression, *search.count(expression))
    return Mined(list(found.values()), n_uncovered)


def _is_count(value: object, least: int) -> bool:
    """Tell whether a value is an integer of at least so much, and no truth value."""
    integer = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    return integer and int(value) >= least  # type: ignore[call-overload]
