"""Cut a text into units at white space, where that changes no token.

Nearly all of TweetTokenizer's patterns stop at white space, so a text can be cut there and each
distinct unit tokenised once. Two patterns of NLTK 3.10 go on across it: an ellipsis ``. . .`` and a
phone number ``(555) 123-4567``. White space that one of them could cross stays inside a unit.
"""

from __future__ import annotations

import re

import regex

__all__ = ["cut"]

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
