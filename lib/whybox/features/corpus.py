"""Documents as bags of words, one a user: what topics are fitted on and inferred from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from whybox.errors import InputError

__all__ = ["MIN_USERS", "Corpus"]

MIN_USERS = 10
"""Users that a word must have, to be a topic's and to be shown: a rarer one points at persons."""


@dataclass(frozen=True, eq=False)
class Corpus:
    """Counts of words for each user, in compressed rows.

    Parameters
    ----------
    ids : array of str of shape (n_users,)
    indptr : int64 array of shape (n_users + 1,)
        The words of user i are ``words[indptr[i]:indptr[i + 1]]``.
    words : int32 array of shape (n_entries,)
        Positions in `vocabulary`, ascending within a user.
    counts : int32 array of shape (n_entries,)
        Occurrences, 1 or more.
    vocabulary : tuple of str
        Stems, sorted.
    surfaces : tuple of str
        How each stem is shown; of the same length.

    Examples
    --------
    >>> table = pa.table({"user_id": ["a", "b"], "stems": [[0, 1], [1]], "counts": [[2, 1], [4]]})
    >>> corpus = Corpus.from_tables(table, pa.table({"stem": ["sea", "sun"]}))
    >>> corpus.n_users, corpus.users_of_words().tolist()
    (2, [1, 2])
    """

    ids: NDArray[Any]
    indptr: NDArray[np.int64]
    words: NDArray[np.int32]
    counts: NDArray[np.int32]
    vocabulary: tuple[str, ...]
    surfaces: tuple[str, ...]

    @classmethod
    def from_tables(cls, documents: pa.Table, vocabulary: pa.Table) -> Corpus:
        """Read what `whybox extract` wrote into documents/.

        Parameters
        ----------
        documents : pyarrow.Table
            user_id, stems, counts, as `whybox.features.encode_documents` makes them.
        vocabulary : pyarrow.Table
            stem; and surface, where it was counted.

        Returns
        -------
        Corpus
            Users in the order of the table.

        Raises
        ------
        InputError
            A column is missing, or a document has a word that the vocabulary lacks.
        """
        needed = (documents, ("user_id", "stems", "counts")), (vocabulary, ("stem",))
        for table, names in needed:
            for name in names:
                if name not in table.column_names:
                    raise InputError(f"documents have no column {name}", remedy="extract again")
        stems = documents["stems"].combine_chunks()
        lengths = np.asarray(stems.value_lengths(), np.int64)
        words = np.asarray(stems.flatten(), np.int32)
        if len(words) and not 0 <= words.min() <= words.max() < vocabulary.num_rows:
            raise InputError(
                "a document has a word that is in no vocabulary", remedy="extract again"
            )
        shown = "surface" if "surface" in vocabulary.column_names else "stem"
        return cls(
            np.asarray(documents["user_id"].to_pylist(), dtype=str),
            np.concatenate([[0], np.cumsum(lengths)]),
            words,
            np.asarray(documents["counts"].combine_chunks().flatten(), np.int32),
            tuple(vocabulary["stem"].to_pylist()),
            tuple(vocabulary[shown].to_pylist()),
        )

    @property
    def n_users(self) -> int:
        """Documents."""
        return len(self.ids)

    @property
    def n_words(self) -> int:
        """Words of the vocabulary."""
        return len(self.vocabulary)

    def users_of_words(self) -> NDArray[np.int64]:
        """Count the users of each word: int64 array of shape (n_words,)."""
        return np.bincount(self.words, minlength=self.n_words)

    def take(self, rows: NDArray[Any]) -> Corpus:
        """Keep some users, given by a mask or by indices, in that order."""
        rows = np.arange(self.n_users)[rows]
        lengths = np.diff(self.indptr)[rows]
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        entries = np.arange(indptr[-1]) + np.repeat(self.indptr[rows] - indptr[:-1], lengths)
        return replace(
            self,
            ids=self.ids[rows],
            indptr=indptr,
            words=self.words[entries],
            counts=self.counts[entries],
        )

    def aligned(self, ids: Sequence[str] | NDArray[Any]) -> Corpus:
        """Give each of some users its document; one who wrote no word has an empty one.

        Parameters
        ----------
        ids : sequence of str
            Distinct users.

        Returns
        -------
        Corpus
            A document each, in the order of `ids`.
        """
        place = {name: row for row, name in enumerate(self.ids.tolist())}
        empty = replace(
            self,
            ids=np.append(self.ids, ""),
            indptr=np.append(self.indptr, self.indptr[-1]),
        )
        rows = np.array([place.get(str(name), self.n_users) for name in ids], np.int64)
        return replace(empty.take(rows), ids=np.asarray(ids, dtype=str))

    def canonical(self) -> Corpus:
        """Sort users by id, so that nothing depends on the order in which they came."""
        return self.take(np.argsort(self.ids, kind="stable"))

    def limited(self, min_users: int = MIN_USERS) -> Corpus:
        """Leave out words that fewer of these users use.

        Parameters
        ----------
        min_users : int, default 10

        Returns
        -------
        Corpus
            Its vocabulary depends on these users alone.
        """
        kept = np.flatnonzero(self.users_of_words() >= min_users)
        surfaces = tuple(self.surfaces[word] for word in kept)
        return self.recoded(tuple(self.vocabulary[word] for word in kept), surfaces)

    def recoded(self, vocabulary: Sequence[str], surfaces: Sequence[str]) -> Corpus:
        """Number words as another vocabulary does; words that it lacks are left out.

        Parameters
        ----------
        vocabulary, surfaces : sequence of str
            Of the same length; `vocabulary` sorted.

        Returns
        -------
        Corpus
        """
        place = {word: number for number, word in enumerate(vocabulary)}
        numbers = np.array([place.get(word, -1) for word in self.vocabulary], np.int32)
        words = numbers[self.words]
        known = words >= 0
        ends = np.concatenate([[0], np.cumsum(known)])
        return Corpus(
            self.ids,
            ends[self.indptr],
            words[known],
            self.counts[known],
            tuple(vocabulary),
            tuple(surfaces),
        )
