"""Slow twins of whybox.expressions: the algorithm as it is printed, one document at a time."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations, pairwise


def occurs(expression, doc, max_gap=None) -> bool:
    """Whether some positions of the document hold the words in order, near enough to each other."""
    for positions in combinations(range(len(doc)), len(expression)):
        near = max_gap is None or all(b - a - 1 <= max_gap for a, b in pairwise(positions))
        if near and all(doc[at] == word for at, word in zip(positions, expression, strict=True)):
            return True
    return False


def cf_icf(docs, positive) -> dict[str, float]:
    """Eqs. 16, 18 and 19, cf divided by its largest value."""
    cf = Counter(word for doc, pos in zip(docs, positive, strict=True) if pos for word in doc)
    negatives = [set(doc) for doc, pos in zip(docs, positive, strict=True) if not pos]
    most = max(cf.values(), default=1)
    return {
        word: count / most * math.log(len(docs) / (sum(word in doc for doc in negatives) + 1))
        for word, count in cf.items()
    }


class Search:
    """Algorithm 3 for one class: the expressions found, with (tp, fp), and what yields none."""

    def __init__(
        self, docs, positive, p, r, alpha, stop=(),
        search="bfs", seeds="class", repeats=False, max_gap=None,
    ):  # fmt: skip
        self.docs, self.positive = docs, positive
        self.p, self.alpha, self.stop, self.max_gap = p, alpha, set(stop), max_gap
        self.depth_first, self.repeats = search == "dfs", repeats
        self.need = max(1, math.ceil(r * sum(positive) - 1e-9))
        self.score = cf_icf(docs, positive)
        self.counts: dict[tuple, tuple[int, int]] = {}
        self.found: dict[tuple, tuple[int, int]] = {}
        self.n_uncovered = 0
        for doc, pos in zip(docs, positive, strict=True):
            if pos or seeds == "all":
                expression = self.first_accepted(doc)
                if expression is None:
                    self.n_uncovered += 1
                else:
                    self.found[expression] = self.count(expression)

    def count(self, expression):
        if expression not in self.counts:
            where = [occurs(expression, doc, self.max_gap) for doc in self.docs]
            tp = sum(w and pos for w, pos in zip(where, self.positive, strict=True))
            self.counts[expression] = (tp, sum(where) - tp)
        return self.counts[expression]

    def is_accepted(self, expression, doc):
        tp, fp = self.count(expression)
        return (
            tp >= self.need
            and tp >= self.p * (tp + fp) - 1e-9
            and not set(expression) <= self.stop
            and occurs(expression, doc, self.max_gap)
        )

    def ranked(self, doc):
        """Positions of the document, best word first; those of a word's first use unless repeats."""
        positions = [i for i in range(len(doc)) if self.repeats or doc[i] not in doc[:i]]
        return sorted(positions, key=lambda i: (-self.score.get(doc[i], 0.0), i))

    def first_accepted(self, doc):
        ranked = self.ranked(doc)
        if self.max_gap is not None and not self.depth_first:
            return self.first_of_all_subsets(doc, ranked)
        queue = [(i,) for i in ranked]
        generated = set(queue)
        while queue:
            positions = queue.pop(0)
            expression = tuple(doc[i] for i in positions)
            if self.count(expression)[0] < self.need:
                continue
            if self.is_accepted(expression, doc):
                return expression
            if len(positions) < self.alpha:
                new = []
                for i in ranked:
                    longer = tuple(sorted({*positions, i}))
                    if len(longer) > len(positions) and longer not in generated:
                        generated.add(longer)
                        new.append(longer)
                queue = new + queue if self.depth_first else queue + new
        return None

    def first_of_all_subsets(self, doc, ranked):
        """With a limited gap a part may be rarer than the whole: look at every subset in order."""
        for size in range(1, self.alpha + 1):
            for chosen in combinations(ranked, size):
                expression = tuple(doc[i] for i in sorted(chosen))
                if self.is_accepted(expression, doc):
                    return expression
        return None


def ranking(found, n_positive, n):
    """Expressions by CF-ICF, ties by length and text."""

    def key(expression):
        tp, fp = found[expression]
        return (-(tp / n_positive * math.log(n / (fp + 1))), len(expression), expression)

    return sorted(found, key=key)
