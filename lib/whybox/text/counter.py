"""Count the sentiment words, emoji, emoticons, mentions and stems of many posts at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whybox.text.cleaning import check_texts, clean_many
from whybox.text.lexicons import load_lexicon
from whybox.text.stemming import check_language
from whybox.text.units import cut
from whybox.text.vocabulary import COUNTS, END, Vocabulary

__all__ = ["PostCounts", "TextCounter"]

_CHUNK = 4096  # texts between two looks at the vocabulary's size


@dataclass(frozen=True)
class PostCounts:
    """Counts of n posts.

    Parameters
    ----------
    negative_words, positive_words, emoji_number, emoticons, mentions : int32 arrays of shape (n,)
        Occurrences in each post.
    indptr : int64 array of shape (n + 1,)
        The stems of post i are ``stems[indptr[i]:indptr[i + 1]]``, in the order of the text.
    stems : int32 array
        Positions in `vocabulary`.
    vocabulary : list of str
        Stems, one for each word that was met. It may grow as more posts are counted; what is in it
        stays where it is.
    words : list of str
        The word that each stem of `vocabulary` was made of.

    Examples
    --------
    >>> counts = TextCounter().count(["Great flights, great crew :)"])
    >>> counts.positive_words.tolist(), [counts.vocabulary[i] for i in counts.stems]
    ([2], ['great', 'flight', 'great', 'crew'])
    """

    negative_words: NDArray[np.int32]
    positive_words: NDArray[np.int32]
    emoji_number: NDArray[np.int32]
    emoticons: NDArray[np.int32]
    mentions: NDArray[np.int32]
    indptr: NDArray[np.int64]
    stems: NDArray[np.int32]
    vocabulary: list[str]
    words: list[str]


class TextCounter:
    """Counter of what texts hold, with a memory of the units it has met.

    One counter a process: the memory makes it fast, and never changes what it returns but for the
    order of the stems' list.

    Parameters
    ----------
    lexicon : str, default "vader"
        A name that :func:`whybox.text.lexicons.load_lexicon` knows.
    language : str, default "english"
        Language of stems and stop words.
    spelling : {"none", "symspell", "textblob"}, default "none"
        What corrects words before they are looked up and stemmed:
        :func:`whybox.text.spelling.corrector`.
    max_units : int, default 1,000,000
        Units remembered, about 0.5 GB at a million; then all are forgotten.

    Raises
    ------
    InputError
        If the lexicon, the language or the corrector is unknown or not installed.

    Examples
    --------
    >>> counter = TextCounter()
    >>> counts = counter.count(["@ann I love it 😢😢 &lt;3", ""])
    >>> counts.emoji_number.tolist(), counts.emoticons.tolist(), counts.mentions.tolist()
    ([2, 0], [1, 0], [1, 0])
    """

    def __init__(
        self,
        lexicon: str = "vader",
        language: str = "english",
        *,
        spelling: str = "none",
        max_units: int = 1_000_000,
    ) -> None:
        check_language(language)
        self.lexicon = load_lexicon(lexicon)
        self.language = language
        self.spelling = spelling
        self.max_units = max_units
        self._vocabulary = Vocabulary(self.lexicon, language, spelling)

    @property
    def stems(self) -> list[str]:
        """Stems that the last counts refer to by position."""
        return self._vocabulary.stems

    def count(self, texts: Sequence[str]) -> PostCounts:
        """Count raw texts.

        Parameters
        ----------
        texts : sequence of str
            Raw texts: entities are decoded and texts cut at 10,000 code points here.

        Returns
        -------
        PostCounts
            One entry a text.

        Raises
        ------
        InputError
            If `texts` is one string, or holds something else than strings.

        Examples
        --------
        >>> TextCounter().count(["so sad", "sad and tired"]).negative_words.tolist()
        [1, 2]
        """
        check_texts(texts)
        if len(self.stems) > self.max_units:
            self._vocabulary.forget_stems()
        chunks = [texts[start : start + _CHUNK] for start in range(0, len(texts), _CHUNK)] or [[]]
        counts, lengths, stems = zip(*map(self._count_chunk, chunks), strict=True)
        indptr = np.zeros(len(texts) + 1, np.int64)
        np.cumsum(np.concatenate(lengths), out=indptr[1:])
        columns = dict(zip(COUNTS, np.ascontiguousarray(np.concatenate(counts).T), strict=True))
        return PostCounts(
            **columns,
            indptr=indptr,
            stems=np.concatenate(stems),
            vocabulary=self.stems,
            words=self._vocabulary.words,
        )

    def _count_chunk(
        self, texts: Sequence[str]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
        """Return counts (texts, 5), the number of stems of each text, and all stems in order."""
        vocabulary = self._vocabulary
        if len(vocabulary) > self.max_units:
            vocabulary.forget_units()
        units: list[str] = []
        for text in clean_many(texts):
            units += cut(text)
            units.append(END)
        numbers = np.fromiter(map(vocabulary.__getitem__, units), np.int64, len(units))
        if not len(texts):
            return (
                np.zeros((0, vocabulary.counts.shape[1]), np.int32),
                numbers,
                numbers.astype("i4"),
            )
        ends = np.flatnonzero(numbers == 0)
        starts = np.append(0, ends[:-1] + 1)
        counts = np.add.reduceat(
            vocabulary.counts.take(numbers, axis=0), starts, axis=0, dtype=np.int32
        )
        first = vocabulary.stem_start[numbers]
        lengths = vocabulary.stem_stop[numbers] - first
        stems = vocabulary.stem_ids[_ranges(first, lengths)]
        return counts, np.add.reduceat(lengths, starts), stems


def _ranges(first: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Concatenate the ranges ``first[i], ..., first[i] + lengths[i] - 1``."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(first - before, lengths) + np.arange(lengths.sum())
