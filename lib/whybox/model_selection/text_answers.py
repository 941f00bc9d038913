"""What a model of expressions says of texts, of which it sees nothing but the expressions in them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from whybox.expressions.distinct import distinct_rows
from whybox.expressions.heads import Trees
from whybox.expressions.sentences import settled_conditions

__all__ = ["contributions", "is_of_texts", "rules_of", "text_proba"]


def is_of_texts(model: Any) -> bool:
    """Tell whether a fitted model classifies texts by expressions.

    Examples
    --------
    >>> is_of_texts(object())
    False
    """
    return hasattr(model, "head_") and hasattr(model, "transformer_")


def text_proba(model: Any, X: NDArray[Any]) -> NDArray[np.float64]:
    """Give the probability of each class.

    Parameters
    ----------
    model : ExpressionsClassifier
        Fitted.
    X : array of shape (n_texts, n_expressions)
        Which of its expressions each text has, as `transform` tells it.

    Returns
    -------
    float64 array of shape (n_texts, n_classes)
        As ``model.predict_proba`` of the texts.

    Examples
    --------
    >>> from whybox.expressions import ExpressionsClassifier
    >>> model = ExpressionsClassifier().fit(["good", "bad"], [1, 0])
    >>> text_proba(model, model.transformer_.transform(["bad"]).toarray()).tolist()
    [[1.0, 0.0]]
    """
    rows, where = distinct_rows(X)
    return np.asarray(model.head_.proba(rows)[where])


def contributions(
    model: Any, X: NDArray[Any], column: int, n_reasons: int
) -> list[list[tuple[int, float]]]:
    """Tell which expressions of each text matter most, and what the probability owes to each.

    Parameters
    ----------
    model : ExpressionsClassifier
    X : array of shape (n_texts, n_expressions)
    column : int
        Of the class whose probability is meant.
    n_reasons : int
        At most so many of each text.

    Returns
    -------
    list of list of (int, float)
        An expression of the text, and how much the probability exceeds that of a text without it;
        the largest amounts first, equal ones in the order of the expressions.

    Examples
    --------
    >>> from whybox.expressions import ExpressionsClassifier
    >>> model = ExpressionsClassifier(classifier="knn", n_neighbors=1)
    >>> model = model.fit(["good", "bad"], [1, 0])
    >>> contributions(model, model.transformer_.transform(["good", "so"]).toarray(), 1, 3)
    [[(1, 0.5)], []]
    """
    rows, where = distinct_rows(X)
    there, columns = np.nonzero(rows)
    without = rows[there]
    without[np.arange(len(there)), columns] = False
    adds = model.head_.proba(rows)[there, column] - model.head_.proba(without)[:, column]
    found: list[list[tuple[int, float]]] = [[] for _ in rows]
    order = np.lexsort((columns, -np.abs(adds), there))
    for entry in order.tolist():
        if len(found[there[entry]]) < n_reasons:
            found[there[entry]].append((int(columns[entry]), float(adds[entry])))
    return [found[row] for row in where.tolist()]


def rules_of(model: Any, X: NDArray[Any], names: list[str]) -> list[str] | None:
    """Tell which rule answers each text, if the model is one tree.

    Parameters
    ----------
    model : ExpressionsClassifier
    X : array of shape (n_texts, n_expressions)
    names : list of str
        What its expressions are called.

    Returns
    -------
    list of str, or None
        None if it is no single tree.

    Examples
    --------
    >>> from whybox.expressions import ExpressionsClassifier
    >>> model = ExpressionsClassifier().fit(["good", "bad"], [1, 0])
    >>> rules_of(model, model.transformer_.transform(["bad"]).toarray(), ["bad", "good"])
    ['the text lacks "good"']
    """
    if not isinstance(model.head_, Trees) or len(model.head_.trees) > 1:
        return None
    return settled_conditions(model.head_.trees[0], X, names)
