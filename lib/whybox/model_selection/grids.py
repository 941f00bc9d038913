"""Grids of parameters, and the nested choice among them that no test row takes part in."""

from __future__ import annotations

import itertools
import math
import os
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from whybox.errors import InputError
from whybox.model_selection.metrics import LOSSES, METRICS
from whybox.model_selection.registry import known_models
from whybox.model_selection.splitters import Fold, Splitter

__all__ = ["PAPER", "best_candidate", "expand", "inner_folds", "read_grid"]

Grid = Mapping[str, Sequence[Any]]

_RATES = [0.1, 0.5, 1.0]
_TREES: Grid = {"num_leaves": [64, 128, 256], "max_depth": [5, 10, 15], "learning_rate": _RATES}
_BOOSTED: Grid = {"n_estimators": [500], "learning_rate": _RATES}

#: Tong et al., Tables S6 to S12, under the parameters' names here.
PAPER: Mapping[str, Grid] = {
    "lightgbm": {**_BOOSTED, **_TREES, "max_bin": [63, 255], "reg_lambda": [0.1, 1.0]},
    "xgboost": {
        **_BOOSTED,
        "max_leaves": _TREES["num_leaves"],
        "max_depth": _TREES["max_depth"],
        "max_bin": [63, 255],
        "reg_lambda": [0.1, 1.0],
    },
    "kigb": {**_BOOSTED, **_TREES, "min_samples_split": [2, 5]},
    "adaboost": _BOOSTED,
    "real-adaboost": _BOOSTED,
    "logitboost": {
        **_BOOSTED,
        "max_leaf_nodes": _TREES["num_leaves"],
        "max_depth": _TREES["max_depth"],
        "trim_quantile": [0.05, 0.1, 0.5],
        "max_response": [2.0, 4.0, 8.0],
    },
    "adaboost-pt": {**_BOOSTED, "n_pruning_folds": [5]},
    "cbpt": {
        **_BOOSTED,
        "n_pruning_folds": [5],
        "depth_penalty": [0.5],
        "penalty_floor": [1.0],
    },
}


def read_grid(spec: str | os.PathLike[str] | None) -> Mapping[str, Grid]:
    """Read the grids of all models.

    Parameters
    ----------
    spec : str, path-like or None
        ``"paper"``: `PAPER`. ``"none"`` or None: no grids. A TOML file with a table a model, each value a list:
        ``[cbpt]`` and below it ``learning_rate = [0.1, 0.5]``.

    Returns
    -------
    mapping of str to mapping of str to list

    Raises
    ------
    InputError
        If the file is missing or no TOML, names an unknown model, or a value is no list.

    Examples
    --------
    >>> read_grid("paper")["cbpt"]["learning_rate"]
    [0.1, 0.5, 1.0]
    """
    if spec is None or spec == "none":
        return {}
    if spec == "paper":
        return PAPER
    where = f"--grid {os.fspath(spec)}"
    try:
        grids = tomllib.loads(Path(spec).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(
            f"cannot read the grid: {error.strerror}",
            where=where,
            remedy="name a file, paper or none",
        ) from error
    except ValueError as error:
        raise InputError(f"the grid is no TOML: {error}", where=where) from error
    _check_grids(grids, where)
    return grids


def expand(grid: Grid) -> tuple[dict[str, Any], ...]:
    """List every combination, the last parameter changing fastest.

    Parameters
    ----------
    grid : mapping of str to sequence

    Returns
    -------
    tuple of dict
        One empty dict for an empty grid: the defaults.

    Examples
    --------
    >>> expand({"max_depth": [1, 2], "learning_rate": [0.5]})
    ({'max_depth': 1, 'learning_rate': 0.5}, {'max_depth': 2, 'learning_rate': 0.5})
    >>> expand({})
    ({},)
    """
    return tuple(
        dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())
    )


def inner_folds(outer: Fold, splitter: Splitter, y: Any, groups: Any = None) -> tuple[Fold, ...]:
    """Split the train rows of a fold once more, to choose parameters on.

    Parameters
    ----------
    outer : Fold
    splitter : Splitter
    y : array of shape (n_rows,)
        Of all rows.
    groups : array of shape (n_rows,), optional

    Returns
    -------
    tuple of Fold
        Row indices as in `outer`; none of its test rows is among them.

    Raises
    ------
    InputError
        If a class has too few rows or groups left.

    Examples
    --------
    >>> outer = Fold(0, np.array([0, 1, 4, 5]), np.array([2, 3]))
    >>> [fold.test.tolist() for fold in inner_folds(outer, Splitter(2), list("aaabbb"))]
    [[1, 4], [0, 5]]
    """
    rows = outer.train
    inside = None if groups is None else np.asarray(groups)[rows]
    folds = splitter.split(np.asarray(y)[rows], inside)
    return tuple(Fold(fold.number, rows[fold.train], rows[fold.test]) for fold in folds)


def best_candidate(scores: Sequence[Sequence[float | None]], metric: str = "accuracy") -> int:
    """Choose the candidate with the best mean over its folds.

    Parameters
    ----------
    scores : sequence of sequences
        One figure a fold, for each candidate; None where it is undefined: it does not count. The
        order of the folds does not matter.
    metric : str, default "accuracy"
        ``brier``, ``log_loss``, ``calibration_error`` and ``disagreements``: the least is best; of
        all others the greatest.

    Returns
    -------
    int
        Its position; of equals the first.

    Raises
    ------
    InputError
        If the metric is unknown or defined nowhere.

    Examples
    --------
    >>> best_candidate([[0.5, 0.5], [0.8, 0.6], [0.6, 0.8]])
    1
    >>> best_candidate([[0.5, 0.5], [0.8, 0.6]], "brier")
    0
    """
    if metric not in METRICS:
        raise InputError(f"{metric!r} is none of {', '.join(METRICS)}", where="--select-by")
    sign = -1 if metric in LOSSES else 1
    means: list[tuple[float, int]] = []
    for position, folds in enumerate(scores):
        known = [score for score in folds if score is not None]
        if known:
            means.append((sign * math.fsum(known) / len(known), -position))
    if not means:
        raise InputError(f"{metric} is undefined in all folds: parameters cannot be chosen by it")
    return -max(means)[1]


def _check_grids(grids: Mapping[str, Any], where: str) -> None:
    """Refuse what is no table of lists of a known model."""
    for model, grid in grids.items():
        if model not in known_models() or not isinstance(grid, dict):
            raise InputError(
                f"{model!r} is no table of a model that is known",
                where=where,
                remedy=f"write [MODEL] with one of {', '.join(known_models())}",
            )
        for name, values in grid.items():
            if not isinstance(values, list) or not values:
                raise InputError(
                    f"{model}.{name} is no list of values",
                    where=where,
                    remedy=f"write {name} = [...] with at least one value",
                )
