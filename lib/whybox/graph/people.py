"""The people of one part: what is known of them before they are scored.

A `Crowd` gives the people of any part on any worker, from files that every worker can read again:
nothing is kept in the memory of a worker that may die.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from whybox.data.dealing import part_of, slots_of

if TYPE_CHECKING:
    import pandas as pd

    from whybox.features.corpus import Corpus

__all__ = ["Crowd", "People", "Rows"]


@dataclass(frozen=True, eq=False)
class People:
    """Users with their features, and those who have too few posts for any.

    Parameters
    ----------
    ids : array of str of shape (n_people,)
    numbers : float64 array of shape (n_people, n_numbers)
        NaN where a value is missing.
    names : tuple of str
        Of the columns of ``numbers``.
    dropped : array of str of shape (n_dropped,)
        Ids of users with too few posts.
    categories : mapping of str to object array of shape (n_people,)
        Features of words.
    documents : Corpus, optional
        A document a person, from which topics are still to be inferred.

    Examples
    --------
    >>> ann = People(np.array(["ann"]), np.array([[1.0]]), ("age",), np.array([], str))
    >>> len(ann.digest()), ann.frame().columns.tolist()
    (64, ['age'])
    """

    ids: np.ndarray
    numbers: np.ndarray
    names: tuple[str, ...]
    dropped: np.ndarray
    categories: Mapping[str, np.ndarray] = field(default_factory=dict)
    documents: Corpus | None = None

    def __len__(self) -> int:
        return len(self.ids) + len(self.dropped)

    def frame(self) -> pd.DataFrame:
        """Give the features by name, numbers first."""
        import pandas as pd

        frame = pd.DataFrame(self.numbers, columns=list(self.names))
        for name, column in self.categories.items():
            frame[name] = pd.Series(column, dtype=object)
        return frame

    def take(self, rows: np.ndarray) -> People:
        """Keep some of the people who have features, given by a mask or by indices."""
        return replace(
            self,
            ids=self.ids[rows],
            numbers=self.numbers[rows],
            categories={name: column[rows] for name, column in self.categories.items()},
            documents=None if self.documents is None else self.documents.take(rows),
        )

    def digest(self) -> str:
        """Hash everything that a score can depend on."""
        hashed = hashlib.sha256()
        for texts in (self.names, self.ids, self.dropped, *self.categories.values()):
            hashed.update("\0".join(map(str, texts)).encode() + b"\1")
        hashed.update("\0".join(self.categories).encode())
        hashed.update(np.ascontiguousarray(self.numbers, dtype="<f8").tobytes())
        if self.documents is not None:
            words = self.documents
            hashed.update("\0".join(words.vocabulary).encode())
            for values in (words.indptr, words.words, words.counts):
                hashed.update(np.ascontiguousarray(values, dtype="<i8").tobytes())
        return hashed.hexdigest()


class Crowd(Protocol):
    """Where the people of a part come from."""

    @property
    def n_parts(self) -> int:
        """Parts that people are dealt to."""

    def for_task(self, part: int) -> Any:
        """Give what travels with a task: an object with ``people(part) -> People``."""


@dataclass(frozen=True, eq=False)
class Rows:
    """A crowd that is a table in this process; each task is sent its own rows.

    Parameters
    ----------
    everybody : People
    n_parts : int

    Examples
    --------
    >>> two = People(np.array(["bob", "ann"]), np.zeros((2, 1)), ("age",), np.array(["cid"]))
    >>> dealt = [Rows.of(two, 3).for_task(part).people(part) for part in range(3)]
    >>> [person.ids.tolist() + person.dropped.tolist() for person in dealt]
    [[], ['cid'], ['ann', 'bob']]
    """

    everybody: People
    n_parts: int
    rows: tuple[np.ndarray, ...] = ()
    dropped: tuple[np.ndarray, ...] = ()

    @classmethod
    def of(cls, everybody: People, n_parts: int) -> Rows:
        """Deal people to parts."""
        rows = _dealt(everybody.ids.tolist(), n_parts)
        dropped = _dealt(everybody.dropped.tolist(), n_parts)
        return cls(everybody, n_parts, rows, dropped)

    def for_task(self, part: int) -> Here:
        """Give the part's own rows, in the order of their ids."""
        mine = self.everybody.take(self.rows[part])
        return Here(replace(mine, dropped=self.everybody.dropped[self.dropped[part]]))


@dataclass(frozen=True, eq=False)
class Here:
    """The people themselves."""

    found: People

    def people(self, part: int) -> People:
        """Give them."""
        return self.found


def _dealt(ids: Sequence[str], n_parts: int) -> tuple[np.ndarray, ...]:
    """Rows of each part, sorted by id."""
    parts = part_of(slots_of(ids), n_parts)
    order = np.lexsort((np.asarray(ids, dtype=str), parts))
    ends = np.searchsorted(parts[order], np.arange(n_parts + 1))
    return tuple(order[a:b] for a, b in pairwise(ends))
