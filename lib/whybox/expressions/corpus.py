"""Documents as numbers: tokenised and encoded once, shared by classes, folds and grids.

Parts of a corpus are encoded where they are and merged: all that is learnt from a corpus is counts
of words, so neither the cut into parts nor the order of documents changes a result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from whybox.errors import InputError
from whybox.expressions.analysis import Analyzer

__all__ = ["Corpus", "encode"]


@dataclass(frozen=True, eq=False)
class Corpus:
    """Encoded documents.

    Parameters
    ----------
    indptr : int64 (documents + 1,)
        Where each document's tokens start in `tokens`.
    tokens : int32 (tokens,)
        The form of each token.
    forms : tuple of str
        Distinct tokens as they stand in the texts, in lower case.
    words : tuple of str
        What is compared: distinct stems.
    word_of : int32 (forms,)
        The word of each form.

    Examples
    --------
    >>> corpus = encode(["Good mornings", "good morning!"])
    >>> len(corpus), corpus.words, corpus.ids.tolist()
    (2, ('good', 'morn', '!'), [0, 1, 0, 1, 2])
    """

    indptr: NDArray[np.int64]
    tokens: NDArray[np.int32]
    forms: tuple[str, ...]
    words: tuple[str, ...]
    word_of: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @property
    def ids(self) -> NDArray[np.int32]:
        """The word of each token."""
        return self.tokens if self.forms is self.words else self.word_of[self.tokens]

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """The number of each word; `encode` knows it already."""
        return {word: number for number, word in enumerate(self.words)}

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is soon made anew, for the way to a worker."""
        return {name: value for name, value in vars(self).items() if name != "numbers"}

    def take(self, rows: ArrayLike) -> Corpus:
        """Choose documents, in any order; the vocabulary stays.

        Parameters
        ----------
        rows : array_like of int or bool
            Positions, or one truth value a document.

        Examples
        --------
        >>> encode(["a b", "c", "d e"]).take([2, 0]).tokens.tolist()
        [3, 4, 0, 1]
        """
        chosen = np.arange(len(self))[np.asarray(rows)]
        starts, lengths = self.indptr[chosen], np.diff(self.indptr)[chosen]
        indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        shift = np.repeat(starts - indptr[:-1], lengths)
        tokens = self.tokens[np.arange(indptr[-1]) + shift]
        return Corpus(indptr, tokens, self.forms, self.words, self.word_of)

    @classmethod
    def merge(cls, parts: Sequence[Corpus]) -> Corpus:
        """Join parts into one corpus, document after document.

        Raises
        ------
        InputError
            If there is no part.

        Examples
        --------
        >>> parts = [encode(["old cats"]), encode(["cat"])]
        >>> merged = Corpus.merge(parts)
        >>> merged.forms, merged.words, merged.ids.tolist()
        (('old', 'cats', 'cat'), ('old', 'cat'), [0, 1, 1])
        """
        if not parts:
            raise InputError("got no parts of a corpus", remedy="encode at least one")
        forms, words = _numbers(), _numbers()
        word_of: dict[int, int] = {}
        tokens = []
        for part in parts:
            numbers = np.array([forms[form] for form in part.forms], np.int32)
            renamed = [words[part.words[w]] for w in part.word_of.tolist()]
            word_of.update(zip(numbers.tolist(), renamed, strict=True))
            tokens.append(numbers[part.tokens] if len(numbers) else part.tokens)
        lengths = np.concatenate([np.diff(part.indptr) for part in parts])
        indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        mapping = np.array([word_of[f] for f in range(len(forms))], np.int32)
        return cls(indptr, np.concatenate(tokens), tuple(forms), tuple(words), mapping)


def encode(texts: Iterable[Any], analyzer: Analyzer | None = None) -> Corpus:
    """Tokenise and number documents.

    Parameters
    ----------
    texts : iterable
        Texts, or lists of tokens if the analyzer says so.
    analyzer : Analyzer, optional
        Default: tweets in English.

    Returns
    -------
    Corpus

    Raises
    ------
    InputError
        If the texts are none.

    Examples
    --------
    >>> encode([["a", "b"], [], ["a"]], Analyzer("tokens")).indptr.tolist()
    [0, 2, 2, 3]
    """
    analyzer = analyzer or Analyzer()
    documents = analyzer.forms(texts)
    lengths = np.fromiter(map(len, documents), np.int64, len(documents))
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    numbers = _numbers()
    flat = chain.from_iterable(documents)
    tokens = np.fromiter(map(numbers.__getitem__, flat), np.int32, int(indptr[-1]))
    forms = tuple(numbers)
    _check_forms(forms)
    if analyzer.kind != "tweet":
        corpus = Corpus(indptr, tokens, forms, forms, np.arange(len(forms), dtype=np.int32))
    else:
        stems = _numbers()
        word_of = np.array([stems[analyzer.word(form)] for form in forms], np.int32)
        corpus, numbers = Corpus(indptr, tokens, forms, tuple(stems), word_of), stems
    numbers.default_factory = None
    vars(corpus)["numbers"] = numbers
    return corpus


def _numbers() -> defaultdict[str, int]:
    """Make a dict that gives numbers in the order of asking."""
    return defaultdict(count().__next__)


def _check_forms(forms: tuple[Any, ...]) -> None:
    """Refuse tokens that are no strings."""
    with suppress(TypeError):  # much faster than to look at each
        "".join(forms)
        return
    for kind in set(map(type, forms)):
        if not issubclass(kind, str):
            raise InputError(f"got a token of type {kind.__name__}, expected strings")
