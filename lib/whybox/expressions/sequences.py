"""Where a sequence of words occurs in one document."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

__all__ = ["find_sequence"]


def find_sequence(
    document: Sequence[Hashable], sequence: Sequence[Hashable], max_gap: int | None = None
) -> tuple[int, ...] | None:
    """Find the occurrence that ends first and, of those, has its words latest.

    Parameters
    ----------
    document : sequence
        Words of a document.
    sequence : sequence
        Words to be found in this order, with others between them.
    max_gap : int, optional
        Tokens allowed between two words, default any number.

    Returns
    -------
    tuple of int or None
        Positions of the words, None if the sequence does not occur.

    Examples
    --------
    >>> find_sequence("not a not good".split(), ("not", "good"))
    (2, 3)
    >>> find_sequence("b c a b".split(), ("a", "b", "c")) is None
    True
    >>> find_sequence("not that good".split(), ("not", "good"), max_gap=0) is None
    True
    """
    found: list[tuple[int, ...]] = [()] * (len(sequence) + 1)
    for at, word in enumerate(document):
        # from the back, so that one token is not used for two words
        for q in range(len(sequence) - 1, -1, -1):
            if word != sequence[q]:
                continue
            before = found[q]
            near = q == 0 or (bool(before) and (max_gap is None or at - before[-1] - 1 <= max_gap))
            if near:
                found[q + 1] = (*before, at)
        if found[-1]:
            return found[-1]
    return None
