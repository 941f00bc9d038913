"""The rows that a model learns from, and which of their classes is the positive one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from whybox.errors import InputError
from whybox.pipelines.dataset import Dataset

__all__ = ["decide_task", "labelled_rows", "numbered_rows", "positive_class"]

_MOST_CLASSES = 20


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
    if len(found) > max(_MOST_CLASSES, len(data.labels) // 5):
        raise InputError(
            f"{len(found)} classes in {len(data.labels)} rows: that is no class label",
            where=where,
            remedy="name another --target",
        )
    return _with_features(data, where)


def decide_task(table: Dataset, asked: str = "auto") -> str:
    """Say whether the target's values are classes or outcomes to be predicted as numbers.

    Parameters
    ----------
    table : Dataset
    asked : {"auto", "classification", "regression"}, default "auto"
        auto: numbers are outcomes if there are more than 20 different ones, or more than two and
        not all of them whole; anything else names classes.

    Returns
    -------
    str
        "classification" or "regression".

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> def decided(*labels):
    ...     return decide_task(SimpleNamespace(labels=np.array(labels, dtype=object)))
    >>> decided("0", "1", None), decided("0.5", "1.5", "7"), decided("yes", "no")
    ('classification', 'regression', 'classification')
    """
    if asked != "auto":
        return asked
    found = {label for label in table.labels if label is not None}
    try:
        values = np.array([float(label) for label in found])
    except ValueError:
        return "classification"
    fractions = len(values) > 2 and bool((values != np.rint(values)).any())
    return "regression" if len(values) > _MOST_CLASSES or fractions else "classification"


def numbered_rows(table: Dataset, where: str) -> tuple[Dataset, np.ndarray]:
    """Keep the rows with an outcome, and the features that some of them have.

    Parameters
    ----------
    table : Dataset
    where : str
        The table's place and target, for messages.

    Returns
    -------
    data : Dataset
    y : float64 array of shape (n_rows,)

    Raises
    ------
    InputError
        If an outcome is no finite number, or fewer than two differ.
    """
    data = table.take(table.has_label)
    try:
        y = data.labels.astype(np.float64)
    except ValueError as error:
        raise InputError(
            "the target's values are not all numbers", where=where, remedy="use --task auto"
        ) from error
    if not np.isfinite(y).all():
        raise InputError("an outcome is infinite", where=where, remedy="make it missing")
    if len(np.unique(y)) < 2:
        raise InputError(
            f"{len(y)} rows with {len(np.unique(y))} different outcomes, at least 2 are needed",
            where=where,
            remedy="check --target",
        )
    return _with_features(data, where), y


def _with_features(data: Dataset, where: str) -> Dataset:
    """Refuse rows without any feature; leave out columns without any value."""
    if np.isnan(data.X).all() and not data.categories:
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
