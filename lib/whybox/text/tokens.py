"""Tokens of NLTK's TweetTokenizer, many times faster: every distinct unit is tokenised once.

The patterns are NLTK's own. What is new is where they are applied: to the units that
:func:`whybox.text.units.cut` makes, of which most posts hold few new ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from itertools import chain

from whybox.errors import RunError
from whybox.text.cleaning import MAX_LENGTH, check_texts
from whybox.text.units import cut

__all__ = ["is_address", "is_mention", "split_unit", "tokenize", "tokenize_many"]

_MAX_UNITS = 1_000_000
_MAX_SECONDS = 5.0  # NLTK's own limit for one text

# One token each, for sure: @8 and @o8 could be emoticons, and four equal signs in a row are cut.
is_mention = re.compile(r"@(?![oO]?8)(?!.*____)[A-Za-z0-9_]+", re.A).fullmatch
is_address = re.compile(
    r"https?:(?!.*(?:____|\.\.\.\.|----|////))//[A-Za-z0-9_./-]*[A-Za-z0-9]", re.A
).fullmatch
_WORD_AND_STOPS = re.compile(r"([A-Za-z]{2,})([.,!?]*)").fullmatch


def tokenize(
    text: str, *, preserve_case: bool = True, reduce_len: bool = False, strip_handles: bool = False
) -> list[str]:
    """Split a text into the tokens of ``nltk.tokenize.TweetTokenizer``.

    Parameters
    ----------
    text : str
        A text; HTML entities are decoded, as NLTK does.
    preserve_case : bool, default True
        False puts all tokens but emoticons in lower case.
    reduce_len : bool, default False
        True shortens runs of three and more equal characters to three.
    strip_handles : bool, default False
        True leaves mentions out.

    Returns
    -------
    list of str
        The tokens in order.

    Raises
    ------
    InputError
        If `text` is no string.
    RunError
        If one unit of the text takes more than five seconds, where NLTK gives up too.

    Examples
    --------
    >>> tokenize("@ann sooooo good :-) #win", reduce_len=True, strip_handles=True)
    ['sooo', 'good', ':-)', '#win']
    """
    return tokenize_many(
        [text], preserve_case=preserve_case, reduce_len=reduce_len, strip_handles=strip_handles
    )[0]


def tokenize_many(
    texts: Sequence[str],
    *,
    preserve_case: bool = True,
    reduce_len: bool = False,
    strip_handles: bool = False,
) -> list[list[str]]:
    """Split many texts into the tokens of ``nltk.tokenize.TweetTokenizer``.

    Parameters
    ----------
    texts : sequence of str
        Texts, in any number.
    preserve_case, reduce_len, strip_handles : bool
        As in :func:`tokenize`.

    Returns
    -------
    list of list of str
        The tokens of each text.

    Raises
    ------
    InputError
        If `texts` is one string, or holds something else than strings.
    RunError
        As in :func:`tokenize`.

    Examples
    --------
    >>> tokenize_many(["Good morning!", "GOOD night :D"], preserve_case=False)
    [['good', 'morning', '!'], ['good', 'night', ':D']]
    """
    check_texts(texts)
    from nltk.tokenize.casual import _replace_html_entities, remove_handles

    texts = [_replace_html_entities(text) if "&" in text else text for text in texts]
    if strip_handles:
        texts = [remove_handles(text) if "@" in text else text for text in texts]
    tokens_of = _unit_tokens(preserve_case, reduce_len).__getitem__
    return [list(chain.from_iterable(map(tokens_of, cut(text)))) for text in texts]


def split_unit(unit: str) -> list[str]:
    """Tokenise one unit with NLTK's patterns, or without where the answer is plain.

    Parameters
    ----------
    unit : str
        A unit of :func:`whybox.text.units.cut`.

    Returns
    -------
    list of str
        Its tokens.

    Raises
    ------
    RunError
        If it takes more than five seconds.

    Examples
    --------
    >>> split_unit("really?!"), split_unit("a+b")
    (['really', '?', '!'], ['a', '+', 'b'])
    """
    plain = _WORD_AND_STOPS(unit)
    if plain is None:
        return _find_tokens(unit)
    word, stops = plain.groups()
    return [word, *_find_tokens(stops)] if len(stops) > 1 else [word, *stops]


def _find_tokens(unit: str) -> list[str]:
    """Apply NLTK's patterns to text whose entities are decoded already."""
    find, shorten = _patterns()
    # A limit on the clock makes results depend on the machine: none where texts are of fair length.
    limit = _MAX_SECONDS if len(unit) > MAX_LENGTH else None
    try:
        return find(shorten(r"\1\1\1", unit, timeout=limit), timeout=limit)
    except TimeoutError:
        raise RunError(
            f"a run of {len(unit):,} characters without a break took more than "
            f"{_MAX_SECONDS:g} s to tokenise",
            remedy="cut such texts first; whybox.text.clean keeps 10,000 characters",
        ) from None


@cache
def _patterns() -> tuple[Callable[..., list[str]], Callable[..., str]]:
    """Fetch NLTK's patterns, which are compiled at first use."""
    from nltk.tokenize.casual import HANG_RE, TweetTokenizer

    return TweetTokenizer().PHONE_WORD_RE.findall, HANG_RE.sub


@cache
def _unit_tokens(preserve_case: bool, reduce_len: bool) -> _UnitTokens:
    """Keep one memory for each way of treating a unit."""
    return _UnitTokens(preserve_case, reduce_len)


class _UnitTokens(dict[str, tuple[str, ...]]):
    """Unit -> tokens, found when asked for, emptied when full."""

    def __init__(self, preserve_case: bool, reduce_len: bool) -> None:
        from nltk.tokenize.casual import EMOTICON_RE, reduce_lengthening

        self._is_emoticon = EMOTICON_RE.search
        self._preserve_case = preserve_case
        self._shorten = reduce_lengthening if reduce_len else str

    def __missing__(self, unit: str) -> tuple[str, ...]:
        text = self._shorten(unit)
        single = is_mention(text) or is_address(text)
        found = [text] if single else split_unit(text)
        if not self._preserve_case:
            found = [token if self._is_emoticon(token) else token.lower() for token in found]
        tokens = tuple(found)
        if not single:  # nearly every address is new: remembering them would fill the memory
            if len(self) >= _MAX_UNITS:
                self.clear()
            self[unit] = tokens
        return tokens
