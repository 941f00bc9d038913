"""A memory of units: their values, looked up by the bytes of whole columns of texts.

Strings are made of units that are new, and of no others.  Which keys units have, and where texts
are cut, is told by `whybox.kernels.units`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from whybox.text.cleaning import text_bytes
from whybox.text.units import character_kinds

__all__ = ["UnitTable"]

_SLOTS = 1 << 13


class UnitTable:
    """Units and their values, an int32 each.

    Parameters
    ----------
    value_of : callable
        Gives the value of a new unit (str).  Words of two ASCII letters or more are asked for in
        lower case, and without the stops ``! , . ?`` that follow.
    mention, address : int
        The value of mentions and of web addresses, which are mostly new and are not remembered.

    Examples
    --------
    >>> asked = []
    >>> table = UnitTable(lambda unit: asked.append(unit) or len(asked), mention=0, address=-2)
    >>> values, ends = table.look_up(pa.array(["@ann: so Good!", "good :)"]))
    >>> values.tolist(), ends.tolist(), asked
    ([0, 1, 2, 2, 3], [3, 5], ['so', 'good', ':)'])
    """

    def __init__(self, value_of: Callable[[str], int], *, mention: int, address: int) -> None:
        self._value_of = value_of
        self._bypass = mention, address
        self.clear()

    def clear(self) -> None:
        """Forget all units."""
        self._n = 0
        self._keys = np.zeros(_SLOTS, np.uint8)
        self._starts = np.zeros(_SLOTS, np.int64)
        self._values = np.zeros(_SLOTS, np.int32)
        self._make_slots(_SLOTS)

    def __len__(self) -> int:
        return self._n

    def look_up(self, texts: pa.StringArray) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Give the value of every unit of every text.

        Parameters
        ----------
        texts : pyarrow.StringArray, shape (n,)
            Clean, without nulls.

        Returns
        -------
        values : int32 array of shape (units,)
        ends : int64 array of shape (n,)
            Number of units up to the end of each text.
        """
        from whybox.kernels.units import find_units

        data, offsets = text_bytes(texts)
        found, ends, unknown = find_units(
            *(data, offsets, character_kinds(), self._slot_hash, self._slot_entry),
            *(self._starts, self._keys, self._values, self._bypass),
        )
        if len(unknown):
            found[unknown[:, 0]] = self._learn(data.tobytes(), *unknown[:, 1:].T.tolist())
        return found, ends

    def _learn(self, data: bytes, starts: list[int], stops: list[int]) -> list[int]:
        """Values of units that are not known, which are from now on."""
        new: dict[bytes, int] = {}
        values = []
        for start, stop in zip(starts, stops, strict=True):
            key = data[start:stop]
            if len(key) > 1 and key.isalpha():
                key = key.lower()
            value = new.get(key)
            if value is None:
                value = new[key] = self._value_of(key.decode())
            values.append(value)
        self._insert(new)
        return values

    def _insert(self, new: dict[bytes, int]) -> None:
        """Put units into the table."""
        from whybox.kernels.units import insert_units

        first, self._n = self._n, self._n + len(new)
        ends = self._starts[first] + np.cumsum(np.fromiter(map(len, new), np.int64, len(new)))
        keys = np.frombuffer(b"".join(new), np.uint8)
        self._starts = _written(self._starts, first + 1, ends)
        self._values = _written(self._values, first, np.fromiter(new.values(), np.int32, len(new)))
        self._keys = _written(self._keys, int(ends[-1]) - len(keys), keys)
        if 2 * self._n > len(self._slot_entry):
            self._make_slots(1 << (4 * self._n).bit_length())
            first = 0
        insert_units(first, self._n, self._starts, self._keys, self._slot_hash, self._slot_entry)

    def _make_slots(self, slots: int) -> None:
        """Make room, all of it free."""
        self._slot_hash = np.zeros(slots, np.uint64)
        self._slot_entry = np.full(slots, -1, np.int32)


def _written(array: NDArray[Any], start: int, values: NDArray[Any]) -> NDArray[Any]:
    """The array with values in some of its places, twice as long or longer where they are beyond."""
    stop = start + len(values)
    if stop > len(array):
        longer = np.zeros(max(stop, 2 * len(array)), array.dtype)
        longer[:start] = array[:start]
        array = longer
    array[start:stop] = values
    return array
