"""Models by the names that the command line knows, each imported when it is asked for.

The peers run on one thread with fixed seeds: the fan-out is over folds, and a result must not
depend on the machine's cores. Boosted peers get 500 trees, as in Tong et al. (Tables S6 to S9),
and the first values of their grids; parameters given to `make_model` win.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from whybox.errors import InputError

__all__ = ["is_installed", "known_models", "library_of", "make_model", "make_regressor"]


@dataclass(frozen=True)
class _Recipe:
    """Where a model lives and what it is given."""

    target: str  # module:name
    fixed: Mapping[str, Any] = field(default_factory=dict)
    seeded: bool = True
    coded: bool = False  # only knows the labels 0, 1, 2, ...
    library: str | None = None  # that the extra "bench" brings
    listed: bool = True  # among `known_models`; others need parameters that nobody types


_RECIPES = {
    "cbpt": _Recipe("whybox.cbpt:CBPTClassifier"),
    "adaboost-pt": _Recipe("whybox.cbpt:AdaBoostPTClassifier"),
    "s3d": _Recipe("whybox.s3d:S3DClassifier", seeded=False),
    "majority": _Recipe("whybox.baselines:MajorityClassifier", seeded=False),
    "metadata-only": _Recipe("whybox.baselines.columns:few_columns_logistic", listed=False),
    "keyword-only": _Recipe("whybox.baselines.columns:few_columns_logistic", listed=False),
    "tree": _Recipe("sklearn.tree:DecisionTreeClassifier"),
    "forest": _Recipe(
        "sklearn.ensemble:RandomForestClassifier", {"n_estimators": 500, "n_jobs": 1}
    ),
    "logistic": _Recipe("whybox.baselines:scaled_logistic", {"max_iter": 1000}),
    "adaboost": _Recipe(
        "sklearn.ensemble:AdaBoostClassifier", {"n_estimators": 500, "learning_rate": 0.5}
    ),
    "real-adaboost": _Recipe("whybox.baselines:RealAdaBoostClassifier"),
    "logitboost": _Recipe("whybox.baselines:LogitBoostClassifier"),
    "hist-gradient-boosting": _Recipe("sklearn.ensemble:HistGradientBoostingClassifier"),
    "lightgbm": _Recipe(
        "lightgbm:LGBMClassifier",
        {
            "n_estimators": 500,
            "num_leaves": 64,
            "deterministic": True,
            "force_row_wise": True,
            "n_jobs": 1,
            "verbose": -1,
        },
        library="lightgbm",
    ),
    "kigb": _Recipe("whybox.baselines.kigb:KiGBClassifier", library="lightgbm"),
    "xgboost": _Recipe(
        "xgboost:XGBClassifier",
        {
            "n_estimators": 500,
            "max_depth": 5,
            "learning_rate": 0.1,
            "tree_method": "hist",
            "n_jobs": 1,
            "verbosity": 0,
        },
        coded=True,
        library="xgboost",
    ),
    "ebm": _Recipe(
        "interpret.glassbox:ExplainableBoostingClassifier", {"n_jobs": 1}, library="interpret"
    ),
}

_REGRESSORS = {
    "s3d": _Recipe("whybox.s3d:S3DRegressor", seeded=False),
    "ridge": _Recipe("whybox.model_selection.regression:scaled_ridge", seeded=False),
    "tree": _Recipe("sklearn.tree:DecisionTreeRegressor"),
    "hist-gradient-boosting": _Recipe("sklearn.ensemble:HistGradientBoostingRegressor"),
    "mean": _Recipe("sklearn.dummy:DummyRegressor", seeded=False),
}


def known_models() -> tuple[str, ...]:
    """List the names that `make_model` takes, installed or not.

    Returns
    -------
    tuple of str
        Sorted.

    Examples
    --------
    >>> "cbpt" in known_models(), "majority" in known_models()
    (True, True)
    """
    return tuple(sorted(_listed(_RECIPES)))


def is_installed(name: str) -> bool:
    """Tell whether a model's library is on this machine; it is not imported.

    Parameters
    ----------
    name : str
        One of `known_models`.

    Returns
    -------
    bool

    Examples
    --------
    >>> is_installed("majority"), is_installed("hist-gradient-boosting")
    (True, True)
    """
    library = _RECIPES[name].library
    return library is None or importlib.util.find_spec(library) is not None


def library_of(name: str) -> str | None:
    """Name the library that a model comes from, where the extra `bench` brings it.

    Parameters
    ----------
    name : str
        One of `known_models`.

    Returns
    -------
    str or None
        None for what always is there.

    Examples
    --------
    >>> library_of("kigb"), library_of("cbpt")
    ('lightgbm', None)
    """
    return _RECIPES[name].library


def make_model(name: str, seed: int, **params: Any) -> Any:
    """Make a classifier that is not fitted yet.

    Parameters
    ----------
    name : str
        One of `known_models`.
    seed : int
        Its only source of chance.
    **params
        Its parameters, where they differ from the defaults here.

    Returns
    -------
    classifier
        With scikit-learn's interface.

    Raises
    ------
    InputError
        If the name is unknown, its library is not installed, or it has no such parameter.

    Examples
    --------
    >>> make_model("tree", 7, max_depth=2)
    DecisionTreeClassifier(max_depth=2, random_state=7)
    >>> make_model("oracle", 7)
    Traceback (most recent call last):
    whybox.errors.InputError: there is no model 'oracle' (--model): choose one of ...
    """
    return _make(_RECIPES, name, seed, params)


def make_regressor(name: str, seed: int, **params: Any) -> Any:
    """Make a model of real outcomes that is not fitted yet.

    Parameters
    ----------
    name : {"s3d", "ridge", "tree", "hist-gradient-boosting", "mean"}
    seed : int
        Its only source of chance.
    **params
        Its parameters, where they differ from the defaults here.

    Returns
    -------
    regressor
        With scikit-learn's interface.

    Raises
    ------
    InputError
        As `make_model`.

    Examples
    --------
    >>> make_regressor("tree", 7, max_depth=2)
    DecisionTreeRegressor(max_depth=2, random_state=7)
    """
    return _make(_REGRESSORS, name, seed, params)


def _listed(recipes: Mapping[str, _Recipe]) -> list[str]:
    """Names that a person may give."""
    return [name for name, recipe in recipes.items() if recipe.listed]


def _make(recipes: Mapping[str, _Recipe], name: str, seed: int, params: dict[str, Any]) -> Any:
    """Make what a recipe says."""
    recipe = recipes.get(name)
    if recipe is None:
        raise InputError(
            f"there is no model {name!r}",
            where="--model",
            remedy=f"choose one of {', '.join(sorted(_listed(recipes)))}",
        )
    seeds = {"random_state": seed} if recipe.seeded else {}
    settings = {**recipe.fixed, **seeds, **params}
    try:
        model = _load(name, recipe)(**settings)
    except TypeError as error:
        raise InputError(
            f"the model {name!r} does not take these parameters: {error}",
            where=", ".join(sorted(params)) or name,
            remedy="check their names in the grid",
        ) from error
    if recipe.coded:
        return importlib.import_module("whybox.baselines").CodedLabels(model)
    return model


def _load(name: str, recipe: _Recipe) -> Any:
    """Import what makes a model."""
    module, attribute = recipe.target.split(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, OSError) as error:  # OSError: its shared library
        if recipe.library is None:
            raise
        raise InputError(
            f"the model {name!r} needs {recipe.library}, which cannot be imported",
            where="--model",
            remedy='pip install "whybox[bench]"',
        ) from error
