"""Rows behind which few training rows stand are found, those of the training kind are not."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression

from whybox.cbpt import CBPTClassifier
from whybox.errors import InputError
from whybox.model_selection.leaf_support import support_limit, thin_share
from whybox.trees.predict import land


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    X[:, 1] = X[:, 0] + 0.2 * X[:, 1]  # both together, seldom one without the other
    labels = (X[:, 0] + 0.5 * rng.normal(size=300)) > 0
    return CBPTClassifier(15, random_state=0).fit(X, labels), X


def test_shares_are_those_of_a_loop_over_trees(model):
    fitted, X = model
    rows = X[:25] + np.array([0.0, 3.0])
    expected = np.zeros(len(rows))
    for tree, weight in zip(fitted.estimators_, fitted.estimator_weights_, strict=True):
        for row, leaf in enumerate(land(tree, rows)):
            expected[row] += weight * (tree.n_node_samples[leaf] < 6)
    expected /= fitted.estimator_weights_.sum()
    np.testing.assert_allclose(thin_share(fitted, rows, 6), expected, atol=1e-12)


def test_rows_put_together_at_random_are_strangers_more_often_than_unseen_rows():
    rng = np.random.default_rng(0)
    X, y = load_breast_cancer(return_X_y=True)
    fitted = CBPTClassifier(40, random_state=0).fit(X[::2], y[::2])
    limit = support_limit(thin_share(fitted, X[::2]))
    mixed = np.column_stack([rng.permutation(column) for column in X[1::2].T])
    unseen, strangers = (np.mean(thin_share(fitted, rows) > limit) for rows in (X[1::2], mixed))
    assert unseen < 0.03
    assert strangers > 2 * unseen


@pytest.mark.parametrize("at_most", [0.0, 0.01, 0.2])
def test_the_limit_spares_all_but_the_allowed_share(at_most):
    shares = np.random.default_rng(1).random(500)
    assert (shares > support_limit(shares, at_most)).mean() <= at_most


def test_a_model_without_leaves_is_refused():
    with pytest.raises(InputError, match="no leaves"):
        thin_share(LogisticRegression(), np.zeros((1, 2)))
