"""The model card: what a model is for, what it is not for, and how it came to be.

A plain dictionary that goes to JSON as it is, so that it travels inside the model's file.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from whybox.errors import InputError

__all__ = ["CARD_VERSION", "RESPONSIBLE_USE", "model_card", "software_versions", "with_appraisal"]

CARD_VERSION = 1

RESPONSIBLE_USE = (
    "To infer something about people from what they post or do is to process personal data about "
    "them, even where it is public; what tells of health, beliefs, origin or private life is "
    "sensitive.",
    "An answer is a statistical likeness to labelled examples. It is no finding about a person: it "
    "is not a diagnosis, and it must not replace one.",
    "No decision about a person may be made automatically, or rest on it alone: a person who can "
    "see the evidence, and who may disagree, decides.",
    "Use it only with a lawful basis or consent, with ethical approval where research needs it, "
    "and within the terms of the platform the data come from.",
    "An explanation says what moved this model, not what causes what it was asked about.",
)

INTENDED_USE = (
    "Research on groups of people or texts, by people who know the data.",
    "Sorting candidates for review by trained people, with an answer's reasons at hand.",
)

OUT_OF_SCOPE = (
    "Judging, diagnosing, treating or advising an individual.",
    "Decisions on employment, insurance, credit, education, policing or access to a service.",
    "Contacting, ranking or exposing people without their consent.",
    "Populations, languages, platforms or years other than those of the training data, untested.",
)

LIMITS = (
    "Labels often come from what people say of themselves: those who say nothing count as negative.",
    "Where the positive class is rarer than in the training data, more of the flagged are wrong.",
    "Habits, platforms and language drift: figures age and have to be taken again.",
    "Few posts or values give weak evidence; sarcasm, quotations and other languages mislead counts "
    "of words.",
    "Groups that behave differently may be judged less well; compare error rates before any use.",
)

_SOFTWARE = ("whybox", "dask", "numba", "numpy", "pyarrow", "scikit-learn")


def model_card(
    model: Any,
    *,
    data: Mapping[str, Any],
    recipe: Mapping[str, Any],
    figures: Mapping[str, Any] | None = None,
    threshold: Mapping[str, Any] | None = None,
    hashes: Mapping[str, str] | None = None,
    contact: str | None = None,
    intended_use: str | None = None,
) -> dict[str, Any]:
    """Write a model's card.

    Parameters
    ----------
    model : estimator
        Fitted; its class, parameters, classes, feature names and size are noted.
    data : mapping
        Summary of the training data: rows, class counts, source.
    recipe : mapping
        All that shaped the features.
    figures : mapping, optional
        Cross-validated figures by metric; without them the card says that there are none.
    threshold : mapping, optional
        ``value``, ``rule`` and ``reason``.
    hashes : mapping of str to str, optional
        SHA-256 of inputs and features.
    contact : str, optional
        Whom to ask.
    intended_use : str, optional
        Replaces the general statement.

    Returns
    -------
    dict
        Plain JSON values only.

    Raises
    ------
    InputError
        If a part cannot be written as JSON.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> card = model_card(SimpleNamespace(classes_=["no", "yes"]), data={"rows": 5}, recipe={})
    >>> card["model"]["classes"], card["figures"]
    (['no', 'yes'], 'none: the model was not cross-validated')
    """
    card = {
        "card_version": CARD_VERSION,
        "model": _about(model),
        "intended_use": [intended_use] if intended_use else list(INTENDED_USE),
        "out_of_scope": list(OUT_OF_SCOPE),
        "responsible_use": list(RESPONSIBLE_USE),
        "data": dict(data),
        "features": _features(model),
        "recipe": dict(recipe),
        "figures": dict(figures) if figures else "none: the model was not cross-validated",
        "threshold": dict(threshold) if threshold else {"value": 0.5, "rule": "0.5"},
        "limits": list(LIMITS),
        "hashes": dict(hashes or {}),
        "software": software_versions(),
        "contact": contact or "whoever gave you this model",
    }
    try:
        plain: dict[str, Any] = json.loads(json.dumps(card, default=_jsonable, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise InputError(
            f"a part of the model card is not JSON: {error}",
            remedy="give numbers that are finite, strings, lists and mappings with string keys",
        ) from error
    return plain


def with_appraisal(card: Mapping[str, Any], appraisal: Mapping[str, Any] | None) -> dict[str, Any]:
    """Add to a card what its figures are worth.

    Parameters
    ----------
    card : mapping
        From `model_card`.
    appraisal : mapping or None
        ``figures`` with intervals, ``base_rates`` and ``subgroups``; None where nothing was
        measured. What it says of calibration, base rates and groups becomes lines of the limits.

    Returns
    -------
    dict

    Examples
    --------
    >>> with_appraisal({"limits": []}, None)["limits"]
    ['Calibration, base rates and groups of people: nothing was measured.']
    """
    limits = [*card["limits"], *_measured_limits(appraisal)]
    return {**card, "appraisal": None if appraisal is None else dict(appraisal), "limits": limits}


def _measured_limits(appraisal: Mapping[str, Any] | None) -> list[str]:
    """Say in sentences what was measured of calibration, base rates and groups, and what was not."""
    if appraisal is None:
        return ["Calibration, base rates and groups of people: nothing was measured."]
    lines = []
    error = appraisal["figures"].get("calibration_error")
    if error is not None:
        lines.append(
            f"Stated probabilities are off by {100 * error[0]:.1f} percentage points on average "
            "(expected calibration error)."
        )
    lines += [
        f"Where {100 * row['base_rate']:.3g} % are positive, "
        f"{100 * row['right_among_flagged'][0]:.0f} % of the flagged are right."
        for row in appraisal["base_rates"]
        if row["right_among_flagged"] is not None
    ][:3]
    columns = ", ".join(appraisal["subgroups"])
    lines.append(
        f"Errors were compared by {columns}, by nothing else."
        if columns
        else "Errors were not compared between groups of people (train --subgroups)."
    )
    return lines


def software_versions() -> dict[str, str]:
    """Name the versions that shaped a model.

    Returns
    -------
    dict of str to str
        Python and the packages that compute.

    Examples
    --------
    >>> sorted(software_versions())[:2]
    ['dask', 'numba']
    """
    versions = {"python": platform.python_version()}
    for name in _SOFTWARE:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "not installed"
    return versions


def _about(model: Any) -> dict[str, Any]:
    """Note a model's kind, parameters and size."""
    trees = getattr(model, "estimators_", None)
    parameters = model.get_params(deep=False) if hasattr(model, "get_params") else {}
    about: dict[str, Any] = {
        "kind": type(model).__name__,
        "parameters": {name: _setting(value) for name, value in sorted(parameters.items())},
        "classes": [_plain(value) for value in getattr(model, "classes_", ())],
    }
    if trees is not None and all(hasattr(tree, "n_leaves") for tree in trees):
        about["trees"] = len(trees)
        about["leaves"] = sum(int(tree.n_leaves) for tree in trees)
    return about


def _features(model: Any) -> list[str]:
    """Name a model's features, by position where they have no names."""
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        return [str(name) for name in names]
    return [f"column {at}" for at in range(int(getattr(model, "n_features_in_", 0)))]


def _setting(value: Any) -> Any:
    """Keep a parameter that JSON knows; name the type of any other (a callback)."""
    value = _plain(value)
    known = value is None or isinstance(value, (bool, int, float, str, list, tuple, dict))
    return value if known else f"<{type(value).__name__}>"


def _jsonable(value: Any) -> Any:
    """Help JSON with numpy's scalars and arrays."""
    if not hasattr(value, "tolist"):
        raise TypeError(f"{type(value).__name__} is no JSON value")
    return value.tolist()


def _plain(value: Any) -> Any:
    """Make a numpy scalar or array a Python value; leave the rest to the caller."""
    return value.tolist() if hasattr(value, "tolist") else value
