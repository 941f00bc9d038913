"""Slow twins of whybox.text.spelling: every token corrected by itself, nothing remembered."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from nltk.stem import SnowballStemmer

import naive_text

LETTERS = "abcdefghijklmnopqrstuvwxyz'"


def read_counts(path: Path) -> dict[str, int]:
    rows = [line.split() for line in path.read_text(encoding="utf-8-sig").splitlines() if line]
    return {word: int(number) for word, number in rows}


def correct(word: str, counts: dict[str, int]) -> str:
    """The commonest known word one edit away, the first by the alphabet of equally common ones."""
    if word in counts:
        return word
    splits = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    edits = {head + tail[1:] for head, tail in splits}
    edits |= {head + tail[1] + tail[0] + tail[2:] for head, tail in splits if len(tail) > 1}
    edits |= {head + c + tail[1:] for head, tail in splits for c in LETTERS}
    edits |= {head + c + tail for head, tail in splits for c in LETTERS}
    found = sorted((-counts[edit], edit) for edit in edits if edit in counts)
    return found[0][1] if found else word


def count(
    text: str, positive: frozenset[str], negative: frozenset[str], correct: Callable[[str], str]
) -> dict[str, object]:
    """Signed words and stems of one raw text."""

    def corrected(token: str) -> str | None:
        word = naive_text.as_word(token)
        if word is None or token.startswith("#") or len(word) < 3:
            return word
        if not all(map(naive_text.is_letter, word)):
            return word
        known = naive_text.is_stop_word(word) or word in positive or word in negative
        return word if known else correct(word)

    found = map(corrected, naive_text.tokens(naive_text.clean(text)))
    words = [word for word in found if word is not None]
    long = [word for word in words if sum(map(naive_text.is_letter, word)) >= 3]
    stem = SnowballStemmer("english").stem
    return {
        "negative_words": sum(word in negative for word in words),
        "positive_words": sum(word in positive for word in words),
        "stems": [stem(word) for word in long if not naive_text.is_stop_word(word)],
    }
