"""Families of models: which names train one, which classes it is stored as, and what serves it.

A family plugs in here and nowhere else. What serves it is named as ``module:function`` and imported
when it is called, so that a verb needs no more than its own family's libraries.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from whybox.errors import InputError

__all__ = ["FAMILIES", "Family", "family_of_model", "family_of_name", "resolve", "trainable"]


@dataclass(frozen=True)
class Family:
    """What belongs together.

    Attributes
    ----------
    names : tuple of str
        What ``--model`` takes.
    classes : tuple of str
        Names of the classes that its model files hold.
    train : str
        ``run(config, *, progress, session) -> Outcome`` of a `whybox.config.TrainConfig`.
    explain : str
        The same of a `whybox.config.ExplainConfig`.
    describe : str, optional
        ``describe(model, card) -> (values, tables)``: what `whybox inspect` shows beside the card.
    exporters : mapping of str to str
        By ``--to``: ``export(model) -> str or bytes``, the file's contents.
    """

    names: tuple[str, ...]
    classes: tuple[str, ...]
    train: str
    explain: str
    describe: str | None = None
    exporters: Mapping[str, str] = field(default_factory=dict)


FAMILIES = (
    Family(
        names=("cbpt", "adaboost-pt"),
        classes=("CBPTClassifier", "AdaBoostPTClassifier"),
        train="whybox.pipelines.train_cbpt:run",
        explain="whybox.pipelines.explain_cbpt:run",
        exporters={"onnx": "whybox.cbpt.onnx:cbpt_onnx"},
    ),
    Family(
        names=("s3d",),
        classes=("S3DClassifier", "S3DRegressor"),
        train="whybox.pipelines.train_s3d:run",
        explain="whybox.pipelines.explain_s3d:run",
        describe="whybox.pipelines.describe_s3d:describe",
        exporters={
            "json": "whybox.s3d.rules:rules_json",
            "sql": "whybox.s3d.rules:rules_sql",
            "rules": "whybox.s3d.rules:rules_text",
        },
    ),
    Family(
        names=(
            "expressions-tree",
            "expressions-logistic",
            "expressions-forest",
            "expressions-knn",
        ),
        classes=("ExpressionsClassifier", "DiscriminatoryExpressions"),
        train="whybox.pipelines.train_texts:run",
        explain="whybox.pipelines.explain_texts:run",
        describe="whybox.pipelines.describe_texts:describe",
        exporters={
            "json": "whybox.expressions.exports:expressions_json",
            "regex": "whybox.expressions.exports:expressions_regex",
            "rules": "whybox.expressions.exports:expressions_rules",
        },
    ),
)


def trainable() -> tuple[str, ...]:
    """List the names that ``whybox train --model`` takes.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> trainable()[:3]
    ('cbpt', 'adaboost-pt', 's3d')
    """
    return tuple(name for family in FAMILIES for name in family.names)


def family_of_name(name: str) -> Family:
    """Find the family that a name trains.

    Parameters
    ----------
    name : str
        As ``--model`` was given.

    Returns
    -------
    Family

    Raises
    ------
    InputError
        If no family has the name.

    Examples
    --------
    >>> family_of_name("s3d").train
    'whybox.pipelines.train_s3d:run'
    """
    for family in FAMILIES:
        if name in family.names:
            return family
    raise InputError(
        f"no model {name!r} can be trained and stored",
        where="--model",
        remedy=f"choose one of {', '.join(trainable())}",
    )


def family_of_model(model: Any) -> Family | None:
    """Find the family of a fitted model.

    Parameters
    ----------
    model : fitted model
        As `whybox.model_io.load_model` gives it.

    Returns
    -------
    Family or None
        None for what is stored but of no family: the majority's answer, topics.

    Examples
    --------
    >>> from whybox.s3d import S3DRegressor
    >>> family_of_model(S3DRegressor()).names, family_of_model(object())
    (('s3d',), None)
    """
    kind = type(model).__name__
    return next((family for family in FAMILIES if kind in family.classes), None)


def resolve(target: str) -> Callable[..., Any]:
    """Import what serves a family.

    Parameters
    ----------
    target : str
        ``module:function``.

    Returns
    -------
    callable

    Examples
    --------
    >>> resolve("json:dumps")([1])
    '[1]'
    """
    module, function = target.split(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), function)
    return found
