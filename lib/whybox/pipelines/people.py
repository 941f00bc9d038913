"""Whom a report explains: rows drawn by a seed, users asked for by pseudonym, else typical ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from whybox.data.pseudonym import Key, pseudonym
from whybox.errors import InputError
from whybox.explain.context import Attribution, Person

__all__ = ["drawn_rows", "people_of", "rows_of_users", "short_name"]

_DIGITS = 8  # of a pseudonym, as reports show it


def short_name(key: Key, user: str) -> str:
    """Give the pseudonym that a report shows.

    Parameters
    ----------
    key : Key
    user : str

    Returns
    -------
    str

    Examples
    --------
    >>> short_name(Key(b"0123456789abcdef"), "42")[:2]
    'u-'
    """
    return "u-" + pseudonym(key, user)[:_DIGITS]


def rows_of_users(ids: np.ndarray, key: Key, users: Sequence[str]) -> list[int]:
    """Find users by their pseudonyms.

    Parameters
    ----------
    ids : array of str of shape (n_rows,)
    key : Key
    users : sequence of str
        Pseudonyms, whole or their first digits, with or without ``u-``.

    Returns
    -------
    list of int
        One row each, in the order given.

    Raises
    ------
    InputError
        If one is nobody's, or more than one row's.

    Examples
    --------
    >>> key = Key(b"0123456789abcdef")
    >>> rows_of_users(np.array(["41", "42"]), key, [short_name(key, "42")])
    [1]
    """
    if not users:
        return []
    names = [pseudonym(key, user) for user in ids.tolist()]
    found = []
    for user in users:
        wanted = user.removeprefix("u-").strip()
        rows = [row for row, name in enumerate(names) if wanted and name.startswith(wanted)]
        if len(rows) != 1:
            raise InputError(
                f"{len(rows) or 'no'} row{'s' if len(rows) > 1 else ''} of {user!r}",
                where="--users",
                remedy="give pseudonyms as in the scores, made with the same key (--key-file)",
            )
        found += rows
    return found


def drawn_rows(n_rows: int, at_most: int, seed: int = 0, always: Sequence[int] = ()) -> np.ndarray:
    """Draw rows by a seed, all if they are few.

    Parameters
    ----------
    n_rows, at_most : int
    seed : int, default 0
    always : sequence of int
        Rows that are wanted whatever is drawn.

    Returns
    -------
    int64 array
        Ascending.

    Raises
    ------
    InputError
        If there are no rows.

    Examples
    --------
    >>> len(drawn_rows(100, 10)), drawn_rows(2, 3).tolist(), drawn_rows(9, 0, always=[4]).tolist()
    (10, [0, 1], [4])
    """
    if n_rows == 0:
        raise InputError("there are no rows to explain", remedy="give the features of some users")
    drawn = np.random.default_rng(seed).permutation(n_rows)[: max(at_most, 0)]
    return np.union1d(drawn, np.array(always, dtype=np.int64)).astype(np.int64)


def people_of(
    attribution: Attribution, names: Sequence[str], chosen: Sequence[int], threshold: float
) -> list[Person]:
    """Choose whom to explain one by one.

    Parameters
    ----------
    attribution : Attribution
    names : sequence of str
        A pseudonym a row of it.
    chosen : sequence of int
        Rows that were asked for; none: a typical row on either side of the threshold.
    threshold : float

    Returns
    -------
    list of Person

    Examples
    --------
    >>> explained = Attribution(["a"], np.ones((2, 1)), np.array([[-0.2], [0.3]]), 0.5)
    >>> [(person.pseudonym, person.note) for person in people_of(explained, ["u-1", "u-2"], [], 0.5)]
    [('u-2', 'typical of those flagged'), ('u-1', 'typical of those not flagged')]
    """
    if len(chosen):
        return [Person(names[row], int(row), "asked for") for row in chosen]
    scores = attribution.base + attribution.values.sum(axis=1)
    sides = (
        (scores >= threshold, "typical of those flagged"),
        (scores < threshold, "typical of those not flagged"),
    )
    people = []
    for side, note in sides:
        rows = np.flatnonzero(side)
        if len(rows):
            row = int(rows[np.argsort(scores[rows], kind="stable")[len(rows) // 2]])
            people.append(Person(names[row], row, note))
    return people
