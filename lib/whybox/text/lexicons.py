"""Words with a sentiment, from VADER (in its wheel) or from NLTK's data where that is installed.

A sentiment word is made of letters, with apostrophes and hyphens inside: the emoticons that VADER
rates are counted as emoticons, not a second time as words.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import regex

from whybox.errors import InputError

__all__ = ["LEXICONS", "Lexicon", "load_lexicon"]

_WORD = regex.compile(r"\p{L}\p{M}*(?:['\-]?\p{L}\p{M}*)*").fullmatch


@dataclass(frozen=True)
class Lexicon:
    """Words that speak well and words that speak ill.

    Parameters
    ----------
    name : str
        One of :data:`LEXICONS`.
    positive, negative : frozenset of str
        Words in lower case. A word may be in both where its source says so.

    Examples
    --------
    >>> lexicon = Lexicon("mine", frozenset({"joy"}), frozenset({"grief"}))
    >>> lexicon.sha256[:8]
    'ac204229'
    """

    name: str
    positive: frozenset[str]
    negative: frozenset[str]

    @property
    def sha256(self) -> str:
        """SHA-256 in hexadecimal of both sorted word lists: what a recipe stores."""
        lists = (sorted(self.positive), sorted(self.negative))
        return hashlib.sha256("\n\n".join("\n".join(words) for words in lists).encode()).hexdigest()


@lru_cache(maxsize=8)
def load_lexicon(name: str = "vader") -> Lexicon:
    """Load a lexicon by its name.

    Parameters
    ----------
    name : {"vader", "opinion", "sentiwordnet"}, default "vader"
        VADER (Hutto and Gilbert, 2014) by the sign of a word's rating; Hu and Liu's opinion lexicon
        (2004); SentiWordNet 3.0 (Baccianella et al., 2010) by the sign of positive less negative
        score, summed over a word's senses with weight 1/rank.

    Returns
    -------
    Lexicon
        Its words.

    Raises
    ------
    InputError
        If the name is unknown or NLTK's data is not installed.

    Examples
    --------
    >>> "happy" in load_lexicon().positive, ":)" in load_lexicon().positive
    (True, False)
    """
    if name not in _RATINGS:
        raise InputError(
            f"no lexicon {name!r}", where="lexicon", remedy=f"use one of {', '.join(LEXICONS)}"
        )
    ratings: dict[str, float] = defaultdict(float)
    both: set[str] = set()
    for entry, rating in _RATINGS[name]():
        word = entry.lower()
        if _WORD(word):
            if name == "opinion" and ratings[word] * rating < 0:
                both.add(word)
            ratings[word] += rating
    positive = frozenset(word for word, rating in ratings.items() if rating > 0) | both
    negative = frozenset(word for word, rating in ratings.items() if rating < 0) | both
    return Lexicon(name, positive, negative)


def _vader() -> Iterator[tuple[str, float]]:
    """Read entry and mean rating from the file inside the wheel, without importing requests."""
    spec = find_spec("vaderSentiment")
    if spec is None or spec.origin is None:
        raise InputError("vaderSentiment is not installed", remedy="pip install vaderSentiment")
    lines = Path(spec.origin).with_name("vader_lexicon.txt").read_text(encoding="utf-8")
    for line in lines.split("\n"):
        entry, tab, rest = line.partition("\t")
        if tab:
            yield entry, float(rest.partition("\t")[0])


def _opinion() -> Iterator[tuple[str, float]]:
    """Read the opinion lexicon's two lists, each after a header of lines that begin with ';'."""
    for sign, rating in (("positive", 1.0), ("negative", -1.0)):
        for line in _nltk_lines("opinion_lexicon", f"{sign}-words.txt", encoding="latin-1"):
            if line and not line.startswith(";"):
                yield line.strip(), rating


def _sentiwordnet() -> Iterator[tuple[str, float]]:
    """Read a word's senses: part of speech, id, positive, negative score, terms#rank, gloss."""
    for line in _nltk_lines("sentiwordnet", "SentiWordNet_3.0.0.txt", encoding="utf-8"):
        fields = line.split("\t")
        if line.startswith("#") or len(fields) < 5 or not fields[2]:
            continue
        difference = float(fields[2]) - float(fields[3])
        for term in fields[4].split():
            word, _, rank = term.rpartition("#")
            yield word, difference / int(rank)


def _nltk_lines(corpus: str, file: str, *, encoding: str) -> list[str]:
    """Read a file of NLTK's data, unpacked or zipped."""
    from nltk import data

    try:
        pointer = data.find(f"corpora/{corpus}/{file}")
    except LookupError:
        raise InputError(
            f"the lexicon needs NLTK's {corpus} data, which is not installed",
            where="lexicon",
            remedy=f"python -m nltk.downloader {corpus}, or use the lexicon vader",
        ) from None
    with pointer.open() as stream:
        return str(stream.read(), encoding).splitlines()


_RATINGS: dict[str, Callable[[], Iterable[tuple[str, float]]]] = {
    "vader": _vader,
    "opinion": _opinion,
    "sentiwordnet": _sentiwordnet,
}

LEXICONS = tuple(_RATINGS)
"""Names that :func:`load_lexicon` knows."""
