"""What a model of expressions has found, for its card, ``whybox inspect`` and the report.

What fewer than ten users have written, or fewer than ten texts hold where users are not known, is
counted and not shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whybox.expressions.heads import Trees
from whybox.expressions.sentences import Rule, column_names, if_then_rules
from whybox.pipelines.outcome import Table
from whybox.pipelines.texts import HIDDEN_BELOW

__all__ = [
    "MASK",
    "describe",
    "expression_entries",
    "expressions_table",
    "names_shown",
    "shown_rules",
]

MASK = "▒▒▒"
"""Stands for an expression that is not shown."""

_LISTED = 15  # rules

Entries = Sequence[Mapping[str, Any]]


def expression_entries(
    model: Any, holders: NDArray[np.int64] | None = None
) -> list[dict[str, Any]]:
    """List a model's expressions for its card.

    Parameters
    ----------
    model : ExpressionsClassifier or DiscriminatoryExpressions
        Fitted.
    holders : int64 (expressions,), optional
        Users with each, where they are known; by default its training texts.

    Returns
    -------
    list of dict
        Best first: ``expression`` (None where it is not shown), class, texts (of its class, of
        others), precision, recall, cf_icf, holders.

    Examples
    --------
    >>> from whybox.expressions import DiscriminatoryExpressions
    >>> model = DiscriminatoryExpressions().fit(["good"] * 10 + ["bad"] * 9, [1] * 10 + [0] * 9)
    >>> [(entry["expression"], entry["texts"]) for entry in expression_entries(model)]
    [(None, [9, 0]), ('good', [10, 0])]
    """
    found = getattr(model, "transformer_", model)
    labels = found.classes_.tolist()
    counts = [each.tp + each.fp for each in found.learned_.expressions]
    counted = counts if holders is None else holders.tolist()
    return [
        {
            "expression": name if number >= HIDDEN_BELOW else None,
            "class": labels[each.target],
            "texts": [each.tp, each.fp],
            "precision": round(each.precision, 4),
            "recall": round(each.recall, 4),
            "cf_icf": round(each.score, 4),
            "holders": number,
        }
        for each, name, number in zip(
            found.learned_.expressions, column_names(found), counted, strict=True
        )
    ]


def names_shown(entries: Entries) -> list[str]:
    """Name the columns, those that are not shown by a mask.

    Examples
    --------
    >>> names_shown([{"expression": "not … good"}, {"expression": None}])
    ['not … good', '▒▒▒']
    """
    return [entry["expression"] or MASK for entry in entries]


def expressions_table(entries: Entries, unit: str) -> Table:
    """Show expressions side by side.

    Parameters
    ----------
    entries : sequence of mapping
        From `expression_entries`.
    unit : str
        What holders are: users or texts.

    Returns
    -------
    Table

    Examples
    --------
    >>> from whybox.expressions import DiscriminatoryExpressions
    >>> model = DiscriminatoryExpressions().fit(["good"] * 10 + ["bad"] * 10, [1] * 10 + [0] * 10)
    >>> expressions_table(expression_entries(model), "texts").rows[0]
    ('bad', '0', '1.000', '1.000', '2.996', '10', '0')
    """
    header = ("expression", "class", "precision", "recall", "CF-ICF", "texts", "others")
    rows = [
        (name, str(entry["class"]))
        + tuple(f"{entry[figure]:.3f}" for figure in ("precision", "recall", "cf_icf"))
        + tuple(f"{count:,}" for count in entry["texts"])
        + ((f"{entry['holders']:,}",) if unit == "users" else ())
        for entry, name in zip(entries, names_shown(entries), strict=True)
    ]
    hidden = sum(entry["expression"] is None for entry in entries)
    title = f"{len(entries)} expressions, best first"
    if hidden:
        title += f"; {MASK}: {hidden} of fewer than {HIDDEN_BELOW} {unit}"
    return Table(title, header + (("users",) if unit == "users" else ()), tuple(rows))


def shown_rules(model: Any, entries: Entries) -> tuple[list[Rule], int, int]:
    """Read a tree's rules, those of many texts.

    Parameters
    ----------
    model : ExpressionsClassifier
    entries : sequence of mapping

    Returns
    -------
    list of Rule
        Of ten training texts or more, the largest first; empty if the model is no single tree.
    int, int
        Rules that are not shown, and training texts under them.

    Examples
    --------
    >>> from whybox.expressions import ExpressionsClassifier
    >>> model = ExpressionsClassifier().fit(["good"] * 10 + ["bad"] * 9, [1] * 10 + [0] * 9)
    >>> rules, hidden, texts = shown_rules(model, expression_entries(model))
    >>> [str(rule) for rule in rules], hidden, texts
    (['IF the text has "good" THEN 1 (support 10, precision 1.000)'], 1, 9)
    """
    head = getattr(model, "head_", None)
    if not isinstance(head, Trees) or len(head.trees) > 1:
        return [], 0, 0
    rules = if_then_rules(head.trees[0], model.transformer_, names=names_shown(entries), merge=True)
    shown = [rule for rule in rules if rule.support >= HIDDEN_BELOW]
    return shown, len(rules) - len(shown), sum(rule.support for rule in rules[len(shown) :])


def describe(model: Any, card: Mapping[str, Any] | None) -> tuple[dict[str, Any], list[Table]]:
    """Tell what a model of expressions knows, beside its card.

    Parameters
    ----------
    model : ExpressionsClassifier or DiscriminatoryExpressions
    card : mapping or None

    Returns
    -------
    dict
        ``expressions`` and ``rules``.
    list of Table

    Examples
    --------
    >>> from whybox.expressions import ExpressionsClassifier
    >>> model = ExpressionsClassifier().fit(["good"] * 10 + ["bad"] * 10, [1] * 10 + [0] * 10)
    >>> values, tables = describe(model, None)
    >>> values["rules"][0], len(tables)
    ('IF the text lacks "good" THEN 0 (support 10, precision 1.000)', 2)
    """
    known = (card or {}).get("expressions", {})
    entries = known.get("found") or expression_entries(model)
    rules, hidden, texts = shown_rules(model, entries)
    tables = [expressions_table(entries, known.get("counted_in", "texts"))]
    if rules:
        more = [f"{len(rules) - _LISTED} more"] if len(rules) > _LISTED else []
        more += [f"{hidden} of fewer than {HIDDEN_BELOW} texts ({texts} texts)"] if hidden else []
        title = "rules" + (f"; not shown: {', '.join(more)}" if more else "")
        lines = tuple((str(rule),) for rule in rules[:_LISTED])
        tables.append(Table(title, ("IF … THEN",), lines))
    return {"expressions": list(entries), "rules": [str(rule) for rule in rules]}, tables
