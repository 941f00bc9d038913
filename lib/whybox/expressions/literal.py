"""Algorithm 3 as it is printed: a queue for each document. For the readings that need it.

Pattern growth finds the same expressions thousands of times faster where the queue is first in,
first out and no word is repeated. Depth first, and with repeated words, this search is used; it
remembers the counts of every expression that it has met.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from whybox.expressions.sequences import find_sequence

if TYPE_CHECKING:
    from whybox.expressions.mining import Settings

__all__ = ["QueueSearch"]

Expression = tuple[int, ...]


class QueueSearch:
    """The search of Algorithm 3 in one corpus for one class.

    The elements of a document are its words at their first use, or all of its tokens if words may
    be repeated. An expression grows by any other element of the document, put in the document's
    order, and each set of elements is generated once.

    Parameters
    ----------
    documents : (int64 (documents + 1,), int32 (tokens,))
        Where each document starts, and the word numbers.
    positive : bool (documents,)
    scores : float64 (words,)
        CF-ICF.
    is_stop : bool (words,)
    need : int
        Least number of positive documents.
    settings : Settings

    Examples
    --------
    >>> from whybox.expressions.mining import Settings
    >>> documents = np.array([0, 3, 5]), np.array([0, 1, 0, 1, 0], np.int32)
    >>> search = QueueSearch(documents, np.array([True, False]), np.array([1.0, 0.5]),
    ...     np.zeros(2, bool), 1, Settings(min_precision=0.9, allow_repeats=True))
    >>> search.first_accepted(0), search.count((0, 0))
    ((0, 0), (1, 0))
    """

    def __init__(
        self,
        documents: tuple[NDArray[np.int64], NDArray[np.int32]],
        positive: NDArray[np.bool_],
        scores: NDArray[np.float64],
        is_stop: NDArray[np.bool_],
        need: int,
        settings: Settings,
    ) -> None:
        self._documents, self._positive, self._need = documents, positive, need
        self._scores, self._settings = scores.tolist(), settings
        self._stop = frozenset(np.flatnonzero(is_stop).tolist())
        self._rows = _rows_of_words(*documents, len(scores))
        self._counts: dict[Expression, tuple[int, int]] = {}

    def count(self, expression: Expression) -> tuple[int, int]:
        """Count the documents of the class and of the rest that hold an expression.

        Examples
        --------
        >>> from whybox.expressions.mining import Settings
        >>> documents = np.array([0, 2, 4]), np.array([0, 1, 1, 0], np.int32)
        >>> search = QueueSearch(documents, np.array([True, False]), np.array([1.0, 0.5]),
        ...     np.zeros(2, bool), 1, Settings(min_precision=0.9))
        >>> search.count((0,)), search.count((0, 1))
        ((1, 1), (1, 0))
        """
        counts = self._counts.get(expression)
        if counts is None:
            from whybox.kernels.subsequences import count_matches

            rows = min((self._rows[word] for word in expression), key=len)
            counts = count_matches(
                *self._documents,
                rows,
                np.array(expression, np.int32),
                self._settings.gap_limit,
                self._positive,
            )
            self._counts[expression] = counts
        return counts

    def first_accepted(self, document: int) -> Expression | None:
        """Search for the expression of one document.

        Examples
        --------
        >>> from whybox.expressions.mining import Settings
        >>> documents = np.array([0, 2, 4]), np.array([0, 1, 1, 0], np.int32)
        >>> search = QueueSearch(documents, np.array([True, False]), np.array([1.0, 0.5]),
        ...     np.zeros(2, bool), 1, Settings(min_precision=0.9))
        >>> search.first_accepted(0)
        (0, 1)
        """
        indptr, ids = self._documents
        words = ids[indptr[document] : indptr[document + 1]].tolist()
        ranked = self._ranked(words)
        queue: deque[tuple[int, ...]] = deque((position,) for position in ranked)
        generated = set(queue)
        while queue:
            positions = queue.popleft()
            expression = tuple(words[k] for k in positions)
            if self.count(expression)[0] < self._need:
                continue
            if self._accepts(expression, words):
                return expression
            if len(positions) < self._settings.max_words:
                longer = [tuple(sorted((*positions, k))) for k in ranked if k not in positions]
                new = [each for each in longer if each not in generated]
                generated.update(new)
                if self._settings.search == "dfs":
                    queue.extendleft(reversed(new))
                else:
                    queue.extend(new)
        return None

    def _ranked(self, words: list[int]) -> list[int]:
        """Elements of a document, the highest CF-ICF first, ties by position."""
        positions = range(len(words))
        if not self._settings.allow_repeats:
            first: dict[int, int] = {}
            for k in positions:
                first.setdefault(words[k], k)
            return sorted(first.values(), key=lambda k: (-self._scores[words[k]], k))
        return sorted(positions, key=lambda k: (-self._scores[words[k]], k))

    def _accepts(self, expression: Expression, words: list[int]) -> bool:
        """Tell whether an expression that is frequent enough is accepted for its document."""
        tp, fp = self.count(expression)
        return (
            tp >= self._settings.min_precision * (tp + fp) - 1e-9
            and not self._stop.issuperset(expression)
            and find_sequence(words, expression, self._settings.max_gap) is not None
        )


def _rows_of_words(
    indptr: NDArray[np.int64], ids: NDArray[np.int32], n_words: int
) -> list[NDArray[np.int64]]:
    """List the documents of each word."""
    documents = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    order = np.argsort(ids, kind="stable")
    bounds = np.searchsorted(ids[order], np.arange(1, n_words))
    return [np.unique(rows) for rows in np.split(documents[order], bounds)]
