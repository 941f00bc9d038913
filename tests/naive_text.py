"""Slow twins of whybox.text: a post at a time, with the packages that people use for each step."""

from __future__ import annotations

import html
import unicodedata
from functools import cache
from itertools import product

import emoji
import regex
from nltk.stem import SnowballStemmer
from nltk.tokenize import TweetTokenizer
from nltk.tokenize.casual import HANG_RE
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

_stem = cache(SnowballStemmer("english").stem)
_TOKENIZER = TweetTokenizer()


def clean(text: str) -> str:
    text = html.unescape(text)[:10_000]
    return "".join("\ufffd" if c == "\0" or "\ud800" <= c <= "\udfff" else c for c in text)


def tokens(text: str) -> list[str]:
    """TweetTokenizer's tokens of a text whose entities are decoded: its own decoding is left out."""
    return _TOKENIZER.PHONE_WORD_RE.findall(HANG_RE.sub(r"\1\1\1", text))


def count_emoji(text: str) -> int:
    """Graphemes in which the emoji package finds something, but for three signs and U+FE0E."""
    return sum(map(_is_emoji, regex.findall(r"\X", text)))


@cache
def _is_emoji(grapheme: str) -> bool:
    found = emoji.emoji_list(grapheme)
    if not found:
        # The package knows the flags that are in use; any pair of indicators is drawn as one sign.
        return len(regex.findall(r"\p{RI}", grapheme)) == 2
    first = found[0]["emoji"]
    after = grapheme[found[0]["match_end"] :]
    return first not in "©®™" and not (len(first) == 1 and after.startswith("\ufe0e"))


def _shapes() -> set[str]:
    nose, eyes = ["", "-", "o", "*", "'", "^"], [":", ";", "="]
    heads, mouths = ["", "<", ">"], list(")(][dDpPoO/}{@|\\*")
    shapes = {"".join(parts) for parts in product(heads, eyes, nose, mouths)}
    shapes |= {"".join(parts) for parts in product(heads, ["8-"], mouths)}
    shapes |= {"".join(parts) for parts in product(")(][/}{|\\D", nose, eyes, heads)}
    return shapes | {heart + "3" * n for heart in ("<", "</") for n in range(1, 30)}


_SHAPES = _shapes()
_LONGEST = max(map(len, _SHAPES))
_STARTS = {shape[0] for shape in _SHAPES}


def count_emoticons(text: str) -> int:
    """At each place the longest shape that no word character touches."""
    number, i = 0, 0
    while i < len(text):
        ends = range(min(len(text), i + _LONGEST), i, -1) if text[i] in _STARTS else []
        end = next((j for j in ends if _stands_alone(text, i, j)), None)
        number += end is not None
        i = end or i + 1
    return number


def _stands_alone(text: str, i: int, j: int) -> bool:
    before, after = text[i - 1 : i] if i else "", text[j : j + 1]
    if text[i:j] not in _SHAPES or _is_word_character(before) or _is_word_character(after):
        return False
    ends_in_slash = text[j - 1] == "/" and text[i] in "<>:;=8"
    return not (ends_in_slash and after == "/")


def _is_word_character(c: str) -> bool:
    return c.isalnum() or c == "_"


def as_word(token: str) -> str | None:
    """The word of a token, hashtags included, or None: letters, with ' and - between them."""
    word = unicodedata.normalize("NFC", token.lower()).lstrip("#")
    pieces = word.replace("-", "'").split("'")
    lettered = all(
        piece and is_letter(piece[0]) and all(is_letter(c) or is_mark(c) for c in piece)
        for piece in pieces
    )
    return word if lettered else None


def is_letter(c: str) -> bool:
    """By the Unicode of the engine that tokenises: Python's own may be older."""
    return regex.match(r"\p{L}", c) is not None


def is_mark(c: str) -> bool:
    return regex.match(r"\p{M}", c) is not None


def is_stop_word(word: str) -> bool:
    if "'" not in word:
        return word in ENGLISH_STOP_WORDS
    negated = word.endswith("n't") and word[:-3] in ENGLISH_STOP_WORDS
    return word.split("'")[0] in ENGLISH_STOP_WORDS or negated


def count(text: str, positive: frozenset[str], negative: frozenset[str]) -> dict[str, object]:
    """One raw text to its four counts and its stems."""
    text = clean(text)
    words = [word for word in map(as_word, tokens(text)) if word is not None]
    long = [word for word in words if sum(map(is_letter, word)) >= 3]
    return {
        "negative_words": sum(word in negative for word in words),
        "positive_words": sum(word in positive for word in words),
        "emoji_number": count_emoji(text),
        "emoticons": count_emoticons(text),
        "stems": [_stem(word) for word in long if not is_stop_word(word)],
    }
