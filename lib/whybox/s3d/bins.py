"""Intervals as text, and the table of the occupied blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from whybox.s3d.grid import Level

if TYPE_CHECKING:
    from whybox.s3d.views import Views

__all__ = ["bin_table", "interval", "listed"]

_MOST_LISTED = 10


def interval(level: Level, bin_: int, categories: list[Any] | None = None) -> str:
    """Write a bin as an interval, or as the list of its categories.

    Parameters
    ----------
    level : Level
    bin_ : int
    categories : list, optional
        The feature's categories in order, if it has some.

    Returns
    -------
    str

    Examples
    --------
    >>> import numpy as np
    >>> level = Level(0, np.array([2.0, 5.0]), 0.0, 9.0, np.zeros(1, np.int32), np.zeros(1, np.int32))
    >>> [interval(level, b) for b in range(4)]
    ['[0, 2]', '(2, 5]', '(5, 9]', 'missing']
    >>> interval(level, 2, ["a", "b", "c", "d", "e", "f", "g", "h"])
    'g, h'
    """
    if bin_ == len(level.cuts) + 1:
        return "missing"
    edges = [level.lowest, *level.cuts.tolist(), level.highest]
    low, high = edges[bin_], edges[bin_ + 1]
    if categories is not None:
        first = 0 if bin_ == 0 else int(low) + 1
        last = len(categories) if bin_ == len(level.cuts) else int(high) + 1
        return ", ".join(listed(categories[first:last]))
    return f"{'[' if bin_ == 0 else '('}{low:.12g}, {high:.12g}]"


def listed(categories: Sequence[Any]) -> list[str]:
    """Name categories, the first ones if there are many.

    Examples
    --------
    >>> listed(["a", "b"]), listed(range(100))[-1]
    (['a', 'b'], '91 more')
    """
    if len(categories) <= _MOST_LISTED:
        return [str(label) for label in categories]
    shown = [str(label) for label in categories[: _MOST_LISTED - 1]]
    return [*shown, f"{len(categories) - len(shown)} more"]


def bin_table(model: Views) -> Any:
    """List the occupied blocks: see ``S3DClassifier.bin_table_``.

    Parameters
    ----------
    model : fitted S3DClassifier or S3DRegressor

    Returns
    -------
    DataFrame
        A column a chosen feature (intervals as text), then ``n`` and ``mean`` (of the outcome, or
        the share of the second class), or ``share_<class>`` if there are not two classes. Row i is
        block i of ``transform``.

    Examples
    --------
    >>> from whybox.s3d import S3DRegressor
    >>> bin_table(S3DRegressor().fit([[1.0], [2.0]] * 50, [0.5, 1.5] * 50))
           x0     n  mean
    0  [1, 1]  50.0   0.5
    1  (1, 2]  50.0   1.5
    """
    import pandas as pd

    grid, names, paths = model.grid_, model.feature_labels_, model.grid_.paths()
    columns: dict[str, Any] = {}
    for k, level in enumerate(grid.levels):
        categories = model.categories_.get(level.feature)
        texts = {b: interval(level, b, categories) for b in set(paths[:, k].tolist())}
        columns[names[level.feature]] = [texts[b] for b in paths[:, k].tolist()]
    columns["n"] = grid.weight[-1]
    outputs = model._outputs(grid.mean[-1])
    labels = getattr(model, "classes_", None)
    if labels is None or len(labels) == 2:
        columns["mean"] = outputs[:, 0]
    else:
        columns |= {f"share_{label}": outputs[:, c] for c, label in enumerate(labels.tolist())}
    return pd.DataFrame(columns)
