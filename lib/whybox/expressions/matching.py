"""Which expressions occur in which documents: a table with a column for each expression."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from whybox.expressions.analysis import Analyzer
from whybox.expressions.corpus import Corpus

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

__all__ = ["Matcher"]


@dataclass(frozen=True)
class Matcher:
    """Find expressions in documents, in one walk over the tokens whatever their number.

    Parameters
    ----------
    expressions : sequence of tuple of str
        Words of each.
    max_gap : int, optional
        Tokens allowed between two words.

    Examples
    --------
    >>> matcher = Matcher([("not", "good"), ("good",)])
    >>> matcher.in_texts([["not", "so", "good"], ["good"]], Analyzer("tokens")).toarray().tolist()
    [[True, True], [False, True]]
    """

    expressions: Sequence[tuple[str, ...]]
    max_gap: int | None = None

    def in_texts(self, texts: Iterable[Any], analyzer: Analyzer) -> csr_matrix:
        """Match texts that are not encoded.

        Examples
        --------
        >>> Matcher([("day", "good")]).in_texts(["Days are good", "good day"], Analyzer()).nnz
        1
        """
        documents = analyzer.forms(texts)
        lengths = np.fromiter(map(len, documents), np.int64, len(documents))
        indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        flat = chain.from_iterable(documents)
        known = self._numbers()
        if analyzer.kind == "tweet":
            numbers = map(_Lookup(known, analyzer).__getitem__, flat)
        else:
            numbers = map(known.get, flat, repeat(-1))
        ids = np.fromiter(numbers, np.int32, int(indptr[-1]))
        return self._table(*self._match(indptr, ids))

    def in_corpus(self, corpus: Corpus) -> csr_matrix:
        """Match encoded documents.

        Examples
        --------
        >>> from whybox.expressions.corpus import encode
        >>> Matcher([("b", "a")]).in_corpus(encode(["a b", "b a"])).toarray().tolist()
        [[False], [True]]
        """
        return self._table(*self.rows_in(corpus))

    def rows_in(self, corpus: Corpus) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Match encoded documents, and give the table's rows without the table.

        Returns
        -------
        indptr : int64 (documents + 1,)
        indices : int32 (matches,)
            The expressions in each document, ascending.

        Examples
        --------
        >>> from whybox.expressions.corpus import encode
        >>> Matcher([("b", "a")]).rows_in(encode(["a b", "b a"]))[0].tolist()
        [0, 0, 1]
        """
        numbers = np.full(len(corpus.words), -1, np.int32)
        for word, number in self._numbers().items():
            if word in corpus.numbers:
                numbers[corpus.numbers[word]] = number
        return self._match(corpus.indptr, numbers[corpus.ids])

    def _numbers(self) -> dict[str, int]:
        """Number the words of the expressions."""
        distinct = dict.fromkeys(chain.from_iterable(self.expressions))
        return {word: number for number, word in enumerate(distinct)}

    def _match(
        self, indptr: NDArray[np.int64], ids: NDArray[np.int32]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Run the kernel."""
        from whybox.kernels.subsequences import match

        known = self._numbers()
        uses: list[list[tuple[int, int]]] = [[] for _ in known]
        for e, expression in enumerate(self.expressions):
            for q in range(len(expression) - 1, -1, -1):
                uses[known[expression[q]]].append((e, q))
        uses_indptr = np.concatenate([[0], np.cumsum([len(each) for each in uses])])
        found: tuple[NDArray[np.int64], NDArray[np.int32]] = match(
            indptr,
            ids,
            uses_indptr.astype(np.int64),
            np.array(list(chain.from_iterable(uses)), np.int32).reshape(-1, 2),
            np.array([len(expression) for expression in self.expressions], np.int64),
            -1 if self.max_gap is None else self.max_gap,
        )
        return found

    def _table(self, indptr: NDArray[np.int64], indices: NDArray[np.int32]) -> csr_matrix:
        """Wrap what the kernel finds."""
        from scipy.sparse import csr_matrix

        shape = (len(indptr) - 1, len(self.expressions))
        return csr_matrix((np.ones(len(indices), bool), indices, indptr), shape=shape)


class _Lookup(dict[str, int]):
    """Token -> number of its word, -1 for words of no expression; found when first met."""

    def __init__(self, known: dict[str, int], analyzer: Analyzer) -> None:
        super().__init__()
        self._known, self._analyzer = known, analyzer

    def __missing__(self, form: str) -> int:
        number = self[form] = self._known.get(self._analyzer.word(form), -1)
        return number
