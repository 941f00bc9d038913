"""A decision tree over expressions as sentences: IF the text has ..., THEN ..."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from whybox.errors import InputError
from whybox.expressions.analysis import Analyzer, check_documents
from whybox.expressions.heads import plain_tree
from whybox.expressions.table import as_written, example_of, shortest
from whybox.trees.predict import land
from whybox.trees.tree import LEAF, Tree

if TYPE_CHECKING:
    from whybox.expressions.estimator import DiscriminatoryExpressions

__all__ = ["Rule", "column_names", "if_then_rules", "settled_conditions"]


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

    @property
    def condition(self) -> str:
        """What is asked of a text, empty if nothing is."""
        parts = [
            f"{verb} " + " and ".join(f'"{each}"' for each in each_of)
            for verb, each_of in (("has", self.has), ("lacks", self.lacks))
            if each_of
        ]
        return f"the text {' AND '.join(parts)}" if parts else ""

    def __str__(self) -> str:
        condition = f"IF {self.condition} THEN" if self.condition else "ALWAYS"
        example = f'; e.g. "{self.example}"' if self.example is not None else ""
        figures = f"support {self.support:,}, precision {self.precision:.3f}{example}"
        return f"{condition} {self.prediction} ({figures})"


def if_then_rules(
    tree: Any,
    expressions: DiscriminatoryExpressions,
    texts: Iterable[Any] | None = None,
    *,
    show_text: bool = False,
    names: Sequence[str] | None = None,
    merge: bool = False,
) -> list[Rule]:
    """Read a decision tree over expressions as rules in the original words.

    Parameters
    ----------
    tree : sklearn.tree.DecisionTreeClassifier or whybox.trees.Tree
        Fitted on what `expressions` gives.
    expressions : DiscriminatoryExpressions
        Fitted.
    texts : iterable, optional
        Texts from which to take an example of each rule: the shortest that it covers.
    show_text : bool, default False
        True shows the whole text of an example; it may be a person's.
    names : sequence of str, optional
        What the columns are called, instead of by their words.
    merge : bool, default False
        True stops where all leaves below give the same answer: fewer and shorter rules that
        predict the same.

    Returns
    -------
    list of Rule
        One a leaf, or a node where the answer is settled; the largest support first.

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
    called = list(names) if names is not None else column_names(expressions)
    nodes, labels = _plain(tree, expressions)
    nodes = _settled(nodes) if merge else nodes
    examples = _Examples(nodes, expressions, texts, show_text)
    rules = []
    for leaf, path in _paths(nodes):
        example = examples.of(leaf, [column for column, present in path if present])
        rules.append(_rule(nodes, leaf, path, called, labels, example))
    return sorted(rules, key=lambda rule: (-rule.support, rule.has, rule.lacks))


def settled_conditions(tree: Tree, X: NDArray[Any], names: Sequence[str]) -> list[str]:
    """Tell the condition of the merged rule that answers each row.

    Parameters
    ----------
    tree : whybox.trees.Tree
    X : array of shape (n_rows, n_columns)
        Which expressions each text has.
    names : sequence of str
        What the columns are called.

    Returns
    -------
    list of str
        "always" where the tree asks for nothing.

    Examples
    --------
    >>> from whybox.expressions import ExpressionsClassifier
    >>> model = ExpressionsClassifier().fit(["good", "bad"], ["+", "-"])
    >>> settled_conditions(model.head_.trees[0], np.array([[0, 1]]), ["bad", "good"])
    ['the text has "good"']
    """
    nodes = _settled(tree)
    labels = list(range(nodes.value.shape[1]))
    conditions = {
        leaf: _rule(nodes, leaf, path, names, labels, None).condition or "always"
        for leaf, path in _paths(nodes)
    }
    return [conditions[leaf] for leaf in land(nodes, np.asarray(X, np.float64)).tolist()]


def column_names(expressions: DiscriminatoryExpressions) -> list[str]:
    """Write each column in the commonest forms of its words.

    Examples
    --------
    >>> from whybox.expressions import DiscriminatoryExpressions
    >>> column_names(DiscriminatoryExpressions().fit(["happy", "sad"], [1, 0]))
    ['happy', 'sad']
    """
    forms = expressions.learned_.forms
    return [as_written(words, forms, expressions.max_gap) for words in expressions.expressions_]


def _plain(tree: Any, expressions: DiscriminatoryExpressions) -> tuple[Tree, list[Any]]:
    """The nodes, and the labels of their values."""
    n_columns = len(expressions.expressions_)
    if isinstance(tree, Tree):
        asked, labels = int(tree.feature.max(initial=-1)) + 1, expressions.classes_
        fits = asked <= n_columns
    else:
        asked, labels = tree.n_features_in_, tree.classes_
        fits = asked == n_columns
    if not fits:
        raise InputError(
            f"the tree has {asked} columns, the expressions are {n_columns}",
            remedy="give the tree that was fitted on these expressions",
        )
    return tree if isinstance(tree, Tree) else plain_tree(tree), labels.tolist()


class _Examples:
    """The shortest text of each leaf, shown as far as it may be."""

    def __init__(
        self,
        tree: Tree,
        expressions: DiscriminatoryExpressions,
        texts: Iterable[Any] | None,
        show_text: bool,
    ) -> None:
        self._model, self._show_text = expressions, show_text
        self._texts = [] if texts is None else check_documents(texts)
        self._leaves: NDArray[np.int64] = np.empty(0, np.int64)
        if self._texts:
            self._leaves = land(tree, expressions.transform(self._texts).toarray().astype(float))

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


def _settled(tree: Tree) -> Tree:
    """Make leaves of the nodes below which all leaves give one answer; what is below is not reached."""
    answer = tree.majority.copy()
    left, right = tree.children_left.copy(), tree.children_right.copy()
    for node in range(tree.n_nodes - 1, -1, -1):  # children come after their parent
        if left[node] == LEAF:
            continue
        one, other = left[node], right[node]
        if left[one] == LEAF == left[other] and answer[one] == answer[other]:
            left[node] = right[node] = LEAF
            answer[node] = answer[one]
    return replace(tree, children_left=left, children_right=right)


def _rule(
    tree: Tree,
    leaf: int,
    path: tuple[tuple[int, bool], ...],
    names: Sequence[str],
    labels: Sequence[Any],
    example: str | None,
) -> Rule:
    """Read one path."""
    value = tree.value[leaf]
    return Rule(
        tuple(names[column] for column, present in path if present),
        tuple(names[column] for column, present in path if not present),
        labels[int(np.argmax(value))],
        int(tree.n_node_samples[leaf]),
        float(value.max() / value.sum()),
        example,
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
