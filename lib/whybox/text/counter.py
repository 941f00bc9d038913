"""Count the sentiment words, emoji, emoticons, mentions and stems of many posts at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from whybox.text.cleaning import check_texts, clean_column, clean_many
from whybox.text.lexicons import load_lexicon
from whybox.text.stemming import check_language
from whybox.text.table import UnitTable
from whybox.text.vocabulary import ADDRESS, COUNTS, MENTION, Vocabulary

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
        self._units = UnitTable(self._vocabulary.add, mention=MENTION, address=ADDRESS)

    @property
    def stems(self) -> list[str]:
        """Stems that the last counts refer to by position."""
        return self._vocabulary.stems

    def count(self, texts: Sequence[str] | pa.StringArray) -> PostCounts:
        """Count raw texts.

        Parameters
        ----------
        texts : sequence of str, or pyarrow.StringArray without nulls
            Raw texts: entities are decoded and texts cut at 10,000 code points here. Arrays are
            faster: only what is new is made into strings.

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
        if not isinstance(texts, pa.StringArray):
            check_texts(texts)
        if len(self.stems) > self.max_units:
            self._vocabulary.forget_stems()
            self._units.clear()
        chunks = [texts[start : start + _CHUNK] for start in range(0, len(texts), _CHUNK)] or [[]]
        counts, lengths, stems = zip(*map(self._count_chunk, chunks), strict=True)
        indptr = np.zeros(len(texts) + 1, np.int64)
        np.cumsum(np.concatenate(lengths), out=indptr[1:])
        return PostCounts(
            **dict(zip(COUNTS, np.concatenate(counts, axis=1), strict=True)),
            indptr=indptr,
            stems=np.concatenate(stems),
            vocabulary=self.stems,
            words=self._vocabulary.words,
        )

    def _count_chunk(
        self, texts: Sequence[str] | pa.StringArray
    ) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
        """Return counts (5, texts), the number of stems of each text, and all stems in order."""
        from whybox.kernels.units import sum_units

        vocabulary = self._vocabulary
        if len(self._units) > self.max_units:
            vocabulary.forget_units()
            self._units.clear()
        is_array = isinstance(texts, pa.StringArray)
        column = clean_column(texts) if is_array else pa.array(clean_many(texts), pa.string())
        numbers, ends = self._units.look_up(column)
        found: tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]] = sum_units(
            *(numbers, ends, vocabulary.counts),
            *(vocabulary.stem_start, vocabulary.stem_stop, vocabulary.stem_ids),
        )
        return found
