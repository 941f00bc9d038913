"""Words too common to carry a topic: scikit-learn's English list, which needs no download."""

from __future__ import annotations

import hashlib
from functools import cache

__all__ = ["is_stop_word", "stop_words", "stop_words_sha256"]


@cache
def stop_words(language: str = "english") -> frozenset[str]:
    """Return a language's stop words.

    Parameters
    ----------
    language : str, default "english"
        Languages other than English have an empty list: nothing is taken out.

    Returns
    -------
    frozenset of str
        Words in lower case.

    Examples
    --------
    >>> "the" in stop_words(), len(stop_words("finnish"))
    (True, 0)
    """
    if language != "english":
        return frozenset()
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return frozenset(ENGLISH_STOP_WORDS)


def is_stop_word(word: str, language: str = "english") -> bool:
    """Tell whether a word is a stop word, or one with an apostrophe or "n't" after it.

    Parameters
    ----------
    word : str
        A word in lower case.
    language : str, default "english"
        As in :func:`stop_words`.

    Returns
    -------
    bool
        Whether to leave the word out of topics.

    Examples
    --------
    >>> [is_stop_word(word) for word in ("it", "it's", "isn't", "depression")]
    [True, True, True, False]
    """
    words = stop_words(language)
    if word in words:
        return True
    head, apostrophe, _ = word.partition("'")
    return bool(apostrophe) and (head in words or word.removesuffix("n't") in words)


def stop_words_sha256(language: str = "english") -> str:
    """Hash a language's stop words, for the recipe of a run.

    Parameters
    ----------
    language : str, default "english"
        As in :func:`stop_words`.

    Returns
    -------
    str
        SHA-256 in hexadecimal of the sorted words.

    Examples
    --------
    >>> len(stop_words_sha256())
    64
    """
    return hashlib.sha256("\n".join(sorted(stop_words(language))).encode()).hexdigest()
