"""The boosting loop against the plain one, and its steps."""

from __future__ import annotations

import math
import pickle
from functools import partial

import numpy as np
import pytest

import naive
from whybox.cbpt.boosting import (
    MAX_RESETS,
    BoostingRules,
    Round,
    boost,
    pruned_tree,
    row_factors,
    tree_weight,
)
from whybox.cbpt.executors import in_threads
from whybox.cbpt.folds import FoldDealer
from whybox.cbpt.pruning import PruningRules, TrainingSet
from whybox.trees import grow_tree, land


def noisy(seed, n_classes, n_rows=40):
    random = np.random.RandomState(seed)
    X = random.normal(size=(n_rows, 3)).round(1)
    y = np.clip(
        (X[:, 0] + random.normal(size=n_rows) + n_classes / 2).astype(int), 0, n_classes - 1
    )
    return X, y.astype(np.int64)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", [0, 1])
def test_rounds_equal_those_of_the_plain_algorithm(seed, n_classes):
    X, y = noisy(seed, n_classes)
    data, ones = TrainingSet.of(X, y, n_classes), np.ones(len(y))
    seeds = [11, 22, 33, 44]
    rounds = list(boost(data, ones, ones, BoostingRules(), seeds))
    assert len(rounds) == len(seeds)
    w = np.ones(len(y)) / len(y)
    for seed_of_round, done in zip(seeds, rounds, strict=True):
        folds = FoldDealer.of(X, y).deal(seed_of_round, 5).tolist()
        (eps, theta, leaves), factors = naive.pruned_round(X, y, w, folds, n_classes)
        assert done.record["eps"] == pytest.approx(eps, rel=1e-9)
        assert done.record["theta"] == pytest.approx(theta, rel=1e-9)
        assert done.tree.n_leaves == leaves
        w = w * factors
        w = w / w.sum()
        # plain sums are not exact: put them where ties are real again
        w = np.rint(w * 2.0**40) / 2.0**40


def by_post(data, work, parts):
    """Run parts as a cluster would: everything travels as bytes, and so do the answers."""
    data, work = pickle.loads(pickle.dumps(data)), pickle.loads(pickle.dumps(work))
    return [pickle.loads(pickle.dumps(work(data, part))) for part in parts]


def test_an_executor_changes_nothing():
    X, y = noisy(3, 2)
    data, weight = TrainingSet.of(X, y, 2), np.full(len(y), 1 / 64)
    folds = np.arange(len(y)) % 5
    here, leaves_here = pruned_tree(data, weight, folds, PruningRules())
    with in_threads(data, 3) as threads:
        for run in (threads, partial(by_post, data)):
            there, leaves_there = pruned_tree(data, weight, folds, PruningRules(), run)
            assert leaves_here == leaves_there
            for name, array in vars(here).items():
                np.testing.assert_array_equal(array, getattr(there, name))


def test_theta_is_zero_at_chance_and_samme_elsewhere():
    assert tree_weight(0.5, 2, 0.5) == (0.0, "reset")
    assert tree_weight(2 / 3, 3, 0.5) == (0.0, "reset")
    assert tree_weight(1.0, 2, 0.5) == (0.0, "reset")
    assert tree_weight(0.0, 1, 0.5) == (0.0, "perfect")
    theta, event = tree_weight(0.6, 3, 0.5)
    assert event == "kept"
    assert theta == pytest.approx(0.5 * (math.log(0.4 / 0.6) + math.log(2)))


def test_eq14_does_nothing_where_a_penalty_is_one():
    X, y = noisy(4, 2)
    tree = grow_tree(X, y, None, 2, max_depth=1)  # all leaves equally deep
    wrong = np.arange(len(y)) % 3 == 0
    done = Round(tree, land(tree, X), wrong, {"theta": 1.0})
    literal = row_factors(done, np.ones(len(y)), BoostingRules(weight_update="eq14"))
    meant = row_factors(done, np.ones(len(y)), BoostingRules())
    assert (literal == 1).all()
    assert meant.tolist() == np.where(wrong, math.e, 1.0).tolist()


def test_useless_trees_reset_the_weights_a_bounded_number_of_times():
    X, y = np.zeros((4, 1)), np.array([0, 0, 1, 1])
    ones = np.ones(4)
    rounds = list(boost(TrainingSet.of(X, y, 2), ones, ones, BoostingRules(), range(100)))
    assert [done.record["event"] for done in rounds] == ["reset"] * MAX_RESETS + ["prior"]
    assert [done.record["theta"] for done in rounds] == [0.0] * MAX_RESETS + [1.0]
    assert rounds[-1].tree.unweighted_share.tolist() == [[0.5, 0.5]]


def test_a_reset_brings_the_first_weights_back():
    X, y = np.zeros((10, 1)), np.array([0, 0, 0, 1, 1, 1, 1, 1, 1, 1])
    ones = np.ones(10)
    rules = BoostingRules(learning_rate=1.0)
    rounds = list(boost(TrainingSet.of(X, y, 2), ones, ones, rules, range(4)))
    events = [done.record["event"] for done in rounds]
    assert events[0] == "kept"
    assert "reset" in events
    after = rounds[events.index("reset") + 1].record
    assert after["ess"] == rounds[0].record["ess"] == 10
