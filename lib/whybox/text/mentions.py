"""Count mentions in a text, for formats that carry no entities.

The rule is twitter-text's: a screen name of at most 20 letters, digits and underscores after an at
sign, not glued to a word before it (``RT`` excepted), not an address, not a list (``@user/list``).
"""

from __future__ import annotations

from functools import cache

import regex

__all__ = ["count_mentions"]


def count_mentions(text: str) -> int:
    """Count the mentions of a text.

    Parameters
    ----------
    text : str
        A text whose entities are decoded.

    Returns
    -------
    int
        Number of mentions; a name mentioned twice counts twice.

    Examples
    --------
    >>> count_mentions("RT @ann: @bob_1, write to me@example.org or http://example.org/@carl")
    2
    """
    if "@" not in text and "＠" not in text:
        return 0
    address, mention = _patterns()
    return len(mention.findall(address.sub(" ", text) if "://" in text else text))


@cache
def _patterns() -> tuple[regex.Pattern[str], regex.Pattern[str]]:
    """Compile the patterns of a web address, which may hold at signs, and of a mention."""
    before = r"(?: (?<![A-Za-z0-9_!\#$%&*@＠]) | (?<=(?:^|[^A-Za-z0-9_+~.\-])[Rr][Tt]:?) )"
    accented = r"\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0300-\u036f\u1e00-\u1eff"
    after = rf"(?! [@＠{accented}] | :// | /[A-Za-z] )"
    mention = regex.compile(rf"{before} [@＠] [A-Za-z0-9_]{{1,20}}+ {after}", regex.VERBOSE)
    return regex.compile(r"(?<![@\w])https?://\S+", regex.I), mention
