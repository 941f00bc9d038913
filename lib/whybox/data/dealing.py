"""Dealing people to parts by a fixed hash of their id, the same everywhere and for ever.

The hash is a number of 32 bits; a part is a range of hashes, so that a table sorted by hash serves
any number of parts, and nothing that was stored depends on it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

__all__ = ["deal", "part_name", "part_of", "slots_of"]


def slots_of(ids: Sequence[str]) -> NDArray[np.uint32]:
    """Hash ids.

    Parameters
    ----------
    ids : sequence of str

    Returns
    -------
    uint32 array of shape (n_ids,)

    Examples
    --------
    >>> slots_of(["ann", "bob"]).tolist()
    [3936924788, 4177627618]
    """
    hashes = (hashlib.blake2b(name.encode(), digest_size=4).digest() for name in ids)
    return np.frombuffer(b"".join(hashes), dtype=">u4").astype(np.uint32)


def part_of(slots: NDArray[np.uint32], n_parts: int) -> NDArray[np.int64]:
    """Give the part of each hash.

    Parameters
    ----------
    slots : uint32 array of shape (n,)
    n_parts : int

    Returns
    -------
    int64 array of shape (n,)
        0 to ``n_parts - 1``, ascending as the hashes are.

    Examples
    --------
    >>> part_of(np.array([0, 2**31, 2**32 - 1], np.uint32), 4).tolist()
    [0, 2, 3]
    """
    return np.asarray((slots.astype(np.uint64) * np.uint64(n_parts)) >> np.uint64(32), np.int64)


def deal(table: pa.Table) -> pa.Table:
    """Sort a table by the hash of ``user_id``, which becomes its first column, ``slot``.

    Parameters
    ----------
    table : pyarrow.Table
        With a column user_id, without nulls.

    Returns
    -------
    pyarrow.Table
        Rows of one user keep their order.

    Examples
    --------
    >>> deal(pa.table({"user_id": ["bob", "ann"]}))["user_id"].to_pylist()
    ['ann', 'bob']
    """
    encoded = table["user_id"].combine_chunks().dictionary_encode()
    slots = slots_of(encoded.dictionary.to_pylist())[encoded.indices.to_numpy()]
    order = np.argsort(slots, kind="stable")
    return table.add_column(0, "slot", pa.array(slots)).take(pa.array(order))


def part_name(part: int) -> str:
    """Name a part.

    Examples
    --------
    >>> part_name(7)
    'part-00007'
    """
    return f"part-{part:05d}"
