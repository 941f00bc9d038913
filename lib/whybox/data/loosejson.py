"""JSON values out of a line that the fast decoder refused: several, one, or none.

A line that is no JSON but holds a lone CR is split there (a raw CR cannot stand in a JSON string).
An array is its elements, one line each in the accounts.  Broken UTF-8 becomes U+FFFD.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec

from whybox.data.jsonlines import MAX_LINE

if TYPE_CHECKING:
    from whybox.data.accounting import Tally

__all__ = [
    "Refused",
    "clean",
    "identifier",
    "json_values",
    "number",
    "object_field",
    "optional_string",
    "text_field",
]

_SURROGATE = re.compile("[\ud800-\udfff]")
_MAX_INT64 = 2**63 - 1


class Refused(Exception):  # noqa: N818  (a verdict on one line, never seen outside)
    """A line that goes to quarantine; the message is the reason."""


def json_values(unit: bytes, tally: Tally) -> Iterator[tuple[Any, bytes]]:
    r"""Give the JSON values of a line (or document), each with the bytes that it is.

    Parameters
    ----------
    unit : bytes
    tally : Tally
        Takes blank lines and those that are no JSON; the values are the caller's to count.

    Yields
    ------
    tuple of object and bytes

    Examples
    --------
    >>> from whybox.data.accounting import Tally
    >>> tally = Tally()
    >>> [value for value, _ in json_values(b'{"id": 1}\r\r[2, "b"]\r{', tally)]
    [{'id': 1}, 2, 'b']
    >>> tally.counts().non_records, tally.counts().quarantined
    ({'blank': 1}, {'not_json': 1})
    """
    if not unit.strip():
        tally.skip("blank")
        return
    for element in _elements(unit):
        try:
            value = _loads(element, tally)
        except Refused as verdict:
            parts = element.removesuffix(b"\r").split(b"\r")
            if len(parts) == 1:
                tally.quarantine(str(verdict), element)
            for part in parts if len(parts) > 1 else ():
                yield from json_values(part, tally)
            continue
        if isinstance(value, list) and value and element is unit:
            yield from ((entry, json.dumps(entry).encode("ascii")) for entry in value)
        else:
            yield value, element


def _elements(unit: bytes) -> list[bytes]:
    """Take a well-formed array apart without making objects of it; anything else is one piece."""
    if unit.lstrip().startswith(b"["):
        try:
            return [bytes(raw) for raw in msgspec.json.decode(unit, type=list[msgspec.Raw])] or [
                unit
            ]
        except (msgspec.MsgspecError, RecursionError):
            pass  # the tolerant decoder may still take it
    return [unit]


def _no_number(name: str) -> NoReturn:
    """Refuse NaN and Infinity, which are no JSON."""
    raise ValueError(name)


def _loads(unit: bytes, tally: Tally) -> Any:
    """Decode strict JSON, but for broken UTF-8 (flagged) and lone surrogates."""
    try:
        text, broken = unit.decode("utf-8"), False
    except UnicodeDecodeError:
        text, broken = unit.decode("utf-8", "replace"), True
    try:
        value = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise Refused("line_too_long" if len(unit) > MAX_LINE else "not_json") from None
    if broken:
        tally.flagged["invalid_utf8"] += 1
    return value


def clean(text: str, tally: Tally) -> str:
    r"""Replace lone surrogates by U+FFFD, and flag them.

    Parameters
    ----------
    text : str
    tally : Tally

    Returns
    -------
    str

    Examples
    --------
    >>> from whybox.data.accounting import Tally
    >>> clean("a\ud83d", tally := Tally()), tally.flagged["lone_surrogate"]
    ('a\ufffd', 1)
    """
    mended = _SURROGATE.sub("\ufffd", text)
    if mended != text:
        tally.flagged["lone_surrogate"] += 1
    return mended


def number(value: Any, field: str, tally: Tally) -> int | None:
    """Read a count, also one written as a string or as a float without fraction.

    Parameters
    ----------
    value : object
    field : str
        Its name in the accounts.
    tally : Tally
        Takes what had to be coerced; a negative count becomes 0.

    Returns
    -------
    int or None

    Raises
    ------
    Refused
        ``wrong_type`` if it is no such number, or beyond 64 bits.

    Examples
    --------
    >>> from whybox.data.accounting import Tally
    >>> number("12", "friends", tally := Tally()), tally.coerced["friends"]
    (12, 1)
    """
    if value is None:
        return None
    found: object = value
    if (isinstance(value, str) and re.fullmatch(r"\s*[+-]?[0-9]{1,19}\s*", value, re.ASCII)) or (
        isinstance(value, float) and value.is_integer()
    ):
        found = int(value)
    if isinstance(found, bool) or not isinstance(found, int) or found > _MAX_INT64:
        raise Refused("wrong_type")
    if found < 0 or found is not value:
        tally.coerced[field] += 1
    return max(found, 0)


def identifier(given: Any, as_string: Any, field: str, tally: Tally) -> str | None:
    """Settle an id: the string form wins, a float is never an id.

    Parameters
    ----------
    given : object
        The value of ``id``.
    as_string : object
        The value of ``id_str``.
    field : str
        Its name in the accounts.
    tally : Tally
        Takes the flag ``<field>_mismatch`` if both are given and differ.

    Returns
    -------
    str or None

    Raises
    ------
    Refused
        ``float_id`` (a float has lost digits of an id), ``wrong_type``.

    Examples
    --------
    >>> from whybox.data.accounting import Tally
    >>> identifier(1234567890123456789, None, "post_id", Tally())
    '1234567890123456789'
    >>> identifier(1, "2", "post_id", tally := Tally()), tally.flagged["post_id_mismatch"]
    ('2', 1)
    """
    if isinstance(as_string, str) and as_string:
        if given is not None and str(given) != as_string:
            tally.flagged[f"{field}_mismatch"] += 1
        return clean(as_string, tally)
    if as_string not in (None, ""):
        tally.coerced[field] += 1
        given = as_string if given is None else given
    if given is None or given == "":
        return None
    if isinstance(given, float):
        raise Refused("float_id")
    if isinstance(given, bool) or not isinstance(given, int | str):
        raise Refused("wrong_type")
    try:
        return clean(str(given), tally)
    except ValueError:  # an integer of thousands of digits
        raise Refused("wrong_type") from None


def optional_string(value: Mapping[str, Any], field: str, tally: Tally) -> str | None:
    """Give a string that a record can do without; one of another type is counted as coerced."""
    found = value.get(field)
    if found is None or isinstance(found, str):
        return found and clean(found, tally)
    tally.coerced[field] += 1
    return None


def text_field(value: Mapping[str, Any], field: str, tally: Tally) -> str | None:
    """Give a text; one that is no string cannot be guessed (`Refused`)."""
    found = value.get(field)
    if found is None:
        return None
    if not isinstance(found, str):
        raise Refused("wrong_type")
    return clean(found, tally)


def object_field(value: Any) -> Mapping[str, Any] | None:
    """Give an object, None if there is none; anything else is `Refused`."""
    if value is None or isinstance(value, dict):
        return value
    raise Refused("wrong_type")
