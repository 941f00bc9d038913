"""Inner folds: balanced, stratified, the same for any order of the rows."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import strategies
from whybox.cbpt.folds import FoldDealer

SEEDS = st.integers(0, 2**31 - 1)


@given(strategies.training_sets(), SEEDS, st.integers(2, 6))
def test_a_rows_fold_is_its_own_whatever_the_order(drawn, seed, n_folds):
    X, y, _, _ = drawn
    folds = FoldDealer.of(X, y).deal(seed, n_folds)
    back = FoldDealer.of(X[::-1], y[::-1]).deal(seed, n_folds)
    assert folds.tolist() == back[::-1].tolist()


@given(strategies.training_sets(), SEEDS)
def test_copies_stay_together_and_move_nobody(drawn, seed):
    X, y, w, _ = drawn
    copies = np.arange(len(y)).repeat(w + 1)
    folds = FoldDealer.of(X, y).deal(seed, 3)
    assert FoldDealer.of(X[copies], y[copies]).deal(seed, 3).tolist() == folds[copies].tolist()


def test_folds_are_balanced_by_class_and_new_for_each_seed():
    X = np.random.RandomState(0).normal(size=(103, 2))
    y = np.repeat([0, 1, 2], [70, 30, 3])
    dealer = FoldDealer.of(X, y)
    for seed in range(5):
        counts = np.array(
            [np.bincount(dealer.deal(seed, 5)[y == c], minlength=5) for c in range(3)]
        )
        assert (np.ptp(counts, axis=1) <= 1).all()
        assert np.ptp(counts.sum(axis=0)) <= 1
    assert (dealer.deal(0, 5) != dealer.deal(1, 5)).any()


def test_no_more_folds_than_distinct_rows():
    X, y = np.zeros((7, 2)), np.array([0, 0, 0, 1, 1, 1, 1])
    assert FoldDealer.of(X, y).n_folds(5) == 2


def test_equal_values_are_equal_rows():
    X = np.array([[0.0, np.nan], [-0.0, -np.nan]])
    assert FoldDealer.of(X, np.array([1, 1])).n_folds(5) == 1
    assert FoldDealer.of(X, np.array([1, 0])).n_folds(5) == 2
