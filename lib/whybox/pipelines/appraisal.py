"""What a model's figures are worth, for its card: intervals, base rates, groups of people.

All of it is of rows that the model had not seen, and of the decisions at the card's threshold; of
more than two classes, of the model's own decisions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from whybox.config import TrainConfig
from whybox.errors import InputError
from whybox.features.names import PROFILE
from whybox.model_selection.class_figures import (
    EACH,
    TOGETHER,
    figures_of_counts,
    judge_classes,
    ranked_classes,
    top_label_bins,
)
from whybox.model_selection.folds import FoldResult
from whybox.model_selection.intervals import Interval, resampled
from whybox.model_selection.prevalence import predictive_values, predictive_values_between
from whybox.model_selection.regression import resampled_outcomes
from whybox.model_selection.subgroups import MIN_PEOPLE, in_quarters, subgroup_figures
from whybox.model_selection.summary import Pooled, pool
from whybox.model_selection.thresholds import Threshold
from whybox.pipelines.dataset import Dataset, load_dataset

__all__ = [
    "BASE_RATES",
    "Judged",
    "appraise",
    "appraise_outcomes",
    "at_base_rates",
    "check_base_rate",
    "judged_rows",
    "trivial_rows",
]

BASE_RATES = (0.1, 0.05, 0.01)
"""Shares of the positive class that are shown where they are rarer than in the sample."""

N_DRAWS = 1000
_METHOD = f"rows of all folds together, people drawn again {N_DRAWS:,} times"

OF_A_GROUP = ("accuracy", "balanced_accuracy", "brier")
"""What is told of a group where there are more than two classes."""

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
        JSON values: an interval is a list of value, low, high. ``kind`` is "two classes" or
        "classes". None where there is nothing to judge: no folds, or no probabilities.
    """
    if not results:
        return None
    pooled = pool(results, config.model)
    if pooled.proba is None:
        return None
    if len(np.unique(rows.y)) > 2:
        return _appraise_classes(config, pooled, rows)
    if positive is None or threshold is None:
        return None
    scores = pooled.proba[:, np.unique(rows.y).tolist().index(positive)]
    truth, people = rows.y[pooled.rows] == positive, rows.people[pooled.rows]
    answers = (scores, truth, scores >= threshold.value, people)
    figures = resampled(*answers, n_draws=N_DRAWS, seed=config.seed)
    return {
        "kind": "two classes",
        "method": _METHOD,
        "people": len(np.unique(people)),
        "threshold": threshold.value,
        "threshold_from_these_rows": not _is_number(threshold.spec),
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


def _appraise_classes(config: TrainConfig, pooled: Pooled, rows: Judged) -> dict[str, Any]:
    """Judge the decisions of more than two classes."""
    classes, proba = np.unique(rows.y), pooled.proba
    assert proba is not None
    truth = np.searchsorted(classes, rows.y[pooled.rows])
    decided = np.searchsorted(classes, pooled.y_pred)
    people, k = rows.people[pooled.rows], len(classes)
    found = judge_classes(truth, decided, proba, people, n_draws=N_DRAWS, seed=config.seed)
    areas, precisions = ranked_classes(truth, proba)
    counts = np.bincount(truth * k + decided, minlength=k * k).reshape(k, k)
    commonest = np.zeros_like(counts)
    commonest[:, counts.sum(axis=1).argmax()] = counts.sum(axis=1)
    trivial = figures_of_counts(commonest)
    return {
        "kind": "classes",
        "method": _METHOD,
        "people": len(np.unique(people)),
        "classes": classes.tolist(),
        "threshold": None,
        "share": None,
        "figures": {name: _listed(each) for name, each in found.together.items()},
        "commonest": {name: float(trivial[name]) for name in TOGETHER if name in trivial},
        "each": {
            **{name: [_listed(one) for one in found.each[name]] for name in EACH},
            "auc": areas,
            "average_precision": precisions,
        },
        "counts": counts.tolist(),
        "calibration": [list(each) for each in top_label_bins(truth, proba)],
        "base_rates": [],
        "groups_of_fewer_than": MIN_PEOPLE,
        "subgroups": {
            column: _class_groups(groups[pooled.rows], truth, decided, proba, people, config.seed)
            for column, groups in rows.groups.items()
        },
    }


def _class_groups(
    groups: np.ndarray,
    truth: np.ndarray,
    decided: np.ndarray,
    proba: np.ndarray,
    people: np.ndarray,
    seed: int,
) -> list[dict[str, Any]]:
    """Judge the decisions of several classes group by group; small ones are named alone."""
    rows: list[dict[str, Any]] = []
    for name in np.unique(groups):
        here = groups == name
        n_people = len(np.unique(people[here]))
        row: dict[str, Any] = {"group": str(name), "n_people": None}
        if n_people >= MIN_PEOPLE:
            parts = truth[here], decided[here], proba[here], people[here]
            together = judge_classes(*parts, n_draws=N_DRAWS // 2, seed=seed).together
            row["n_people"] = n_people
            row |= {name: _listed(together[name]) for name in OF_A_GROUP}
        rows.append(row)
    return rows


def appraise_outcomes(
    config: TrainConfig, results: Sequence[FoldResult], y: np.ndarray, people: np.ndarray
) -> dict[str, Any] | None:
    """Judge out-of-fold answers of real outcomes.

    Parameters
    ----------
    config : TrainConfig
    results : sequence of FoldResult
        With the model's own, from cross-validation; empty without.
    y : float64 array of shape (n_rows,)
    people : array of shape (n_rows,)
        Whose row it is.

    Returns
    -------
    dict or None
        As `appraise`, of ``kind`` "outcomes"; None without folds.
    """
    if not results:
        return None
    pooled = pool(results, config.model)
    people = people[pooled.rows]
    answers = y[pooled.rows], pooled.y_pred, people
    found = resampled_outcomes(*answers, n_draws=N_DRAWS, seed=config.seed)
    return {
        "kind": "outcomes",
        "method": _METHOD,
        "people": len(np.unique(people)),
        "threshold": None,
        "share": None,
        "figures": {name: _listed(each) for name, each in found.items()},
        "base_rates": [],
        "groups_of_fewer_than": MIN_PEOPLE,
        "subgroups": {},
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


def _is_number(spec: str) -> bool:
    """Whether a threshold was given, and not chosen by anything that was learnt from."""
    try:
        float(spec)
    except ValueError:
        return False
    return True


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Intervals within a mapping as lists."""
    return {
        name: list(value.values()) if isinstance(value, dict) else value
        for name, value in values.items()
    }


def _listed(interval: Interval | None) -> list[float] | None:
    """An interval as JSON has it."""
    return None if interval is None else [interval.value, interval.low, interval.high]
