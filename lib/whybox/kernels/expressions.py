"""Mining word sequences that are frequent in one class of encoded documents and rare in the rest.

Patterns grow over projected lists: a prefix is held as the list of its matches' last tokens, positive
documents first, and its extensions are counted in one pass over what follows those tokens. Every
document begins with a sentinel token, so that the empty prefix is a list too. What indexes is
unsigned: each look at a signed index asks first whether it counts from the end.
"""

from typing import NamedTuple

import numpy as np

from whybox.kernels import kernel

__all__ = ["Rules", "Tokens", "arrange", "mine"]

NO_GAP_LIMIT = np.int64(1) << 40
# What a word is while prefixes grow: in the prefix, open at levels up to this one, or a candidate.
IN_PREFIX, CANDIDATE = -1, 1 << 20


class Tokens(NamedTuple):
    """The tokens that can be part of an expression, document after document.

    Examples
    --------
    >>> Tokens(*range(6)).stop
    2
    """

    word: np.ndarray  # uint32 (tokens,), the sentinel's is the number of words
    doc: np.ndarray  # uint32 (tokens,)
    stop: np.ndarray  # int32 (documents,), where each ends
    prev: np.ndarray  # int32 (tokens,), the word's last use before in its document, or -1
    first: np.ndarray  # int32 (tokens,), the word's first use in its document
    place: np.ndarray  # int32 (tokens,), position in the whole document, -1 for the sentinel


class Rules(NamedTuple):
    """What is asked of an expression.

    Examples
    --------
    >>> Rules(2, 0.6, 3, -1, 5, 5, 1 << 40).need
    2
    """

    need: int  # least number of positive documents
    precision: float
    max_words: int
    max_gap: int  # tokens between two words, -1 for any number
    n_positive: int  # the first so many documents are positive
    n_seeds: int  # the first so many documents ask for an expression
    budget: int  # tokens to look at before giving up


@kernel
def arrange(indptr, ids, remap, n_words, rows):
    """Lay the documents out in a given order, with the words that `remap` keeps.

    Parameters
    ----------
    indptr : int64 (documents + 1,)
    ids : int32 (tokens,)
    remap : int32 (all words,)
        New number of each word, -1 to leave it out.
    n_words : int
        Words kept.
    rows : int64 (chosen documents,)

    Returns
    -------
    Tokens

    Examples
    --------
    >>> tokens = arrange(np.array([0, 2, 5]), np.array([0, 1, 2, 1, 2], np.int32),
    ...                  np.array([-1, 0, 1], np.int32), 2, np.array([1, 0]))
    >>> tokens.word.tolist(), tokens.place.tolist(), tokens.stop.tolist()
    ([2, 1, 0, 1, 2, 0], [-1, 0, 1, 2, -1, 1], [4, 6])
    >>> tokens.prev.tolist(), tokens.first.tolist()
    ([-1, -1, -1, 1, -1, -1], [0, 1, 2, 1, 4, 5])
    """
    m = rows.shape[0]
    for i in rows:
        for k in range(indptr[i], indptr[i + 1]):
            m += remap[ids[k]] >= 0
    word, doc, prev = np.empty(m, np.uint32), np.empty(m, np.uint32), np.empty(m, np.int32)
    first, place = np.empty(m, np.int32), np.empty(m, np.int32)
    stop = np.empty(rows.shape[0], np.int32)
    last = np.full(n_words, -1, np.int32)
    at = 0
    for d in range(rows.shape[0]):
        start, begin = at, indptr[rows[d]]
        word[at], doc[at], prev[at], first[at], place[at] = n_words, d, -1, at, -1
        at += 1
        for k in range(begin, indptr[rows[d] + 1]):
            w = remap[ids[k]]
            if w < 0:
                continue
            before = last[w] if last[w] >= start else -1
            word[at], doc[at], prev[at], place[at] = w, d, before, k - begin
            first[at] = at if before < 0 else first[before]
            last[w] = at
            at += 1
        stop[d] = at
    return Tokens(word, doc, stop, prev, first, place)


@kernel
def _scan(tokens, ends, lo, hi, max_gap, state, least, hits, parents, at):
    """List the tokens that extend the matches ends[lo:hi]; return (how many, tokens looked at).

    Without a gap limit there is one match a document, the leftmost, and a word's next use only.
    With one, all matches of a document are there, and each token that one of them reaches.
    There is room for one more than are listed.
    """
    word, doc, stop, prev, _, place = tokens
    looked, reached, current = 0, 0, -1
    for t in range(lo, hi):
        j = ends[t]
        d = doc[j]
        start = j + 1
        if d == current and reached > start:
            start = reached
        current = d
        k = start
        if max_gap < 0:
            for k in range(start, stop[d]):  # no branch: nothing foretells which tokens are hits
                hits[at], parents[at] = k, t
                at += (prev[k] < j) & (state[word[k]] >= least)
            k = stop[d]
        while k < stop[d] and place[k] - place[j] - 1 <= max_gap:
            if state[word[k]] >= least:
                hits[at], parents[at] = k, t
                at += 1
            k += 1
        reached = k
        looked += k - start
    return at, looked


@kernel
def _is_precise(counts, precision):
    """Whether enough of a word's documents are positive; more others never help."""
    return counts[0] >= precision * (counts[0] + counts[1]) - 1e-9


@kernel
def _count_others(tokens, ends, lo, hi, precision, state, level, counts, left):
    """Count the other documents in which `left` candidates extend a match; return tokens looked at.

    A candidate is given up when it is not precise enough any more, and the rest with the last one.
    """
    word, doc, stop, prev, _, _ = tokens
    looked = 0
    for t in range(lo, hi):
        j = ends[t]
        looked += stop[doc[j]] - j - 1
        for k in range(j + 1, stop[doc[j]]):
            w = word[k]
            if state[w] < CANDIDATE or prev[k] >= j:
                continue
            counts[w, 1] += 1
            if not _is_precise(counts[w], precision):
                state[w] = level
                left -= 1
                if left == 0:
                    return looked
    return looked


@kernel
def _claim(tokens, rank, level, ends, parents, k, t, best):
    """Give a document the expression that ends at token k, if it comes before the one it has.

    The order is that of the queue: shorter first, then by the words' ranks, best word first.
    """
    length, key, scratch = best
    d = tokens.doc[k]
    m = tokens.word.shape[0]
    if level + 1 > length[d]:
        return False
    j = k
    for q in range(level, -1, -1):
        scratch[q] = rank[tokens.word[j]] * m + tokens.first[j]
        if q > 0:
            j = ends[q][t]
            t = parents[q][t]
    for q in range(1, level + 1):
        value, x = scratch[q], q
        while x > 0 and scratch[x - 1] > value:
            scratch[x] = scratch[x - 1]
            x -= 1
        scratch[x] = value
    earlier = level + 1 < length[d]
    for q in range(level + 1):
        if earlier or scratch[q] > key[d, q]:
            break
        earlier = scratch[q] < key[d, q]
    if earlier:
        length[d] = level + 1
        key[d, : level + 1] = scratch[: level + 1]
    return earlier


@kernel
def _may_improve(tokens, ends, parents, lo, hi, length, level):
    """Whether an extension of this prefix could be the expression of one of its documents."""
    for t in range(lo, hi):
        if parents[t] >= 0 and length[tokens.doc[ends[t]]] > level:
            return True
    return False


@kernel
def _larger(array, size):
    """Copy an array into one with room for `size` rows, and as many again."""
    out = np.empty((2 * size, array.shape[1]), array.dtype)
    out[:size] = array
    return out


@kernel
def mine(tokens, rank, is_stop, rules):
    """Find each seed's first accepted expression in the order of the queue.

    An expression is accepted if it occurs in enough positive documents, is precise enough and not
    made of stop words alone. An accepted one is never extended: what it begins comes later.

    Parameters
    ----------
    tokens : Tokens
        Positive documents first; all words reach the count limit.
    rank : int64 (words,)
        0 for the words of the highest CF-ICF, equal for equal scores.
    is_stop : bool (words,)
    rules : Rules

    Returns
    -------
    owner : int32 (seeds,)
        Row of each seed's expression, -1 if it has none.
    words : int32 (accepted, max_words)
        The accepted expressions, filled up with -1.
    counts : int64 (accepted, 2)
        Positive and other documents that hold each.
    looked : int
        Tokens looked at; negative if the budget was too small and the rest is not complete.

    Examples
    --------
    >>> tokens = arrange(np.array([0, 2, 4, 6]), np.array([0, 1, 1, 0, 0, 1], np.int32),
    ...                  np.array([0, 1], np.int32), 2, np.array([0, 2, 1]))
    >>> rules = Rules(2, 0.9, 2, -1, 2, 2, 1000)
    >>> owner, words, counts, _ = mine(tokens, np.array([0, 1]), np.zeros(2, np.bool_), rules)
    >>> owner.tolist(), words.tolist(), counts.tolist()
    ([0, 0], [[0, 1]], [[2, 0]])
    """
    m, n, K, depth = tokens.word.shape[0], tokens.stop.shape[0], rank.shape[0], rules.max_words
    word, doc, first = tokens.word, tokens.doc, tokens.first
    others_ask = rules.n_seeds > rules.n_positive
    owner, length = np.full(rules.n_seeds, -1, np.int32), np.full(n, depth + 1, np.int64)
    best = (length, np.zeros((n, depth), np.int64), np.zeros(depth, np.int64))
    found_words = np.full((64, depth), -1, np.int32)
    found_counts = np.zeros((64, 2), np.int64)
    n_found, looked = 0, 0
    hits, hit_parents = np.empty(m + 1, np.uint32), np.empty(m + 1, np.uint32)
    # a level holds the matches of one prefix's extensions; parents are -1 where the document uses
    # the words for the first time in another order, and so would not generate the expression
    ends = [np.empty(1, np.uint32) for _ in range(depth)]
    parents = [np.empty(1, np.int32) for _ in range(depth)]
    ends[0], parents[0] = np.empty(n, np.uint32), np.zeros(n, np.int32)
    for d in range(n):
        ends[0][d] = 0 if d == 0 else tokens.stop[d - 1]
    child_word = np.empty((depth, K), np.uint32)
    bounds = np.zeros((depth, K, 3), np.int64)  # where each child's list starts, splits, stops
    n_children, turn = np.zeros(depth, np.int64), np.zeros(depth, np.int64)
    state, stamp = np.zeros(K, np.int64), np.full(K, -1, np.int64)
    slots, found = np.full(K, -1, np.int64), np.full(K, -1, np.int64)
    counts = np.zeros((K, 4), np.int64)  # documents and matches: positive, others of both
    wanted = np.zeros(K, np.bool_)  # by a seed that has no shorter expression
    touched, prefix = np.empty(K, np.uint32), np.empty(depth, np.uint32)
    only_stops = np.ones(depth + 1, np.bool_)  # in the prefix so far
    level, lo, mid, hi = 0, 0, rules.n_positive, n
    while level >= 0 and looked <= rules.budget:
        here, above, last = ends[level], parents[level], level + 1 == depth
        gap = NO_GAP_LIMIT if rules.max_gap >= 0 and level == 0 else rules.max_gap
        # without a gap limit a word goes on only from where it went on with the last word left out
        least = level if rules.max_gap < 0 else 0
        split, steps = _scan(tokens, here, lo, mid, gap, state, least, hits, hit_parents, 0)
        looked += steps
        n_touched = 0
        for h in range(split):
            k, t = hits[h], hit_parents[h]
            w, d = word[k], doc[k]
            if counts[w, 2] == 0:
                touched[n_touched] = w
                n_touched += 1
                wanted[w] = others_ask
            counts[w, 0] += stamp[w] != d
            counts[w, 2] += 1
            stamp[w] = d
            if not wanted[w] and length[d] > level and above[t] >= 0:
                wanted[w] = first[k] > first[here[t]]
        n_candidates = 0
        for x in range(n_touched):
            w = touched[x]
            hopeless = last and only_stops[level] and is_stop[w]
            if counts[w, 0] >= rules.need and wanted[w] and not hopeless:
                state[w] = CANDIDATE
                n_candidates += 1
        total = split
        if n_candidates > 0 and last and gap < 0 and not others_ask:
            looked += _count_others(
                tokens, here, mid, hi, rules.precision, state, level, counts, n_candidates
            )
        elif n_candidates > 0:
            total, steps = _scan(
                tokens, here, mid, hi, gap, state, CANDIDATE, hits, hit_parents, split
            )
            looked += steps
        for h in range(split, total):
            w, d = word[hits[h]], doc[hits[h]]
            counts[w, 1] += stamp[w] != d
            counts[w, 3] += 1
            stamp[w] = d
        n_children[level], turn[level], filled, n_before = 0, 0, 0, n_found
        for x in range(n_touched):
            w = touched[x]
            if state[w] != CANDIDATE:
                continue
            state[w] = level
            if _is_precise(counts[w], rules.precision) and not (only_stops[level] and is_stop[w]):
                if n_found == found_counts.shape[0]:
                    found_words = _larger(found_words, n_found)
                    found_counts = _larger(found_counts, n_found)
                found_words[n_found, :level] = prefix[:level]
                found_words[n_found, level] = w
                found_words[n_found, level + 1 :] = -1
                found_counts[n_found, :] = counts[w, :2]
                found[w] = n_found
                n_found += 1
            elif not last:
                c = n_children[level]
                state[w], slots[w], child_word[level, c] = level + 1, filled, w
                bounds[level, c, 0], bounds[level, c, 1] = filled, filled + counts[w, 2]
                filled += counts[w, 2] + counts[w, 3]
                bounds[level, c, 2] = filled
                n_children[level] += 1
        below, below_parents = here, above
        if filled > 0:
            if ends[level + 1].shape[0] < filled:
                ends[level + 1] = np.empty(min(m, 2 * filled), np.uint32)
                parents[level + 1] = np.empty(min(m, 2 * filled), np.int32)
            below, below_parents = ends[level + 1], parents[level + 1]
        asking = total if others_ask else split
        for h in range(asking if filled > 0 or n_found > n_before else 0):
            k, t = hits[h], hit_parents[h]
            w = word[k]
            if slots[w] < 0 and found[w] < 0:
                continue
            in_order = above[t] >= 0 and first[k] > first[here[t]]
            if slots[w] >= 0:
                below[slots[w]], below_parents[slots[w]] = k, t if in_order else -1
                slots[w] += 1
            elif in_order and doc[k] < rules.n_seeds:
                if _claim(tokens, rank, level, ends, parents, k, t, best):
                    owner[doc[k]] = found[w]
        for h in range(asking, total if filled > 0 else 0):  # nobody asks for their parents
            w = word[hits[h]]
            if slots[w] >= 0:
                below[slots[w]] = hits[h]
                slots[w] += 1
        for x in range(n_touched):
            w = touched[x]
            stamp[w], slots[w], found[w], counts[w, :] = -1, -1, -1, 0
        # Go down to the next child that may improve something, or up where there is none.
        while level >= 0:
            if turn[level] == n_children[level]:
                for c in range(n_children[level]):
                    state[child_word[level, c]] = level
                level -= 1
                if level >= 0:
                    state[prefix[level]] = level + 1
                continue
            c = turn[level]
            turn[level] += 1
            lo, mid, hi = bounds[level, c, 0], bounds[level, c, 1], bounds[level, c, 2]
            seeds = hi if others_ask else mid
            if _may_improve(
                tokens, ends[level + 1], parents[level + 1], lo, seeds, length, level + 1
            ):
                prefix[level] = child_word[level, c]
                state[prefix[level]] = IN_PREFIX
                only_stops[level + 1] = only_stops[level] and is_stop[prefix[level]]
                level += 1
                break
    looked *= -1 if looked > rules.budget else 1
    return owner, found_words[:n_found], found_counts[:n_found], looked
