"""Snowball stems, those of NLTK, remembered."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache

from whybox.errors import InputError

__all__ = ["check_language", "stem"]


@lru_cache(maxsize=1 << 16)
def stem(word: str, language: str = "english") -> str:
    """Reduce a word to its stem with NLTK's Snowball stemmer.

    Parameters
    ----------
    word : str
        One word; the stemmer puts it in lower case.
    language : str, default "english"
        A language of ``nltk.stem.SnowballStemmer.languages``.

    Returns
    -------
    str
        The stem.

    Raises
    ------
    InputError
        If there is no stemmer for the language.

    Examples
    --------
    >>> stem("Running"), stem("corriendo", language="spanish")
    ('run', 'corr')
    """
    return _stemmer(language)(word)


def check_language(language: str) -> None:
    """Refuse a language without a stemmer.

    Parameters
    ----------
    language : str
        A language's English name in lower case.

    Raises
    ------
    InputError
        If there is no stemmer for it.

    Examples
    --------
    >>> check_language("english")
    >>> check_language("klingon")
    Traceback (most recent call last):
    whybox.errors.InputError: no stemmer for the language 'klingon' (language): use one of ...
    """
    _stemmer(language)


@cache
def _stemmer(language: str) -> Callable[[str], str]:
    """Build a language's stemmer once; NLTK is imported here, late."""
    from nltk.stem import SnowballStemmer

    if language not in SnowballStemmer.languages:
        raise InputError(
            f"no stemmer for the language {language!r}",
            where="language",
            remedy=f"use one of {', '.join(SnowballStemmer.languages)}",
        )
    stemmer: Callable[[str], str] = SnowballStemmer(language).stem
    return stemmer
