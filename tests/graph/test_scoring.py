"""Shapley values are the same bytes wherever they run and however rows are cut."""

from __future__ import annotations

import pytest
from sklearn.datasets import load_wine

from whybox.cbpt import CBPTClassifier
from whybox.graph.scoring import explain_in_blocks
from whybox.graph.session import connect
from whybox.trees.shap import ensemble_shap_values


@pytest.fixture(scope="module")
def fitted():
    X, y = load_wine(return_X_y=True)
    return CBPTClassifier(10, random_state=0).fit(X, y), X


@pytest.fixture(params=["sync", "cluster"])
def session(request):
    scheduler = "sync" if request.param == "sync" else request.getfixturevalue("cluster_address")
    with connect(scheduler) as opened:
        yield opened


@pytest.mark.parametrize("partitions", [None, 1, 3, 64, 1000])
def test_the_cut_changes_no_bit(session, fitted, partitions):
    model, X = fitted
    shap = ensemble_shap_values(model.estimators_, model.estimator_weights_, X)
    assert explain_in_blocks(session, model, X, partitions).tobytes() == shap.tobytes()


def test_no_rows_give_no_values(session, fitted):
    model, X = fitted
    n_classes = len(model.classes_)
    assert explain_in_blocks(session, model, X[:0]).shape == (0, X.shape[1], n_classes)
