"""Where the trees' vote and their probability give a row different answers, and which is right."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from whybox.errors import InputError

__all__ = ["Disagreement", "votes_against"]


@dataclass(frozen=True)
class Disagreement:
    """Two ways to decide the same rows.

    Attributes
    ----------
    n_rows : int
    n_differ : int
        Rows that they answer differently.
    votes_right, probabilities_right : float
        Share of all rows that either answers rightly.
    votes_right_where_different : int
        Of the rows that differ.

    Examples
    --------
    >>> Disagreement(4, 1, 1.0, 0.75, 1).n_differ
    1
    """

    n_rows: int
    n_differ: int
    votes_right: float
    probabilities_right: float
    votes_right_where_different: int


def votes_against(votes: np.ndarray, decided: np.ndarray, positive: np.ndarray) -> Disagreement:
    """Hold votes against decisions by probability.

    Parameters
    ----------
    votes, decided : bool arrays of shape (n_rows,)
        Whether a row is answered with the positive class.
    positive : bool array of shape (n_rows,)
        Whether it is of it.

    Returns
    -------
    Disagreement

    Raises
    ------
    InputError
        If lengths differ, or there are no rows.

    Examples
    --------
    >>> found = votes_against(np.array([True, True]), np.array([True, False]), np.array([True] * 2))
    >>> found.n_differ, found.votes_right, found.probabilities_right
    (1, 1.0, 0.5)
    """
    if not len(votes) == len(decided) == len(positive) > 0:
        raise InputError(f"{len(votes)} votes, {len(decided)} decisions, {len(positive)} rows")
    differ = votes != decided
    return Disagreement(
        len(votes),
        int(differ.sum()),
        float(np.mean(votes == positive)),
        float(np.mean(decided == positive)),
        int((votes == positive)[differ].sum()),
    )
