"""A committee of trees as ONNX: other programs then score it, on any runtime, without this one.

Two tree ensembles stand side by side, since the model has two answers: the label is the trees'
weighted vote, the probability their weighted mean of class shares. Thresholds and sums stay in
float64, so a row lands where it lands here; rows go in as the type that the model was trained on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from whybox.errors import InputError
from whybox.trees.tree import LEAF, Array

if TYPE_CHECKING:
    from whybox.cbpt.ensemble import PrunedTreeBoosting

__all__ = ["cbpt_onnx"]

_DOMAIN = "ai.onnx.ml"
_VERSIONS = {"": 17, _DOMAIN: 3}  # from this one on trees may compare in float64
_IR_VERSION = 8


def cbpt_onnx(model: PrunedTreeBoosting) -> bytes:
    """Write a fitted classifier as an ONNX model.

    Parameters
    ----------
    model : CBPTClassifier or AdaBoostPTClassifier
        Fitted.

    Returns
    -------
    bytes
        Input ``X`` (rows, features), NaN where a value is missing; outputs ``label`` (rows,), which
        `predict` gives, and ``probabilities`` (rows, classes), float32. Labels are int64 where the
        classes are whole numbers, else strings. Columns and classes are in the metadata.

    Raises
    ------
    InputError
        If the package onnx is not installed.

    Examples
    --------
    >>> import onnx
    >>> from whybox.cbpt import CBPTClassifier
    >>> model = CBPTClassifier(random_state=0).fit([[0.0], [1.0]], ["no", "yes"])
    >>> [output.name for output in onnx.load_from_string(cbpt_onnx(model)).graph.output]
    ['label', 'probabilities']
    """
    helper, types = _onnx()
    nodes = _nodes(model)
    share = model.estimator_weights_.sum()
    shares = np.concatenate([model._shares(k) for k in model._all()]) / share
    votes = np.concatenate([model._votes(k) for k in model._all()])
    n_classes = len(model.classes_)
    if n_classes == 2:  # runtimes decide between two by a sign: a third class, without votes
        votes = np.column_stack([votes, np.zeros(len(votes))])
    is_text = not np.issubdtype(model.classes_.dtype, np.integer)
    kind = types.FLOAT if model.input_dtype_ == np.float32 else types.DOUBLE
    text = types.STRING if is_text else types.INT64
    graph = helper.make_graph(
        [
            helper.make_node("Cast", ["X"], ["rows"], to=types.DOUBLE),
            _ensemble(helper, nodes, votes, ["label", "votes"], model.classes_),
            _ensemble(helper, nodes, shares, ["likeliest", "probabilities"], model.classes_),
        ],
        type(model).__name__,
        [helper.make_tensor_value_info("X", kind, [None, model.n_features_in_])],
        [
            helper.make_tensor_value_info("label", text, [None]),
            helper.make_tensor_value_info("probabilities", types.FLOAT, [None, n_classes]),
        ],
    )
    return _serialised(helper, graph, model)


def _onnx() -> tuple[Any, Any]:
    """Import what writes ONNX."""
    try:
        from onnx import TensorProto, helper
    except ImportError as error:
        raise InputError(
            "the package onnx is not installed",
            where="--to onnx",
            remedy='pip install "whybox[onnx]"',
        ) from error
    return helper, TensorProto


def _nodes(model: PrunedTreeBoosting) -> dict[str, Array]:
    """Lay the trees' nodes end to end, in the words of the operator."""
    trees = model.estimators_
    left, right, feature, threshold, missing = (
        np.concatenate(parts) for parts in zip(*(tree.routing for tree in trees), strict=True)
    )
    leaf = left == LEAF
    return {
        "treeids": np.repeat(np.arange(len(trees)), [tree.n_nodes for tree in trees]),
        "nodeids": np.concatenate([np.arange(tree.n_nodes) for tree in trees]),
        "featureids": np.where(leaf, 0, feature),
        "values": np.where(leaf, 0.0, threshold),
        "truenodeids": np.where(leaf, 0, left),
        "falsenodeids": np.where(leaf, 0, right),
        "missing_value_tracks_true": np.where(leaf, 0, missing),
        "leaf": leaf,
    }


def _ensemble(
    helper: Any, nodes: dict[str, Array], values: Array, outputs: list[str], classes: Array
) -> Any:
    """Make one operator: the nodes, and what each leaf adds to each class."""
    leaf = nodes["leaf"]
    n_leaves, n_classes = int(leaf.sum()), values.shape[1]
    ids = ("treeids", "nodeids", "featureids", "truenodeids", "falsenodeids")
    return helper.make_node(
        "TreeEnsembleClassifier",
        ["rows"],
        outputs,
        domain=_DOMAIN,
        nodes_modes=np.where(leaf, "LEAF", "BRANCH_LEQ").tolist(),
        nodes_values_as_tensor=_doubles(helper, nodes["values"]),
        nodes_missing_value_tracks_true=nodes["missing_value_tracks_true"].tolist(),
        class_treeids=np.repeat(nodes["treeids"][leaf], n_classes).tolist(),
        class_nodeids=np.repeat(nodes["nodeids"][leaf], n_classes).tolist(),
        class_ids=np.tile(np.arange(n_classes), n_leaves).tolist(),
        class_weights_as_tensor=_doubles(helper, values[leaf].ravel()),
        **{f"nodes_{name}": nodes[name].tolist() for name in ids},
        **_labels(classes, n_classes),
    )


def _doubles(helper: Any, values: Array) -> Any:
    """Make a tensor of float64."""
    from onnx import TensorProto

    return helper.make_tensor("values", TensorProto.DOUBLE, [len(values)], values)


def _labels(classes: Array, n_labels: int) -> dict[str, Any]:
    """Name the classes as the operator does, whole numbers or texts, and those that never win."""
    more = n_labels - len(classes)
    if np.issubdtype(classes.dtype, np.integer):
        return {"classlabels_int64s": classes.tolist() + [int(classes[-1]) + 1] * more}
    return {"classlabels_strings": [str(name) for name in classes.tolist()] + [""] * more}


def _serialised(helper: Any, graph: Any, model: PrunedTreeBoosting) -> bytes:
    """Wrap the graph with the versions it needs; the same model gives the same bytes."""
    imports = [helper.make_opsetid(domain, number) for domain, number in _VERSIONS.items()]
    made = helper.make_model(
        graph, opset_imports=imports, ir_version=_IR_VERSION, producer_name="whybox"
    )
    columns = getattr(model, "feature_names_in_", range(model.n_features_in_))
    helper.set_model_props(
        made,
        {
            "features": "\n".join(str(name) for name in columns),
            "classes": "\n".join(str(name) for name in model.classes_.tolist()),
        },
    )
    data: bytes = made.SerializeToString(deterministic=True)
    return data
