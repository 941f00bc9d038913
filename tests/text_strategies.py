"""Hypothesis strategies for texts that are hard to tokenise, and the real texts of the reference."""

from __future__ import annotations

import csv
from pathlib import Path

from hypothesis import strategies as st

_SPACES = [" ", "  ", "\t", "\n", "\r\n", "\u00a0", "\u2003", "\u3000", "\u0085", "\u2028"]
_SEPARATORS = ["\x1c", "\x1d", "\x1e", "\x1f"]
_PHONES = ["+1", "(555)", "555", "123", "4567", "123-4567", "1", "0", "-", ".", "*", ")", "(", "+"]
_DIGITS = ["\u0661\u0662\u0663", "\u0967\u0968\u0969\u096a", "\uff11\uff12\uff13", "\U0001d7d9"]
_DOTS = [".", "..", "...", "....", "\u2026", "!!!!!", "?!", ",", "a.", "x...", "~~~~~"]
_HANDLES = ["@ann", "@a____b", "@8", "@o8x", "@O8", "@user8", "@ann:", "@é", "@ann’s", "a@b", "@@x"]
_URLS = [
    "http://t.co/a1", "https://example.org/x_y-z", "http://a....b", "HTTP://X.Y", "t.co/b",
    "http://example.org/(a_(b)_c)", "example.com.", "foo@example.com", "http://", "www.a-b.co/?q=1",
]  # fmt: skip
_EMOJI = [
    "😢", "👍🏽", "👨‍👩‍👧", "🇨🇦", "🇨", "1️⃣", "#️⃣", "❤️", "❤", "❤\ufe0e", "🏳️‍🌈", "©", "®\ufe0f", "™",
    "\u200d", "\ufe0f", "🏽", "\u20e3", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
]  # fmt: skip
_EMOTICONS = [
    ":)",
    ":-)",
    ":-*",
    "<3",
    "</3",
    "(:",
    ":D",
    "D:",
    "8)",
    "8-)",
    ">:(",
    "=P",
    ":/",
    ":'(",
]
_WORDS = [
    "good", "Happy", "SAD", "don't", "isn't", "well-being", "cafe\u0301", "café", "İstanbul", "love_it",
    "sooooo", "2nd", "#win", "#happy", "#1", "##x", "مرحبا", "#وسم", "ok", "a", "I'm", "l'été", "ǆ", "ß",
]  # fmt: skip
_ENTITIES = [
    "&amp;",
    "&lt;3",
    "&nbsp;",
    "&amp;lt;",
    "&#39;",
    "&#x1F622;",
    "&copy",
    "&;",
    "&#0;",
    "&",
]

pieces = st.sampled_from(
    _SPACES + _SEPARATORS + _PHONES + _DIGITS + _DOTS + _HANDLES + _URLS + _EMOJI + _EMOTICONS
    + _WORDS + _ENTITIES
)  # fmt: skip
torture = st.lists(
    st.one_of(pieces, pieces, pieces, st.characters(codec="utf-8"), st.sampled_from(_SPACES)),
    max_size=14,
).map("".join)
"""Texts of pieces that NLTK's patterns treat in their own way, glued or apart."""


def real_texts(reference: Path) -> list[str]:
    """The 34,640 texts of two public sets."""
    data = reference / "data"
    with (data / "us_airline/Tweets.csv").open(encoding="utf-8", newline="") as file:
        texts = [row["text"] for row in csv.DictReader(file)]
    path = data / "sentiment140/training.20000.processed.noemoticon.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return texts + [row[5] for row in csv.reader(file)]
