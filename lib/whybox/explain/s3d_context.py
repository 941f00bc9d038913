"""What a report of a decomposition is told beside what every report is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from whybox.errors import InputError
from whybox.explain.s3d_space import FeatureSpace
from whybox.explain.svg import Table

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Decomposition", "OutOfFoldAnswers"]


@dataclass(frozen=True, eq=False)
class OutOfFoldAnswers:
    """Each row's real outcome beside the answer of a model that had not seen it.

    Parameters
    ----------
    outcomes, answers : float array (rows,)
    name : str
        What the outcome is called.

    Examples
    --------
    >>> OutOfFoldAnswers(np.array([1.0, 2.0]), np.array([1.5, 1.5])).name
    'outcome'
    """

    outcomes: NDArray[np.float64]
    answers: NDArray[np.float64]
    name: str = "outcome"

    def __post_init__(self) -> None:
        if len(self.outcomes) != len(self.answers):
            raise InputError(
                f"{len(self.outcomes)} outcomes and {len(self.answers)} answers, expected a pair a "
                "row",
                where="OutOfFoldAnswers",
            )


@dataclass(frozen=True, eq=False)
class Decomposition:
    """What a decomposition of the feature space shows.

    Parameters
    ----------
    space : FeatureSpace
        Its features, gains and blocks.
    surface : DataFrame, optional
        ``tuning_``.
    metric : str
        What the surface's scores are.
    rules : sequence of str
        Blocks as sentences, those of most rows first.
    outline : sequence of str
        Blocks of the first features alone, where there are many.
    blocks : Table, optional
        The same as a table: a column a chosen feature, N, mean.
    note : str
        What is not listed, and why.
    people : sequence of (pseudonym, why)
        Rows one by one, with the rule that answers.

    Examples
    --------
    >>> space = FeatureSpace(["a"], [], np.zeros((1, 1)), [], [], [], "mean outcome")
    >>> Decomposition(space).rules
    ()
    """

    space: FeatureSpace
    surface: pd.DataFrame | None = None
    metric: str = "score"
    rules: Sequence[str] = ()
    outline: Sequence[str] = ()
    blocks: Table | None = None
    note: str = ""
    people: Sequence[tuple[str, str]] = ()
