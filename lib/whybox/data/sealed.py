"""Bytes and values that tell whether they are what was written: their SHA-256 goes with them.

A disk may give back other bytes than it was given, or fewer; and a run that was killed may have
left half a file.  What was kept for a later run is therefore sealed, and what is spoilt is made anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

__all__ = ["seal", "seal_values", "unseal", "unseal_values"]

_DIGEST = 32
_SEAL = "seal"


def seal(data: bytes) -> bytes:
    """Put the hash of some bytes before them.

    Examples
    --------
    >>> unseal(seal(b"one"))
    b'one'
    """
    return hashlib.sha256(data).digest() + data


def unseal(sealed: bytes) -> bytes:
    """Give back what was sealed.

    Raises
    ------
    ValueError
        If these are not the bytes that were written.

    Examples
    --------
    >>> unseal(seal(b"one")[:-1])
    Traceback (most recent call last):
        ...
    ValueError: these are not the bytes that were written
    """
    digest, data = sealed[:_DIGEST], sealed[_DIGEST:]
    if hashlib.sha256(data).digest() != digest:
        raise ValueError("these are not the bytes that were written")
    return data


def seal_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Add a hash of JSON values to them, as ``seal``.

    Examples
    --------
    >>> sorted(seal_values({"rows": 3}))
    ['rows', 'seal']
    """
    return {**values, _SEAL: _hash(values)}


def unseal_values(found: Any) -> dict[str, Any]:
    """Give back the values that were sealed.

    Parameters
    ----------
    found : object
        As json.loads gave it.

    Raises
    ------
    ValueError
        If these are not the values that were written.

    Examples
    --------
    >>> unseal_values(seal_values({"rows": 3}))
    {'rows': 3}
    """
    values = dict(found) if isinstance(found, dict) else {}
    if values.pop(_SEAL, None) != _hash(values):
        raise ValueError("these are not the values that were written")
    return values


def _hash(values: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:32]
