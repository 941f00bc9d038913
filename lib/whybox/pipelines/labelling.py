"""The rows that a model learns from, and which of their classes is the positive one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from whybox.errors import InputError
from whybox.pipelines.dataset import Dataset

__all__ = ["labelled_rows", "positive_class"]


def labelled_rows(table: Dataset, where: str, classes: Sequence[str] = ()) -> Dataset:
    """Keep the rows with a label, and the features that some of them have.

    Parameters
    ----------
    table : Dataset
    where : str
        The table's place and target, for messages.
    classes : sequence of str, optional
        Only rows of these.

    Returns
    -------
    Dataset

    Raises
    ------
    InputError
        If fewer than two classes are left, or so many that the target is no class label.
    """
    wanted = table.has_label
    if classes:
        wanted &= np.isin(table.labels.astype(str), classes)
    data = table.take(wanted)
    found = np.unique(data.labels.astype(str))
    if len(found) < 2:
        raise InputError(
            f"{len(data.labels)} labelled rows of {len(found)} classes, at least 2 are needed",
            where=where,
            remedy="check --target and --classes",
        )
    if len(found) > max(20, len(data.labels) // 5):
        raise InputError(
            f"{len(found)} classes in {len(data.labels)} rows: that is no class label",
            where=where,
            remedy="name another --target",
        )
    if np.isnan(data.X).all():
        raise InputError("no row has any feature", where=where, remedy="check --features")
    return data.without_empty_columns()


def positive_class(classes: Sequence[str], asked: str | None) -> str | None:
    """Name the positive class of two; none among more, unless it is asked for.

    Parameters
    ----------
    classes : sequence of str
        Sorted.
    asked : str or None

    Returns
    -------
    str or None
        As asked; else of two classes the one named positive, or the last.

    Raises
    ------
    InputError
        If no row is of the class that is asked for.

    Examples
    --------
    >>> positive_class(["negative", "positive"], None), positive_class(["a", "b", "c"], None)
    ('positive', None)
    """
    if asked is not None:
        if asked not in classes:
            raise InputError(
                f"no row is {asked!r}",
                where="--positive",
                remedy=f"choose one of {', '.join(classes)}",
            )
        return asked
    if len(classes) > 2:
        return None
    return "positive" if "positive" in classes else str(classes[-1])
