"""What both classifiers share: fitting round by round, voting, and going to plain data."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state

from whybox.cbpt.boosting import MAX_RESETS, BoostingRules, Record, Round, boost
from whybox.cbpt.executors import Executor, in_threads
from whybox.cbpt.pruning import TrainingSet
from whybox.cbpt.validation import (
    check_parameters,
    checked_matrix,
    checked_training,
    class_factors,
)
from whybox.errors import InputError
from whybox.trees.predict import importances, land, recount, sum_leaves
from whybox.trees.tree import Array, Tree
from whybox.trees.weights import as_weights, relative

__all__ = ["PrunedTreeBoosting"]


class PrunedTreeBoosting(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The loop over rounds and the votes; a subclass says by which rules it boosts.

    Parameters and attributes are those of ``whybox.cbpt.CBPTClassifier``.

    Examples
    --------
    >>> from whybox.cbpt import AdaBoostPTClassifier
    >>> issubclass(AdaBoostPTClassifier, PrunedTreeBoosting)
    True
    """

    n_estimators: int
    class_weight: object
    n_iter_no_change: int | None
    max_time: float | None
    callback: Callable[[Record], object] | None
    n_jobs: int | None
    random_state: object

    estimators_: list[Tree]
    estimator_weights_: Array
    history_: list[Record]
    classes_: Array
    expected_value_: Array
    n_features_in_: int

    @abstractmethod
    def _rules(self) -> BoostingRules:
        """Give the rules of boosting that the parameters say."""

    def fit(self, X: object, y: object, sample_weight: object = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or DataFrame (rows, features)
            NaN is a missing value. float32 and float64 are compared in their own type.
        y : array-like (rows,)
            Labels.
        sample_weight : array-like (rows,), optional
            0 or more, ones by default; a constant factor changes nothing, and a weight of 3 is
            the same as three copies. Rows of zero weight count only in ``n_node_samples``.

        Returns
        -------
        self

        Raises
        ------
        InputError
            If a parameter or an argument is malformed; the message names it.

        Examples
        --------
        >>> from whybox.cbpt import CBPTClassifier
        >>> CBPTClassifier(random_state=0).fit([[0.0], [1.0]], [0, 1]).stop_reason_
        'perfect'
        """
        return self.fit_by(partial(in_threads, n_jobs=self.n_jobs), X, y, sample_weight)

    def fit_by(
        self, executor: Executor, X: object, y: object, sample_weight: object = None
    ) -> Self:
        """Fit the model as ``fit`` does, an executor running the trees of each round.

        Parameters
        ----------
        executor : callable
            Given the training set, a context manager of what runs the parts of a round
            (``whybox.cbpt.executors``). ``whybox.graph.fit_on_workers`` brings Dask's. ``n_jobs``
            is not looked at.
        X : array-like or DataFrame (rows, features)
        y : array-like (rows,)
        sample_weight : array-like (rows,), optional

        Returns
        -------
        self
            The same model for any executor.

        Raises
        ------
        InputError
            If a parameter or an argument is malformed; the message names it.

        Examples
        --------
        >>> from whybox.cbpt import CBPTClassifier
        >>> model = CBPTClassifier(random_state=0)
        >>> model.fit_by(in_threads, [[0.0], [1.0]], [0, 1]).stop_reason_
        'perfect'
        """
        check_parameters(self.get_params())
        matrix, y = checked_training(self, X, y)
        base = relative(as_weights(sample_weight, len(matrix)))
        self.classes_, labels = np.unique(y, return_inverse=True)
        self.input_dtype_ = matrix.dtype
        totals = np.bincount(labels, base, minlength=len(self.classes_))
        self.expected_value_ = totals / totals.sum()
        start = class_factors(self.class_weight, self.classes_, self.expected_value_)[labels]
        used = base > 0
        data = TrainingSet.of(matrix[used], labels[used], len(self.classes_))
        with executor(data) as run:
            self._keep_rounds(
                boost(data, base[used], start[used], self._rules(), self._seeds(), run),
                data.labels,
                base[used],
            )
        if not used.all():
            self.estimators_ = [
                recount(tree, land(tree, matrix), labels, base) for tree in self.estimators_
            ]
        return self

    def _seeds(self) -> list[int]:
        """Draw the seeds of all rounds at once, so that they are data from here on."""
        try:
            random = check_random_state(self.random_state)
        except ValueError as error:
            raise InputError(f"random_state: {error}") from error
        return list(random.randint(0, 2**31 - 1, size=self.n_estimators + MAX_RESETS + 1).tolist())

    def _keep_rounds(self, rounds: Iterator[Round], labels: Array, base: Array) -> None:
        """Collect trees, weights and history until there is a tree and a reason to stop."""
        self.estimators_, self.history_, thetas, reason = [], [], [], None
        started = time.monotonic()
        watch = _NoChange(self.n_iter_no_change, labels, base, len(self.classes_))
        for done in rounds:
            self.history_.append(done.record)
            if done.record["theta"] > 0:
                self.estimators_.append(done.tree)
                thetas.append(done.record["theta"])
            stalled = watch.stalled(done)
            reason = self._reason_to_stop(done.record, time.monotonic() - started, stalled)
            if reason and thetas:
                break
        self.stop_reason_ = reason or "resets"
        self.estimator_weights_ = np.array(thetas)

    def _reason_to_stop(self, record: Record, seconds: float, stalled: bool) -> str | None:
        """Say why no round should follow, or None."""
        told = self.callback is not None and self.callback(dict(record))
        reasons = {
            "perfect": record["event"] == "perfect",
            "n_estimators": len(self.estimators_) == self.n_estimators,
            "callback": told,
            "max_time": self.max_time is not None and seconds >= self.max_time,
            "no_change": stalled,
        }
        return next((reason for reason, holds in reasons.items() if holds), None)

    def predict(self, X: object) -> Array:
        """Give the label with the largest weighted vote of the trees.

        Parameters
        ----------
        X : array-like or DataFrame (rows, features)

        Returns
        -------
        array (rows,)
            The first class on a tie. Near 0.5 a vote may disagree with ``predict_proba``.

        Examples
        --------
        >>> from whybox.cbpt import CBPTClassifier
        >>> CBPTClassifier(random_state=0).fit([[0.0], [1.0]], [3, 7]).predict([[2.0]])
        array([7])
        """
        matrix = checked_matrix(self, X)
        votes = sum_leaves(self.estimators_, matrix, [self._votes(k) for k in self._all()])
        return np.asarray(self.classes_[votes.argmax(axis=1)])

    def predict_proba(self, X: object) -> Array:
        """Give the trees' weighted mean of class shares, by sample_weight, of the landing leaves.

        Parameters
        ----------
        X : array-like or DataFrame (rows, features)

        Returns
        -------
        float64 (rows, classes)

        Examples
        --------
        >>> from whybox.cbpt import CBPTClassifier
        >>> model = CBPTClassifier(random_state=0).fit([[0.0], [1.0]], [3, 7])
        >>> model.predict_proba([[2.0]])
        array([[0., 1.]])
        """
        matrix = checked_matrix(self, X)
        shares = sum_leaves(self.estimators_, matrix, [self._shares(k) for k in self._all()])
        return np.asarray(shares / self.estimator_weights_.sum())

    def staged_predict(self, X: object) -> Iterator[Array]:
        """Give what ``predict`` would with the first tree, the first two, and so on.

        Parameters
        ----------
        X : array-like or DataFrame (rows, features)

        Yields
        ------
        array (rows,)

        Examples
        --------
        >>> from whybox.cbpt import CBPTClassifier
        >>> model = CBPTClassifier(random_state=0).fit([[0.0], [1.0]], [3, 7])
        >>> list(model.staged_predict([[2.0]]))
        [array([7])]
        """
        for _, votes in self._stages(checked_matrix(self, X), self._votes):
            yield self.classes_[votes.argmax(axis=1)]

    def staged_predict_proba(self, X: object) -> Iterator[Array]:
        """Give what ``predict_proba`` would with the first tree, the first two, and so on.

        Parameters
        ----------
        X : array-like or DataFrame (rows, features)

        Yields
        ------
        float64 (rows, classes)

        Examples
        --------
        >>> from whybox.cbpt import CBPTClassifier
        >>> model = CBPTClassifier(random_state=0).fit([[0.0], [1.0]], [3, 7])
        >>> list(model.staged_predict_proba([[2.0]]))
        [array([[0., 1.]])]
        """
        for k, shares in self._stages(checked_matrix(self, X), self._shares):
            yield shares / self.estimator_weights_[: k + 1].sum()

    @property
    def feature_importances_(self) -> Array:
        """Mean decrease of weighted Gini by feature over the weighted trees, of sum 1."""
        total = np.zeros(self.n_features_in_)
        for tree, theta in zip(self.estimators_, self.estimator_weights_, strict=True):
            total += theta * importances(tree, self.n_features_in_)
        whole = total.sum()
        return np.asarray(total / whole) if whole > 0 else total

    def to_state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Give the fitted model as plain data.

        Returns
        -------
        dict
            Fit for JSON: parameters, history, columns. Equal models give equal data whatever
            ``n_jobs`` and ``callback`` were.
        dict of str to array
            Nodes of all trees, the trees' weights, classes.

        Examples
        --------
        >>> from whybox.cbpt import CBPTClassifier
        >>> model = CBPTClassifier(random_state=0).fit([[0.0], [1.0]], [3, 7])
        >>> model.to_state()[1]["feature"].tolist()
        [0, -2, -2]
        """
        from whybox.cbpt.state import pack

        return pack(self)

    @classmethod
    def from_state(cls, meta: Mapping[str, Any], arrays: Mapping[str, Array]) -> Self:
        """Make a fitted model of what ``to_state`` gave.

        Parameters
        ----------
        meta : mapping
        arrays : mapping of str to array

        Returns
        -------
        estimator

        Raises
        ------
        InputError
            If anything does not fit; all of it is checked here.

        Examples
        --------
        >>> from whybox.cbpt import CBPTClassifier
        >>> model = CBPTClassifier(random_state=0).fit([[0.0], [1.0]], [3, 7])
        >>> CBPTClassifier.from_state(*model.to_state()).predict([[2.0]])
        array([7])
        """
        from whybox.cbpt.state import unpack

        model = cls()
        unpack(model, meta, arrays)
        return model

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _all(self) -> range:
        return range(len(self.estimators_))

    def _votes(self, k: int) -> Array:
        """Weighted vote of tree k at each node, (nodes, classes)."""
        choice = np.eye(len(self.classes_))[self.estimators_[k].majority]
        return np.asarray(self.estimator_weights_[k] * choice)

    def _shares(self, k: int) -> Array:
        """Weighted class shares of tree k at each node, (nodes, classes)."""
        return np.asarray(self.estimator_weights_[k] * self.estimators_[k].unweighted_share)

    def _stages(self, matrix: Array, values: Callable[[int], Array]) -> Iterator[tuple[int, Array]]:
        """Running sums of the trees' values, adding in the order that ``predict`` does."""
        total = np.zeros((len(matrix), len(self.classes_)))
        for k in self._all():
            total = total + sum_leaves([self.estimators_[k]], matrix, [values(k)])
            yield k, total


class _NoChange:
    """Watches the error of the growing ensemble on its training rows."""

    def __init__(self, patience: int | None, labels: Array, base: Array, n_classes: int) -> None:
        self.patience, self.labels, self.base = patience, labels, base
        self.votes = np.zeros((len(labels), n_classes))
        self.least, self.waited = np.inf, 0

    def stalled(self, done: Round) -> bool:
        """Add a round's votes; tell whether the error has set no new minimum for long enough."""
        if self.patience is None:
            return False
        self.votes[np.arange(len(self.labels)), done.answers] += done.record["theta"]
        error = float(self.base[self.votes.argmax(axis=1) != self.labels].sum())
        self.waited = 0 if error < self.least else self.waited + 1
        self.least = min(self.least, error)
        return self.waited >= self.patience
