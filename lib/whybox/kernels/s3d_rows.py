"""Structured feature-space decomposition: the passes over all rows, whose sums are whole numbers."""

import numpy as np

from whybox.kernels import kernel
from whybox.kernels.s3d import Entries  # noqa: F401 (the doctests make some)

__all__ = [
    "MAX_CODES",
    "add_by_block",
    "compress",
    "dense_sums",
    "descend",
    "encode",
    "recode",
    "regroup",
    "sparse_sums",
]

MAX_CODES = 65_535  # distinct values, besides the missing one
EXPONENT = np.int64(0x7FF0000000000000)  # all ones in infinite values and NaN
FRACTION = np.int64(0x000FFFFFFFFFFFFF)  # zero in infinite values
MINUS_ZERO = np.int64(-0x8000000000000000)
ONE = np.uint64(1)  # indices are unsigned: numba checks signed ones for wrap-around
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # Fibonacci hashing: 2^64 over the golden ratio


@kernel
def _slot(bits, shift):
    """Give where a value is looked for first."""
    return np.int64((np.uint64(bits) * MULTIPLIER) >> shift)


@kernel
def _wider(values, n_values, log_size):
    """Build a hash table of 2^log_size slots from the values seen so far."""
    size = 1 << log_size
    ids = np.full(size, -1, np.int32)
    keys = np.zeros(size, np.int64)
    shift = np.uint64(64 - log_size)
    for k in range(n_values):
        at = _slot(values[k], shift)
        while ids[at] >= 0:
            at = (at + 1) & (size - 1)
        keys[at] = values[k]
        ids[at] = k
    return keys, ids


@kernel
def encode(bits, codes):
    """Number the distinct values of a column as they appear.

    Parameters
    ----------
    bits : int64 (rows,)
        The values' float64 bits; -0 counts as 0 and every NaN as the same missing value.
    codes : uint16 (rows,)
        Filled with the values' numbers.

    Returns
    -------
    values : int64 (distinct,)
        Bits by number; a missing value has those of ``numpy.nan``.
    state : int
        0: done, 1: there is an infinite value, 2: too many distinct values. In the last two
        cases ``codes`` is unfinished.

    Examples
    --------
    >>> codes = np.zeros(4, np.uint16)
    >>> values, state = encode(np.array([7.0, -0.0, 7.0, 0.0]).view(np.int64), codes)
    >>> codes.tolist(), values.view(np.float64).tolist(), state
    ([0, 1, 0, 1], [7.0, 0.0], 0)
    """
    values = np.empty(MAX_CODES + 1, np.int64)
    n_values, log_size, missing = 0, 10, 0
    keys, ids = _wider(values, 0, log_size)
    shift = np.uint64(64 - log_size)
    for i in range(bits.shape[0]):
        value = bits[i]
        if value == MINUS_ZERO:
            value = np.int64(0)
        if (value & EXPONENT) == EXPONENT:
            if (value & FRACTION) == 0:
                return values[:n_values].copy(), 1
            value = np.int64(0x7FF8000000000000)
            missing = 1
        at = _slot(value, shift)
        while ids[at] >= 0 and keys[at] != value:
            at = (at + 1) & (ids.shape[0] - 1)
        if ids[at] < 0:
            if n_values - missing >= MAX_CODES:
                return values[:n_values].copy(), 2
            keys[at], ids[at], values[n_values] = value, n_values, value
            codes[i] = n_values
            n_values += 1
            if 2 * n_values > ids.shape[0]:
                log_size += 1
                keys, ids = _wider(values, n_values, log_size)
                shift = np.uint64(64 - log_size)
        else:
            codes[i] = ids[at]
    return values[:n_values].copy(), 0


@kernel
def recode(codes, new):
    """Replace each code by ``new[code]``, in place.

    Parameters
    ----------
    codes : uint16 (rows,)
    new : uint16 (codes,)

    Examples
    --------
    >>> codes = np.array([0, 1, 0], np.uint16)
    >>> recode(codes, np.array([5, 3], np.uint16))
    >>> codes.tolist()
    [5, 3, 5]
    """
    for i in range(codes.shape[0]):
        codes[i] = new[codes[i]]


@kernel
def dense_sums(code, cell, value, weight, table):
    """Add up rows by value and cell, in a table that has a place for each pair.

    Parameters
    ----------
    code : uint16 (rows,)
    cell : int32 (rows,)
        Block times channels plus channel.
    value : integers (rows,) or None
        Weight times outcome; None: the weight.
    weight : int64 (rows,) or None
        None: ones.
    table : int64 (codes, cells, 2)
        Filled with the sums of weight and of value.

    Examples
    --------
    >>> table = np.zeros((1, 2, 2), np.int64)
    >>> rows = np.zeros(3, np.uint16), np.array([0, 1, 1], np.int32), np.array([1, 0, 1])
    >>> dense_sums(*rows, None, table)
    >>> table.tolist()
    [[[1, 1], [2, 1]]]
    """
    table[:] = 0
    n_cells = np.int64(table.shape[1])
    flat = table.reshape(-1)
    for i in range(code.shape[0]):
        at = np.uint64(2 * (np.int64(code[i]) * n_cells + np.int64(cell[i])))
        w = np.int64(1) if weight is None else weight[i]
        flat[at] += w
        flat[at + ONE] += w if value is None else np.int64(value[i])


@kernel
def compress(table, n_channels, entries):
    """List the occupied places of a table.

    Parameters
    ----------
    table : int64 (codes, cells, 2)
        As `dense_sums` fills it.
    n_channels : int
    entries : Entries
        Filled.

    Returns
    -------
    int
        The number of entries.

    Examples
    --------
    >>> entries = Entries(np.zeros(2, np.int64), *(np.zeros(2, np.int32) for _ in range(4)))
    >>> compress(np.array([[[0, 0], [2, 1]]]), 1, entries), entries.block.tolist()
    (1, [1, 0])
    """
    m = 0
    for c in range(table.shape[0]):
        entries.start[c] = m
        for at in range(table.shape[1]):
            if table[c, at, 0] > 0:
                block = at // n_channels
                entries.block[m] = block
                if n_channels > 1:
                    entries.channel[m] = at - block * n_channels
                entries.n[m] = table[c, at, 0]
                entries.s[m] = table[c, at, 1]
                m += 1
    entries.start[table.shape[0]] = m
    return m


@kernel
def sparse_sums(code, cell, label, value, weight, n_channels, buffers, entries):
    """Add up rows by value and cell, where most pairs do not occur.

    The rows are put in the order of their codes first, then equal cells of a code are merged.

    Parameters
    ----------
    code, cell, weight
        See `dense_sums`.
    label : uint8 (rows,) or None
        Outcomes that are 0 or 1: they travel with the cell.
    value : int64 (rows,) or None
        Other outcomes, times weight. Neither of the two: the weight.
    n_channels : int
    buffers : tuple of arrays
        int32 (cells,) all -1; int32 (rows,); as ``value`` and as ``weight`` (rows,), or None.
    entries : Entries
        Filled.

    Returns
    -------
    int
        The number of entries.

    Examples
    --------
    >>> entries = Entries(np.zeros(3, np.int64), *(np.zeros(3, np.int64) for _ in range(4)))
    >>> code, cell = np.array([1, 0, 1], np.uint16), np.array([0, 0, 0], np.int32)
    >>> buffers = np.full(1, -1, np.int32), np.empty(3, np.int32), np.empty(3, np.int64), None
    >>> sparse_sums(code, cell, None, np.array([4, 5, 6]), None, 1, buffers, entries)
    2
    >>> entries.n[:2].tolist(), entries.s[:2].tolist()
    ([1, 2], [5, 10])
    """
    position, cells, values, weights = buffers
    n_codes = entries.start.shape[0] - 1
    end = np.zeros(n_codes, np.int64)
    for i in range(code.shape[0]):
        end[np.uint64(code[i])] += 1
    total = 0
    for c in range(n_codes):
        total += end[c]
        end[c] = total - end[c]
    for i in range(code.shape[0]):
        of = np.uint64(code[i])
        to = np.uint64(end[of])
        end[of] += 1
        if label is None:
            cells[to] = cell[i]
        else:
            cells[to] = 2 * cell[i] + label[i]
        if value is not None:
            values[to] = value[i]
        if weight is not None:
            weights[to] = weight[i]
    m, row = 0, np.uint64(0)
    for c in range(n_codes):
        first, after = m, np.uint64(end[c])
        entries.start[c] = first
        while row < after:
            w = np.int64(1) if weight is None else weights[row]
            now, v = np.int64(cells[row]), w
            if label is not None:
                v = now & 1
                now >>= 1
            if value is not None:
                v = values[row]
            at = position[np.uint64(now)]
            if at >= first:
                entries.n[np.uint64(at)] += w
                entries.s[np.uint64(at)] += v
            else:
                position[np.uint64(now)] = m
                new = np.uint64(m)
                entries.block[new] = now
                if n_channels > 1:
                    entries.block[new] = now // n_channels
                    entries.channel[new] = now % n_channels
                entries.n[new] = w
                entries.s[new] = v
                m += 1
            row += ONE
    entries.start[n_codes] = m
    return m


@kernel
def _child(block, wanted, offsets, bins):
    """Find a block's child in a bin, or -1."""
    low, high = offsets[block], offsets[block + 1]
    end = high
    while low < high:
        middle = (low + high) // 2
        if bins[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low if low < end and bins[low] == wanted else -1


@kernel
def descend(block, wanted, offsets, bins):
    """Find the block of each row one level further down.

    Parameters
    ----------
    block : int32 (rows,)
        Negative: nowhere, and stays so.
    wanted : integers (rows,)
        The row's bin of the next feature.
    offsets : int64 (blocks + 1,)
        Where each block's children start.
    bins : int32 (children,)
        The children's bins, ascending in each block.

    Returns
    -------
    int32 (rows,)
        -1 where no training row was.

    Examples
    --------
    >>> descend(np.zeros(3, np.int32), np.arange(3), np.array([0, 2]), np.array([0, 2])).tolist()
    [0, -1, 1]
    """
    found = np.empty(block.shape[0], np.int32)
    for i in range(block.shape[0]):
        found[i] = -1 if block[i] < 0 else _child(block[i], wanted[i], offsets, bins)
    return found


@kernel
def regroup(cell, code, bin_of_code, n_channels, offsets, bins):
    """Move each training row from its block to the block's child, in place.

    Parameters
    ----------
    cell : int32 (rows,)
        Block times channels plus channel.
    code : uint16 (rows,)
    bin_of_code : int32 (codes,)
    n_channels : int
    offsets, bins
        See `descend`; every child is there.

    Examples
    --------
    >>> cell = np.zeros(2, np.int32)
    >>> code, bins = np.array([1, 0], np.uint16), np.array([0, 2], np.int32)
    >>> regroup(cell, code, bins, 1, np.array([0, 2]), bins)
    >>> cell.tolist()
    [1, 0]
    """
    for i in range(cell.shape[0]):
        block, channel = cell[i], 0
        if n_channels > 1:
            block, channel = cell[i] // n_channels, cell[i] % n_channels
        cell[i] = _child(block, bin_of_code[code[i]], offsets, bins) * n_channels + channel


@kernel
def add_by_block(cell, n_channels, values, weight, sums):
    """Add each row's whole number, times its weight, to its block's sum.

    Parameters
    ----------
    cell : int32 (rows,)
    n_channels : int
    values : int64 (rows,)
    weight : int64 (rows,) or None
    sums : int64 (blocks,)

    Examples
    --------
    >>> sums = np.zeros(2, np.int64)
    >>> add_by_block(np.array([1, 1], np.int32), 1, np.array([5, 7]), None, sums)
    >>> sums.tolist()
    [0, 12]
    """
    for i in range(cell.shape[0]):
        sums[cell[i] // n_channels] += values[i] if weight is None else values[i] * weight[i]
