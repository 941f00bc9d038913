"""Choosing the subtree: the window, its fallback, the two ways to match, ties."""

from __future__ import annotations

import numpy as np
import pytest

from whybox.cbpt.pruning import FoldCurve, GrownTree, PruningRules, choose_step
from whybox.trees import grow_tree

TREE = grow_tree([[0.0]], [0], None, 1)


def grown(sizes, alphas=None):
    alphas = np.arange(len(sizes)) / 10 if alphas is None else np.array(alphas)
    return GrownTree(TREE, np.zeros(1, np.int64), alphas, np.array(sizes))


def curve(sizes, errors, alphas=None):
    alphas = np.arange(len(sizes)) / 10 if alphas is None else np.array(alphas)
    return FoldCurve(alphas, np.array(sizes), np.array(errors))


def test_the_window_is_relative_to_the_smallest_fold_tree():
    # m = 11 - 1: candidates have 1 to 9 leaves
    full = grown([20, 10, 9, 5, 1])
    folds = [curve([11, 9, 1], [0.0, 0.3, 0.4]), curve([21, 10, 5, 1], [0.0, 0.1, 0.2, 0.4])]
    # 9: .3 + .2; 5: .4 + .2; 1: .4 + .4
    assert choose_step(full, folds, PruningRules()) == 2


def test_a_fold_contributes_its_largest_subtree_that_is_not_larger():
    full = grown([12, 6, 5, 4, 2, 1])
    fold = curve([11, 7, 5, 3, 1], [0.0, 0.0, 0.5, 0.1, 0.9])
    # 6 and 5 leaves both get the fold's 5, 4 gets its 3, 2 and 1 get its 1
    assert choose_step(full, [fold], PruningRules()) == 3


def test_the_larger_tree_wins_a_tie():
    full = grown([12, 6, 5, 1])
    assert choose_step(full, [curve([12, 4, 1], [0.0, 0.2, 0.2])], PruningRules()) == 1


def test_an_empty_window_falls_back_to_pruned_trees_of_two_leaves_or_more():
    fold = curve([2, 1], [0.1, 0.1])
    assert choose_step(grown([3, 2, 1]), [fold], PruningRules()) == 1
    assert choose_step(grown([2, 1]), [fold], PruningRules()) == 0


def test_without_a_window_every_positive_alpha_counts():
    full = grown([4, 3, 2, 1], [0.0, 0.0, 0.1, 0.2])
    fold = curve([4, 3, 2, 1], [0.0, 0.0, 0.3, 0.1])
    assert choose_step(full, [fold], PruningRules(window=None)) == 3


def test_alphas_match_at_the_geometric_mean_of_the_interval():
    full = grown([5, 3, 2, 1], [0.0, 0.01, 0.04, 0.16])
    fold = curve([9, 4, 3, 1], [0.0, 0.3, 0.2, 0.4], [0.0, 0.02, 0.05, 0.09])
    rules = PruningRules(match="alpha", window=None)
    # sqrt(.01 * .04) = .02 -> .3; sqrt(.04 * .16) = .08 -> .2; the root -> .4
    assert choose_step(full, [fold], rules) == 2


@pytest.mark.parametrize("match", ["leaves", "alpha"])
def test_no_fold_keeps_the_full_tree(match):
    assert choose_step(grown([5, 3, 1]), [], PruningRules(match=match)) == 0
