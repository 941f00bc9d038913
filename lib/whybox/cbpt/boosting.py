"""The boosting loop (Algorithm 4): grow and prune, weigh the tree, weigh the rows anew."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from whybox.cbpt.executors import RunParts, here
from whybox.cbpt.folds import FoldDealer
from whybox.cbpt.penalties import PenaltyRules, node_penalties
from whybox.cbpt.pruning import FULL, PruningRules, TrainingSet, choose_step, grow_part
from whybox.cbpt.weights import effective_size
from whybox.trees.predict import land, recount
from whybox.trees.prune import prune_tree
from whybox.trees.tree import Array, Tree
from whybox.trees.weights import round_weights

__all__ = ["MAX_RESETS", "UPDATES", "BoostingRules", "Round", "boost", "judged"]
__all__ += ["Record", "pruned_tree", "row_factors", "tree_weight"]

UPDATES = ("eq15", "eq14")
MAX_RESETS = 10
"""How often a fit may drop a useless tree and start from the initial weights again."""
_CHANCE = 1e-9  # an error that close to chance is chance and rounding
_MAX_LOG_FACTOR = 100.0  # exp of more would overflow; 35 already spans the grid of weights

Record = dict[str, Any]
"""One round in the history: eps, theta, leaves, leaves_grown, ess, event."""


@dataclass(frozen=True)
class BoostingRules:
    """What distinguishes one boosting from another; the defaults are those of CBPTClassifier.

    Parameters
    ----------
    learning_rate : float, default=0.5
        Scales the trees' weights.
    n_folds : int, default=5
    penalties : PenaltyRules
    weight_update : {"eq15", "eq14"}, default="eq15"
    pruning : PruningRules

    Examples
    --------
    >>> BoostingRules(learning_rate=1.0).pruning.cost
    'cart'
    """

    learning_rate: float = 0.5
    n_folds: int = 5
    penalties: PenaltyRules = field(default_factory=PenaltyRules)
    weight_update: str = "eq15"
    pruning: PruningRules = field(default_factory=PruningRules)


@dataclass(frozen=True, eq=False)
class Round:
    """What one round gave.

    Parameters
    ----------
    tree : Tree
        Pruned, and recounted by the sample weights.
    leaves : int64 (rows,)
        Where each training row lands.
    wrong : bool (rows,)
        Whether the tree misclassifies it.
    record : dict
        The round in the history. Events: "kept"; "perfect", the tree errs nowhere and is the
        last; "reset", it is no better than chance and dropped (theta is 0); "prior", the last of
        too many of those, kept because there is no other tree.

    Examples
    --------
    >>> from whybox.trees import grow_tree
    >>> tree = grow_tree(np.array([[0.0], [1.0]]), np.array([0, 1]), None, 2)
    >>> Round(tree, np.array([1, 2]), np.array([False, False]), {"theta": 0.5}).answers.tolist()
    [0, 1]
    """

    tree: Tree
    leaves: Array
    wrong: Array
    record: Record

    @property
    def answers(self) -> Array:
        """The tree's class index for each training row, int64 (rows,)."""
        return np.asarray(self.tree.majority[self.leaves])

    def amended(self, theta: float, event: str) -> Round:
        """Give the round with another weight and event."""
        return replace(self, record=self.record | {"theta": theta, "event": event})


def boost(
    data: TrainingSet,
    base: Array,
    start: Array,
    rules: BoostingRules,
    seeds: Sequence[int],
    run: RunParts | None = None,
) -> Iterator[Round]:
    """Run boosting, a round at a time, until a tree is perfect or resets are used up.

    Parameters
    ----------
    data : TrainingSet
    base : float64 (rows,)
        Positive sample weights, as ``whybox.trees.weights.relative`` gives them.
    start : float64 (rows,)
        Positive factors of the first round's weights: class weights, or ones.
    rules : BoostingRules
    seeds : sequence of int
        One a round, for its folds; there are at most so many rounds.
    run : callable, optional
        Runs the parts of a round (``whybox.cbpt.executors``), by default in this thread.

    Yields
    ------
    Round

    Examples
    --------
    >>> data = TrainingSet.of(np.arange(8.0)[:, None], np.array([0, 0, 0, 0, 1, 1, 1, 1]), 2)
    >>> [done.record["event"] for done in boost(data, np.ones(8), np.ones(8), BoostingRules(), [0])]
    ['perfect']
    """
    dealer = FoldDealer.of(data.X, data.labels)
    factors, resets, heaviest = start, 0, 0.0
    for seed in seeds:
        factors, weight = round_weights(base, factors)
        folds = dealer.deal(seed, dealer.n_folds(rules.n_folds))
        tree, leaves_grown = pruned_tree(data, weight, folds, rules.pruning, run)
        done = judged(data, weight, base, tree, leaves_grown, rules.learning_rate)
        event = done.record["event"]
        resets += event == "reset"
        if event == "perfect":
            done = done.amended(heaviest or 1.0, event)
        elif resets > MAX_RESETS and not heaviest:
            done = done.amended(1.0, "prior")
        yield done
        if event == "perfect" or resets > MAX_RESETS:
            return
        heaviest = max(heaviest, done.record["theta"])
        factors = start if event == "reset" else factors * row_factors(done, base, rules)


def judged(
    data: TrainingSet,
    weight: Array,
    base: Array,
    tree: Tree,
    leaves_grown: int,
    learning_rate: float,
) -> Round:
    """Land the rows in a pruned tree and weigh it by its error.

    Parameters
    ----------
    data : TrainingSet
    weight, base : float64 (rows,)
        The round's weights on the grid, and the sample weights.
    tree : Tree
    leaves_grown : int
        What it had before pruning.
    learning_rate : float

    Returns
    -------
    Round

    Examples
    --------
    >>> from whybox.trees import grow_tree
    >>> data = TrainingSet.of(np.array([[0.0], [1.0]]), np.array([0, 1]), 2)
    >>> tree, ones = grow_tree(data.X, data.labels, None, 2), np.ones(2)
    >>> judged(data, ones, ones, tree, 2, 0.5).record["event"]
    'perfect'
    """
    leaves = land(tree, data.X)
    tree = recount(tree, leaves, data.labels, base)
    wrong = tree.majority[leaves] != data.labels
    eps = float(weight[wrong].sum() / weight.sum())
    theta, event = tree_weight(eps, data.n_classes, learning_rate)
    record = {
        "eps": eps,
        "theta": theta,
        "leaves": tree.n_leaves,
        "leaves_grown": leaves_grown,
        "ess": effective_size(weight),
        "event": event,
    }
    return Round(tree, leaves, wrong, record)


def pruned_tree(
    data: TrainingSet,
    weight: Array,
    folds: Array,
    rules: PruningRules,
    run: RunParts | None = None,
) -> tuple[Tree, int]:
    """Grow, judge on folds and prune one tree (Algorithm 2).

    Parameters
    ----------
    data : TrainingSet
    weight : float64 (rows,)
        On the grid, all positive.
    folds : int64 (rows,)
        The fold of each row; a single fold means that there is nothing to judge by.
    rules : PruningRules
    run : callable, optional
        As for ``boost``.

    Returns
    -------
    Tree
        Pruned.
    int
        The number of leaves it had been grown to.

    Examples
    --------
    >>> data = TrainingSet.of(np.arange(4.0)[:, None], np.array([0, 0, 1, 1]), 2)
    >>> tree, grown = pruned_tree(
    ...     data, np.full(4, 0.125), np.array([0, 1, 0, 1]), PruningRules()
    ... )
    >>> tree.n_leaves, grown
    (2, 2)
    """
    n_folds = int(folds.max()) + 1
    work = partial(grow_part, weight=weight, folds=folds, rules=rules)
    parts = [FULL, *range(n_folds)] if n_folds > 1 else [FULL]
    grown, *curves = (run or here(data))(work, parts)
    step = choose_step(grown, curves, rules)
    return prune_tree(grown.tree, grown.steps, step), int(grown.n_leaves[0])


def tree_weight(eps: float, n_classes: int, learning_rate: float) -> tuple[float, str]:
    """Weigh a tree by its error (Eq. 13, without the 1/2 that Eq. (14)'s 2 cancels).

    Parameters
    ----------
    eps : float
        Weighted share of misclassified rows.
    n_classes : int
    learning_rate : float

    Returns
    -------
    float
        theta; 0 if the error is 0 or no better than chance, 1 - 1/n_classes.
    str
        "kept", "perfect" or "reset".

    Examples
    --------
    >>> tree_weight(0.25, 2, 1.0)
    (1.0986122886681098, 'kept')
    >>> tree_weight(0.5, 2, 1.0)
    (0.0, 'reset')
    """
    if eps == 0:
        return 0.0, "perfect"
    if eps > 1 - 1 / n_classes - _CHANCE:
        return 0.0, "reset"
    return learning_rate * (math.log((1 - eps) / eps) + math.log(n_classes - 1)), "kept"


def row_factors(done: Round, base: Array, rules: BoostingRules) -> Array:
    """Say by how much the weight of each row grows: 1 where the tree is right.

    Parameters
    ----------
    done : Round
    base : float64 (rows,)
        Sample weights.
    rules : BoostingRules
        "eq15" multiplies exp(theta), depth and impurity penalty, as in Eq. (15)'s normaliser;
        "eq14" is Eq. (14) as printed, which does nothing where a penalty is 1.

    Returns
    -------
    float64 (rows,)

    Examples
    --------
    >>> from whybox.trees import grow_tree
    >>> tree = grow_tree(np.array([[0.0], [1.0]]), np.array([0, 1]), None, 2)
    >>> wrong, rules = np.array([False, True]), BoostingRules(penalties=PenaltyRules("none"))
    >>> done = Round(tree, np.array([1, 1]), wrong, {"theta": np.log(2)})
    >>> row_factors(done, np.ones(2), rules).round(12).tolist()
    [1.0, 2.0]
    """
    tree, leaves = done.tree, done.leaves
    share = np.bincount(leaves, base, minlength=tree.n_nodes) / base.sum()
    deep, pure = node_penalties(tree, share, rules.penalties)
    theta = min(done.record["theta"], _MAX_LOG_FACTOR)
    if rules.weight_update == "eq14":
        factors = np.exp(np.minimum(theta * np.log(deep) * np.log(pure), _MAX_LOG_FACTOR))
    else:
        factors = math.exp(theta) * deep * pure
    return np.where(done.wrong, factors[leaves], 1.0)
