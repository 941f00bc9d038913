"""Expressions as regular expressions, for programs that know nothing of this one.

A pattern is searched in the tokens of a text, one a line (:func:`token_lines`): where a token ends
is the tokeniser's business and nothing that a pattern over raw text could decide. It lists the
forms in which the words were met in training, so a form that was never met is not matched.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

__all__ = ["to_pattern", "token_lines"]


def token_lines(forms: Sequence[str]) -> str:
    r"""Put the tokens of a text one a line, to be searched by the patterns of `to_pattern`.

    Parameters
    ----------
    forms : sequence of str
        Tokens, in lower case as the analyzer makes them.

    Returns
    -------
    str
        A line break within a token is written as a backslash and n.

    Examples
    --------
    >>> token_lines(["not", "good", "!"])
    'not\ngood\n!\n'
    """
    return "".join(_on_one_line(form) + "\n" for form in forms)


def to_pattern(
    words: Sequence[str], forms: Mapping[str, Sequence[str]], max_gap: int | None = None
) -> str:
    """Write an expression as a regular expression for Python's ``re``.

    Parameters
    ----------
    words : sequence of str
        The expression.
    forms : mapping of str to sequence of str
        The forms of each word.
    max_gap : int, optional
        Tokens allowed between two words.

    Returns
    -------
    str
        To be searched in what `token_lines` makes.

    Examples
    --------
    >>> pattern = to_pattern(["not", "happi"], {"not": ["not"], "happi": ["happier", "happy"]})
    >>> bool(re.search(pattern, token_lines(["not", "so", "happy"])))
    True
    >>> bool(re.search(pattern, token_lines(["nothing", "happy"])))
    False
    """
    between = "(?:[^\\n]*\\n)*?" if max_gap is None else f"(?:[^\\n]*\\n){{0,{max_gap}}}?"
    choices = [
        "(?:" + "|".join(re.escape(_on_one_line(form)) for form in forms[word]) + ")\\n"
        for word in words
    ]
    return "(?m:^)" + between.join(choices)


def _on_one_line(form: str) -> str:
    """Write a token without a line break."""
    return form.replace("\\", "\\\\").replace("\n", "\\n")
