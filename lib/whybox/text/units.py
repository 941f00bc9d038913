"""Cut a text into units at white space, where that changes no token.

Nearly all of TweetTokenizer's patterns stop at white space, so a text can be cut there and each
distinct unit tokenised once. Two patterns of NLTK 3.10 go on across it: an ellipsis ``. . .`` and a
phone number ``(555) 123-4567``. White space that one of them could cross stays inside a unit.
"""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import regex
from numpy.typing import NDArray

__all__ = ["character_kinds", "cut"]

_BEFORE = r"*\-.)+"  # with digits, what ends the part of an ellipsis or phone number before a space
_AFTER = r"*\-.)("  # with digits, what starts the part after it

_MAY_CROSS_ASCII = re.compile(rf"[0-9{_BEFORE}]\s+[0-9{_AFTER}]").search
# "regex" runs NLTK's patterns, and its digits are those of a newer Unicode than Python's own.
_MAY_CROSS = regex.compile(rf"[\d{_BEFORE}]\s+[\d{_AFTER}]").search
_CUTS = regex.compile(rf"(?<![\s\d{_BEFORE}])\s++|(?<!\s)\s++(?![\d{_AFTER}])")
# str.split cuts at these four, NLTK takes them for characters of a token.
_has_separator = re.compile("[\x1c-\x1f]").search


def cut(text: str) -> list[str]:
    """Cut a text into units whose tokens, one after the other, are the text's tokens.

    Parameters
    ----------
    text : str
        A text whose entities are decoded.

    Returns
    -------
    list of str
        Units without white space at their ends, none of them empty.

    Examples
    --------
    >>> cut("call (555) 123-4567 at 9, please . . . or not")
    ['call', '(555) 123-4567', 'at', '9,', 'please', '. . .', 'or', 'not']
    """
    may_cross = _MAY_CROSS_ASCII if text.isascii() else _MAY_CROSS
    if may_cross(text) or (not text.isprintable() and _has_separator(text)):
        return [unit for unit in _CUTS.split(text) if unit]
    return text.split()


@cache
def character_kinds() -> NDArray[np.uint8]:
    """Tell for every character whether `cut` cuts there, for loops that know no patterns.

    Returns
    -------
    uint8 array of shape (131,072,)
        By code point, bits of `whybox.kernels.units`: white space; what may end, and what may
        start, a part of an ellipsis or phone number. Higher code points are neither.

    Examples
    --------
    >>> character_kinds()[[ord(c) for c in "a 1("]].tolist()
    [0, 1, 6, 4]
    """
    from whybox.kernels.units import MAY_END, MAY_START, SPACE

    kinds = np.zeros(1 << 17, np.uint8)
    characters = "".join(c for c in map(chr, range(len(kinds))) if not "\ud800" <= c <= "\udfff")
    for bit, pattern in (
        (SPACE, r"\s"),
        (MAY_END, rf"[\d{_BEFORE}]"),
        (MAY_START, rf"[\d{_AFTER}]"),
    ):
        kinds[[ord(c) for c in regex.findall(pattern, characters)]] |= bit
    return kinds
