"""What a model's figures are worth, for its card: intervals, base rates, groups of people.

All of it is of rows that the model had not seen, and of the decisions at the card's threshold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from whybox.config import TrainConfig
from whybox.errors import InputError
from whybox.features.names import PROFILE
from whybox.model_selection.folds import FoldResult
from whybox.model_selection.intervals import Interval, resampled
from whybox.model_selection.prevalence import predictive_values, predictive_values_between
from whybox.model_selection.subgroups import MIN_PEOPLE, in_quarters, subgroup_figures
from whybox.model_selection.summary import pool
from whybox.model_selection.thresholds import Threshold
from whybox.pipelines.dataset import Dataset, load_dataset

__all__ = [
    "BASE_RATES",
    "Judged",
    "appraise",
    "at_base_rates",
    "check_base_rate",
    "judged_rows",
    "trivial_rows",
]

BASE_RATES = (0.1, 0.05, 0.01)
"""Shares of the positive class that are shown where they are rarer than in the sample."""

N_DRAWS = 1000

_METADATA = (*PROFILE, "favourites_count", "retweet_count", "posting_number")
_KEYWORDS = ("negative_words",)


def trivial_rows(names: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """Name the models that read no post, or one count of words, to be judged on the same folds.

    Parameters
    ----------
    names : sequence of str
        The features.

    Returns
    -------
    dict of str to list of dict
        Parameters by model: which columns it sees. Empty where there are none of these columns.

    Examples
    --------
    >>> trivial_rows(["friends", "negative_words", "followers"])
    {'metadata-only': [{'columns': [0, 2]}], 'keyword-only': [{'columns': [1]}]}
    """
    found = {}
    for model, wanted in (("metadata-only", _METADATA), ("keyword-only", _KEYWORDS)):
        columns = [at for at, name in enumerate(names) if name in wanted]
        if columns and len(columns) < len(names):
            found[model] = [{"columns": columns}]
    return found


@dataclass(frozen=True, eq=False)
class Judged:
    """The rows that a model is judged by.

    Attributes
    ----------
    y : array of str of shape (n_rows,)
        Classes.
    people : array of shape (n_rows,)
        Whose row it is.
    groups : mapping of str to object array of shape (n_rows,)
        By column, the group of each row.
    """

    y: np.ndarray
    people: np.ndarray
    groups: Mapping[str, np.ndarray] = field(default_factory=dict)


def judged_rows(config: TrainConfig, data: Dataset) -> Judged:
    """Read by what errors are compared, before any work is done.

    Parameters
    ----------
    config : TrainConfig
        Its ``subgroups`` are columns of the source, features or not.
    data : Dataset
        The rows that are learnt from.

    Returns
    -------
    Judged

    Raises
    ------
    InputError
        If there is no such column, or ``base_rate`` is none.
    """
    check_base_rate(config.base_rate)
    groups = {}
    for column in config.subgroups:
        other = tuple(name for name in data.names if name != column)[:1]
        table = load_dataset(config.source, target=column, features=other)
        values = dict(zip(table.ids.tolist(), table.labels.tolist(), strict=True))
        groups[column] = in_quarters([values[row] for row in data.ids.tolist()])
    people = data.ids if data.groups is None else data.groups
    return Judged(data.labels.astype(str), people, groups)


def appraise(
    config: TrainConfig,
    results: Sequence[FoldResult],
    rows: Judged,
    positive: str | None,
    threshold: Threshold | None,
) -> dict[str, Any] | None:
    """Judge out-of-fold decisions.

    Parameters
    ----------
    config : TrainConfig
    results : sequence of FoldResult
        With the model's own, from cross-validation; empty without.
    rows : Judged
    positive : str or None
    threshold : Threshold or None

    Returns
    -------
    dict or None
        JSON values: an interval is a list of value, low, high. None where there is nothing to
        judge: no folds, no two classes, or no probabilities.
    """
    if not results or positive is None or threshold is None:
        return None
    pooled = pool(results, config.model)
    if pooled.proba is None:
        return None
    scores = pooled.proba[:, np.unique(rows.y).tolist().index(positive)]
    truth, people = rows.y[pooled.rows] == positive, rows.people[pooled.rows]
    answers = (scores, truth, scores >= threshold.value, people)
    figures = resampled(*answers, n_draws=N_DRAWS, seed=config.seed)
    return {
        "method": f"rows of all folds together, people drawn again {N_DRAWS:,} times",
        "people": len(np.unique(people)),
        "threshold": threshold.value,
        "share": float(truth.mean()),
        "figures": {name: _listed(interval) for name, interval in figures.items()},
        "base_rates": at_base_rates(figures, float(truth.mean()), config.base_rate),
        "groups_of_fewer_than": MIN_PEOPLE,
        "subgroups": {
            column: [
                _plain(asdict(group))
                for group in subgroup_figures(groups[pooled.rows], *answers, seed=config.seed)
            ]
            for column, groups in rows.groups.items()
        },
    }


def check_base_rate(base_rate: float | None) -> None:
    """Refuse what is no share of a population.

    Parameters
    ----------
    base_rate : float or None

    Raises
    ------
    InputError
        If it is not between 0 and 1.
    """
    if base_rate is not None and not 0 < base_rate < 1:
        raise InputError(
            f"a base rate of {base_rate}",
            where="--base-rate",
            remedy="give the positive class's share where the model will be used, as in 0.05",
        )


def at_base_rates(
    figures: Mapping[str, Interval | None], share: float, stated: float | None = None
) -> list[dict[str, Any]]:
    """Tell what the decisions are worth in the sample, at a stated base rate, and where it is rarer.

    Parameters
    ----------
    figures : mapping of str to Interval or None
        With ``sensitivity`` and ``specificity``.
    share : float
        Of the positive class in the sample.
    stated : float, optional
        The base rate where the model will be used.

    Returns
    -------
    list of dict
        ``base_rate``, ``about`` (why it is shown), ``flagged`` (share) and, as lists of value, low,
        high, ``right_among_flagged`` and ``right_among_others``. Empty where either figure is
        missing.

    Examples
    --------
    >>> about = Interval(0.88, 0.88, 0.88)
    >>> found = at_base_rates({"sensitivity": about, "specificity": about}, 0.4, 0.05)
    >>> [(row["base_rate"], round(row["right_among_flagged"][0], 2)) for row in found]
    [(0.05, 0.28), (0.4, 0.83), (0.1, 0.45), (0.01, 0.07)]
    """
    sensitivity, specificity = figures["sensitivity"], figures["specificity"]
    if sensitivity is None or specificity is None:
        return []
    rates = {} if stated is None else {stated: "stated"}
    rates |= {share: "these rows"} if share not in rates else {}
    rates |= {rate: "" for rate in BASE_RATES if rate < share and rate not in rates}
    rows = []
    for rate, about in rates.items():
        right, spared = predictive_values_between(sensitivity, specificity, rate)
        found = predictive_values(sensitivity.value, specificity.value, rate)
        rows.append(
            {
                "base_rate": rate,
                "about": about,
                "flagged": found.flagged,
                "right_among_flagged": _listed(right),
                "right_among_others": _listed(spared),
            }
        )
    return rows


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Intervals within a mapping as lists."""
    return {
        name: list(value.values()) if isinstance(value, dict) else value
        for name, value in values.items()
    }


def _listed(interval: Interval | None) -> list[float] | None:
    """An interval as JSON has it."""
    return None if interval is None else [interval.value, interval.low, interval.high]
