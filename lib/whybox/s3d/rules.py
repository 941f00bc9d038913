"""Blocks as rules: sentences, JSON, and a CASE expression for a database.

The rules of JSON and SQL are tried in their order: blocks of all features first, then the coarser
ones that answer for rows where no (or too few) training rows were, then all rows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from whybox.s3d.bins import listed
from whybox.s3d.grid import Level

if TYPE_CHECKING:
    from whybox.s3d.base import FeatureSpaceDecomposition
    from whybox.trees.tree import Array

__all__ = ["Condition", "rules_in_words", "rules_json", "rules_sql", "rules_text"]


@dataclass(frozen=True)
class Condition:
    r"""What a block asks of one feature.

    Parameters
    ----------
    feature : str
    above, up_to : float or None
        ``above < x <= up_to``; None: no limit on that side.
    missing : bool
        The value must be missing; otherwise it must not.
    categories : tuple or None
        The values that count, where the feature has categories.

    Examples
    --------
    >>> Condition("age", 18.0, 30.0, False, None).words()
    '18 < age ≤ 30'
    >>> Condition("age", None, None, True, None).sql()
    '"age" IS NULL'
    >>> Condition("it's", None, None, False, ("a'b", 2)).sql()
    '"it\'s" IN (\'a\'\'b\', 2)'
    """

    feature: str
    above: float | None
    up_to: float | None
    missing: bool
    categories: tuple[Any, ...] | None

    @classmethod
    def of(cls, level: Level, bin_: int, name: str, categories: list[Any] | None) -> Condition:
        """Describe a bin."""
        if bin_ == len(level.cuts) + 1:
            return cls(name, None, None, True, None)
        above = float(level.cuts[bin_ - 1]) if bin_ > 0 else None
        up_to = float(level.cuts[bin_]) if bin_ < len(level.cuts) else None
        if categories is None:
            return cls(name, above, up_to, False, None)
        first = 0 if above is None else int(above // 1) + 1
        last = len(categories) if up_to is None else int(up_to // 1) + 1
        return cls(name, None, None, False, tuple(categories[max(first, 0) : max(last, 0)]))

    def words(self) -> str:
        """Say it."""
        if self.missing:
            return f"{self.feature} is missing"
        if self.categories is not None:
            return f"{self.feature} is {' or '.join(listed(self.categories))}"
        if self.above is not None and self.up_to is not None:
            return f"{_number(self.above)} < {self.feature} ≤ {_number(self.up_to)}"
        if self.above is not None:
            return f"{self.feature} > {_number(self.above)}"
        if self.up_to is not None:
            return f"{self.feature} ≤ {_number(self.up_to)}"
        return f"{self.feature} is known"

    def sql(self) -> str:
        """Write it for a database; it never holds for NULL unless it asks for it."""
        name = '"' + self.feature.replace('"', '""') + '"'
        if self.missing:
            return f"{name} IS NULL"
        if self.categories is not None:
            return f"{name} IN ({', '.join(map(_literal, self.categories))})"
        limits = [f"{name} > {self.above!r}"] if self.above is not None else []
        limits += [f"{name} <= {self.up_to!r}"] if self.up_to is not None else []
        return " AND ".join(limits) or f"{name} IS NOT NULL"


def rules_in_words(
    model: FeatureSpaceDecomposition, outcome: str | None = None, depth: int | None = None
) -> list[str]:
    """Write every occupied block as a sentence.

    Parameters
    ----------
    model : fitted S3DClassifier or S3DRegressor
    outcome : str, optional
        What the number is a share (or the mean) of; default: "of class" and the second one, or "on average".
        With more than two classes the most frequent one is named.
    depth : int, optional
        Write the blocks of the first so many features; default: of all that were chosen.

    Returns
    -------
    list of str
        Sentence i is about block i of ``transform``, or of that level of ``grid_``.

    Examples
    --------
    >>> from whybox.s3d import S3DClassifier
    >>> X = [[1.0], [3587.0], [4000.0]] * 50
    >>> model = S3DClassifier().fit(X, [0, 0, 1] * 50)
    >>> rules_in_words(model, "accepted")
    ['x0 ≤ 3,587: 0.00 accepted, N = 100', 'x0 > 3,587: 1.00 accepted, N = 50']
    """
    grid, last = model.grid_, len(model.grid_.levels) if depth is None else depth
    sentences = []
    for block, weight in enumerate(grid.weight[last].tolist()):
        words = " and ".join(c.words() for c in _conditions(model, last, block)) or "all rows"
        answer = _in_words(model, grid.mean[last][block], outcome)
        sentences.append(f"{words}: {answer}, N = {_number(weight)}")
    return sentences


def rules_text(model: FeatureSpaceDecomposition) -> str:
    """Write every block that answers as a line, the blocks of most rows first.

    Parameters
    ----------
    model : fitted S3DClassifier or S3DRegressor

    Returns
    -------
    str
        Blocks of fewer than ``min_samples`` rows are left out and counted in the last line: rows
        there are answered by a coarser block.

    Examples
    --------
    >>> from whybox.s3d import S3DRegressor
    >>> print(rules_text(S3DRegressor().fit([[1.0], [2.0]] * 50, [0, 1] * 50)), end="")
    x0 ≤ 1: 0 on average, N = 50
    x0 > 1: 1 on average, N = 50
    otherwise, all rows: 0.5 on average, N = 100
    """
    grid, sentences = model.grid_, rules_in_words(model)
    weight = grid.weight[-1]
    order = np.argsort(-weight, kind="stable").tolist()
    lines = [sentences[block] for block in order if weight[block] >= model.min_samples]
    n_small = len(sentences) - len(lines)
    if n_small:
        lines.append(
            f"{n_small} blocks of fewer than {_number(float(model.min_samples))} rows are answered "
            "by those of fewer features"
        )
    if grid.levels:
        lines.append(f"otherwise, {rules_in_words(model, depth=0)[0]}")
    return "\n".join(lines) + "\n"


def rules_json(model: FeatureSpaceDecomposition) -> str:
    """Write the model as JSON that needs no whybox to be applied.

    Parameters
    ----------
    model : fitted S3DClassifier or S3DRegressor

    Returns
    -------
    str
        An object with ``rules`` (the first one whose ``when`` holds answers; the last one holds
        always): conditions, n, and mean (one number, or one a class, as ``classes`` lists them).

    Examples
    --------
    >>> from whybox.s3d import S3DRegressor
    >>> rules = json.loads(rules_json(S3DRegressor().fit([[1.0], [2.0]] * 50, [0, 1] * 50)))
    >>> rules["rules"][0]["when"][0]["up_to"], rules["rules"][-1]
    (1.0, {'when': [], 'n': 100.0, 'mean': [0.5]})
    """
    classes = getattr(model, "classes_", None)
    rules = [
        {"when": [vars(c) for c in conditions], "n": float(n), "mean": mean.tolist()}
        for conditions, n, mean in _all_rules(model)
    ]
    value = {
        "classes": None if classes is None else classes.tolist(),
        "threshold": getattr(model, "threshold_", None),
        "rules": rules,
    }
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def rules_sql(model: FeatureSpaceDecomposition) -> str:
    """Write the model as a CASE expression over columns that are named like the features.

    It gives the mean outcome or the share of the second class, and the most frequent class if
    there are more than two. A missing value is NULL.

    Parameters
    ----------
    model : fitted S3DClassifier or S3DRegressor

    Returns
    -------
    str

    Examples
    --------
    >>> from whybox.s3d import S3DRegressor
    >>> print(rules_sql(S3DRegressor().fit([[1.0], [2.0]] * 50, [0, 1] * 50)))
    CASE
      WHEN "x0" <= 1.0 THEN 0.0
      WHEN "x0" > 1.0 THEN 1.0
      ELSE 0.5
    END
    """
    answer = _sql_answer(model)
    *rules, (_, _, otherwise) = _all_rules(model)
    lines = [
        f"  WHEN {' AND '.join(c.sql() for c in conditions)} THEN {answer(mean)}"
        for conditions, _, mean in rules
    ]
    if not lines:
        return answer(otherwise)
    return "\n".join(["CASE", *lines, f"  ELSE {answer(otherwise)}", "END"])


def _all_rules(
    model: FeatureSpaceDecomposition,
) -> Iterator[tuple[list[Condition], float, Array]]:
    """Give the blocks that answer, from all features to none."""
    grid = model.grid_
    for depth in range(len(grid.levels), -1, -1):
        for block, n in enumerate(grid.weight[depth].tolist()):
            if n >= model.min_samples or depth == 0:
                yield _conditions(model, depth, block), n, grid.mean[depth][block]


def _conditions(model: FeatureSpaceDecomposition, depth: int, block: int) -> list[Condition]:
    """Give what a block asks of each feature."""
    levels, names = model.grid_.levels[:depth], model.feature_labels_
    return [
        Condition.of(level, bin_, names[level.feature], model.categories_.get(level.feature))
        for level, bin_ in zip(levels, model.grid_.path(depth, block), strict=True)
    ]


def _in_words(model: FeatureSpaceDecomposition, mean: Array, outcome: str | None) -> str:
    """Say what a block answers."""
    classes = getattr(model, "classes_", None)
    if classes is None:
        return f"{mean[0]:,.4g} {outcome or 'on average'}"
    c = 1 if len(classes) == 2 else int(mean.argmax())
    return f"{mean[c]:.2f} {outcome if outcome and len(classes) == 2 else f'of class {classes[c]}'}"


def _sql_answer(model: FeatureSpaceDecomposition) -> Callable[[Array], str]:
    """Give what writes a block's answer as a literal."""
    classes = getattr(model, "classes_", None)
    if classes is None:
        return lambda mean: repr(float(mean[0]))
    if len(classes) == 2:
        return lambda mean: repr(float(mean[1]))
    return lambda mean: _literal(classes.tolist()[int(mean.argmax())])


def _number(value: float) -> str:
    """Write a number for people: 3,587 and 0.25."""
    return f"{value:,.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:,.12g}"


def _literal(value: Any) -> str:
    """Write a value for a database."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return (
        repr(value)
        if isinstance(value, (int, float))
        else "'" + str(value).replace("'", "''") + "'"
    )
