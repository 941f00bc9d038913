"""Where a share of either of two classes becomes a decision for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from whybox.errors import InputError

if TYPE_CHECKING:
    from whybox.s3d.classifier import S3DClassifier

__all__ = ["Decision", "own_decision"]


class Decision(NamedTuple):
    """A model's own threshold, and what it flags.

    Examples
    --------
    >>> Decision(0.5, 2.0, 3.0).threshold
    0.5
    """

    threshold: float
    """Share of the class from which on a row is decided for it."""
    n_flagged: float
    """Weight of the training rows in the blocks that are."""
    n_rows: float
    """Weight of all training rows."""


def own_decision(model: S3DClassifier, label: object) -> Decision:
    """Say from which share of a class on `predict` answers with it.

    Parameters
    ----------
    model : fitted S3DClassifier
        Of two classes.
    label : one of ``classes_``

    Returns
    -------
    Decision
        Of the second class ``threshold_`` (theta of Eq. (11)); of the first one a share between
        those of the blocks that are decided for it and of those that are not.

    Raises
    ------
    InputError
        If there are not two classes, or none of this name.

    Examples
    --------
    >>> import numpy as np
    >>> from whybox.s3d import S3DClassifier
    >>> X = np.tile(np.arange(4.0), 50)[:, None]
    >>> model = S3DClassifier().fit(X, np.tile(["no", "no", "yes", "yes"], 50))
    >>> own_decision(model, "yes"), own_decision(model, "no").threshold
    (Decision(threshold=1.0, n_flagged=100.0, n_rows=200.0), 0.5)
    """
    classes = model.classes_.tolist()
    if model.threshold_ is None or label not in classes:
        raise InputError(
            f"a decision for {label!r} of {len(classes)} classes", remedy="name one of two classes"
        )
    column = classes.index(label)
    weight, share = model.grid_.weight[-1], model.grid_.mean[-1][:, column]
    flagged = (model.grid_.mean[-1][:, 1] >= model.threshold_) == (column == 1)
    threshold = model.threshold_
    if column == 0:
        above = share[flagged].min(initial=1.0)
        below = share[~flagged].max(initial=0.0)
        threshold = float((above + below) / 2)
    return Decision(threshold, float(weight[flagged].sum()), float(weight.sum()))
