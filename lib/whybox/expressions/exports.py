"""A fitted model for programs that know nothing of this one: patterns, sentences, or all of it as JSON.

A program needs the tokens of a text, in lower case, one a line; then the patterns find what
`transform` finds, as far as forms of words are concerned that were met in training.
"""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from whybox.data.csvcells import safe_cell
from whybox.errors import InputError
from whybox.expressions.heads import Logistic, Neighbours, Trees
from whybox.expressions.sentences import column_names, if_then_rules

if TYPE_CHECKING:
    from whybox.expressions.classifier import ExpressionsClassifier
    from whybox.expressions.estimator import DiscriminatoryExpressions

__all__ = ["expressions_json", "expressions_regex", "expressions_rules"]

_TOKENS = "NLTK's TweetTokenizer, tokens in lower case"


def expressions_regex(model: Any) -> str:
    r"""Write the expressions as regular expressions.

    Parameters
    ----------
    model : ExpressionsClassifier or DiscriminatoryExpressions
        Fitted.

    Returns
    -------
    str
        A table with tabulators: class, expression, and the pattern, to be searched in the tokens of
        a text, each followed by a line break (``whybox.expressions.patterns.token_lines``).

    Examples
    --------
    >>> from whybox.expressions import DiscriminatoryExpressions
    >>> print(expressions_regex(DiscriminatoryExpressions().fit(["good", "bad"], [1, 0])), end="")
    class	expression	pattern
    0	bad	(?m:^)(?:bad)\n
    1	good	(?m:^)(?:good)\n
    """
    found = _expressions(model)
    labels = found.classes_.tolist()
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
    writer.writerow(("class", "expression", "pattern"))
    columns = zip(found.learned_.expressions, column_names(found), found.to_patterns(), strict=True)
    writer.writerows(
        (safe_cell(labels[each.target]), safe_cell(name), pattern)
        for each, name, pattern in columns
    )
    return stream.getvalue()


def expressions_rules(model: Any) -> str:
    """Write how the classifier answers as sentences: a tree's rules, or the weights of a sum.

    Parameters
    ----------
    model : ExpressionsClassifier
        With a tree or logistic regression.

    Returns
    -------
    str
        A rule a line, that of the largest support first; or the weights, class by class.

    Raises
    ------
    InputError
        If the classifier is a forest, nearest neighbours, or none.

    Examples
    --------
    >>> from whybox.expressions import ExpressionsClassifier
    >>> model = ExpressionsClassifier().fit(["so good", "bad"], ["+", "-"])
    >>> print(expressions_rules(model), end="")
    IF the text lacks "good" THEN - (support 1, precision 1.000)
    IF the text has "good" THEN + (support 1, precision 1.000)
    """
    head = getattr(model, "head_", None)
    if isinstance(head, Trees) and len(head.trees) == 1:
        rules = if_then_rules(head.trees[0], model.transformer_, merge=True)
        return "".join(f"{rule}\n" for rule in rules)
    if isinstance(head, Logistic):
        return "".join(f"{line}\n" for line in _weight_lines(model, head))
    raise InputError(
        "the model has no rules: a tree has, and logistic regression has weights",
        where="--to rules",
        remedy="use --to json, or train --model expressions-tree",
    )


def expressions_json(model: Any) -> str:
    """Write all that is needed to classify texts elsewhere.

    Parameters
    ----------
    model : ExpressionsClassifier or DiscriminatoryExpressions
        Fitted.

    Returns
    -------
    str
        An object: ``classes``; ``tokens``, how a text is cut; ``max_gap``; ``columns``, each with its
        words, their forms, pattern, class and counts; ``classifier``: nodes of trees (a text that
        has the node's column goes right), weights, or known rows with the counts of classes.

    Examples
    --------
    >>> from whybox.expressions import ExpressionsClassifier
    >>> model = ExpressionsClassifier(classifier="knn").fit(["good", "bad"], [1, 0])
    >>> written = json.loads(expressions_json(model))
    >>> written["columns"][0]["words"], written["classifier"]["counts"]
    (['bad'], [[0, 1], [1, 0]])
    """
    found = _expressions(model)
    labels = found.classes_.tolist()
    columns = [
        {
            "expression": name,
            "words": list(each.words),
            "forms": [list(found.learned_.forms[word]) for word in each.words],
            "pattern": pattern,
            "class": labels[each.target],
            "texts_of_class": each.tp,
            "other_texts": each.fp,
            "precision": each.precision,
            "recall": each.recall,
            "cf_icf": each.score,
        }
        for each, name, pattern in zip(
            found.learned_.expressions, column_names(found), found.to_patterns(), strict=True
        )
    ]
    written = {
        "classes": labels,
        "tokens": _TOKENS if found.analyzer == "tweet" else "given",
        "language": found.language,
        "max_gap": found.max_gap,
        "columns": columns,
        "classifier": _head(model),
    }
    return json.dumps(written, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _head(model: Any) -> dict[str, Any] | None:
    """The classifier's numbers, by the names of what they are."""
    head = getattr(model, "head_", None)
    if head is None:
        return None
    arrays = {name: array.tolist() for name, array in head.arrays().items()}
    if isinstance(head, Neighbours):
        arrays["rows"] = head.rows.astype(int).tolist()
        arrays["n_neighbors"] = head.n_neighbors
    return {"kind": model.classifier, **arrays}


def _weight_lines(model: ExpressionsClassifier, head: Logistic) -> list[str]:
    """The weighted sum of each output, the strongest first."""
    names, labels = column_names(model.transformer_), model.classes_.tolist()
    shown = labels[1:] if len(head.weights) == 1 else labels
    lines = []
    for label, weights, start in zip(shown, head.weights, head.intercepts, strict=True):
        lines.append(f"{label}: start at {start:+.3f}")
        pairs = sorted(zip(weights.tolist(), names, strict=True), key=lambda p: (-abs(p[0]), p[1]))
        lines += [f'{label}: add {weight:+.3f} IF the text has "{name}"' for weight, name in pairs]
    how = "1 / (1 + exp(-sum))" if len(shown) == 1 else "exp(sum), divided by that of all classes"
    return [*lines, f"the probability is {how}"]


def _expressions(model: Any) -> DiscriminatoryExpressions:
    """The transformer within a model, or the model itself."""
    found: DiscriminatoryExpressions = getattr(model, "transformer_", model)
    return found
