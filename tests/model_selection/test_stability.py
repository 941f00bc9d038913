"""How alike folds are, against plain versions and by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

from whybox.cbpt import CBPTClassifier
from whybox.model_selection import stability
from whybox.model_selection.stability import (
    rank_correlation,
    shap_importance,
    shuffled_importance,
    top_features_jaccard,
)


@pytest.fixture(scope="module")
def rows():
    X, y = load_breast_cancer(return_X_y=True)
    return X[:, :6], y


def naive_shuffled(model, X, seed):
    """One feature after the other."""
    rng = np.random.Generator(np.random.PCG64(seed))
    orders = rng.permuted(np.tile(np.arange(len(X)), (X.shape[1], 1)), axis=1)
    before, found = model.predict_proba(X), []
    for feature, order in enumerate(orders):
        copy = X.copy()
        copy[:, feature] = X[order, feature]
        found.append(np.mean(np.abs(model.predict_proba(copy) - before)))
    return found


@pytest.mark.parametrize("block", [1, 10**9])
def test_blocks_of_copies_give_what_one_feature_at_a_time_gives(rows, block, monkeypatch):
    X, y = rows
    model = RandomForestClassifier(20, random_state=0).fit(X, y)
    monkeypatch.setattr(stability, "_BLOCK_VALUES", block)
    found = shuffled_importance(model, X[:200], seed=4)
    np.testing.assert_allclose(found, naive_shuffled(model, X[:200], 4), rtol=1e-12)


def test_a_feature_that_no_tree_uses_counts_nothing(rows):
    X, y = rows
    X = np.column_stack([X, np.zeros(len(X))])
    model = CBPTClassifier(5, random_state=0).fit(X, y)
    assert shuffled_importance(model, X, seed=0)[-1] == 0
    by_shap = shap_importance(model, X)
    assert by_shap[-1] == 0
    assert np.argmax(by_shap) == np.argmax(shuffled_importance(model, X, seed=0))


def test_only_a_sum_of_whybox_trees_has_shap_and_only_probabilities_can_move(rows):
    X, y = rows
    assert shap_importance(RandomForestClassifier(2, random_state=0).fit(X, y), X) is None
    assert shuffled_importance(object(), X, seed=0) is None


def test_rank_correlation_is_the_mean_of_spearmans_with_ties():
    folds = np.random.default_rng(1).integers(0, 4, size=(4, 12)).astype(float)
    pairs = itertools.combinations(folds, 2)
    expected = np.mean([spearmanr(a, b).statistic for a, b in pairs])
    assert rank_correlation(folds) == pytest.approx(expected, abs=1e-12)
    assert rank_correlation(folds[:1]) is None


def test_overlap_of_the_top_features_by_hand():
    assert top_features_jaccard([[5, 4, 0, 0], [5, 4, 3, 2]], top=3) == 2 / 3  # 0 is not selected
    assert top_features_jaccard([[5, 4, 3, 2, 1], [1, 2, 3, 4, 5]]) == 1 / 5  # half of 5 is 3
    assert top_features_jaccard([[0, 0], [0, 0]]) is None
