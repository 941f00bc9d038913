"""Correction of spelling, a word at a time, by packages that carry their dictionaries.

Off by default. SymSpell (Garbe, 2012) takes the commonest word of its dictionary that is one edit
away: a letter left out, put in, changed, or two neighbours swapped. TextBlob, which the published
features were made with (Norvig's corrector), looks two edits far and takes a thousand times longer.
Both know English only, and need no download. What they repair and damage, and how fast, is told in
docs/benchmarks.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock

from whybox.errors import InputError

__all__ = ["SPELLINGS", "Dictionary", "corrector", "find_dictionary"]

SPELLINGS = ("none", "symspell", "textblob")
"""Names that :func:`corrector` knows."""

_REMEMBERED = 1_000_000  # words; as many as the units that a counter remembers
_FILES = {
    "symspell": ("symspellpy", "frequency_dictionary_en_82_765.txt", "symspellpy"),
    "textblob": ("textblob", "en/en-spelling.txt", "'whybox[textblob]'"),
}


@dataclass(frozen=True)
class Dictionary:
    """A file of words and how common they are.

    Parameters
    ----------
    package : str
        Distribution that carries the file.
    path : Path
        The file: a word and its count a line.

    Examples
    --------
    >>> find_dictionary("symspell").package
    'symspellpy'
    """

    package: str
    path: Path

    @property
    def sha256(self) -> str:
        """SHA-256 in hexadecimal of the file: what a recipe stores."""
        return hashlib.sha256(self.path.read_bytes()).hexdigest()


def find_dictionary(name: str = "none") -> Dictionary | None:
    """Find the dictionary of a corrector, without importing its package.

    Parameters
    ----------
    name : {"none", "symspell", "textblob"}, default "none"
        What is to correct words.

    Returns
    -------
    Dictionary or None
        None for "none", which needs no dictionary.

    Raises
    ------
    InputError
        If the name is unknown, or the package or its dictionary is not installed.

    Examples
    --------
    >>> find_dictionary("none") is None, len(find_dictionary("symspell").sha256)
    (True, 64)
    >>> find_dictionary("guess")
    Traceback (most recent call last):
    whybox.errors.InputError: no corrector 'guess' (spelling): use one of none, symspell, textblob
    """
    if name not in SPELLINGS:
        raise InputError(
            f"no corrector {name!r}", where="spelling", remedy=f"use one of {', '.join(SPELLINGS)}"
        )
    if name == "none":
        return None
    package, file, requirement = _FILES[name]
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise InputError(
            f"{package} is not installed", where="spelling", remedy=f"pip install {requirement}"
        )
    path = Path(spec.origin).parent / file
    if not path.is_file():
        raise InputError(
            f"{package} has no dictionary {file}",
            where="spelling",
            remedy=f"pip install --force-reinstall {package}",
        )
    return Dictionary(package, path)


@cache
def corrector(name: str = "none") -> Callable[[str], str]:
    """Load what corrects words; it is loaded once a process, and corrects a distinct word once.

    Parameters
    ----------
    name : {"none", "symspell", "textblob"}, default "none"
        "none" leaves every word as it is.

    Returns
    -------
    callable
        From a word in lower case to the word that is meant: itself if it is in the dictionary or
        nothing is near. What it returns depends on the word alone.

    Raises
    ------
    InputError
        As `find_dictionary` does.

    Examples
    --------
    >>> correct = corrector("symspell")
    >>> [correct(word) for word in ("tomorow", "becuase", "qwghlm")]
    ['tomorrow', 'because', 'qwghlm']
    """
    dictionary = find_dictionary(name)
    if dictionary is None:
        return str
    return lru_cache(maxsize=_REMEMBERED)(_BUILDERS[name](dictionary))


def _symspell(dictionary: Dictionary) -> Callable[[str], str]:
    """The commonest word at distance 1; of equally common ones, the first by the alphabet."""
    from symspellpy import SymSpell, Verbosity

    speller = SymSpell(max_dictionary_edit_distance=1)
    speller.load_dictionary(dictionary.path, term_index=0, count_index=1, encoding="utf-8-sig")
    lock = Lock()  # it measures distances in lists that it uses again

    def correct(word: str) -> str:
        with lock:
            found = speller.lookup(word, Verbosity.CLOSEST)
        if not found:
            return word
        best = min(found, key=lambda item: (item.distance, -item.count, item.term))
        return str(best.term)

    return correct


def _textblob(dictionary: Dictionary) -> Callable[[str], str]:
    """The first suggestion of TextBlob's ``Word.spellcheck``."""
    from textblob.en import Spelling

    speller = Spelling(path=str(dictionary.path))  # TextBlob's own may be half loaded by a thread
    longest = max(map(len, speller)) + 2  # from a longer word, two edits reach nothing

    def correct(word: str) -> str:
        return str(speller.suggest(word)[0][0]) if len(word) <= longest else word

    return correct


_BUILDERS: dict[str, Callable[[Dictionary], Callable[[str], str]]] = {
    "symspell": _symspell,
    "textblob": _textblob,
}
