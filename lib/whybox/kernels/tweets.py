"""Tweets found in the bytes of JSON lines: where the fields that posts are made of begin and end.

A line is *plain* if it is one well-formed JSON object whose wanted fields have the types that they
should have, each at most once, with ids that agree; only then its row is filled. Whatever is in
any way odd is left to the readers that mend, classify or refuse: to call a line odd is never wrong.
"""

import numpy as np

from whybox.kernels import kernel
from whybox.kernels.jsontext import (
    after_space,
    find_stops,
    is_utf8,
    literal_end,
    number_end,
    string_end,
    whole_number,
)

__all__ = ["COUNTS", "STRINGS", "scan_tweets"]

STRINGS = ("post_id", "created_at", "lang", "user_id", "text")
"""Columns of spans, in order; a span that begins at -1 is null."""
COUNTS = (
    *("favorite_count", "retweet_count", "mention_count"),
    *("total_favourites", "friends", "followers", "listed_count", "is_retweet"),
)
"""Columns of whole numbers, in order; -1 is null."""

# What a member of an object is: strings 0 to 11, numbers 16 to 21, objects and arrays 24 and on.
_ID_STR, _CREATED, _LANG, _USER_ID_STR, _ID, _USER_ID = 0, 1, 2, 3, 4, 5
_TEXT, _FULL, _LONG, _RT_TEXT, _RT_FULL, _RT_LONG = 6, 7, 8, 9, 10, 11
_N_STRINGS, _NUMBERS, _OBJECTS = 12, 16, 24
_USER, _ENTITIES, _EXTENDED, _EXT_ENTITIES, _RETWEETED, _RT_EXTENDED = 24, 25, 26, 27, 28, 29
_MENTIONS, _EXT_MENTIONS, _OTHER, _TWEET = 30, 31, 32, 33
_KEYS = (
    *((_TWEET, "id_str", _ID_STR), (_TWEET, "id", _ID), (_TWEET, "created_at", _CREATED)),
    *((_TWEET, "text", _TEXT), (_TWEET, "full_text", _FULL), (_TWEET, "lang", _LANG)),
    *((_TWEET, "favorite_count", 16), (_TWEET, "retweet_count", 17)),
    *((_TWEET, "user", _USER), (_TWEET, "entities", _ENTITIES)),
    *((_TWEET, "extended_tweet", _EXTENDED), (_TWEET, "retweeted_status", _RETWEETED)),
    *((_USER, "id_str", _USER_ID_STR), (_USER, "id", _USER_ID)),
    *((_USER, "favourites_count", 18), (_USER, "friends_count", 19)),
    *((_USER, "followers_count", 20), (_USER, "listed_count", 21)),
    *((_ENTITIES, "user_mentions", _MENTIONS), (_EXT_ENTITIES, "user_mentions", _EXT_MENTIONS)),
    *((_EXTENDED, "full_text", _LONG), (_EXTENDED, "entities", _EXT_ENTITIES)),
    *((_RETWEETED, "text", _RT_TEXT), (_RETWEETED, "full_text", _RT_FULL)),
    *((_RETWEETED, "extended_tweet", _RT_EXTENDED), (_RT_EXTENDED, "full_text", _RT_LONG)),
)
_NAMED = sorted(_KEYS, key=lambda key: (key[0], len(key[1])))
_KEY_MEANING = np.array([meaning for _, _, meaning in _NAMED], np.int64)
_KEY_BYTES = np.zeros((len(_NAMED), 16), np.uint8)
_KEY_RANGE = np.zeros((_TWEET + 1, 17, 2), np.int64)  # by owner and length
for _k, (_owner, _name, _) in enumerate(_NAMED):
    _KEY_BYTES[_k, : len(_name)] = np.frombuffer(_name.encode("ascii"), np.uint8)
    if not _KEY_RANGE[_owner, len(_name), 1]:
        _KEY_RANGE[_owner, len(_name), 0] = _k
    _KEY_RANGE[_owner, len(_name), 1] = _k + 1

_DEPTH = 64
_LONGEST = 10_000


@kernel
def _meaning(d, start, end, owner):
    """What a key means in an object: a code, or _OTHER."""
    n = end - start
    if n > 16:
        return np.int64(_OTHER)
    for k in range(_KEY_RANGE[owner, n, 0], _KEY_RANGE[owner, n, 1]):
        i = 0
        while i < n and _KEY_BYTES[k, i] == d[np.uint64(start + i)]:
            i += 1
        if i == n:
            return _KEY_MEANING[k]
    return np.int64(_OTHER)


@kernel
def _is_blank(d, start, end):
    """Perhaps nothing but white space: no character that is none for sure."""
    for p in range(start, end):
        b = d[np.uint64(p)]
        if (33 <= b <= 126 and b != 92) or 0xC3 <= b <= 0xDF or b >= 0xE4:
            return False
    return True


@kernel
def _scan_line(d, stops, k, p, begin, stop, numbers, kinds, owners):
    """Fill the spans and numbers of the line at p; give the position of its LF, or -1 if odd."""
    begin[:] = -1
    stop[:] = -1
    numbers[:] = -1
    seen = np.int64(0)
    p = after_space(d, p)
    if d[np.uint64(p)] != 123:
        return -1
    depth = 0
    kinds[0] = 123
    owners[0] = _TWEET
    owner = np.int64(_TWEET)
    is_object = True
    is_first = True
    p += 1
    while True:
        p = after_space(d, p)
        what = np.int64(_OTHER)
        if is_first and d[np.uint64(p)] == (125 if is_object else 93):
            p += 1
        else:
            if is_object:
                if d[np.uint64(p)] != 34:
                    return -1
                while stops[np.uint64(k)] < p:
                    k += 1
                k += 1
                end = stops[np.uint64(k)]
                if d[np.uint64(end)] != 34:  # also a name with escapes, a name in disguise perhaps
                    return -1
                if owner != _OTHER:
                    what = _meaning(d, p + 1, end, owner)
                    if what != _OTHER:
                        if seen >> what & 1:
                            return -1
                        seen |= np.int64(1) << what
                p = after_space(d, end + 1)
                if d[np.uint64(p)] != 58:
                    return -1
                p = after_space(d, p + 1)
            elif owner == _MENTIONS or owner == _EXT_MENTIONS:
                if d[np.uint64(p)] != 123:
                    return -1
                numbers[8 + owner - _MENTIONS] += 1
            b = d[np.uint64(p)]
            if b == 34:
                while stops[np.uint64(k)] < p:
                    k += 1
                k = string_end(d, stops, k)
                if k < 0:
                    return -1
                end = stops[np.uint64(k)]
                if what < _N_STRINGS:
                    begin[what] = p + 1
                    stop[what] = end
                elif what != _OTHER:
                    return -1
                p = end + 1
            elif b == 123 or b == 91:
                if depth + 1 == _DEPTH:
                    return -1
                if what < _OBJECTS:
                    return -1
                is_object = b == 123
                if what != _OTHER:
                    if is_object == (what == _MENTIONS or what == _EXT_MENTIONS):
                        return -1
                    if not is_object:
                        numbers[8 + what - _MENTIONS] = 0
                depth += 1
                owner = what
                kinds[depth] = b
                owners[depth] = owner
                is_first = True
                p += 1
                continue
            elif b == 45 or 48 <= b <= 57:
                end = number_end(d, p)
                if end < 0:
                    return -1
                if _NUMBERS <= what < _OBJECTS:
                    value = whole_number(d, p, end)
                    if value < 0:
                        return -1
                    numbers[what - _NUMBERS] = value
                elif what == _ID or what == _USER_ID:
                    if whole_number(d, p, end) < 0:
                        return -1
                    begin[what] = p
                    stop[what] = end
                elif what != _OTHER:
                    return -1
                p = end
            else:
                end = literal_end(d, p)
                if end < 0 or (what != _OTHER and b != 110):
                    return -1
                if b == 110 and _OBJECTS <= what < _OTHER:
                    seen &= ~(np.int64(1) << what)  # as if it were not there
                p = end
            p = after_space(d, p)
            if d[np.uint64(p)] == 44:
                p += 1
                is_first = False
                continue
            if d[np.uint64(p)] != (125 if is_object else 93):
                return -1
            p += 1
        # a container is closed: perhaps several
        while True:
            if depth == 0:
                numbers[10] = seen
                p = after_space(d, p)
                return p if d[np.uint64(p)] == 10 else -1
            depth -= 1
            is_object = kinds[depth] == 123
            owner = owners[depth]
            p = after_space(d, p)
            if d[np.uint64(p)] == 44:
                p += 1
                is_first = False
                break
            if d[np.uint64(p)] != (125 if is_object else 93):
                return -1
            p += 1


@kernel
def _ids_agree(d, begin, stop, text, other):
    """The id as a string is there and is the same as the other, character by character."""
    n = stop[text] - begin[text]
    if begin[text] < 0 or n == 0 or n != stop[other] - begin[other]:
        return False
    for i in range(n):
        b = d[begin[text] + i]
        if b == 92 or b != d[begin[other] + i]:
            return False
    return True


@kernel
def _text_of(begin, seen):
    """Which string is the text: of a retweet the original's, the longest form; -1 for none."""
    if seen >> _RETWEETED & 1:
        for what in (_RT_LONG, _RT_FULL, _RT_TEXT):
            if begin[what] >= 0:
                return what
    for what in (_LONG, _FULL, _TEXT):
        if begin[what] >= 0:
            return what
    return -1


@kernel
def _row_of(d, begin, stop, numbers):
    """Which string is the text of a line that was scanned, or -1 if there is something odd."""
    seen = numbers[10]
    if not seen >> _USER & 1 or not _ids_agree(d, begin, stop, _ID_STR, _ID):
        return -1
    if not _ids_agree(d, begin, stop, _USER_ID_STR, _USER_ID):
        return -1
    for what in range(_N_STRINGS):
        if begin[what] >= 0 and not is_utf8(d, begin[what], stop[what]):
            return -1
    text = _text_of(begin, seen)
    if text < 0 or stop[text] - begin[text] > _LONGEST or _is_blank(d, begin[text], stop[text]):
        return -1
    return text


@kernel
def _fill_row(begin, stop, numbers, text, spans, counts):
    """Put a plain line's strings and numbers where they are wanted."""
    for k, what in enumerate((_ID_STR, _CREATED, _LANG, _USER_ID_STR, text)):
        spans[k, 0] = begin[what]
        spans[k, 1] = stop[what]
    counts[0] = numbers[0]
    counts[1] = numbers[1]
    has_own = numbers[10] >> _EXT_ENTITIES & 1
    counts[2] = numbers[9] if has_own else numbers[8]
    for k in range(4):
        counts[3 + k] = numbers[2 + k]
    counts[7] = numbers[10] >> _RETWEETED & 1


@kernel
def scan_tweets(d):
    """Scan lines.

    Parameters
    ----------
    d : uint8 array
        Lines, each with its LF.

    Returns
    -------
    plain : bool array of shape (lines,)
    edges : int64 array of shape (lines + 1,)
        Where the lines begin, and where the last one ends.
    spans : int64 array of shape (5, lines, 2)
        Begin and end of the strings in `STRINGS`, between their quotes; of plain lines only.
    counts : int64 array of shape (8, lines)
        `COUNTS`, of plain lines only.
    """
    stops = find_stops(d)
    n = 0
    for i in range(stops.shape[0] - 1):
        n += d[np.uint64(stops[i])] == 10
    plain, edges = np.zeros(n, np.bool_), np.zeros(n + 1, np.int64)
    spans, counts = np.empty((5, n, 2), np.int64), np.empty((8, n), np.int64)
    begin, end = np.empty(_N_STRINGS, np.int64), np.empty(_N_STRINGS, np.int64)
    numbers, owners = np.empty(11, np.int64), np.empty(_DEPTH, np.int64)
    kinds = np.empty(_DEPTH, np.uint8)
    p = k = 0
    for row in range(n):
        while stops[np.uint64(k)] < p:
            k += 1
        lf = _scan_line(d, stops, k, p, begin, end, numbers, kinds, owners)
        text = _row_of(d, begin, end, numbers) if lf >= 0 else -1
        if text >= 0:
            plain[row] = True
            _fill_row(begin, end, numbers, text, spans[:, row], counts[:, row])
        if lf < 0:
            lf = p
            while d[np.uint64(lf)] != 10:
                lf += 1
        p = lf + 1
        edges[row + 1] = p
    return plain, edges, spans, counts
