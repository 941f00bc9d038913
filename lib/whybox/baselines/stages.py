"""What a boosted model would have said after fewer rounds, for every library's boosters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from whybox.baselines.peers import CodedLabels

__all__ = ["n_rounds", "shown_rounds", "staged_labels"]


def shown_rounds(n: int, at_most: int = 40) -> tuple[int, ...]:
    """Choose rounds to look at: dense where a curve bends, sparse where it is flat.

    Parameters
    ----------
    n : int
        Rounds in all, 1 or more.
    at_most : int, default 40

    Returns
    -------
    tuple of int
        Ascending, spaced by equal factors as far as whole numbers allow; the first and the last
        are always among them.

    Examples
    --------
    >>> shown_rounds(100, 7)
    (1, 2, 5, 10, 22, 46, 100)
    """
    return tuple(np.unique(np.rint(np.geomspace(1, n, at_most)).astype(int)).tolist())


def n_rounds(model: Any) -> int:
    """Count the rounds of a fitted model.

    Parameters
    ----------
    model : classifier
        As `whybox.model_selection.make_model` makes them.

    Returns
    -------
    int
        0 for a method without stages.

    Examples
    --------
    >>> from sklearn.ensemble import AdaBoostClassifier
    >>> n_rounds(AdaBoostClassifier(n_estimators=1).fit([[0.0], [1.0]], [0, 1]))
    1
    """
    inner = _booster(model)
    if hasattr(inner, "booster_"):  # LightGBM
        return int(inner.booster_.current_iteration())
    if hasattr(inner, "get_booster"):  # XGBoost
        return int(inner.get_booster().num_boosted_rounds())
    if not hasattr(inner, "staged_predict"):
        return 0
    return int(inner.n_iter_) if hasattr(inner, "n_iter_") else len(inner.estimators_)


def staged_labels(
    model: Any, X: np.ndarray, rounds: tuple[int, ...]
) -> Iterator[tuple[int, np.ndarray]]:
    """Predict after some of the rounds.

    Parameters
    ----------
    model : fitted classifier with stages
    X : array of shape (n_rows, n_features)
    rounds : tuple of int
        1 is the first.

    Yields
    ------
    int, array of shape (n_rows,)
        A round and the labels after it; the last round's are those of ``predict``.

    Examples
    --------
    >>> from sklearn.ensemble import AdaBoostClassifier
    >>> model = AdaBoostClassifier(n_estimators=1).fit([[0.0], [1.0]], ["n", "y"])
    >>> [(k, labels.tolist()) for k, labels in staged_labels(model, np.array([[1.0]]), (1,))]
    [(1, ['y'])]
    """
    inner = _booster(model)
    if hasattr(inner, "booster_"):
        for k in rounds:
            yield k, model.classes_[_codes(inner.booster_.predict(X, num_iteration=k))]
    elif hasattr(inner, "get_booster"):
        for k in rounds:
            codes = np.asarray(inner.predict(X, iteration_range=(0, k)), dtype=np.intp)
            yield k, model.classes_[codes]
    else:
        for k, labels in enumerate(inner.staged_predict(X), start=1):
            if k in rounds:
                yield k, np.asarray(labels)


def _booster(model: Any) -> Any:
    """The model inside an adapter."""
    return model.estimator_ if isinstance(model, CodedLabels) else getattr(model, "model_", model)


def _codes(proba: Any) -> np.ndarray:
    """The likeliest class, as code; LightGBM gives one column for two classes."""
    proba = np.asarray(proba)
    return np.asarray(proba > 0.5 if proba.ndim == 1 else proba.argmax(axis=1), dtype=np.intp)
