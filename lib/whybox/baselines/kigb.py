"""KiGB: gradient boosting that is told in which direction features count.

Source: Kokel, Odom, Yang and Natarajan, "A unified framework for knowledge intensive gradient
boosting" (2020), with the settings of Tong et al., Table S8. Theirs leans towards the advice by a
penalty; here the advice is LightGBM's monotone constraints, which hold exactly. Without any advice
it is plain gradient boosting.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from lightgbm import LGBMClassifier
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from whybox.baselines.weights import start_weights
from whybox.errors import InputError

__all__ = ["KiGBClassifier"]

_MOST_COPIES = 1_000_000


class KiGBClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Boost trees under declared monotone constraints.

    Parameters
    ----------
    signs : mapping of feature to +1 or -1, optional
        Features by name (if X has names) or by column number. +1: the probability of
        ``classes_[1]`` never falls as the feature grows; -1: it never rises. Two classes only.
    n_estimators : int, default 500
    learning_rate : float, default 0.1
    num_leaves : int, default 64
    max_depth : int, default 5
    min_samples_split : int, default 2
        LightGBM has a minimum of rows in a leaf instead: half of this, at least 1.
    random_state : int or None

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    model_ : the fitted LGBMClassifier
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if X had names.

    Examples
    --------
    >>> X, y = np.arange(40.0).reshape(-1, 1), np.arange(40) % 20 > 9  # up, down, up
    >>> free = KiGBClassifier(n_estimators=20).fit(X, y).predict([[15.0], [22.0], [35.0]])
    >>> told = KiGBClassifier({0: 1}, n_estimators=20).fit(X, y).predict([[15.0], [22.0], [35.0]])
    >>> free.tolist(), bool(told[1] >= told[0])
    ([True, False, True], True)
    """

    def __init__(
        self,
        signs: Mapping[Any, int] | None = None,
        n_estimators: int = 500,
        learning_rate: float = 0.1,
        num_leaves: int = 64,
        max_depth: int = 5,
        min_samples_split: int = 2,
        random_state: int | None = None,
    ) -> None:
        self.signs = signs
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.num_leaves = num_leaves
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Boost.

        Parameters
        ----------
        X : array of shape (n_rows, n_features)
            Missing values are allowed.
        y : array of shape (n_rows,)
        sample_weight : array of shape (n_rows,), optional
            Whole numbers of a sum up to a million count copies: a minimum of rows in a leaf counts
            them, too.

        Returns
        -------
        self

        Raises
        ------
        InputError
            If a sign is neither +1 nor -1, its feature is not there, or there are more than two
            classes: a direction would have no meaning.
        """
        X, y = validate_data(self, X, y, ensure_all_finite="allow-nan", dtype=np.float64)
        check_classification_targets(y)
        rows, weight = _in_order(X, y, sample_weight)
        self.classes_ = np.unique(y[rows])
        constraints = self._constraints()
        if any(constraints) and len(self.classes_) != 2:
            raise InputError(
                f"signs need two classes, and there are {len(self.classes_)}",
                where="signs",
                remedy="choose two with --classes, or leave the signs out",
            )
        self.model_ = LGBMClassifier(
            n_estimators=self.n_estimators,
            learning_rate=self.learning_rate,
            num_leaves=self.num_leaves,
            max_depth=self.max_depth,
            min_child_samples=max(1, self.min_samples_split // 2),
            monotone_constraints=constraints if any(constraints) else None,
            random_state=self.random_state,
            deterministic=True,
            force_row_wise=True,
            n_jobs=1,
            verbose=-1,
        )
        self.model_.fit(X[rows], y[rows], sample_weight=weight)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Predict labels.

        Parameters
        ----------
        X : array of shape (n_rows, n_features)

        Returns
        -------
        array of shape (n_rows,)
        """
        best = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def predict_proba(self, X: Any) -> np.ndarray:
        """Predict probabilities, columns in the order of ``classes_``.

        Parameters
        ----------
        X : array of shape (n_rows, n_features)

        Returns
        -------
        array of shape (n_rows, n_classes)
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, ensure_all_finite="allow-nan", dtype=np.float64)
        # Through the booster: the wrapper would warn that X has lost its names.
        proba = np.asarray(self.model_.booster_.predict(X))
        return np.column_stack([1 - proba, proba]) if proba.ndim == 1 else proba

    def _constraints(self) -> list[int]:
        """One of -1, 0, +1 a column."""
        names = getattr(self, "feature_names_in_", np.array([], dtype=object)).tolist()
        columns = {name: column for column, name in enumerate(names)}
        constraints = [0] * int(self.n_features_in_)
        for feature, sign in (self.signs or {}).items():
            column = columns.get(feature, feature)
            known = isinstance(column, int) and 0 <= column < len(constraints)
            if not known or sign not in (-1, 1):
                raise InputError(
                    f"{feature!r} has the sign {sign!r}",
                    where="signs",
                    remedy="give +1 or -1 for features by their names or column numbers",
                )
            constraints[column] = int(sign)
        return constraints

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _in_order(X: np.ndarray, y: np.ndarray, sample_weight: Any) -> tuple[np.ndarray, Any]:
    """The rows to fit on, sorted by their values, and the weights that remain.

    LightGBM's sums depend on the order of rows in their last bits, and these decide ties. Its bins
    and minima count rows whatever they weigh, so a row that stands for some is given so often.
    """
    rows = np.lexsort((*X.T, np.unique(y, return_inverse=True)[1]))
    if sample_weight is None:
        return rows, None
    share = start_weights(sample_weight, len(y))[rows]
    counts = np.asarray(sample_weight, np.float64)[rows]
    if counts.sum() <= _MOST_COPIES and (counts == np.rint(counts)).all():
        return rows.repeat(counts.astype(np.int64)), None
    seen = share > 0
    return rows[seen], share[seen] * len(y)
