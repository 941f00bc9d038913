"""Count emoji the way a reader does: one for each picture seen, however many code points draw it.

A family, a skin tone, a flag, a keycap are one each (extended grapheme clusters, UAX 29; emoji
sequences, UTS 51). Three signs with the Emoji property are typography and not pictures unless the
emoji variation selector follows: copyright, registered and trademark. A sign followed by the text
selector U+FE0E is text.
"""

from __future__ import annotations

from functools import cache

import regex

__all__ = ["count_emoji"]


def count_emoji(text: str) -> int:
    r"""Count the emoji of a text by grapheme.

    Parameters
    ----------
    text : str
        A text whose entities are decoded (``&#x1F622;`` is an emoji).

    Returns
    -------
    int
        Number of graphemes that are emoji.

    Examples
    --------
    >>> count_emoji("👨‍👩‍👧 👍🏽 🇨🇦🇸🇮 1️⃣ ❤️")
    6
    >>> count_emoji("© 1 #"), count_emoji("©\ufe0f")
    (0, 1)
    """
    if text.isascii():  # no emoji is, keycaps included: they end in U+20E3
        return 0
    return len(_pattern().findall(text))


@cache
def _pattern() -> regex.Pattern[str]:
    """Compile the pattern of one emoji grapheme."""
    # Flags are spelt out: \X looks back over all regional indicators, in quadratic time.
    flag = r"\p{RI}{2}[\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}]*"
    keycap = r"[0-9#*]\ufe0f?\u20e3"
    sign = r"[©®™]\ufe0f"
    picture = r"(?![©®™0-9#*\p{RI}])\p{Emoji}(?!\ufe0e)"
    return regex.compile(rf"{flag}|(?=(?:{keycap}|{sign}|{picture}))\X")
