"""Adapters of other libraries' classifiers."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from whybox.baselines import CodedLabels, scaled_logistic


def test_coded_labels_only_rename_the_classes():
    X, codes = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])
    weight = np.linspace(0.1, 1, len(X))
    plain = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, codes, weight)
    coded = CodedLabels(DecisionTreeClassifier(max_depth=2, random_state=0))
    coded.fit(X, names[codes], sample_weight=weight)
    assert_array_equal(coded.predict(X), names[plain.predict(X)])
    assert_array_equal(coded.predict_proba(X), plain.predict_proba(X))
    assert coded.classes_.tolist() == names.tolist()


def test_coded_labels_leave_the_estimator_given_untouched_and_can_be_cloned():
    inner = DecisionTreeClassifier(max_depth=3)
    coded = CodedLabels(inner).fit([[0.0], [1.0]], ["a", "b"])
    assert not hasattr(inner, "tree_")
    assert clone(coded).get_params()["estimator__max_depth"] == 3


def test_the_logistic_regression_does_not_depend_on_units_and_bears_missing_values():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 3))
    y = X[:, 0] + 0.1 * X[:, 1] > 0
    X[::7, 2] = np.nan
    one = scaled_logistic().fit(X, y).predict_proba(X)
    other = (
        scaled_logistic()
        .fit(X * [1000, 0.5, 3] + [0, 7, 0], y)
        .predict_proba(X * [1000, 0.5, 3] + [0, 7, 0])
    )
    np.testing.assert_allclose(one, other, atol=1e-6)
