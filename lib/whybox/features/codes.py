"""Numbers for the strings of a column, so that what follows is work on integers."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

__all__ = ["sorted_codes"]


def sorted_codes(column: pa.Array | pa.ChunkedArray) -> tuple[NDArray[np.int64], pa.Array]:
    """Number the distinct strings of a column in their sorted order.

    Parameters
    ----------
    column : pyarrow.Array or pyarrow.ChunkedArray of shape (n,)
        Strings or dictionary-encoded strings, without nulls.

    Returns
    -------
    codes : int64 array of shape (n,)
    names : pyarrow.StringArray
        The string of each number, ascending by code point.

    Examples
    --------
    >>> codes, names = sorted_codes(pa.array(["sun", "sea", "sun"]))
    >>> codes.tolist(), names.to_pylist()
    ([1, 0, 1], ['sea', 'sun'])
    """
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    order = pc.array_sort_indices(column.dictionary)
    rank = np.empty(len(order), np.int64)
    rank[order.to_numpy()] = np.arange(len(order))
    return rank[column.indices.to_numpy()], column.dictionary.take(order).cast(pa.string())
