"""Where tokens and expressions stand in the text as it was given.

The tokeniser decodes HTML entities and shortens runs of equal signs before it cuts, so a token may
be longer or shorter in the original. Each character is followed through both steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from whybox.expressions.analysis import Analyzer
from whybox.expressions.sequences import find_sequence
from whybox.text.tokens import tokenize

__all__ = ["Span", "find_spans", "masked", "token_places"]

Place = tuple[int, int]


@dataclass(frozen=True)
class Span:
    """One expression in one text.

    Parameters
    ----------
    column : int
        The expression's column.
    words : tuple of str
        Its words.
    tokens : tuple of int
        Positions of the matched tokens among all tokens of the text.
    characters : tuple of (int, int)
        Start and stop of each matched token in the original text; empty if the text was a list
        of tokens, or was cut by a callable whose tokens are not found in it.

    Examples
    --------
    >>> Span(0, ("good",), (1,), ((4, 8),)).characters
    ((4, 8),)
    """

    column: int
    words: tuple[str, ...]
    tokens: tuple[int, ...]
    characters: tuple[Place, ...]


def token_places(text: str) -> list[Place]:
    """Find each token of a text in the text.

    Parameters
    ----------
    text : str

    Returns
    -------
    list of (int, int)
        Start and stop of each token of ``tokenize(text)``.

    Examples
    --------
    >>> text = "Tom &amp; I :-)"
    >>> [text[start:stop] for start, stop in token_places(text)]
    ['Tom', '&amp;', 'I', ':-)']
    """
    from nltk.tokenize.casual import ENT_RE, HANG_RE, _replace_html_entities

    places: Sequence[Place] = [(at, at + 1) for at in range(len(text))]
    decoded, places = _rewrite(text, places, ENT_RE.finditer(text), _replace_html_entities)
    cut, places = _rewrite(decoded, places, HANG_RE.finditer(decoded), lambda run: run[:3])
    found = []
    at = 0
    for token in tokenize(text):
        at = cut.index(token, at)
        stop = at + len(token)
        found.append((places[at][0], places[stop - 1][1]))
        at = stop
    return found


def find_spans(
    text: Any,
    expressions: Sequence[tuple[str, ...]],
    analyzer: Analyzer,
    max_gap: int | None = None,
) -> list[Span]:
    """Find the expressions that occur in a text.

    Parameters
    ----------
    text : str, or list of str if the analyzer says so
    expressions : sequence of tuple of str
    analyzer : Analyzer
    max_gap : int, optional
        Tokens allowed between two words.

    Returns
    -------
    list of Span
        In the order of the expressions, one for each that occurs: the occurrence that ends first
        and, of those, has its words latest.

    Examples
    --------
    >>> find_spans("Not GOOD", [("good",), ("bad",), ("not", "good")], Analyzer())[1]
    Span(column=2, words=('not', 'good'), tokens=(0, 1), characters=((0, 3), (4, 8)))
    """
    forms = list(analyzer.forms([text])[0])
    words = [analyzer.word(form) for form in forms]
    places: list[Place] | None = None
    spans = []
    for column, expression in enumerate(expressions):
        tokens = find_sequence(words, expression, max_gap)
        if tokens is None:
            continue
        if places is None:
            places = _places(text, forms, analyzer)
        characters = tuple(places[at] for at in tokens) if places else ()
        spans.append(Span(column, expression, tokens, characters))
    return spans


def masked(tokens: Sequence[int], forms: Sequence[str]) -> str:
    """Show the tokens at some positions, and three dots for all between them.

    Examples
    --------
    >>> masked([1, 4, 5], ["It", "was", "really", "not", "good", "!"])
    'was … good !'
    """
    parts: list[str] = []
    for nth, at in enumerate(tokens):
        if nth and at > tokens[nth - 1] + 1:
            parts.append("…")
        parts.append(forms[at])
    return " ".join(parts)


def _places(text: Any, forms: Sequence[str], analyzer: Analyzer) -> list[Place]:
    """Find the tokens' characters; none if the text has no characters of its own."""
    if analyzer.kind == "tweet":
        return token_places(text)
    if not isinstance(text, str):
        return []
    places, at = [], 0
    for form in forms:
        at = text.find(form, at)
        if at < 0:
            return []
        places.append((at, at + len(form)))
        at += len(form)
    return places


def _rewrite(
    text: str, places: Sequence[Place], matches: Iterable[Any], replace: Callable[[str], str]
) -> tuple[str, Sequence[Place]]:
    """Replace parts of a text, and tell for each new character what it stands for in the first."""
    out: list[str] = []
    new: list[Place] = []
    done = 0
    for match in matches:
        start, stop = match.span()
        piece = replace(match.group())
        out += [text[done:start], piece]
        new += places[done:start]
        if len(piece) == 1:
            new.append((places[start][0], places[stop - 1][1]))
        else:  # a shortened run: its first characters
            new += places[start : start + len(piece)]
        done = stop
    out.append(text[done:])
    new += places[done:]
    return "".join(out), new
