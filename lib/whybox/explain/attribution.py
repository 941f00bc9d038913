"""Shapley values of one output, and whom they explain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whybox.errors import InputError

__all__ = ["Attribution", "Person"]


@dataclass(frozen=True, eq=False)
class Attribution:
    """Shapley values of one output.

    Parameters
    ----------
    features : sequence of str
    X : float array (rows, features)
        The values explained; NaN is missing.
    values : float64 array (rows, features)
        ``shap_values(model, X)[:, :, positive]``.
    base : float
        ``base_values(model)[positive]``.
    output : str
        What the values add up to.

    Examples
    --------
    >>> Attribution(["a"], np.ones((2, 1)), np.zeros((2, 1)), 0.5).prediction(1)
    0.5
    """

    features: Sequence[str]
    X: NDArray
    values: NDArray[np.float64]
    base: float
    output: str = "probability of the positive class"

    def __post_init__(self) -> None:
        expected = (len(self.X), len(self.features))
        if self.X.shape != expected or self.values.shape != expected:
            raise InputError(
                f"X of shape {self.X.shape} and values of shape {self.values.shape}, expected "
                f"{expected} for both",
                where="Attribution",
            )

    def prediction(self, row: int) -> float:
        """Give what the model answers for a row.

        Parameters
        ----------
        row : int

        Returns
        -------
        float

        Examples
        --------
        >>> Attribution(["a"], np.ones((1, 1)), np.full((1, 1), 0.25), 0.5).prediction(0)
        0.75
        """
        return float(self.base + self.values[row].sum())


@dataclass(frozen=True)
class Person:
    """A user to explain.

    Parameters
    ----------
    pseudonym : str
        Never a name or an id as given.
    row : int
        Row in the `Attribution`.
    note : str
        Why this one, in a few words.

    Examples
    --------
    >>> Person("u-3f9a", 12, "highest score").row
    12
    """

    pseudonym: str
    row: int
    note: str = ""
