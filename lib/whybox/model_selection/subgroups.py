"""Figures group by group: whether a model errs more about some people than about others.

Groups, and sides of groups, of fewer than ten people are told of by name alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from whybox.errors import InputError
from whybox.model_selection.intervals import Interval, figures_of, resampled, wilson

__all__ = ["MIN_PEOPLE", "NO_VALUE", "SubgroupFigures", "in_quarters", "subgroup_figures"]

MIN_PEOPLE = 10
"""Fewer are not told of."""

NO_VALUE = "no value"
"""What people are called of whom the column says nothing."""

_MAX_VALUES = 8  # numbers of more are cut into quarters


@dataclass(frozen=True)
class SubgroupFigures:
    """How well a model does for one group.

    Attributes
    ----------
    group : str
    n_people, n_positive : int or None
        None for fewer than ten.
    sensitivity, specificity, f1_positive, brier : Interval or None
        None where there are fewer than ten people to say it of.

    Examples
    --------
    >>> SubgroupFigures("a", None, None, None, None, None, None).n_people is None
    True
    """

    group: str
    n_people: int | None
    n_positive: int | None
    sensitivity: Interval | None
    specificity: Interval | None
    f1_positive: Interval | None
    brier: Interval | None


def in_quarters(values: Sequence[str | None]) -> np.ndarray:
    """Make groups of a column: its words, or quarters of its numbers.

    Parameters
    ----------
    values : sequence of str or None
        As a table's column is read.

    Returns
    -------
    object array of shape (n,)
        Texts. Numbers of more than eight different values are cut at the quartiles, and numbered.

    Examples
    --------
    >>> in_quarters(["a", None]).tolist()
    ['a', 'no value']
    >>> in_quarters([str(number) for number in range(12)]).tolist()[2:4]
    ['1. up to 2.75', '2. above 2.75 to 5.5']
    """
    found = np.array([NO_VALUE if value is None else value for value in values], dtype=object)
    known = np.array([value is not None for value in values], dtype=bool)
    try:
        numbers = np.array([float(value) for value in found[known]])
    except ValueError:
        return found
    if len(np.unique(numbers)) <= _MAX_VALUES or not np.isfinite(numbers).all():
        return found
    cuts = np.unique(np.percentile(numbers, [25, 50, 75]))
    names = [f"1. up to {cuts[0]:.6g}"]
    names += [
        f"{at}. above {low:.6g} to {high:.6g}" for at, (low, high) in enumerate(pairwise(cuts), 2)
    ]
    names.append(f"{len(cuts) + 1}. above {cuts[-1]:.6g}")
    found[known] = np.array(names, dtype=object)[np.searchsorted(cuts, numbers, side="left")]
    return found


def subgroup_figures(
    groups: np.ndarray,
    scores: np.ndarray,
    positive: np.ndarray,
    decided: np.ndarray,
    people: np.ndarray | None = None,
    *,
    n_draws: int = 500,
    seed: int = 0,
    level: float = 0.95,
) -> list[SubgroupFigures]:
    """Judge decisions group by group.

    Parameters
    ----------
    groups : array of str of shape (n,)
        Which group a row is of.
    scores, positive, decided, people, n_draws, seed, level
        As for `whybox.model_selection.intervals.resampled`.

    Returns
    -------
    list of SubgroupFigures
        Sorted by group. Sensitivity and specificity have Wilson's interval among people, the
        other figures that of people drawn again.

    Raises
    ------
    InputError
        If lengths differ.

    Examples
    --------
    >>> scores = np.tile([0.2, 0.9], 20)
    >>> found = subgroup_figures(np.full(40, "all"), scores, scores > 0.5, scores > 0.5)
    >>> found[0].sensitivity.value, round(found[0].sensitivity.low, 2), found[0].n_people
    (1.0, 0.84, 40)
    """
    if len(groups) != len(scores):
        raise InputError(f"{len(groups)} groups for {len(scores)} scores")
    people = np.arange(len(scores)) if people is None else people
    return [
        _figures(
            str(name),
            *(part[groups == name] for part in (scores, positive, decided, people)),
            n_draws=n_draws,
            seed=seed,
            level=level,
        )
        for name in np.unique(groups)
    ]


def _figures(
    name: str,
    scores: np.ndarray,
    positive: np.ndarray,
    decided: np.ndarray,
    people: np.ndarray,
    *,
    n_draws: int,
    seed: int,
    level: float,
) -> SubgroupFigures:
    """Figures of one group."""
    everybody, ill, well = (
        len(np.unique(part)) for part in (people, people[positive], people[~positive])
    )
    if everybody < MIN_PEOPLE:
        return SubgroupFigures(name, None, None, None, None, None, None)
    found = figures_of(scores, positive, decided)
    drawn = resampled(scores, positive, decided, people, n_draws=n_draws, seed=seed, level=level)
    return SubgroupFigures(
        name,
        everybody,
        ill if ill >= MIN_PEOPLE else None,
        _share(found["sensitivity"], ill, level),
        _share(found["specificity"], well, level),
        drawn["f1_positive"] if ill >= MIN_PEOPLE else None,
        drawn["brier"],
    )


def _share(share: float | None, n_people: int, level: float) -> Interval | None:
    """Wilson's interval, if it is told of enough people."""
    if share is None or n_people < MIN_PEOPLE:
        return None
    return wilson(share, n_people, level)
