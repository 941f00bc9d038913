"""Everything that is ever asked about a unit, found once and kept under a number.

A post's counts are then sums of integers over the numbers of its units.
"""

from __future__ import annotations

import unicodedata
from typing import Any

import numpy as np
import regex
from numpy.typing import NDArray

from whybox.text.emoji import count_emoji
from whybox.text.emoticons import count_emoticons
from whybox.text.lexicons import Lexicon
from whybox.text.mentions import count_mentions
from whybox.text.spelling import corrector
from whybox.text.stemming import stem
from whybox.text.stopwords import is_stop_word
from whybox.text.tokens import is_address, is_mention, split_unit

__all__ = ["ADDRESS", "COUNTS", "MENTION", "Vocabulary"]

COUNTS = ("negative_words", "positive_words", "emoji_number", "emoticons", "mentions")
"""What is counted in a unit, in the order of the columns of ``Vocabulary.counts``."""

ADDRESS, MENTION = 0, 1
"""The one number of all web addresses, and of all mentions: nearly every one is new."""

_MIN_LETTERS = 3
_WORD = regex.compile(r"#*((?:\p{L}\p{M}*)(?:['\-]?\p{L}\p{M}*)*)").fullmatch
_LETTERS = regex.compile(r"\p{L}").findall
_PLAIN = regex.compile(r"\p{L}+").fullmatch


class Vocabulary:
    """The counts and stems of units, by number.

    A word is a token made of letters, with apostrophes and hyphens inside. A hashtag counts as the
    word it is made of: ``#depressed`` is a use of "depressed". Words are compared in lower case and
    in Unicode's composed form. Stems are kept of words of three letters and more that are no stop
    words; mentions and web addresses have none.

    Parameters
    ----------
    lexicon : Lexicon
        Sentiment words.
    language : str, default "english"
        Language of stems and stop words.
    spelling : {"none", "symspell", "textblob"}, default "none"
        What corrects plain words of three letters and more before anything is asked about them;
        stop words, sentiment words, hashtags, and words with an apostrophe or hyphen stay.

    Attributes
    ----------
    counts : int32 array of shape (capacity, 5)
        Row of a unit's number: :data:`COUNTS`.
    stem_start, stem_stop : int64 arrays of shape (capacity,)
        Where a unit's stems are in `stem_ids`.
    stem_ids : int32 array
        Positions in `words` and `stems`.
    words : list of str
        Distinct words that have a stem, in lower case, in the order in which they were met.
    stems : list of str
        The stem of each of `words`.

    Examples
    --------
    >>> from whybox.text.lexicons import load_lexicon
    >>> vocabulary = Vocabulary(load_lexicon())
    >>> number = vocabulary.add("#Happiness!:)")
    >>> dict(zip(COUNTS, vocabulary.counts[number].tolist()))["positive_words"]
    1
    >>> vocabulary.words, vocabulary.stems
    (['happiness'], ['happi'])
    """

    def __init__(self, lexicon: Lexicon, language: str = "english", spelling: str = "none") -> None:
        self._lexicon, self._language = lexicon, language
        self._correct = None if spelling == "none" else corrector(spelling)
        self.forget_units()
        self.forget_stems()

    def forget_units(self) -> None:
        """Give all numbers back; the stems and their positions stay."""
        self.counts = np.zeros((1 << 12, len(COUNTS)), np.int32)
        self.counts[MENTION, COUNTS.index("mentions")] = 1
        self.stem_start = np.zeros(1 << 12, np.int64)
        self.stem_stop = np.zeros(1 << 12, np.int64)
        self.stem_ids = np.zeros(1 << 12, np.int32)
        self._n_units, self._n_stem_ids = 2, 0

    def forget_stems(self) -> None:
        """Begin a new list of stems; a list handed out before stays as it is."""
        self.forget_units()
        self.stems: list[str] = []
        self.words: list[str] = []
        self._tokens: dict[str, tuple[bool, bool, int]] = {}
        self._word_numbers: dict[str, int] = {}

    def add(self, unit: str) -> int:
        """Number a unit; asked again, it has another number with the same counts and stems.

        Parameters
        ----------
        unit : str
            A unit of :func:`whybox.text.units.cut`.

        Returns
        -------
        int
            `MENTION`, `ADDRESS`, or the next number.

        Examples
        --------
        >>> from whybox.text.lexicons import load_lexicon
        >>> vocabulary = Vocabulary(load_lexicon())
        >>> vocabulary.add("@ann") == vocabulary.add("@bob") == MENTION
        True
        """
        is_word = unit.isascii() and unit.isalpha()  # one token, and nothing else to count
        if not is_word and is_mention(unit):
            return MENTION
        if not is_word and is_address(unit):
            return ADDRESS
        number = self._n_units
        self._n_units += 1
        if number >= len(self.counts):
            self._double()
        words = [self._word(token) for token in ([unit] if is_word else split_unit(unit))]
        for negative, positive, _ in words:
            if negative or positive:  # few are
                self.counts[number, :2] += (negative, positive)
        if not is_word:
            others = count_emoji(unit), count_emoticons(unit), count_mentions(unit)
            self.counts[number, 2:] = others
        self._add_stems(number, [stem_id for _, _, stem_id in words if stem_id >= 0])
        return number

    def _word(self, token: str) -> tuple[bool, bool, int]:
        """Tell whether a token is a negative, a positive word, and its stem's position or -1."""
        known = self._tokens.get(token)
        if known is not None:
            return known
        word, is_tag = _word_of(token)
        entry = (False, False, -1)
        if word:
            if self._correct is not None and not is_tag and self._is_doubtful(word):
                word = self._correct(word)
            entry = (word in self._lexicon.negative, word in self._lexicon.positive, -1)
            if _n_letters(word) >= _MIN_LETTERS and not is_stop_word(word, self._language):
                entry = (*entry[:2], self._stem_id(word))
        self._tokens[token] = entry
        return entry

    def _is_doubtful(self, word: str) -> bool:
        """Tell whether a word may be misspelt: plain letters that no list of words has."""
        return (
            len(word) >= _MIN_LETTERS
            and _PLAIN(word) is not None
            and word not in self._lexicon.negative
            and word not in self._lexicon.positive
            and not is_stop_word(word, self._language)
        )

    def _stem_id(self, word: str) -> int:
        """Position of a word and its stem in the lists, at whose ends new ones are put."""
        number = self._word_numbers.setdefault(word, len(self.words))
        if number == len(self.words):
            self.words.append(word)
            self.stems.append(stem(word, self._language))
        return number

    def _add_stems(self, number: int, stem_ids: list[int]) -> None:
        """Note a unit's stems."""
        start, stop = self._n_stem_ids, self._n_stem_ids + len(stem_ids)
        while stop > len(self.stem_ids):
            self.stem_ids = _doubled(self.stem_ids)
        self.stem_ids[start:stop] = stem_ids
        self.stem_start[number], self.stem_stop[number] = start, stop
        self._n_stem_ids = stop

    def _double(self) -> None:
        """Make room for as many units again."""
        self.counts = _doubled(self.counts)
        self.stem_start = _doubled(self.stem_start)
        self.stem_stop = _doubled(self.stem_stop)


def _word_of(token: str) -> tuple[str, bool]:
    """The word that a token is, in lower case, and whether it is a hashtag; "" if it is none."""
    word = token.lower()
    if word.isascii() and word.isalpha():  # most, and nothing in them to look for
        return word, False
    match = _WORD(unicodedata.normalize("NFC", word))
    return ("", False) if match is None else (match[1], match.start(1) > 0)


def _n_letters(word: str) -> int:
    """Letters of a word, without its marks, apostrophes and hyphens."""
    return len(word) if word.isascii() and word.isalpha() else len(_LETTERS(word))


def _doubled(array: NDArray[Any]) -> NDArray[Any]:
    """Copy an array into one of twice the length."""
    return np.concatenate([array, np.zeros_like(array)])
