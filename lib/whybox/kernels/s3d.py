"""Structured feature-space decomposition: binning one feature, listing the blocks of a grid.

All that is added is a whole number: weights, outcomes (counts or fixed point), and the gain of a
split, in units of 2^-61 of the total sum of squares. Sums of whole numbers are the same in any
order, so neither shuffled rows nor another partitioning changes a bit of the result.
"""

from typing import NamedTuple

import numpy as np

from whybox.kernels import kernel

__all__ = ["FULL", "TOLERANCE", "Entries", "cut_gain", "explore", "gather_blocks", "merge_entries"]

FULL = 2.0**61  # the whole sum of squares, in units of a gain
ZERO, ONE, TWO, THREE = (np.uint64(k) for k in range(4))  # numba checks signed indices
TOLERANCE = 2**17  # units: more than the rounding of a gain over 100,000 blocks; less is a tie


class Entries(NamedTuple):
    """What a search reads: one entry for each value code and block that occur together.

    Examples
    --------
    >>> Entries(*(np.zeros(1) for _ in range(5)))._fields
    ('start', 'block', 'channel', 'n', 's')
    """

    start: np.ndarray  # int64 (codes + 1,), where each code's entries start
    block: np.ndarray  # int32 (entries,)
    channel: np.ndarray  # int32 (entries,), which sum `s` belongs to; empty if there is only one
    n: np.ndarray  # int64 (entries,), weight
    s: np.ndarray  # int64 (entries,), weight times outcome


@kernel
def _term(sums, block, n_channels, scale):
    """Give what cutting one block adds: (S_L n - S n_L)^2 / (n n_L n_R), in units."""
    n, n_left = np.float64(sums[block, 0]), np.float64(sums[block, 1])
    squares = 0.0
    for k in range(n_channels):
        s, s_left = np.float64(sums[block, 2 + k]), np.float64(sums[block, 2 + n_channels + k])
        d = s_left * n - s * n_left
        squares += d * d
    return np.int64(squares / (n * (n_left * (n - n_left))) * scale + 0.5)


@kernel
def _total_range(entries, first, last, sums, scores):
    """Add up the blocks over a range of codes and set what is left of the cut to nothing."""
    n_channels = np.uint64((sums.shape[1] - 2) // 2)
    low, high = np.uint64(entries.start[first]), np.uint64(entries.start[last])
    if np.int64(high - low) > sums.shape[0]:  # most blocks occur
        sums[:] = 0
        scores[:] = 0
    else:
        for t in range(low, high):
            g = np.uint64(entries.block[t])
            for column in range(np.uint64(sums.shape[1])):
                sums[g, column] = 0
            scores[g] = 0
    for t in range(low, high):
        g = np.uint64(entries.block[t])
        k = TWO + np.uint64(entries.channel[t]) if n_channels > ONE else TWO
        sums[g, ZERO] += entries.n[t]
        sums[g, k] += entries.s[t]


@kernel
def _sweep(entries, first, last, sums, scores, scale, only):
    """Move codes first..last-1 but the last to the left of the cut, one after the other.

    Gives the largest gain, the code it was reached at, and the blocks cut then; or, if ``only``
    is a code, what holds at that one. One long loop: a call a code would cost more than the sums.
    """
    n_channels = np.uint64((sums.shape[1] - 2) // 2)
    best, best_code, best_cut = np.int64(0), -1, 0
    gain, cut = np.int64(0), 0
    _total_range(entries, first, last, sums, scores)
    for code in range(first, last - 1):
        low, high = np.uint64(entries.start[code]), np.uint64(entries.start[code + 1])
        for t in range(low, high):
            g = np.uint64(entries.block[t])
            k = TWO + n_channels
            if n_channels > ONE:
                k += np.uint64(entries.channel[t])
            before = sums[g, ONE]
            n_left = before + entries.n[t]
            sums[g, ONE] = n_left
            sums[g, k] += entries.s[t]
            term = np.int64(0)
            if before == 0:
                cut += 1
            if n_left == sums[g, ZERO]:
                cut -= 1
            elif n_channels == ONE:
                n, left = np.float64(sums[g, ZERO]), np.float64(n_left)
                d = np.float64(sums[g, THREE]) * n - np.float64(sums[g, TWO]) * left
                term = np.int64(d * d / (n * (left * (n - left))) * scale + 0.5)
            else:
                term = _term(sums, g, n_channels, scale)
            gain += term - scores[g]
            scores[g] = term
        if (only < 0 and gain > best + TOLERANCE) or code == only:
            best, best_code, best_cut = gain, code, cut
            if code == only:
                break
    return best, best_code, best_cut


@kernel
def cut_gain(entries, first, code, last, sums, scale):
    """Compute the gain of cutting codes first..last-1 before ``code``, Eqs. (3) to (7).

    Parameters
    ----------
    entries : Entries
    first, code, last : int
    sums : int64 (blocks, 2 + 2 channels)
        Room to work in.
    scale : float
        2^61 over the total sum of squares.

    Returns
    -------
    gain : int
        In units.
    cut : int
        Blocks with rows on both sides.

    Examples
    --------
    >>> entries = Entries(np.arange(3), np.zeros(2, np.int32), np.zeros(0, np.int32),
    ...                   np.array([1, 1]), np.array([0, 1]))
    >>> gain, cut = cut_gain(entries, 0, 1, 2, np.zeros((1, 4), np.int64), FULL / 0.5)
    >>> gain / FULL, cut
    (1.0, 1)
    """
    scores = np.zeros(sums.shape[0], np.int64)
    gain, _, cut = _sweep(entries, first, last, sums, scores, scale, code - 1)
    return gain, cut


@kernel
def explore(entries, n_codes, sums, scale, remaining, price, patience):
    """Split a feature at the best value again and again until splits no longer pay.

    Parameters
    ----------
    entries : Entries
        Codes from ``n_codes`` on (the missing value) are never split.
    n_codes : int
    sums : int64 (blocks, 2 + 2 channels)
        Room to work in.
    scale : float
        2^61 over the total sum of squares.
    remaining : float
        1 - R2 of the grid so far.
    price : (float, float)
        A split pays if it gains, of what remains, at least the first and at least the second
        times the number of blocks that it cuts.
    patience : int
        Splits in a row that do not pay before the search ends.

    Returns
    -------
    codes : int64 (splits,)
        The last code to the left, in the order of the search.
    gains : int64 (splits,)
        In units.
    cuts : int64 (splits,)
        How many blocks each cut.

    Examples
    --------
    >>> entries = Entries(np.arange(4), np.zeros(3, np.int32), np.zeros(0, np.int32),
    ...                   np.array([1, 1, 1]), np.array([0, 1, 1]))
    >>> codes, gains, cuts = explore(
    ...     entries, 3, np.zeros((1, 4), np.int64), FULL / (2 / 3), 1.0, (0.01, 0.0), 5)
    >>> codes.tolist(), np.round(gains / FULL, 12).tolist(), cuts.tolist()
    ([0], [1.0], [1])
    """
    scores = np.zeros(sums.shape[0], np.int64)
    room = max(n_codes, 1)
    first, last = np.empty(room, np.int64), np.empty(room, np.int64)  # the bins, ascending
    gain, code = np.empty(room, np.int64), np.empty(room, np.int64)  # the best split of each
    cut = np.empty(room, np.int64)
    codes, gains, cuts = (
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
    )
    first[0], last[0] = 0, n_codes
    gain[0], code[0], cut[0] = _sweep(entries, 0, n_codes, sums, scores, scale, -1)
    n_bins, n_splits, unpaid = 1, 0, 0
    while True:
        best = 0
        for b in range(1, n_bins):
            if gain[b] > gain[best] + TOLERANCE:
                best = b
        if gain[best] <= TOLERANCE:
            break
        k = n_splits
        codes[k], gains[k], cuts[k] = code[best], gain[best], cut[best]
        relative = (gain[best] + TOLERANCE) / FULL / remaining  # what pays exactly pays
        paid = relative >= max(price[0], price[1] * cut[best])
        unpaid = 0 if paid else unpaid + 1
        n_splits += 1
        if unpaid == patience:
            break
        for b in range(n_bins, best + 1, -1):
            first[b], last[b] = first[b - 1], last[b - 1]
            gain[b], code[b], cut[b] = gain[b - 1], code[b - 1], cut[b - 1]
        first[best + 1], last[best + 1] = code[best] + 1, last[best]
        last[best] = code[best] + 1
        n_bins += 1
        for b in range(best, best + 2):
            gain[b], code[b], cut[b] = _sweep(entries, first[b], last[b], sums, scores, scale, -1)
    return codes[:n_splits].copy(), gains[:n_splits].copy(), cuts[:n_splits].copy()


@kernel
def gather_blocks(entries, bins, n_blocks, n_channels):
    """List the occupied blocks of the grid times a feature's bins, by block and then bin.

    Parameters
    ----------
    entries : Entries
    bins : int32 (codes,)
        The bin of each code.
    n_blocks, n_channels : int

    Returns
    -------
    parent, bin : int32 (occupied,)
    n : int64 (occupied,)
    s : int64 (occupied, channels)

    Examples
    --------
    >>> entries = Entries(np.array([0, 2, 3]), np.array([1, 0, 1], np.int32),
    ...                   np.zeros(0, np.int32), np.array([4, 2, 1]), np.array([3, 0, 1]))
    >>> [a.tolist() for a in gather_blocks(entries, np.array([0, 1], np.int32), 2, 1)]
    [[0, 1, 1], [0, 0, 1], [2, 4, 1], [[0], [3], [1]]]
    """
    n_entries = entries.start[bins.shape[0]]
    end = np.zeros(n_blocks + 1, np.int64)
    for t in range(n_entries):
        end[entries.block[t] + 1] += 1
    for g in range(n_blocks):
        end[g + 1] += end[g]
    order, order_bin = np.empty(n_entries, np.int32), np.empty(n_entries, np.int32)
    for c in range(bins.shape[0]):
        for t in range(entries.start[c], entries.start[c + 1]):
            to = end[entries.block[t]]
            order[to], order_bin[to] = t, bins[c]
            end[entries.block[t]] = to + 1
    occupied = 0
    for i in range(n_entries):
        t, before = order[i], order[max(i - 1, 0)]
        same = (
            entries.block[t] == entries.block[before] and order_bin[i] == order_bin[max(i - 1, 0)]
        )
        occupied += i == 0 or not same
    parent, of = np.empty(occupied, np.int32), np.empty(occupied, np.int32)
    n, s = np.zeros(occupied, np.int64), np.zeros((occupied, n_channels), np.int64)
    m = -1
    for i in range(n_entries):
        t = order[i]
        if m < 0 or parent[m] != entries.block[t] or of[m] != order_bin[i]:
            m += 1
            parent[m], of[m] = entries.block[t], order_bin[i]
        n[m] += entries.n[t]
        s[m, entries.channel[t] if n_channels > 1 else 0] += entries.s[t]
    return parent, of, n, s


@kernel
def merge_entries(ours, theirs, n_channels, position, merged):
    """Add up two statistics in one pass over the entries of both.

    Parameters
    ----------
    ours, theirs : Entries
        Of the same codes.
    n_channels : int
    position : int32 (blocks times channels,)
        All -1; used up.
    merged : Entries
        With room for both; filled. The entries of a code are ours, then what only they have.

    Returns
    -------
    int
        The number of entries.

    Examples
    --------
    >>> def entries(start, block, n):
    ...     none = np.zeros(0, np.int32)
    ...     return Entries(np.array(start), np.array(block, np.int32), none, np.array(n), np.array(n))
    >>> merged = entries([0, 0, 0], [0, 0, 0], [0, 0, 0])
    >>> ours, theirs = entries([0, 1, 1], [1], [5]), entries([0, 2, 2], [0, 1], [3, 4])
    >>> m = merge_entries(ours, theirs, 1, np.full(2, -1, np.int32), merged)
    >>> merged.start.tolist(), merged.block[:m].tolist(), merged.n[:m].tolist()
    ([0, 2, 2], [1, 0], [9, 3])
    """
    m = 0
    for code in range(ours.start.shape[0] - 1):
        first = m
        merged.start[code] = first
        for t in range(np.uint64(ours.start[code]), np.uint64(ours.start[code + 1])):
            new, cell = np.uint64(m), np.int64(ours.block[t])
            merged.block[new], merged.n[new], merged.s[new] = ours.block[t], ours.n[t], ours.s[t]
            if n_channels > 1:
                merged.channel[new] = ours.channel[t]
                cell = cell * n_channels + ours.channel[t]
            position[np.uint64(cell)] = m
            m += 1
        for t in range(np.uint64(theirs.start[code]), np.uint64(theirs.start[code + 1])):
            cell = np.int64(theirs.block[t])
            if n_channels > 1:
                cell = cell * n_channels + theirs.channel[t]
            found = position[np.uint64(cell)]
            if found >= first:
                merged.n[np.uint64(found)] += theirs.n[t]
                merged.s[np.uint64(found)] += theirs.s[t]
            else:
                new = np.uint64(m)
                merged.block[new], merged.n[new] = theirs.block[t], theirs.n[t]
                merged.s[new] = theirs.s[t]
                if n_channels > 1:
                    merged.channel[new] = theirs.channel[t]
                position[np.uint64(cell)] = m
                m += 1
    merged.start[ours.start.shape[0] - 1] = m
    return m
