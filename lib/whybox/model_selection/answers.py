"""What is said of each row: probability, decision or abstention, and the top reasons with exact values.

A tree ensemble's reasons are its largest Shapley values, those of a space decomposition the rule of
the block that the row falls into, those of a model of expressions the tree's rule, or the expressions
to which the probability owes most; a model of another kind gives none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from whybox.model_selection.abstention import (
    NEAR_THRESHOLD,
    NO_EXPRESSION,
    Abstention,
    Ranges,
    abstain,
    out_of_range,
)
from whybox.model_selection.leaf_support import THIN_LEAVES, too_thin
from whybox.model_selection.text_answers import contributions, is_of_texts, rules_of, text_proba

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Answers", "Reason", "Rule", "answer"]

_ROWS_AT_ONCE = 4096


@dataclass(frozen=True)
class Reason:
    """Why, in one feature.

    Attributes
    ----------
    feature : str
        Or a rule in words, or an expression in quotes.
    value : float or None
        The row's; None where it is missing, or the reason is a rule.
    shap : float or None
        What it adds to the probability of the positive class, None of a rule; of an expression,
        how much the probability exceeds that of the same text without it.

    Examples
    --------
    >>> Reason("friends", 12.0, -0.25).shap
    -0.25
    """

    feature: str
    value: float | None
    shap: float | None


@dataclass(frozen=True, eq=False)
class Rule:
    """How to decide.

    Attributes
    ----------
    positive : str
        The class whose probability is told.
    threshold : float
        A probability of this much or more is decided positive.
    band : float
        Nearer to the threshold than this is not decided.
    ranges : Ranges or None
        The training rows' range of each number.
    n_reasons : int
    support : mapping or None
        Limits of `whybox.model_selection.leaf_support.support_of` the training rows.
    """

    positive: str
    threshold: float
    band: float
    ranges: Ranges | None
    n_reasons: int = 3
    support: Mapping[str, float] | None = None


@dataclass(frozen=True, eq=False)
class Answers:
    """One entry a row.

    Attributes
    ----------
    probability : float64 array of shape (n_rows,)
    decision, abstention : object array of shape (n_rows,)
        A class or None; a reason not to decide or None: just one of the two is there.
    reasons : list of tuple of Reason
        The largest first.
    """

    probability: np.ndarray
    decision: np.ndarray
    abstention: np.ndarray
    reasons: list[tuple[Reason, ...]]


def answer(model: Any, frame: pd.DataFrame, rule: Rule) -> Answers:
    """Answer for rows; each the same whichever rows are with it.

    Parameters
    ----------
    model : fitted classifier
        Of two classes, one of them ``rule.positive``.
    frame : DataFrame of shape (n_rows, n_features)
        The features by name.
    rule : Rule

    Returns
    -------
    Answers

    Examples
    --------
    >>> import pandas as pd
    >>> from whybox.cbpt import CBPTClassifier
    >>> X, y = pd.DataFrame({"age": [1.0, 2.0, 8.0, 9.0]}), ["no", "no", "yes", "yes"]
    >>> model = CBPTClassifier(3, random_state=0).fit(X, y)
    >>> found = answer(model, X, Rule("yes", 0.5, 0.0, None))
    >>> found.decision.tolist(), found.reasons[3]
    (['no', 'no', 'yes', 'yes'], (Reason(feature='age', value=9.0, shap=0.5),))
    """
    classes = [str(name) for name in model.classes_]
    column = classes.index(rule.positive)
    if not len(frame):
        nothing = np.empty(0, dtype=object)
        return Answers(np.zeros(0), nothing, nothing, [])
    of_texts = is_of_texts(model)
    tell = partial(text_proba, model) if of_texts else model.predict_proba
    proba = np.asarray(tell(_columns_of(model, frame)), dtype=np.float64)[:, column]
    outside = None
    if rule.ranges is not None:
        numbers = frame.iloc[:, : len(rule.ranges.low)].to_numpy(dtype=np.float64)
        outside = out_of_range(numbers, rule.ranges)
    silent = abstain(proba, rule.threshold, Abstention(band=rule.band), outside=outside)
    if of_texts:
        silent[~frame.to_numpy(dtype=bool).any(axis=1)] = NO_EXPRESSION
    if rule.support is not None:
        X = np.asarray(_columns_of(model, frame), dtype=np.float64)
        thin = too_thin(model, X, rule.support)
        silent[thin & ((silent == None) | (silent == NEAR_THRESHOLD))] = THIN_LEAVES  # noqa: E711
    decided = np.where(proba >= rule.threshold, rule.positive, classes[1 - column]).astype(object)
    decided[silent != None] = None  # noqa: E711  (elementwise)
    return Answers(proba, decided, silent, _reasons(model, frame, column, rule.n_reasons))


def _columns_of(model: Any, frame: pd.DataFrame) -> Any:
    """The columns in the model's order, as the kind of table that it was fitted on."""
    names = getattr(model, "feature_names_in_", None)
    return frame.to_numpy() if names is None else frame[list(names)]


def _reasons(
    model: Any, frame: pd.DataFrame, column: int, n_reasons: int
) -> list[tuple[Reason, ...]]:
    """The one place that knows which kind of model gives which reasons."""
    if n_reasons and hasattr(model, "estimator_weights_"):
        return _shapley(model, frame, column, n_reasons)
    if n_reasons and hasattr(model, "grid_"):
        return _blocks(model, frame)
    if n_reasons and is_of_texts(model):
        return _expressions(model, frame, column, n_reasons)
    return [()] * len(frame)


def _expressions(
    model: Any, frame: pd.DataFrame, column: int, n_reasons: int
) -> list[tuple[Reason, ...]]:
    """The tree's rule, or what the probability owes to the expressions of each text."""
    X, names = frame.to_numpy(dtype=bool), list(map(str, frame.columns))
    rules = rules_of(model, X, [name.strip('"') for name in names])
    if rules is not None:
        return [(Reason(rule, None, None),) for rule in rules]
    found = contributions(model, X, column, n_reasons)
    return [tuple(Reason(names[place], 1.0, adds) for place, adds in row) for row in found]


def _shapley(
    model: Any, frame: pd.DataFrame, column: int, n_reasons: int
) -> list[tuple[Reason, ...]]:
    """The largest Shapley values of each row, equal ones in the order of the features."""
    from whybox.trees.shap import ensemble_shap_values

    X, names = frame.to_numpy(dtype=np.float64), list(map(str, frame.columns))
    found: list[tuple[Reason, ...]] = []
    for start in range(0, len(X), _ROWS_AT_ONCE):
        rows = X[start : start + _ROWS_AT_ONCE]
        values = ensemble_shap_values(model.estimators_, model.estimator_weights_, rows)
        shap = values[:, :, column]
        order = np.argsort(-np.abs(shap), axis=1, kind="stable")[:, :n_reasons]
        picked = np.take_along_axis(shap, order, axis=1)
        given = np.take_along_axis(rows, order, axis=1)
        for places, row, adds in zip(order.tolist(), given.tolist(), picked.tolist(), strict=True):
            found.append(
                tuple(
                    Reason(names[place], None if value != value else value, add)
                    for place, value, add in zip(places, row, adds, strict=True)
                    if add != 0
                )
            )
    return found


def _blocks(model: Any, frame: pd.DataFrame) -> list[tuple[Reason, ...]]:
    """The rule of each row's block."""
    from whybox.s3d.rules import rules_in_words

    rules = [sentence.rsplit(": ", 1)[0] for sentence in rules_in_words(model)]
    blocks = model.transform(_columns_of(model, frame))[:, -1].tolist()
    return [(Reason(rules[block], None, None),) if block >= 0 else () for block in blocks]
