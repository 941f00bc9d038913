"""A fitted decomposition as plain data and back, with every claim of the data checked."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from whybox._state import broken, plain_classes, require
from whybox.errors import InputError
from whybox.kernels.s3d import FULL
from whybox.s3d.grid import Grid, Level
from whybox.s3d.validation import check_parameters
from whybox.trees.tree import Array

if TYPE_CHECKING:
    from whybox.s3d.base import FeatureSpaceDecomposition

__all__ = ["SURFACE", "pack", "unpack"]

_TYPES = {
    "feature": np.int64,
    "n_cuts": np.int64,
    "cuts": np.float64,
    "lowest": np.float64,
    "highest": np.float64,
    "n_blocks": np.int64,
    "parent": np.int32,
    "bins": np.int32,
    "weight": np.float64,
    "mean": np.float64,
    "gains": np.int64,
}

#: Columns of ``tuning_``.
SURFACE = ("penalty", "n_features", "mean", "sd", "n_folds")


def pack(model: FeatureSpaceDecomposition) -> tuple[dict[str, Any], dict[str, Array]]:
    """Take a fitted model apart; see ``S3DClassifier.to_state``.

    Examples
    --------
    >>> from whybox.s3d import S3DRegressor
    >>> meta, arrays = pack(S3DRegressor().fit([[1.0], [2.0]] * 50, [0, 1] * 50))
    >>> meta["kind"], arrays["n_blocks"].tolist()
    ('S3DRegressor', [2])
    """
    levels, names = model.grid_.levels, getattr(model, "feature_names_in_", None)
    meta = {
        "kind": type(model).__name__,
        "parameters": _plain_parameters(model.get_params()),
        "n_features_in": int(model.n_features_in_),
        "feature_names_in": None if names is None else [str(name) for name in names],
        "categories": [[j, list(labels)] for j, labels in model.categories_.items()],
        "binning_loss": [[j, loss] for j, loss in model.binning_loss_.items()],
        "ties": model.ties_,
        "sum_of_squares": model.sum_of_squares_,
        "threshold": getattr(model, "threshold_", None),
    }
    arrays: dict[str, Array] = {
        "feature": np.array([level.feature for level in levels]),
        "n_cuts": np.array([len(level.cuts) for level in levels]),
        "cuts": np.concatenate([np.zeros(0), *(level.cuts for level in levels)]),
        "lowest": np.array([level.lowest for level in levels]),
        "highest": np.array([level.highest for level in levels]),
        "n_blocks": np.array([level.n_blocks for level in levels]),
        "parent": np.concatenate([np.zeros(0), *(level.parent for level in levels)]),
        "bins": np.concatenate([np.zeros(0), *(level.bins for level in levels)]),
        "weight": np.concatenate(model.grid_.weight),
        "mean": np.concatenate(model.grid_.mean),
        "gains": model.gains_,
    }
    arrays = {name: array.astype(_TYPES[name]) for name, array in arrays.items()}
    if hasattr(model, "classes_"):
        arrays["classes"] = plain_classes(model.classes_)
    if model.tuning_ is not None:
        arrays["tuning"] = model.tuning_[list(SURFACE)].to_numpy(dtype=np.float64)
    return meta, arrays


def unpack(
    model: FeatureSpaceDecomposition, meta: Mapping[str, Any], arrays: Mapping[str, Array]
) -> None:
    """Put a model together again; see ``S3DClassifier.from_state``.

    Examples
    --------
    >>> from whybox.s3d import S3DRegressor
    >>> unpack(S3DRegressor(), {"kind": "Forest"}, {})
    Traceback (most recent call last):
    whybox.errors.InputError: this is not the state of a fitted model, it is a Forest: ...
    """
    try:
        _unpack(model, meta, arrays)
    except (LookupError, TypeError, AttributeError, ValueError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        raise broken(f"it cannot be read: {type(error).__name__}: {error}") from error


def _unpack(
    model: FeatureSpaceDecomposition, meta: Mapping[str, Any], arrays: Mapping[str, Array]
) -> None:
    """Check the parts, then set them."""
    require(meta["kind"] == type(model).__name__, f"it is a {meta['kind']}")
    _set_parameters(model, dict(meta["parameters"]))
    _set_columns(model, meta)
    for name, kind in _TYPES.items():
        require(arrays[name].dtype == kind, f"{name} has type {arrays[name].dtype}")
    n_outputs = 1
    if meta["kind"] == "S3DClassifier":
        model.classes_ = _classes(arrays["classes"])
        n_outputs = len(arrays["classes"])
    levels = _levels(arrays, model.n_features_in_)
    model.grid_ = _grid(levels, arrays, n_outputs, shares=meta["kind"] == "S3DClassifier")
    model.gains_ = _gains(arrays["gains"], levels, model.n_features_in_)
    model.ties_ = _ties(meta["ties"], levels, model.n_features_in_)
    total = meta["sum_of_squares"]
    proper = isinstance(total, float) and 0 <= total < np.inf and (total > 0 or not levels)
    require(proper, f"sum_of_squares is {total!r}")
    model.sum_of_squares_ = total
    model.tuning_ = _surface(arrays["tuning"]) if "tuning" in arrays else None
    model.binning_loss_ = {int(j): float(loss) for j, loss in meta["binning_loss"]}
    if n_outputs == 2:
        threshold = meta["threshold"]
        require(isinstance(threshold, float) and 0 <= threshold <= 1, "threshold is no share")
        model.threshold_ = threshold
    elif meta["kind"] == "S3DClassifier":
        require(meta["threshold"] is None, "a threshold needs two classes")
        model.threshold_ = None


def _set_parameters(model: FeatureSpaceDecomposition, parameters: dict[str, Any]) -> None:
    """Set the parameters, turning pairs back into the dict that JSON made pairs of."""
    if isinstance(parameters["user_splits"], list):
        parameters["user_splits"] = dict(parameters["user_splits"])
    model.set_params(**parameters)
    check_parameters(model.get_params())


def _set_columns(model: FeatureSpaceDecomposition, meta: Mapping[str, Any]) -> None:
    """Set the number of columns, their names, and categories."""
    n_features, names = meta["n_features_in"], meta["feature_names_in"]
    require(type(n_features) is int and n_features > 0, f"n_features_in is {n_features!r}")
    model.n_features_in_ = n_features
    if names is not None:
        known = len(names) == n_features and all(isinstance(name, str) for name in names)
        require(known, "feature_names_in are not one name a column")
        model.feature_names_in_ = np.array(names, dtype=object)
    model.categories_ = {}
    for j, labels in meta["categories"]:
        require(type(j) is int and 0 <= j < n_features, f"column {j!r} has categories")
        plain = all(isinstance(label, (str, int, float, bool)) for label in labels)
        require(plain, "a category is no plain value")
        require(len({(type(v), v) for v in labels}) == len(labels), "a category repeats")
        model.categories_[j] = list(labels)


def _levels(arrays: Mapping[str, Array], n_features: int) -> list[Level]:
    """Cut the arrays into levels and check each."""
    sizes = {name: len(arrays[name]) for name in ("feature", "n_cuts", "lowest", "highest")}
    sizes["n_blocks"] = len(arrays["n_blocks"])
    require(len(set(sizes.values())) == 1, f"levels differ in number: {sizes}")
    n_cuts, n_blocks = arrays["n_cuts"], arrays["n_blocks"]
    require(bool((n_cuts >= 0).all() and (n_blocks > 0).all()), "a level is empty")
    require(len(arrays["cuts"]) == n_cuts.sum(), "cuts are too few or too many")
    for name in ("parent", "bins"):
        require(len(arrays[name]) == n_blocks.sum(), f"{name} are too few or too many")
    features = arrays["feature"].tolist()
    require(len(set(features)) == len(features), "a feature is chosen twice")
    cut_at, block_at = _starts(n_cuts), _starts(n_blocks)
    levels, n_parents = [], 1
    for k, feature in enumerate(features):
        require(0 <= feature < n_features, f"feature {feature} is out of range")
        level = Level(
            feature,
            arrays["cuts"][cut_at[k] : cut_at[k + 1]].copy(),
            float(arrays["lowest"][k]),
            float(arrays["highest"][k]),
            arrays["parent"][block_at[k] : block_at[k + 1]].copy(),
            arrays["bins"][block_at[k] : block_at[k + 1]].copy(),
        )
        _check_level(level, n_parents)
        levels.append(level)
        n_parents = level.n_blocks
    return levels


def _check_level(level: Level, n_parents: int) -> None:
    """Refuse cuts that do not ascend, and blocks out of order or without a parent."""
    require(bool(np.isfinite(level.cuts).all()), "a cut is not finite")
    require(bool((np.diff(level.cuts) > 0).all()), "cuts do not ascend")
    require(bool(np.isfinite([level.lowest, level.highest]).all()), "a range is not finite")
    require(level.lowest <= level.highest, "a range is upside down")
    bins = level.bins
    require(bool(((bins >= 0) & (bins < level.n_bins)).all()), "a bin is out of range")
    place = level.parent.astype(np.int64) * level.n_bins + bins
    require(bool((np.diff(place) > 0).all()), "blocks are out of order")
    known = np.array_equal(np.unique(level.parent), np.arange(n_parents))
    require(known, "a block's parent is out of range, or a parent has no block")


def _grid(
    levels: list[Level], arrays: Mapping[str, Array], n_outputs: int, *, shares: bool
) -> Grid:
    """Check weights and means, and cut them by level."""
    sizes = np.array([1, *(level.n_blocks for level in levels)])
    weight, mean = arrays["weight"], arrays["mean"]
    require(weight.shape == (sizes.sum(),), "weights are not one a block")
    require(bool((np.isfinite(weight) & (weight > 0)).all()), "a block has no weight")
    require(mean.shape == (sizes.sum(), n_outputs), "means are not one a block and output")
    require(bool(np.isfinite(mean).all()), "a mean is not finite")
    if shares:
        proper = (mean >= 0).all() and np.allclose(mean.sum(axis=1), 1.0, rtol=0, atol=1e-9)
        require(bool(proper), "means are not shares of sum 1")
    at = _starts(sizes)
    weights = tuple(weight[a:b].copy() for a, b in pairwise(at))
    means = tuple(mean[a:b].copy() for a, b in pairwise(at))
    for level, below, above in zip(levels, weights[1:], weights[:-1], strict=True):
        sums = np.bincount(level.parent, below)
        require(np.allclose(sums, above, rtol=1e-9), "blocks do not add up to their parent")
    return Grid(tuple(levels), weights, means)


def _gains(gains: Array, levels: list[Level], n_features: int) -> Array:
    """Check the table of gains."""
    require(gains.shape == (len(levels) + 1, n_features), f"gains have shape {gains.shape}")
    require(bool(((gains >= 0) & (gains <= FULL * (1 + 1e-6))).all()), "a gain is out of range")
    for k, level in enumerate(levels):
        require(gains[k, level.feature] > 0, "a chosen feature gained nothing")
        require(not gains[k + 1 :, level.feature].any(), "a chosen feature gains again")
    return gains.copy()


def _ties(ties: Any, levels: list[Level], n_features: int) -> list[list[int]]:
    """Check the lists of ties: the chosen feature is the first of its step."""
    require(isinstance(ties, list) and len(ties) == len(levels), "ties are not one list a step")
    for tied, level in zip(ties, levels, strict=True):
        proper = all(type(j) is int and 0 <= j < n_features for j in tied)
        require(proper and tied[:1] == [level.feature], "a tie is not of the chosen feature")
    return [list(tied) for tied in ties]


def _surface(values: Array) -> Any:
    """Check what tuning found: see `whybox.model_selection.s3d_tuning.tuning_surface`."""
    import pandas as pd

    proper = values.dtype == np.float64 and values.ndim == 2 and values.shape[1] == len(SURFACE)
    require(proper and len(values) > 0, "the surface of tuning is no table of numbers")
    penalty, n_features, mean, _, n_folds = values.T
    require(bool(np.isfinite([penalty, n_features, n_folds]).all()), "a tuned point is not finite")
    whole = (n_features == np.rint(n_features)) & (n_folds == np.rint(n_folds))
    counted = bool((whole & (n_features >= 1) & (n_folds >= 1) & (penalty >= 0)).all())
    require(counted, "a tuned point is none")
    require(not np.isnan(mean).all(), "no point of the surface has a score")
    kinds = {"n_features": np.int64, "n_folds": np.int64}
    return pd.DataFrame(values.copy(), columns=list(SURFACE)).astype(kinds)


def _classes(classes: Array) -> Array:
    """Check the labels."""
    labels = np.array(classes)
    require(labels.ndim == 1 and len(labels) > 0, "classes are no list")
    require(labels.dtype.kind in "biufU", "classes are no plain labels")
    require(np.array_equal(np.unique(labels), labels), "classes are not sorted or repeat")
    return labels


def _starts(sizes: Array) -> list[int]:
    """Give where each part starts, and where the last one ends."""
    return [0, *np.cumsum(sizes).tolist()]


def _plain_parameters(parameters: dict[str, Any]) -> dict[str, Any]:
    """Give parameters that JSON can hold: pairs for dicts, whose keys would become strings."""
    plain = {k: getattr(v, "tolist", lambda v=v: v)() for k, v in parameters.items()}
    if isinstance(plain["user_splits"], Mapping):
        plain["user_splits"] = [
            [getattr(key, "tolist", lambda key=key: key)(), np.asarray(cuts, float).tolist()]
            for key, cuts in plain["user_splits"].items()
        ]
    if isinstance(plain["categorical_features"], tuple):
        plain["categorical_features"] = list(plain["categorical_features"])
    return plain
