"""JSON in its bytes: where strings, numbers and literals end, and strings without their escapes.

The functions are strict, and read no byte behind the LF that has to end what they are given: every
one of them stops at it. ``tweets`` is made of them.
"""

import numpy as np

from whybox.kernels import kernel

__all__ = [
    "after_space",
    "copy_strings",
    "find_stops",
    "is_utf8",
    "literal_end",
    "number_end",
    "string_end",
    "whole_number",
]

_ONES, _DE_BRUIJN = np.uint64(0x0101010101010101), np.uint64(0x022FDD63CC95386D)
_LOWEST = np.zeros(64, np.int64)  # the byte of a word's lowest bit, by De Bruijn's sequence
for _k in range(64):
    _LOWEST[(int(_DE_BRUIJN) << _k & (1 << 64) - 1) >> 58] = _k // 8
_UNESCAPED = np.arange(256).astype(np.uint8)  # what stands behind a backslash, but for u
for _escaped, _plain in zip("bfnrt", "\b\f\n\r\t", strict=True):
    _UNESCAPED[ord(_escaped)] = ord(_plain)
_HEX = np.full(256, -1, np.int64)
for _k, _digit in enumerate("0123456789abcdef"):
    _HEX[ord(_digit)] = _HEX[ord(_digit.upper())] = _k


@kernel
def _hex4(d, p):
    """Value of four hexadecimal digits, or -1."""
    value = np.int64(0)
    for i in range(4):
        digit = _HEX[d[np.uint64(p + i)]]
        if digit < 0:
            return np.int64(-1)
        value = value * 16 + digit
    return value


@kernel
def _after_escape(d, p):
    """Position behind the escape at p (a backslash), or -1 if it is none, or is a NUL."""
    b = d[np.uint64(p + 1)]
    if b == 117:  # u
        high = _hex4(d, p + 2)
        if high <= 0:
            return -1
        if high < 0xD800 or high > 0xDFFF:
            return p + 6
        if high > 0xDBFF or d[np.uint64(p + 6)] != 92 or d[np.uint64(p + 7)] != 117:
            return -1
        low = _hex4(d, p + 8)
        return p + 12 if 0xDC00 <= low <= 0xDFFF else -1
    known = b == 34 or b == 92 or b == 47 or b == 98 or b == 102 or b == 110 or b == 114 or b == 116
    return p + 2 if known else -1


@kernel
def find_stops(d):
    """Positions of the bytes at which the scan of a string stops, in order, and one far behind."""
    n = (d.shape[0] + 7) // 8
    flags = np.zeros(n * 8, np.uint8)
    for i in range(d.shape[0]):
        b = d[i]
        flags[i] = (b == 34) | (b == 92) | (b < 32)
    words = flags.view(np.uint64)
    total = np.int64(1)
    for i in range(n):
        total += np.int64((words[i] * _ONES) >> np.uint64(56))
    stops = np.empty(total, np.int64)
    k = 0
    for i in range(n):
        word = words[i]
        while word != 0:
            stops[np.uint64(k)] = i * 8 + _LOWEST[((word & -word) * _DE_BRUIJN) >> np.uint64(58)]
            word &= word - np.uint64(1)
            k += 1
    stops[k] = d.shape[0]
    return stops


@kernel
def string_end(d, stops, k):
    """Which stop is the closing quote of the string that the stop k opens, or -1."""
    k += 1
    while d[np.uint64(stops[np.uint64(k)])] != 34:
        p = stops[np.uint64(k)]
        if d[np.uint64(p)] != 92:
            return -1
        p = _after_escape(d, p)
        if p < 0:
            return -1
        while stops[np.uint64(k)] < p:
            k += 1
    return k


@kernel
def number_end(d, p):
    """Where the number that begins at p ends, or -1."""
    if d[np.uint64(p)] == 45:
        p += 1
    if d[np.uint64(p)] == 48:
        p += 1
    elif 49 <= d[np.uint64(p)] <= 57:
        while 48 <= d[np.uint64(p)] <= 57:
            p += 1
    else:
        return -1
    if d[np.uint64(p)] == 46:
        p += 1
        if not 48 <= d[np.uint64(p)] <= 57:
            return -1
        while 48 <= d[np.uint64(p)] <= 57:
            p += 1
    if d[np.uint64(p)] | 32 == 101:
        p += 1
        if d[np.uint64(p)] == 43 or d[np.uint64(p)] == 45:
            p += 1
        if not 48 <= d[np.uint64(p)] <= 57:
            return -1
        while 48 <= d[np.uint64(p)] <= 57:
            p += 1
    return p


@kernel
def whole_number(d, p, end):
    """Value of a few digits; -1 if they are many, or are none."""
    if end - p > 18:
        return np.int64(-1)
    value = np.int64(0)
    for i in range(p, end):
        if not 48 <= d[np.uint64(i)] <= 57:
            return np.int64(-1)
        value = value * 10 + (d[np.uint64(i)] - 48)
    return value


@kernel
def literal_end(d, p):
    """Where true, false or null, which begins at p, ends, or -1."""
    if (
        d[np.uint64(p)] == 116
        and d[np.uint64(p + 1)] == 114
        and d[np.uint64(p + 2)] == 117
        and d[np.uint64(p + 3)] == 101
    ):
        return p + 4
    if (
        d[np.uint64(p)] == 110
        and d[np.uint64(p + 1)] == 117
        and d[np.uint64(p + 2)] == 108
        and d[np.uint64(p + 3)] == 108
    ):
        return p + 4
    if (
        d[np.uint64(p)] != 102
        or d[np.uint64(p + 1)] != 97
        or d[np.uint64(p + 2)] != 108
        or d[np.uint64(p + 3)] != 115
        or d[np.uint64(p + 4)] != 101
    ):
        return -1
    return p + 5


@kernel
def after_space(d, p):
    """First position from p on that is no space, tab or carriage return."""
    while d[np.uint64(p)] == 32 or d[np.uint64(p)] == 9 or d[np.uint64(p)] == 13:
        p += 1
    return p


@kernel
def is_utf8(d, start, end):
    """Well-formed UTF-8."""
    p = start
    while p < end:
        b = d[np.uint64(p)]
        if b < 0x80:
            p += 1
            continue
        low, high = np.uint8(0x80), np.uint8(0xBF)
        if 0xC2 <= b <= 0xDF:
            n = 1
        elif 0xE0 <= b <= 0xEF:
            n = 2
            if b == 0xE0:
                low = np.uint8(0xA0)
            elif b == 0xED:
                high = np.uint8(0x9F)
        elif 0xF0 <= b <= 0xF4:
            n = 3
            if b == 0xF0:
                low = np.uint8(0x90)
            elif b == 0xF4:
                high = np.uint8(0x8F)
        else:
            return False
        if p + n >= end or not low <= d[np.uint64(p + 1)] <= high:
            return False
        for i in range(2, n + 1):
            if d[np.uint64(p + i)] & 0xC0 != 0x80:
                return False
        p += n + 1
    return True


@kernel
def _put(out, q, point):
    """Write a code point as UTF-8; give the position behind it."""
    if point < 0x80:
        out[q] = point
        return q + 1
    if point < 0x800:
        out[q] = 0xC0 | point >> 6
        out[q + 1] = 0x80 | point & 63
        return q + 2
    if point < 0x10000:
        out[q] = 0xE0 | point >> 12
        out[q + 1] = 0x80 | point >> 6 & 63
        out[q + 2] = 0x80 | point & 63
        return q + 3
    out[q] = 0xF0 | point >> 18
    out[q + 1] = 0x80 | point >> 12 & 63
    out[q + 2] = 0x80 | point >> 6 & 63
    out[q + 3] = 0x80 | point & 63
    return q + 4


@kernel
def copy_strings(d, spans, out):
    """Copy strings out of JSON, their escapes undone.

    Parameters
    ----------
    d : uint8 array
    spans : int64 array of shape (n, 2)
        Begin and end of well-formed strings; a null begins at -1.
    out : uint8 array
        At least as long as the strings are together.

    Returns
    -------
    offsets : int32 array of shape (n + 1,)
    """
    offsets = np.empty(spans.shape[0] + 1, np.int32)
    q = np.int64(0)
    for i in range(spans.shape[0]):
        offsets[i] = q
        p, end = spans[i, 0], spans[i, 1]
        while p < end:
            b = d[np.uint64(p)]
            if b != 92:
                out[np.uint64(q)] = b
                p += 1
                q += 1
            elif d[np.uint64(p + 1)] != 117:
                out[q] = _UNESCAPED[d[np.uint64(p + 1)]]
                p += 2
                q += 1
            else:
                point = _hex4(d, p + 2)
                p += 6
                if 0xD800 <= point <= 0xDBFF:
                    point = 0x10000 + ((point - 0xD800) << 10) + _hex4(d, p + 2) - 0xDC00
                    p += 6
                q = _put(out, q, point)
    offsets[spans.shape[0]] = q
    return offsets
