"""A fitted classifier as plain data and back, with every claim of the data checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from whybox._state import broken, plain_classes, require
from whybox.cbpt.validation import check_parameters
from whybox.errors import InputError
from whybox.trees.tree import LEAF, NO_FEATURE, NO_THRESHOLD, Array, Tree

if TYPE_CHECKING:
    from whybox.cbpt.ensemble import PrunedTreeBoosting

__all__ = ["pack", "unpack"]

_NOT_STORED = ("n_jobs", "callback")  # they leave no trace in the model
_TYPES = {
    "children_left": np.int32,
    "children_right": np.int32,
    "feature": np.int32,
    "threshold": np.float64,
    "missing_go_left": np.bool_,
    "n_node_samples": np.int64,
    "weighted_n_node_samples": np.float64,
    "value": np.float64,
    "unweighted_share": np.float64,
}
_HISTORY = {"eps", "theta", "leaves", "leaves_grown", "ess", "event"}


def pack(model: PrunedTreeBoosting) -> tuple[dict[str, Any], dict[str, Array]]:
    """Take a fitted classifier apart; see ``CBPTClassifier.to_state``.

    Examples
    --------
    >>> from whybox.cbpt import CBPTClassifier
    >>> meta, arrays = pack(CBPTClassifier(random_state=0).fit([[0.0], [1.0]], ["no", "yes"]))
    >>> meta["kind"], arrays["classes"].tolist()
    ('CBPTClassifier', ['no', 'yes'])
    """
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model)
    parameters = {k: v for k, v in model.get_params().items() if k not in _NOT_STORED}
    parameters["random_state"] = _plain_seed(parameters["random_state"])
    parameters["class_weight"] = _plain_class_weight(parameters["class_weight"])
    names = getattr(model, "feature_names_in_", None)
    meta = {
        "kind": type(model).__name__,
        "parameters": parameters,
        "n_features_in": int(model.n_features_in_),
        "feature_names_in": None if names is None else [str(name) for name in names],
        "input_dtype": model.input_dtype_.name,
        "history": [dict(record) for record in model.history_],
        "stop_reason": model.stop_reason_,
    }
    arrays: dict[str, Array] = {
        name: np.concatenate([getattr(tree, name) for tree in model.estimators_]).astype(kind)
        for name, kind in _TYPES.items()
    }
    arrays["tree_sizes"] = np.array([tree.n_nodes for tree in model.estimators_], np.int64)
    arrays["estimator_weights"] = model.estimator_weights_
    arrays["expected_value"] = model.expected_value_
    arrays["classes"] = plain_classes(model.classes_)
    return meta, arrays


def unpack(model: PrunedTreeBoosting, meta: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
    """Put a classifier together again; see ``CBPTClassifier.from_state``.

    Examples
    --------
    >>> from whybox.cbpt import CBPTClassifier
    >>> unpack(CBPTClassifier(), {"kind": "Forest"}, {})
    Traceback (most recent call last):
    whybox.errors.InputError: this is not the state of a fitted model, it is a Forest: ...
    """
    try:
        _unpack(model, meta, arrays)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise broken(f"it cannot be read: {type(error).__name__}: {error}") from error


def _unpack(
    model: PrunedTreeBoosting, meta: Mapping[str, Any], arrays: Mapping[str, Array]
) -> None:
    """Check the parts, then set them."""
    require(meta["kind"] == type(model).__name__, f"it is a {meta['kind']}")
    _set_parameters(model, dict(meta["parameters"]))
    _set_columns(model, meta)
    classes = np.array(arrays["classes"])
    require(classes.ndim == 1 and len(classes) > 0, "classes are no list")
    require(classes.dtype.kind in "biufU", "classes are no plain labels")
    require(np.array_equal(np.unique(classes), classes), "classes are not sorted or repeat")
    model.classes_ = classes
    model.expected_value_ = _shares("expected_value", arrays["expected_value"], (len(classes),))
    model.estimators_ = _trees(arrays, model.n_features_in_, len(classes))
    thetas = np.array(arrays["estimator_weights"])
    proper = thetas.dtype == np.float64 and thetas.shape == (len(model.estimators_),)
    proper = proper and bool((np.isfinite(thetas) & (thetas > 0)).all())
    require(proper, "estimator_weights are not one finite positive number a tree")
    model.estimator_weights_ = thetas
    for record in meta["history"]:
        require(set(record) == _HISTORY, "the history lacks a column")
    model.history_ = [dict(record) for record in meta["history"]]
    model.stop_reason_ = str(meta["stop_reason"])


def _set_parameters(model: PrunedTreeBoosting, parameters: dict[str, Any]) -> None:
    """Set the parameters, turning lists back into what JSON made lists of."""
    if isinstance(parameters["class_weight"], list):
        parameters["class_weight"] = dict(parameters["class_weight"])
    if isinstance(parameters["pruning_window"], list):
        parameters["pruning_window"] = tuple(parameters["pruning_window"])
    model.set_params(**parameters)
    check_parameters(model.get_params())


def _set_columns(model: PrunedTreeBoosting, meta: Mapping[str, Any]) -> None:
    """Set the number of columns, their names and their type."""
    n_features, names = meta["n_features_in"], meta["feature_names_in"]
    require(isinstance(n_features, int) and n_features > 0, f"n_features_in is {n_features!r}")
    require(meta["input_dtype"] in ("float32", "float64"), "input_dtype is no float type")
    model.n_features_in_, model.input_dtype_ = n_features, np.dtype(meta["input_dtype"])
    if names is not None:
        known = len(names) == n_features and all(isinstance(name, str) for name in names)
        require(known, "feature_names_in are not one name a column")
        model.feature_names_in_ = np.array(names, dtype=object)


def _trees(arrays: Mapping[str, Array], n_features: int, n_classes: int) -> list[Tree]:
    """Cut the nodes into trees and check each."""
    sizes = np.array(arrays["tree_sizes"])
    require(sizes.dtype == np.int64 and sizes.ndim == 1 and len(sizes) > 0, "tree_sizes")
    require(bool((sizes > 0).all()), "a tree has no node")
    ends = np.cumsum(sizes)
    for name, kind in _TYPES.items():
        array = arrays[name]
        wide = name in ("value", "unweighted_share")
        shape = (int(ends[-1]), n_classes) if wide else (int(ends[-1]),)
        require(array.shape == shape, f"{name} has shape {array.shape}, not {shape}")
        require(array.dtype == kind, f"{name} has type {array.dtype}")
    trees = []
    for end, size in zip(ends.tolist(), sizes.tolist(), strict=True):
        part = slice(end - size, end)
        tree = Tree(**{f.name: np.array(arrays[f.name][part]) for f in fields(Tree)})
        _check_tree(tree, n_features)
        trees.append(tree)
    return trees


def _check_tree(tree: Tree, n_features: int) -> None:
    """Refuse nodes out of preorder, features out of range, values that are no shares."""
    inner = tree.children_left != LEAF
    _check_preorder(tree.children_left.tolist(), tree.children_right.tolist())
    leaf = ~inner
    require(bool((tree.feature[leaf] == NO_FEATURE).all()), "a leaf has a feature")
    require(bool((tree.threshold[leaf] == NO_THRESHOLD).all()), "a leaf has a threshold")
    require(not tree.missing_go_left[leaf].any(), "a leaf sends missing values on")
    used = tree.feature[inner]
    require(bool(((used >= 0) & (used < n_features)).all()), "a feature is out of range")
    require(bool(np.isfinite(tree.threshold).all()), "a threshold is not finite")
    weights = tree.weighted_n_node_samples
    require(bool((np.isfinite(weights) & (weights > 0)).all()), "a node has no weight")
    require(bool((tree.n_node_samples > 0).all()), "a node has no rows")
    for name in ("value", "unweighted_share"):
        _shares(name, getattr(tree, name), getattr(tree, name).shape)


def _check_preorder(left: list[int], right: list[int]) -> None:
    """Walk the tree: the nodes must come as 0, 1, 2, ... up to the last."""
    waiting = [0]
    for node in range(len(left)):
        require(bool(waiting) and waiting.pop() == node, "nodes are not a tree in preorder")
        require((left[node] == LEAF) == (right[node] == LEAF), "a node has a single child")
        if left[node] != LEAF:
            waiting += [right[node], left[node]]
    require(not waiting, "nodes are not a tree in preorder")


def _shares(name: str, values: Array, shape: tuple[int, ...]) -> Array:
    """Check that values are shares of a whole."""
    shares = np.array(values)
    require(shares.shape == shape and shares.dtype == np.float64, f"{name} has another shape")
    proper = (shares >= 0).all() and np.allclose(shares.sum(axis=-1), 1.0, rtol=0, atol=1e-9)
    require(bool(proper), f"{name} are not shares of sum 1")
    return shares


def _plain_seed(seed: object) -> int | None:
    """Give a seed that JSON can hold; the state of a RandomState is not kept."""
    return int(seed) if isinstance(seed, (int, np.integer)) else None


def _plain_class_weight(class_weight: object) -> object:
    """Give class weights that JSON can hold: pairs, as its keys are strings."""
    if not isinstance(class_weight, Mapping):
        return class_weight
    return [[getattr(k, "tolist", lambda k=k: k)(), float(v)] for k, v in class_weight.items()]
