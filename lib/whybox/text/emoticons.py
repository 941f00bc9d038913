"""Count emoticons such as ``:-)``, ``(:``, ``:-*`` and ``<3``, but none inside words or addresses.

The shapes are those TweetTokenizer knows, with the kiss added and with fewer false friends: ``8``
is no pair of eyes without a nose (``8)`` ends many a numbered item), and the letters d, p and o are
mouths to the right of the eyes only (``d:`` is a drive), but for the dismayed ``D:``.
"""

from __future__ import annotations

import re

__all__ = ["count_emoticons"]

_EMOTICON = re.compile(
    r"""
    (?<! \w )                                                         # not inside a word
    (?: [<>]? (?: [:;=] [-o*'^]? | 8- ) (?: [)(\][dDpPoO}{@|\\*] | /(?!/) )  # eyes, nose, mouth
      | (?: [)(\][/}{|\\] | D ) [-o*'^]? [:;=] [<>]?                  # mouth, nose, eyes
      | </?3+                                                         # hearts, whole and broken
    )
    (?! \w )
    """,
    re.VERBOSE,
)


def count_emoticons(text: str) -> int:
    """Count the emoticons of a text that touch no letter, digit or underscore.

    Parameters
    ----------
    text : str
        A text whose entities are decoded (``&lt;3`` is a heart).

    Returns
    -------
    int
        Number of emoticons, from left to right without overlap.

    Examples
    --------
    >>> count_emoticons("hi :-) (: :-* <3")
    4
    >>> count_emoticons("see http://example.com:8080/ and 8) at 10:(")
    0
    """
    return len(_EMOTICON.findall(text))
