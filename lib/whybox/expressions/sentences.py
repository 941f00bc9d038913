"""A decision tree over expressions as sentences: IF the text has ..., THEN ..."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from whybox.errors import InputError
from whybox.expressions.analysis import Analyzer, check_documents
from whybox.expressions.table import as_written, example_of, shortest

if TYPE_CHECKING:
    from whybox.expressions.estimator import DiscriminatoryExpressions

__all__ = ["Rule", "if_then_rules"]


@dataclass(frozen=True)
class Rule:
    """One path from a tree's root to a leaf.

    Parameters
    ----------
    has, lacks : tuple of str
        Expressions that the text must have and must not have.
    prediction : label
    support : int
        Training documents that the rule covers.
    precision : float
        Share of them with the predicted label, weighted as the tree was.
    example : str or None
        A text that the rule covers: its matched tokens, or all of it if that was asked for.

    Examples
    --------
    >>> print(Rule(("not … good",), ("thanks",), "negative", 40, 0.925, "not … good"))
    IF the text has "not … good" AND lacks "thanks" THEN negative (support 40, precision 0.925; e.g. "not … good")
    >>> print(Rule((), (), "positive", 3, 1.0, None))
    ALWAYS positive (support 3, precision 1.000)
    """

    has: tuple[str, ...]
    lacks: tuple[str, ...]
    prediction: Any
    support: int
    precision: float
    example: str | None

    def __str__(self) -> str:
        parts = [
            f"{verb} " + " and ".join(f'"{each}"' for each in each_of)
            for verb, each_of in (("has", self.has), ("lacks", self.lacks))
            if each_of
        ]
        condition = f"IF the text {' AND '.join(parts)} THEN" if parts else "ALWAYS"
        example = f'; e.g. "{self.example}"' if self.example is not None else ""
        figures = f"support {self.support:,}, precision {self.precision:.3f}{example}"
        return f"{condition} {self.prediction} ({figures})"


def if_then_rules(
    tree: Any,
    expressions: DiscriminatoryExpressions,
    texts: Iterable[Any] | None = None,
    *,
    show_text: bool = False,
) -> list[Rule]:
    """Read a decision tree over expressions as rules in the original words.

    Parameters
    ----------
    tree : sklearn.tree.DecisionTreeClassifier
        Fitted on what `expressions` gives.
    expressions : DiscriminatoryExpressions
        Fitted.
    texts : iterable, optional
        Texts from which to take an example of each rule: the shortest that it covers.
    show_text : bool, default False
        True shows the whole text of an example; it may be a person's.

    Returns
    -------
    list of Rule
        One a leaf, the largest support first.

    Raises
    ------
    InputError
        If the tree was fitted on another number of columns.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from whybox.expressions import DiscriminatoryExpressions
    >>> texts, y = ["So good", "Good day", "bad", "Bad day"], ["+", "+", "-", "-"]
    >>> model = DiscriminatoryExpressions(classes="positive")
    >>> tree = DecisionTreeClassifier().fit(model.fit_transform(texts, y), y)
    >>> for rule in if_then_rules(tree, model, texts):
    ...     print(rule)
    IF the text lacks "bad" THEN + (support 2, precision 1.000; e.g. "…")
    IF the text has "bad" THEN - (support 2, precision 1.000; e.g. "bad")
    """
    names = [
        as_written(words, expressions.learned_.forms, expressions.max_gap)
        for words in expressions.expressions_
    ]
    if tree.n_features_in_ != len(names):
        raise InputError(
            f"the tree has {tree.n_features_in_} columns, the expressions are {len(names)}",
            remedy="give the tree that was fitted on these expressions",
        )
    examples = _Examples(tree, expressions, texts, show_text)
    rules = []
    for leaf, path in _paths(tree.tree_):
        value = tree.tree_.value[leaf, 0]
        has = [column for column, present in path if present]
        rules.append(
            Rule(
                tuple(names[column] for column in has),
                tuple(names[column] for column, present in path if not present),
                tree.classes_.tolist()[int(np.argmax(value))],
                int(tree.tree_.n_node_samples[leaf]),
                float(value.max() / value.sum()),
                examples.of(leaf, has),
            )
        )
    return sorted(rules, key=lambda rule: (-rule.support, rule.has, rule.lacks))


class _Examples:
    """The shortest text of each leaf, shown as far as it may be."""

    def __init__(
        self,
        tree: Any,
        expressions: DiscriminatoryExpressions,
        texts: Iterable[Any] | None,
        show_text: bool,
    ) -> None:
        self._model, self._show_text = expressions, show_text
        self._texts = [] if texts is None else check_documents(texts)
        self._leaves: NDArray[np.int64] = np.empty(0, np.int64)
        if self._texts:
            self._leaves = tree.apply(expressions.transform(self._texts).astype(np.float32))

    def of(self, leaf: int, has: Sequence[int]) -> str | None:
        """Show a leaf's example: what the rule's expressions match in it."""
        texts = [self._texts[i] for i in np.flatnonzero(self._leaves == leaf).tolist()]
        if not texts:
            return None
        model = self._model
        words = [model.expressions_[column] for column in has]
        analyzer = Analyzer(model.analyzer, model.language)
        return example_of(
            shortest(texts), words, analyzer, model.max_gap, show_text=self._show_text
        )


def _paths(tree: Any) -> list[tuple[int, tuple[tuple[int, bool], ...]]]:
    """List each leaf with the columns asked on the way and whether they must be there."""
    paths = []
    waiting: list[tuple[int, tuple[tuple[int, bool], ...]]] = [(0, ())]
    while waiting:
        node, path = waiting.pop()
        if tree.children_left[node] < 0:
            paths.append((node, path))
            continue
        column = int(tree.feature[node])
        waiting.append((int(tree.children_left[node]), (*path, (column, False))))
        waiting.append((int(tree.children_right[node]), (*path, (column, True))))
    return paths
