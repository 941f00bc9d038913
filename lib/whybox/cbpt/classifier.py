"""The estimators: CBPTClassifier, and AdaBoostPTClassifier without the penalties."""

from __future__ import annotations

from collections.abc import Callable

from whybox.cbpt.boosting import BoostingRules, Record
from whybox.cbpt.ensemble import PrunedTreeBoosting
from whybox.cbpt.penalties import PenaltyRules
from whybox.cbpt.pruning import PruningRules

__all__ = ["AdaBoostPTClassifier", "CBPTClassifier"]


class CBPTClassifier(PrunedTreeBoosting):
    """Cost-sensitive boosting pruning trees.

    Each round grows a tree to pure leaves on the weighted rows and prunes it to the subtree that
    errs least on resampled folds. Misclassified rows gain weight, the more the deeper and the
    purer the leaf where they landed.

    Parameters
    ----------
    n_estimators : int, default=500
        Trees; fewer if a tree errs nowhere.
    learning_rate : float, default=0.5
        Scales the trees' weights.
    n_pruning_folds : int, default=5
        Folds by which each tree is pruned, drawn anew each round, class by class; copies of a
        row stay together.
    pruning_cost : {"cart", "gini_sum"}, default="cart"
        Cost of a leaf: its share of the weight times its Gini, or Eq. (1) as printed.
    pruning_match : {"leaves", "alpha"}, default="leaves"
        How subtrees of the folds' trees stand for those of the full tree.
    pruning_window : (float, float) or None, default=(0.1, 0.9)
        Leaves a pruned tree may have, relative to the smallest fold tree's less one; None is
        Eq. (7) as printed.
    penalty : {"both", "depth", "impurity", "none"}, default="both"
        Penalties of misclassified rows, Eqs. (8) and (10).
    depth_penalty, penalty_floor : float, default=0.5, 1.0
        psi_d and eta_d of Eq. (8): penalties range from the floor to their sum.
    hardness_impurity : {"gini", "entropy"}, default="gini"
        Impurity in Eq. (9).
    weight_update : {"eq15", "eq14"}, default="eq15"
        exp(theta) * DP * IP, or Eq. (14) as printed.
    max_depth : int, optional
        Depth to which trees are grown, default unlimited.
    class_weight : dict or "balanced", optional
        Factors on the first round's weights. Probabilities stay those of ``sample_weight``.
    n_iter_no_change : int, optional
        Stop when the ensemble's training error has set no new minimum for so many rounds.
    max_time : float, optional
        Seconds after which no round begins; the first always runs. How many trees that leaves
        depends on the machine.
    callback : callable, optional
        Called with a copy of each round's record; stops the fit if it returns true.
    n_jobs : int, optional
        Threads for the trees of a round; the model is the same for any number.
    random_state : int, RandomState or None, default=None
        Seeds the folds.

    Attributes
    ----------
    estimators_ : list of Tree
    estimator_weights_ : float64 (trees,)
        theta_k.
    history_ : list of dict
        One a round: eps (weighted error), theta (0: dropped), leaves, leaves_grown, ess
        (effective number of rows), event ("kept", "perfect", "reset", "prior").
    stop_reason_ : str
        "n_estimators", "perfect", "resets", "callback", "max_time" or "no_change".
    expected_value_ : float64 (classes,)
        Prevalence by sample_weight: the base value of the SHAP values.
    classes_ : array (classes,)
    feature_importances_ : float64 (features,)
    input_dtype_ : dtype
        float32 or float64, in which values are compared.
    n_features_in_ : int
    feature_names_in_ : array of str
        If X had column names.

    References
    ----------
    Tong et al., "Cost-sensitive Boosting Pruning Trees for depression detection on Twitter",
    IEEE Transactions on Affective Computing, Algorithms 2 to 4.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
    >>> y = np.array(["no", "no", "yes", "no", "yes", "yes"])
    >>> model = CBPTClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> model.predict([[0.5], [4.5]]).tolist()
    ['no', 'yes']
    """

    def __init__(
        self,
        n_estimators: int = 500,
        learning_rate: float = 0.5,
        n_pruning_folds: int = 5,
        pruning_cost: str = "cart",
        pruning_match: str = "leaves",
        pruning_window: tuple[float, float] | None = (0.1, 0.9),
        penalty: str = "both",
        depth_penalty: float = 0.5,
        penalty_floor: float = 1.0,
        hardness_impurity: str = "gini",
        weight_update: str = "eq15",
        max_depth: int | None = None,
        class_weight: object = None,
        n_iter_no_change: int | None = None,
        max_time: float | None = None,
        callback: Callable[[Record], object] | None = None,
        n_jobs: int | None = None,
        random_state: object = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.n_pruning_folds = n_pruning_folds
        self.pruning_cost = pruning_cost
        self.pruning_match = pruning_match
        self.pruning_window = pruning_window
        self.penalty = penalty
        self.depth_penalty = depth_penalty
        self.penalty_floor = penalty_floor
        self.hardness_impurity = hardness_impurity
        self.weight_update = weight_update
        self.max_depth = max_depth
        self.class_weight = class_weight
        self.n_iter_no_change = n_iter_no_change
        self.max_time = max_time
        self.callback = callback
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _rules(self) -> BoostingRules:
        return BoostingRules(
            learning_rate=self.learning_rate,
            n_folds=self.n_pruning_folds,
            penalties=PenaltyRules(
                penalty=self.penalty,
                scale=self.depth_penalty,
                floor=self.penalty_floor,
                impurity=self.hardness_impurity,
            ),
            weight_update=self.weight_update,
            pruning=_pruning_rules(self),
        )


class AdaBoostPTClassifier(PrunedTreeBoosting):
    """AdaBoost of pruned trees: CBPTClassifier without the penalties of hard rows.

    Parameters
    ----------
    n_estimators, learning_rate, n_pruning_folds, pruning_cost, pruning_match, pruning_window
        See CBPTClassifier.
    max_depth, class_weight, n_iter_no_change, max_time, callback, n_jobs, random_state
        See CBPTClassifier, whose attributes it has too.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    >>> AdaBoostPTClassifier(n_estimators=3, random_state=0).fit(X, y).predict([[2.5]])
    array([1])
    """

    def __init__(
        self,
        n_estimators: int = 500,
        learning_rate: float = 0.5,
        n_pruning_folds: int = 5,
        pruning_cost: str = "cart",
        pruning_match: str = "leaves",
        pruning_window: tuple[float, float] | None = (0.1, 0.9),
        max_depth: int | None = None,
        class_weight: object = None,
        n_iter_no_change: int | None = None,
        max_time: float | None = None,
        callback: Callable[[Record], object] | None = None,
        n_jobs: int | None = None,
        random_state: object = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.n_pruning_folds = n_pruning_folds
        self.pruning_cost = pruning_cost
        self.pruning_match = pruning_match
        self.pruning_window = pruning_window
        self.max_depth = max_depth
        self.class_weight = class_weight
        self.n_iter_no_change = n_iter_no_change
        self.max_time = max_time
        self.callback = callback
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _rules(self) -> BoostingRules:
        return BoostingRules(
            learning_rate=self.learning_rate,
            n_folds=self.n_pruning_folds,
            penalties=PenaltyRules("none"),
            pruning=_pruning_rules(self),
        )


def _pruning_rules(model: CBPTClassifier | AdaBoostPTClassifier) -> PruningRules:
    """Gather the parameters that both classifiers have for pruning."""
    return PruningRules(
        cost=model.pruning_cost,
        match=model.pruning_match,
        window=model.pruning_window,
        max_depth=model.max_depth,
    )
