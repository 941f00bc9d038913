from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from whybox.cbpt import CBPTClassifier
from whybox.errors import InputError
from whybox.expressions.comprehensibility import (
    clauses,
    complexity,
    comprehensibility_rate,
    neighbours_rate,
    rules,
)
from whybox.trees.grow import grow_tree

TABLES = json.loads(
    (Path(__file__).parents[1] / "data/expressions/paper_tables.json").read_text(encoding="utf-8")
)
RNG = np.random.default_rng(0)
X, Y = RNG.integers(0, 2, (200, 5)).astype(float), RNG.integers(0, 2, 200)


def printed(value):
    """The tables cut their figures after two decimals."""
    return math.floor(value * 100) / 100


@pytest.mark.parametrize("row", TABLES["X"].values(), ids=TABLES["X"])
def test_published_figures_of_trees_come_out(row):
    value = complexity(row["rules_mean"], row["clauses_mean"])
    assert printed(value) == row["complexity"]
    assert printed(comprehensibility_rate(row["f1_mean"], value)) == row["rate"]


@pytest.mark.parametrize("row", TABLES["XI"].values(), ids=TABLES["XI"])
def test_published_figures_of_forests_come_out(row):
    value = complexity(row["rules_mean"], row["clauses_mean"], trees=5)
    assert printed(value) == row["complexity"]
    assert printed(comprehensibility_rate(row["f1_mean"], value)) == row["rate"]


@pytest.mark.parametrize("row", TABLES["IX"].values(), ids=TABLES["IX"])
def test_published_figures_of_neighbours_come_out(row):
    f1 = {k: row[f"k{k}_mean"] for k in (5, 7, 9, 10, 25)}
    assert neighbours_rate(f1) == pytest.approx(row["sum_f1_over_k"], abs=2e-4)


def test_rules_are_leaves_and_clauses_their_mean_depth():
    tree = DecisionTreeClassifier(random_state=0).fit(X, Y)
    paths = np.asarray(tree.decision_path(X).sum(axis=1)).ravel() - 1
    leaves = tree.apply(X)
    depth = {leaf: int(paths[leaves == leaf][0]) for leaf in np.unique(leaves)}
    assert rules(tree) == len(depth) == tree.get_n_leaves()
    assert clauses(tree) == pytest.approx(np.mean(list(depth.values())))


def test_a_forest_is_the_mean_of_its_trees():
    forest = RandomForestClassifier(3, random_state=0).fit(X, Y)
    assert rules(forest) == pytest.approx(np.mean([rules(tree) for tree in forest.estimators_]))
    assert clauses(forest) == pytest.approx(np.mean([clauses(t) for t in forest.estimators_]))
    boosted = GradientBoostingClassifier(n_estimators=2, random_state=0).fit(X, Y)
    assert rules(boosted) > 1


def test_trees_of_this_package_are_measured_too():
    tree = grow_tree(X, Y, np.ones(len(Y)), 2)
    assert rules(tree) == int((tree.children_left < 0).sum())
    model = CBPTClassifier(n_estimators=3, random_state=0).fit(X, Y)
    assert rules(model) == pytest.approx(np.mean([rules(t) for t in model.estimators_]))


def test_a_single_leaf_is_one_rule_without_clauses():
    tree = DecisionTreeClassifier().fit(X, np.zeros(len(X)))
    assert (rules(tree), clauses(tree)) == (1.0, 0.0)
    assert comprehensibility_rate(0.5, complexity(1, 0)) == float("inf")


def test_a_model_without_trees_is_refused():
    with pytest.raises(InputError, match="expected a fitted tree or forest"):
        rules(DecisionTreeClassifier())
