"""What the stored states of all models share: plain labels, and refusing what is no state."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from whybox.errors import InputError

__all__ = ["broken", "plain_classes", "require"]


def plain_classes(classes: NDArray[Any]) -> NDArray[Any]:
    """Give labels that a file without pickles can hold.

    Parameters
    ----------
    classes : array of shape (n_classes,)

    Returns
    -------
    array of shape (n_classes,)
        Of booleans, numbers or fixed-width text.

    Raises
    ------
    InputError
        If they are anything else.

    Examples
    --------
    >>> import numpy as np
    >>> plain_classes(np.array(["no", "yes"], dtype=object)).dtype.kind
    'U'
    """
    if classes.dtype.kind in "biufU":
        return classes
    if all(isinstance(label, str) for label in classes.tolist()):
        return classes.astype(str)
    raise InputError(
        "the labels are neither numbers nor strings and cannot be stored",
        remedy="fit with labels of one of these types",
    )


def broken(why: str) -> InputError:
    """Make the error of a state that describes no fitted model.

    Examples
    --------
    >>> print(broken("a node has no rows"))
    this is not the state of a fitted model, a node has no rows: use another file
    """
    return InputError(f"this is not the state of a fitted model, {why}", remedy="use another file")


def require(holds: bool, why: str) -> None:
    """Refuse a state unless a claim holds.

    Examples
    --------
    >>> require(True, "a node has no rows")
    """
    if not holds:
        raise broken(why)
