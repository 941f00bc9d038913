"""Make a raw text safe to read: entities decoded once, no NUL, no lone surrogate, a bounded length.

The order matters. Entities come first, because ``&nbsp;`` makes white space that decides where
words end, and only once, because ``&amp;lt;`` is the text of someone who wrote ``&lt;``.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from whybox.errors import InputError

__all__ = ["MAX_LENGTH", "check_texts", "clean", "clean_column", "clean_many", "text_bytes"]

MAX_LENGTH = 10_000
"""Code points kept of a text; a post is far shorter, an attack is not."""

_UNSAFE = re.compile("[\0\ud800-\udfff]")


def clean(text: str, *, max_length: int = MAX_LENGTH) -> tuple[str, bool]:
    """Decode entities once, replace NUL and lone surrogates by U+FFFD, cut at a length.

    Parameters
    ----------
    text : str
        A raw text.
    max_length : int, default 10,000
        Code points kept, counted after decoding.

    Returns
    -------
    text : str
        The clean text.
    truncated : bool
        Whether the text was cut.

    Examples
    --------
    >>> clean("Tom &amp; Jerry &amp;lt;3")
    ('Tom & Jerry &lt;3', False)
    >>> clean("too long", max_length=3)
    ('too', True)
    """
    if "&" in text:
        text = html.unescape(text)
    truncated = len(text) > max_length
    return _UNSAFE.sub("\ufffd", text[:max_length]), truncated


def clean_many(texts: Iterable[str], *, max_length: int = MAX_LENGTH) -> list[str]:
    """Clean many texts, with two scans of all of them in place of one scan of each.

    Parameters
    ----------
    texts : iterable of str
        Raw texts.
    max_length : int, default 10,000
        Code points kept of each.

    Returns
    -------
    list of str
        The text that :func:`clean` returns, for each.

    Examples
    --------
    >>> clean_many(["a &lt; b", "plain"])
    ['a < b', 'plain']
    """
    decoded = [html.unescape(text) if "&" in text else text for text in texts]
    if max(map(len, decoded), default=0) > max_length:
        decoded = [text[:max_length] for text in decoded]
    if _is_safe("".join(decoded)):
        return decoded
    return [_UNSAFE.sub("\ufffd", text) for text in decoded]


def clean_column(texts: pa.StringArray, *, max_length: int = MAX_LENGTH) -> pa.StringArray:
    """Clean a column of texts: only those that may need it are looked at one by one.

    Parameters
    ----------
    texts : pyarrow.StringArray, shape (n,)
        Raw texts, without nulls.
    max_length : int, default 10,000
        Code points kept of each.

    Returns
    -------
    pyarrow.StringArray
        The text that :func:`clean` returns, for each.

    Examples
    --------
    >>> clean_column(pa.array(["a &lt; b", "plain"])).to_pylist()
    ['a < b', 'plain']
    """
    if not len(texts):
        return texts
    data, ends = text_bytes(texts)
    data = data[ends[0] : ends[-1]]
    found = np.flatnonzero((data == ord("&")) | (data == 0)) + ends[0]
    doubtful = np.diff(ends) > max_length
    doubtful[np.searchsorted(ends, found, side="right") - 1] = True
    if not doubtful.any():
        return texts
    mask = pa.array(doubtful)
    made = [clean(text, max_length=max_length)[0] for text in texts.filter(mask).to_pylist()]
    return pc.replace_with_mask(texts, mask, pa.array(made, pa.string()))


def text_bytes(texts: pa.StringArray) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Show the UTF-8 bytes of a column, without a copy.

    Parameters
    ----------
    texts : pyarrow.StringArray, shape (n,)

    Returns
    -------
    data : uint8 array
    offsets : int32 array of shape (n + 1,)
        Text i is ``data[offsets[i]:offsets[i + 1]]``.

    Examples
    --------
    >>> data, offsets = text_bytes(pa.array(["so", "good"])[1:])
    >>> data[offsets[0] : offsets[1]].tobytes()
    b'good'
    """
    if not len(texts):
        return np.zeros(0, np.uint8), np.zeros(1, np.int32)
    _, places, values = texts.buffers()
    offsets = np.frombuffer(places, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    return np.frombuffer(values if values is not None else b"", np.uint8), offsets


def check_texts(texts: Sequence[str]) -> None:
    """Refuse what is no sequence of texts.

    Parameters
    ----------
    texts : sequence of str
        What a caller gave.

    Raises
    ------
    InputError
        If `texts` is one string, or holds something that is no string.

    Examples
    --------
    >>> check_texts(["one", "two"])
    >>> check_texts("one")
    Traceback (most recent call last):
    whybox.errors.InputError: got one str, expected a sequence of texts: put it into a list
    """
    if isinstance(texts, str):
        raise InputError("got one str, expected a sequence of texts", remedy="put it into a list")
    if all(issubclass(kind, str) for kind in set(map(type, texts))):
        return
    i, text = next((i, text) for i, text in enumerate(texts) if not isinstance(text, str))
    raise InputError(
        f"got a {type(text).__name__}, expected a text",
        where=f"position {i}",
        remedy="give an empty text where a post has none",
    )


def _is_safe(text: str) -> bool:
    """Encoding refuses lone surrogates, and does so at the speed of a copy."""
    if "\0" in text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
