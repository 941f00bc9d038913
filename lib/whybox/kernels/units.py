"""Units of texts, found in their UTF-8 bytes and looked up in a hash table without making strings.

A unit is what :func:`whybox.text.units.cut` cuts.  A table of known units is open-addressed:
``slot_entry`` (-1 where free) and ``slot_hash`` by slot; the key of entry i is
``arena[starts[i]:starts[i + 1]]``.
"""

import numpy as np

from whybox.kernels import kernel

__all__ = ["MAY_END", "MAY_START", "SPACE", "find_units", "insert_units", "sum_units"]

SPACE, MAY_END, MAY_START = 1, 2, 4
"""Bits of a character's kind: white space; what may stand before, and after, white space that
tokens cross."""

_BASIS, _PRIME = np.uint64(14695981039346656037), np.uint64(1099511628211)  # FNV-1a
_HIGH = np.uint64(29)


@kernel
def _character(data, p):
    """Code point that starts at p, and its width in bytes."""
    b = np.int64(data[p])
    if b < 0x80:
        return b, 1
    if b < 0xE0:
        return ((b & 31) << 6) | (data[p + 1] & 63), 2
    if b < 0xF0:
        return ((b & 15) << 12) | ((data[p + 1] & 63) << 6) | (data[p + 2] & 63), 3
    high = ((b & 7) << 18) | ((np.int64(data[p + 1]) & 63) << 12)
    return high | ((data[p + 2] & 63) << 6) | (data[p + 3] & 63), 4


@kernel
def _kind(data, p, kinds):
    """Kind of the character at p, and its width."""
    point, width = _character(data, p)
    return (kinds[point] if point < kinds.shape[0] else np.uint8(0)), width


@kernel
def _after_space(data, p, end, kinds):
    """First position from p on that holds no white space."""
    while p < end:
        kind, width = _kind(data, p, kinds)
        if not kind & SPACE:
            break
        p += width
    return p


@kernel
def _unit_end(data, p, end, kinds):
    """Where the unit that starts at p ends."""
    last = np.uint8(0)
    while p < end:
        kind, width = _kind(data, p, kinds)
        if kind & SPACE:
            after = _after_space(data, p, end, kinds)
            if after == end or not (last & MAY_END and _kind(data, after, kinds)[0] & MAY_START):
                break
            p = after
        else:
            last = kind
            p += width
    return p


@kernel
def _is_letter(b):
    """An ASCII letter."""
    return 97 <= (b | 32) <= 122


@kernel
def _is_alphanumeric(b):
    """An ASCII letter or digit."""
    return _is_letter(b) or 48 <= b <= 57


@kernel
def _is_stop(b):
    """One of ! , . ?"""
    return b == 33 or b == 44 or b == 46 or b == 63


@kernel
def _is_mention(data, start, stop):
    """A mention that is one token for sure, at its end at most a colon or a stop (see `tokens`)."""
    p = start + 1
    if data[start] != 64 or p == stop:
        return False
    first = p + 1 if data[p] | 32 == 111 and p + 1 < stop else p  # @8 and @o8: perhaps emoticons
    if data[first] == 56:
        return False
    underscores = 0
    while p < stop and (_is_alphanumeric(data[p]) or data[p] == 95):
        underscores = underscores + 1 if data[p] == 95 else 0
        if underscores == 4:
            return False
        p += 1
    if p == stop:
        return p > start + 1
    # After one letter a colon is perhaps an emoticon's.
    return p == stop - 1 and p > start + 2 and (_is_stop(data[p]) or data[p] == 58)


@kernel
def _is_address(data, start, stop):
    """A web address that is one token for sure (see `tokens`)."""
    if stop - start < 8 or data[start] != 104 or not _is_alphanumeric(data[stop - 1]):
        return False
    if data[start + 1] != 116 or data[start + 2] != 116 or data[start + 3] != 112:
        return False
    p = start + 5 if data[start + 4] == 115 else start + 4
    if data[p] != 58 or data[p + 1] != 47 or data[p + 2] != 47 or p + 3 == stop:
        return False
    run = 0
    for i in range(p + 1, stop):
        b = data[i]
        if _is_alphanumeric(b):
            run = 0
            continue
        if not 45 <= b <= 47 and b != 95:  # - . / and _
            return False
        run = run + 1 if b == data[i - 1] else 1
        if run == 4:
            return False
    return True


@kernel
def _word_end(data, start, stop):
    """Where the letters end of two ASCII letters or more with nothing but stops after; else -1."""
    p = start
    while p < stop and _is_letter(data[p]):
        p += 1
    end = p if p - start >= 2 else -1
    while p < stop and _is_stop(data[p]):
        p += 1
    return end if p == stop else -1


@kernel
def _plain_word(data, start, end, kinds):
    """In one pass, of what most units are: end of the unit, end of its letters, and their hash.

    The letters end at the start if this is no such unit, or needs a closer look.
    """
    h = _BASIS
    p = start
    while p < end and _is_letter(data[p]):
        h = (h ^ np.uint64(data[p] | 32)) * _PRIME
        p += 1
    stop = p
    if stop - start < 2:
        return start, start, h
    while p < end and _is_stop(data[p]):
        p += 1
    if p == end or (kinds[data[p]] & SPACE and data[p] < 128 and data[p - 1] != 46):
        return p, stop, h ^ (h >> _HIGH)
    return start, start, h


@kernel
def _hash(data, start, stop, folded):
    """Hash of a key; in lower case if it is folded."""
    h = _BASIS
    for i in range(start, stop):
        h = (h ^ np.uint64(data[i] | 32 if folded else data[i])) * _PRIME
    return h ^ (h >> _HIGH)


@kernel
def _find(data, start, stop, folded, h, slot_hash, slot_entry, starts, arena):
    """Entry of a key, -1 if it is not known."""
    mask = slot_entry.shape[0] - 1
    slot = np.int64(h & np.uint64(mask))
    while slot_entry[slot] >= 0:
        if slot_hash[slot] == h:
            entry = slot_entry[slot]
            at = starts[entry]
            if starts[entry + 1] - at == stop - start:
                same = True
                for i in range(stop - start):
                    b = data[start + i]
                    if arena[at + i] != (b | 32 if folded else b):
                        same = False
                        break
                if same:
                    return entry
        slot = (slot + 1) & mask
    return -1


@kernel
def find_units(data, offsets, kinds, slot_hash, slot_entry, starts, arena, values, bypass):
    """Cut texts into units, and give each known unit its value.

    Words of two ASCII letters or more have a key in lower case, without the stops ``! , . ?`` that
    follow: `values` must not tell such units apart.

    Parameters
    ----------
    data : uint8
        UTF-8.
    offsets : int32 (texts + 1,)
        Text i is ``data[offsets[i]:offsets[i + 1]]``.
    kinds : uint8 (code points,)
        Bits `SPACE`, `MAY_END`, `MAY_START`; 0 for higher code points.
    slot_hash, slot_entry, starts, arena : uint64, int32 (slots,), int64 (entries + 1,), uint8
        The table; the number of slots is a power of two, and there may be room for more entries.
    values : int32 (entries,)
    bypass : (int, int)
        The values of mentions and of web addresses, which are not looked up.

    Returns
    -------
    found : int32 (units,)
        Value of each unit, -1 where it is not known.
    ends : int64 (texts,)
        Number of units up to the end of each text.
    unknown : int64 (unknown units, 3)
        Place in `found`, first and last byte + 1 of the key in `data`.

    Examples
    --------
    >>> kinds = np.zeros(128, np.uint8)
    >>> kinds[32] = SPACE
    >>> table = np.zeros(2, np.uint64), np.full(2, -1, np.int32), np.zeros(1, np.int64)
    >>> data, nothing = np.frombuffer(b"@ann Good! ok", np.uint8), np.zeros(0, np.uint8)
    >>> offsets = np.array([0, 10, 13], np.int32)
    >>> found, ends, unknown = find_units(
    ...     data, offsets, kinds, *table, nothing, np.zeros(0, np.int32), (0, 1)
    ... )
    >>> found.tolist(), ends.tolist(), unknown.tolist()
    ([0, -1, -1], [2, 3], [[1, 5, 9], [2, 11, 13]])
    """
    n_texts = offsets.shape[0] - 1
    most = (np.int64(offsets[n_texts]) - offsets[0] + n_texts) // 2 + 1
    found = np.empty(most, np.int32)
    unknown = np.empty((most, 3), np.int64)
    ends = np.empty(n_texts, np.int64)
    n = n_unknown = 0
    for i in range(n_texts):
        end = np.int64(offsets[i + 1])
        p = _after_space(data, np.int64(offsets[i]), end, kinds)
        while p < end:
            start = p
            p, stop, h = _plain_word(data, p, end, kinds)
            folded = stop > start
            if not folded:
                p = _unit_end(data, start, end, kinds)
                if _is_mention(data, start, p) or _is_address(data, start, p):
                    found[n] = bypass[0] if data[start] == 64 else bypass[1]
                    n += 1
                    p = _after_space(data, p, end, kinds)
                    continue
                stop = _word_end(data, start, p)
                folded = stop > start
                if not folded:
                    stop = p
                h = _hash(data, start, stop, folded)
            entry = _find(data, start, stop, folded, h, slot_hash, slot_entry, starts, arena)
            if entry >= 0:
                found[n] = values[entry]
            else:
                found[n] = -1
                unknown[n_unknown] = n, start, stop
                n_unknown += 1
            n += 1
            p = _after_space(data, p, end, kinds)
        ends[i] = n
    return found[:n].copy(), ends, unknown[:n_unknown].copy()


@kernel
def insert_units(first, last, starts, arena, slot_hash, slot_entry):
    """Put entries into the table.

    Parameters
    ----------
    first, last : int
        Entries from the first up to, not including, the last are put in; none is there already.
    starts, arena : int64 (last + 1 or more,), uint8
    slot_hash, slot_entry : uint64, int32 (slots,)
        Changed in place; more slots than entries.

    Examples
    --------
    >>> slot_hash, slot_entry = np.zeros(4, np.uint64), np.full(4, -1, np.int32)
    >>> arena = np.frombuffer(b"goodok", np.uint8)
    >>> insert_units(0, 2, np.array([0, 4, 6]), arena, slot_hash, slot_entry)
    >>> sorted(slot_entry.tolist())
    [-1, -1, 0, 1]
    """
    mask = slot_entry.shape[0] - 1
    for entry in range(first, last):
        h = _hash(arena, starts[entry], starts[entry + 1], False)
        slot = np.int64(h & np.uint64(mask))
        while slot_entry[slot] >= 0:
            slot = (slot + 1) & mask
        slot_hash[slot], slot_entry[slot] = h, entry


@kernel
def sum_units(numbers, ends, counts, stem_start, stem_stop, stem_ids):
    """Add up the counts of each text's units, and list their stems.

    Parameters
    ----------
    numbers : int32 (units,)
    ends : int64 (texts,)
        Number of units up to the end of each text.
    counts : int32 (numbers, k)
    stem_start, stem_stop, stem_ids : int64 (numbers,), int64 (numbers,), int32
        Stems of number i are ``stem_ids[stem_start[i]:stem_stop[i]]``.

    Returns
    -------
    sums : int32 (k, texts)
    lengths : int64 (texts,)
        Stems of each text.
    stems : int32
        One text after the other.

    Examples
    --------
    >>> counts, one = np.array([[1], [10]], np.int32), np.array([0, 1])
    >>> sums, lengths, stems = sum_units(
    ...     np.array([1, 1, 0], np.int32), np.array([2, 3]), counts, one, one + 1, one + 7
    ... )
    >>> sums.tolist(), lengths.tolist(), stems.tolist()
    ([[20, 1]], [2, 1], [8, 8, 7])
    """
    n_stems = 0
    for number in numbers:
        n_stems += stem_stop[number] - stem_start[number]
    sums = np.zeros((counts.shape[1], ends.shape[0]), np.int32)
    lengths = np.zeros(ends.shape[0], np.int64)
    stems = np.empty(n_stems, np.int32)
    unit = at = 0
    for i in range(ends.shape[0]):
        before = at
        for unit in range(ends[i - 1] if i else 0, ends[i]):
            number = numbers[unit]
            for k in range(counts.shape[1]):
                sums[k, i] += counts[number, k]
            for j in range(stem_start[number], stem_stop[number]):
                stems[at] = stem_ids[j]
                at += 1
        lengths[i] = at - before
    return sums, lengths, stems
