"""Counting words and finding word sequences in encoded documents."""

import numpy as np

from whybox.kernels import kernel

__all__ = ["count_matches", "count_words", "match"]


@kernel
def count_words(indptr, ids, labels, n_classes, n_words):
    """Count each word's uses and documents, class by class.

    Parameters
    ----------
    indptr : int64 (documents + 1,)
    ids : int32 (tokens,)
    labels : int64 (documents,)
    n_classes, n_words : int

    Returns
    -------
    uses, documents : int64 (classes, words)

    Examples
    --------
    >>> indptr, ids = np.array([0, 3, 4]), np.array([0, 0, 1, 1], np.int32)
    >>> uses, documents = count_words(indptr, ids, np.array([1, 0]), 2, 2)
    >>> uses.tolist(), documents.tolist()
    ([[0, 1], [2, 1]], [[0, 1], [1, 1]])
    """
    uses = np.zeros((n_classes, n_words), np.int64)
    documents = np.zeros((n_classes, n_words), np.int64)
    seen = np.full(n_words, -1, np.int64)
    for i in range(indptr.shape[0] - 1):
        for k in range(indptr[i], indptr[i + 1]):
            w = ids[k]
            uses[labels[i], w] += 1
            if seen[w] != i:
                seen[w] = i
                documents[labels[i], w] += 1
    return uses, documents


@kernel
def count_matches(indptr, ids, rows, expression, max_gap, positive):
    """Count the documents that hold an expression.

    Parameters
    ----------
    indptr : int64 (documents + 1,)
    ids : int32 (tokens,)
    rows : int64 (chosen documents,)
    expression : int32 (words,)
    max_gap : int
        Tokens between two words, -1 for any number.
    positive : bool (documents,)

    Returns
    -------
    positive, others : int

    Examples
    --------
    >>> count_matches(np.array([0, 3, 5]), np.array([0, 2, 1, 1, 0], np.int32),
    ...               np.array([0, 1]), np.array([0, 1], np.int32), -1, np.array([True, False]))
    (1, 0)
    """
    n_words = expression.shape[0]
    last = np.full(n_words, -1, np.int64)
    tp, fp = 0, 0
    for i in rows:
        last[:] = -1
        for k in range(indptr[i], indptr[i + 1]):
            for q in range(n_words - 1, -1, -1):
                if ids[k] != expression[q]:
                    continue
                if q == 0 or (last[q - 1] >= 0 and (max_gap < 0 or k - last[q - 1] - 1 <= max_gap)):
                    last[q] = k
            if last[n_words - 1] >= 0:
                tp += positive[i]
                fp += not positive[i]
                break
    return tp, fp


@kernel
def match(indptr, ids, uses_indptr, uses, lengths, max_gap):
    """Find all expressions in each document in one walk over its tokens.

    For each expression and each of its words, the last token is held at which the expression up
    to that word was complete: the latest is the best, with a gap limit and without.

    Parameters
    ----------
    indptr : int64 (documents + 1,)
    ids : int32 (tokens,)
        Words of the expressions, -1 for any other.
    uses_indptr : int64 (words + 1,)
    uses : int32 (uses, 2)
        (expression, position in it) of each word, later positions first.
    lengths : int64 (expressions,)
    max_gap : int
        Tokens between two words, -1 for any number.

    Returns
    -------
    out_indptr : int64 (documents + 1,)
    indices : int32 (matches,)
        The expressions in each document, ascending.

    Examples
    --------
    >>> out, indices = match(np.array([0, 3, 5]), np.array([0, -1, 1, 1, 0], np.int32),
    ...     np.array([0, 1, 2]), np.array([[0, 0], [0, 1]], np.int32), np.array([2]), -1)
    >>> out.tolist(), indices.tolist()
    ([0, 1, 1], [0])
    """
    n, n_expressions = indptr.shape[0] - 1, lengths.shape[0]
    out_indptr = np.zeros(n + 1, np.int64)
    indices = np.empty(max(16, n), np.int32)
    last = np.full((n_expressions, lengths.max()), -1, np.int64)
    done = np.full(n_expressions, -1, np.int64)
    at = 0
    for i in range(n):
        begin = indptr[i]
        start = at
        for k in range(begin, indptr[i + 1]):
            if ids[k] < 0:
                continue
            for u in range(uses_indptr[ids[k]], uses_indptr[ids[k] + 1]):
                e, q = uses[u, 0], uses[u, 1]
                if done[e] == i:
                    continue
                if q > 0:
                    before = last[e, q - 1]
                    if before < begin or (max_gap >= 0 and k - before - 1 > max_gap):
                        continue
                last[e, q] = k
                if q + 1 == lengths[e]:
                    done[e] = i
                    if at == indices.shape[0]:
                        indices = np.concatenate((indices, np.empty(at, np.int32)))
                    x = at
                    while x > start and indices[x - 1] > e:
                        indices[x] = indices[x - 1]
                        x -= 1
                    indices[x] = e
                    at += 1
        out_indptr[i + 1] = at
    return out_indptr, indices[:at]
