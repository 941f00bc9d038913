"""Of all discriminatory expressions, the few that become columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whybox.expressions.corpus import Corpus
from whybox.expressions.matching import Matcher
from whybox.expressions.mining import Found
from whybox.expressions.ranking import icf

__all__ = ["Expression", "coverage", "describe", "greedy_cover", "in_turn", "rank"]


@dataclass(frozen=True)
class Expression:
    """A discriminatory expression and its figures on the training documents.

    Parameters
    ----------
    words : tuple of str
        Stems, in their order.
    target : int
        Number of the class that it tells from the rest.
    tp, fp : int
        Documents of the class and of the rest with it.
    n_positive : int
        Documents of the class.
    score : float
        CF-ICF: tp / n_positive * log(n / (fp + 1)).

    Examples
    --------
    >>> expression = Expression(("not", "good"), 0, 30, 10, 120, 1.2)
    >>> expression.precision, expression.recall
    (0.75, 0.25)
    """

    words: tuple[str, ...]
    target: int
    tp: int
    fp: int
    n_positive: int
    score: float

    @property
    def precision(self) -> float:
        """Share of the class among all documents with it: tp / (tp + fp).

        Examples
        --------
        >>> Expression(("so",), 0, 3, 1, 12, 0.9).precision
        0.75
        """
        return self.tp / (self.tp + self.fp)

    @property
    def recall(self) -> float:
        """Share of the class that has it: tp / n_positive.

        Examples
        --------
        >>> Expression(("so",), 0, 3, 1, 12, 0.9).recall
        0.25
        """
        return self.tp / self.n_positive


def describe(
    found: Sequence[Found], words: Sequence[str], target: int, n_positive: int, n: int
) -> list[Expression]:
    """Give mined expressions their words and scores.

    Examples
    --------
    >>> describe([Found((1, 0), 2, 0)], ["good", "not"], 0, 4, 8)[0].words
    ('not', 'good')
    """
    logs = icf(np.array([each.fp for each in found], np.int64), n).tolist()
    return [
        Expression(
            tuple(words[w] for w in each.words),
            target,
            each.tp,
            each.fp,
            n_positive,
            each.tp / n_positive * log,
        )
        for each, log in zip(found, logs, strict=True)
    ]


def rank(expressions: Sequence[Expression]) -> list[Expression]:
    """Sort expressions by score, ties by length, text and class; each word sequence once.

    Examples
    --------
    >>> [e.words for e in rank([Expression(("b",), 0, 1, 0, 2, 0.5), Expression(("a",), 1, 1, 0, 2, 0.5)])]
    [('a',), ('b',)]
    """
    ordered = sorted(expressions, key=lambda e: (-e.score, len(e.words), e.words, e.target))
    best: dict[tuple[str, ...], Expression] = {}
    for expression in ordered:
        best.setdefault(expression.words, expression)  # two classes can share one if p <= 0.5
    return list(best.values())


def in_turn(ranked: Sequence[Expression], n_chosen: int | None) -> list[Expression]:
    """Choose the best expression of each class, then the second of each, and so on.

    Parameters
    ----------
    ranked : sequence of Expression
    n_chosen : int or None
        None: all of them.

    Returns
    -------
    list of Expression
        In the order of rank. A class that has too few leaves its places to the others.

    Examples
    --------
    >>> a, b, c = (Expression((w,), t, 2, 0, 3, 3 - i) for i, (w, t) in enumerate(["a0", "b0", "c1"]))
    >>> [each.words for each in in_turn([a, b, c], 2)]
    [('a',), ('c',)]
    """
    met: Counter[int] = Counter()
    turns = []
    for place, expression in enumerate(ranked):
        turns.append((met[expression.target], place))
        met[expression.target] += 1
    return [ranked[place] for place in sorted(place for _, place in sorted(turns)[:n_chosen])]


def greedy_cover(
    ranked: Sequence[Expression],
    n_chosen: int | None,
    corpus: Corpus,
    codes: NDArray[np.int64],
    max_gap: int | None,
) -> list[Expression]:
    """Choose, again and again, the expression that covers most uncovered documents of its class.

    Ties are broken by rank. When nothing is left to cover, the best ranked of the rest follow.

    Parameters
    ----------
    ranked : sequence of Expression
    n_chosen : int or None
        None: all of them, in this order.
    corpus : Corpus
    codes : int64 (documents,)
        Number of each document's class.
    max_gap : int or None

    Returns
    -------
    list of Expression

    Examples
    --------
    >>> from whybox.expressions.corpus import encode
    >>> a, b, c = (Expression((w,), 0, 2, 0, 3, s) for w, s in (("a", 3), ("b", 2), ("c", 1)))
    >>> chosen = greedy_cover([a, b, c], 2, encode(["a b", "a b", "c"]), np.zeros(3, int), None)
    >>> [each.words for each in chosen]
    [('a',), ('c',)]
    """
    matrix = Matcher([e.words for e in ranked], max_gap).in_corpus(corpus).tocsc()
    holders = [
        rows[codes[rows] == e.target]
        for rows, e in zip(np.split(matrix.indices, matrix.indptr[1:-1]), ranked, strict=True)
    ]
    uncovered = np.ones(len(corpus), bool)
    left = list(range(len(ranked)))
    chosen: list[Expression] = []
    while left and (n_chosen is None or len(chosen) < n_chosen):
        best = max(left, key=lambda x: (int(uncovered[holders[x]].sum()), -x))
        left.remove(best)
        uncovered[holders[best]] = False
        chosen.append(ranked[best])
    return chosen


def coverage(
    expressions: Sequence[Expression],
    corpus: Corpus,
    codes: NDArray[np.int64],
    targets: Sequence[int],
    max_gap: int | None,
) -> NDArray[np.float64]:
    """Compute for each class the share of its documents that hold one of its expressions.

    Examples
    --------
    >>> from whybox.expressions.corpus import encode
    >>> coverage([Expression(("a",), 1, 1, 0, 2, 1.0)], encode(["a", "b", "c"]),
    ...          np.array([1, 1, 0]), [0, 1], None).tolist()
    [0.0, 0.5]
    """
    indptr, columns = Matcher([e.words for e in expressions], max_gap).rows_in(corpus)
    classes = np.repeat(codes, np.diff(indptr))
    own = np.array([e.target for e in expressions])[columns] == classes
    before = np.concatenate([[0], np.cumsum(own)])  # of all matches up to a document's
    covered = before[indptr[1:]] > before[indptr[:-1]]
    return np.array([float(covered[codes == target].mean()) for target in targets])
