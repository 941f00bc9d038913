"""What ``whybox inspect`` shows of a decomposition: steps, cut values, and the largest rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from whybox.explain.svg import Table as Listing
from whybox.explain.wording import number
from whybox.pipelines.outcome import Table
from whybox.s3d.rules import rules_in_words

__all__ = ["blocks_in_order", "blocks_table", "describe", "said"]

_MOST_RULES = 10
_MOST_CUTS = 12


def describe(
    model: Any, card: Mapping[str, Any] | None
) -> tuple[dict[str, Any], tuple[Table, ...]]:
    """Describe a decomposition.

    Parameters
    ----------
    model : fitted S3DClassifier or S3DRegressor
    card : mapping or None

    Returns
    -------
    values : dict
        ``steps`` (feature, cuts or categories, gain of R2, R2 so far), ``blocks``, ``r2``, and
        the ``rules`` that the table shows.
    tables : tuple of Table
        The same for a person.

    Examples
    --------
    >>> from whybox.s3d import S3DRegressor
    >>> model = S3DRegressor().fit([[1.0], [2.0]] * 50, [0.5, 1.5] * 50)
    >>> values, tables = describe(model, None)
    >>> values["steps"][0]["cuts"], values["r2"], tables[0].rows
    ([1.0], 1.0, (('1', 'x0', '1', '1', '1'),))
    """
    steps = _steps(model)
    blocks, n_small = blocks_in_order(model)
    sentences = said(model, card)
    rules = [sentences[block] for block in blocks[:_MOST_RULES]]
    values = {
        "steps": steps,
        "blocks": len(sentences),
        "r2": model.r2_,
        "rules": rules,
    }
    shown = tuple(
        (
            str(at + 1),
            step["feature"],
            _cuts(step),
            number(step["gain"], 4),
            number(step["r2"], 4),
        )
        for at, step in enumerate(steps)
    )
    title = f"the {len(rules)} rules of most training rows, of {len(sentences)} blocks"
    if n_small:
        title += f" ({n_small} of fewer than {number(float(model.min_samples))} rows)"
    return values, (
        Table("features in the order of choice", ("step", "feature", "cut at", "R² gained", "R²"), shown),
        Table(title, ("rule",), tuple((rule,) for rule in rules)),
    )  # fmt: skip


def said(model: Any, card: Mapping[str, Any] | None, depth: int | None = None) -> list[str]:
    """Write the blocks as sentences in the words of the model's target.

    Parameters
    ----------
    model : fitted S3DClassifier or S3DRegressor
    card : mapping or None
        With the target's name, if there is one.
    depth : int, optional
        Of the first so many features.

    Returns
    -------
    list of str
        As `whybox.s3d.rules.rules_in_words`.

    Examples
    --------
    >>> from whybox.s3d import S3DClassifier
    >>> model = S3DClassifier().fit([[1.0], [2.0]] * 50, ["no", "yes"] * 50)
    >>> said(model, {"data": {"target": "paid"}})
    ['x0 ≤ 1: 0.00 have paid = yes, N = 50', 'x0 > 1: 1.00 have paid = yes, N = 50']
    """
    if card is None:
        return rules_in_words(model, depth=depth)
    target, classes = card["data"]["target"], getattr(model, "classes_", None)
    if classes is None:
        return rules_in_words(model, f"{target} on average", depth)
    return rules_in_words(model, f"have {target} = {classes[-1]}", depth)


def blocks_in_order(model: Any, depth: int | None = None) -> tuple[list[int], int]:
    """List the blocks that answer, those of most training rows first.

    Parameters
    ----------
    model : fitted S3DClassifier or S3DRegressor
    depth : int, optional
        Of the grid of the first so many features.

    Returns
    -------
    blocks : list of int
        Numbers of ``bin_table_``'s rows with at least ``min_samples`` rows.
    n_small : int
        How many others there are. They are not shown: a block of a single row would tell of it.

    Examples
    --------
    >>> from whybox.s3d import S3DRegressor
    >>> model = S3DRegressor().fit([[1.0], [2.0], [2.0]] * 50, [0, 1, 1] * 50)
    >>> blocks_in_order(model)
    ([1, 0], 0)
    """
    weight = model.grid_.weight[-1 if depth is None else depth]
    order = np.argsort(-weight, kind="stable")
    kept = order[weight[order] >= model.min_samples]
    return kept.tolist(), len(weight) - len(kept)


def blocks_table(model: Any, blocks: Sequence[int]) -> Listing:
    """Tabulate blocks for a page.

    Parameters
    ----------
    model : fitted S3DClassifier or S3DRegressor
    blocks : sequence of int

    Returns
    -------
    whybox.explain.svg.Table
        A column a chosen feature, the number of rows, and the mean or the classes' shares.

    Examples
    --------
    >>> from whybox.s3d import S3DRegressor
    >>> model = S3DRegressor().fit([[1.0], [2.0]] * 50, [0.5, 1.5] * 50)
    >>> blocks_table(model, [1]).rows
    [('(1, 2]', '50', '1.5')]
    """
    frame = model.bin_table_.iloc[list(blocks)]
    rows = [
        tuple(value if isinstance(value, str) else number(float(value)) for value in row)
        for row in frame.itertuples(index=False, name=None)
    ]
    return Listing([str(name) for name in frame.columns], rows)


def _steps(model: Any) -> list[dict[str, Any]]:
    """The chosen features in their order."""
    gains, steps, total = model.r2_steps_, [], 0.0
    for k, level in enumerate(model.grid_.levels):
        gain = float(gains[k, level.feature])
        total += gain
        categories = model.categories_.get(level.feature)
        step: dict[str, Any] = {
            "feature": model.feature_labels_[level.feature],
            "gain": gain,
            "r2": total,
        }
        if categories is None:
            step["cuts"] = level.cuts.tolist()
        else:
            ends = [0, *(int(cut) + 1 for cut in level.cuts), len(categories)]
            step["categories"] = [list(categories[a:b]) for a, b in pairwise(ends)]
        steps.append(step)
    return steps


def _cuts(step: Mapping[str, Any]) -> str:
    """Cut values, or sets of categories, the first ones if there are many."""
    from whybox.s3d.bins import listed

    if "cuts" in step:
        texts = [f"{cut:.6g}" for cut in step["cuts"]]
    else:
        texts = ["{" + ", ".join(listed(part)) + "}" for part in step["categories"]]
    more = len(texts) - _MOST_CUTS
    return ", ".join(texts[:_MOST_CUTS]) + (f" and {more} more" if more > 0 else "")
