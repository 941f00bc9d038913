"""The row that every table needs: what one gets by always guessing the most frequent class."""

from __future__ import annotations

import re
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from whybox.baselines.weights import start_weights
from whybox.errors import InputError

__all__ = ["MajorityClassifier"]


class MajorityClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Predict the most frequent class; give each class's prevalence as its probability.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels, sorted.
    prevalence_ : float64 array of shape (n_classes,)
        Weighted share of each class in the training rows.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if `X` had names.

    Examples
    --------
    >>> model = MajorityClassifier().fit([[0], [0], [0], [0]], ["a", "b", "b", "b"])
    >>> model.predict([[7]]), model.predict_proba([[7]])
    (array(['b'], dtype='<U1'), array([[0.25, 0.75]]))
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Count the classes.

        Parameters
        ----------
        X : array of shape (n_rows, n_features)
            Only its shape is used; missing values are allowed.
        y : array of shape (n_rows,)
        sample_weight : array of shape (n_rows,), optional

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If the shapes do not fit, `y` holds no classes, or the weights sum to nothing.
        """
        X, y = validate_data(self, X, y, ensure_all_finite="allow-nan")
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        sums = np.bincount(codes, start_weights(sample_weight, len(y)), len(self.classes_))
        self.prevalence_ = sums / sums.sum()
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Give the prevalence for each row.

        Parameters
        ----------
        X : array of shape (n_rows, n_features)

        Returns
        -------
        float64 array of shape (n_rows, n_classes)
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, ensure_all_finite="allow-nan")
        return np.tile(self.prevalence_, (X.shape[0], 1))

    def predict(self, X: Any) -> np.ndarray:
        """Give the most frequent class for each row, the first in order if several are.

        Parameters
        ----------
        X : array of shape (n_rows, n_features)

        Returns
        -------
        array of shape (n_rows,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, ensure_all_finite="allow-nan")
        return np.full(X.shape[0], self.classes_[np.argmax(self.prevalence_)])

    def to_state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Take the fitted model apart for a model file.

        Returns
        -------
        meta : dict
            JSON values.
        arrays : dict of str to array
        """
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        meta = {
            "classes": self.classes_.tolist(),
            "classes_dtype": self.classes_.dtype.str,
            "n_features_in": int(self.n_features_in_),
            "feature_names_in": None if names is None else [str(name) for name in names],
        }
        return meta, {"prevalence": self.prevalence_}

    @classmethod
    def from_state(cls, meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> Self:
        """Put a model together again.

        Parameters
        ----------
        meta, arrays
            As `to_state` gave them.

        Returns
        -------
        MajorityClassifier

        Raises
        ------
        InputError
            If they describe no such model; all that is wrong is listed.
        """
        problems = _problems(meta, arrays)
        if problems:
            raise InputError("; ".join(problems), where="MajorityClassifier")
        self = cls()
        self.classes_ = np.array(meta["classes"], dtype=np.dtype(meta["classes_dtype"]))
        self.prevalence_ = arrays["prevalence"]
        self.n_features_in_ = meta["n_features_in"]
        if meta["feature_names_in"] is not None:
            self.feature_names_in_ = np.array(meta["feature_names_in"], dtype=object)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        tags.input_tags.allow_nan = True
        return tags


def _problems(meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> list[str]:
    """List all that keeps a state from being a model."""
    expected = {"classes", "classes_dtype", "n_features_in", "feature_names_in"}
    if set(meta) != expected or set(arrays) != {"prevalence"}:
        return [f"expected {sorted(expected)} and the array 'prevalence'"]
    problems = []
    classes, share, names = meta["classes"], arrays["prevalence"], meta["feature_names_in"]
    if not isinstance(classes, list) or not classes:
        return ["classes is no list of labels"]
    if len({type(label) for label in classes}) > 1 or sorted(set(classes)) != classes:
        problems.append("classes are not distinct, sorted labels of one type")
    if not re.fullmatch(r"\|O|\|b1|<U\d{1,6}|<[iuf][248]|\|[iu]1", str(meta["classes_dtype"])):
        problems.append(f"classes_dtype {meta['classes_dtype']!r} is no type of labels")
    if share.dtype != np.float64 or share.shape != (len(classes),):
        problems.append("prevalence is not one float64 a class")
    elif not (np.all(share >= 0) and abs(share.sum() - 1) < 1e-9):
        problems.append("prevalence is not in [0, 1] or does not sum to 1")
    count = meta["n_features_in"]
    if type(count) is not int or count < 1:
        problems.append("n_features_in is no positive integer")
    elif names is not None and (not isinstance(names, list) or len(names) != count):
        problems.append("feature_names_in is not one name a feature")
    return problems
