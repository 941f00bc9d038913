"""S3DClassifier: the decomposition for labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from whybox.errors import InputError
from whybox.s3d.base import FeatureSpaceDecomposition
from whybox.s3d.search import Decomposition
from whybox.s3d.source import StatisticsSource
from whybox.trees.tree import Array

__all__ = ["S3DClassifier"]


class S3DClassifier(ClassifierMixin, FeatureSpaceDecomposition):  # type: ignore[misc]
    """Structured feature-space decomposition (S3D) for classes.

    Features are chosen one by one. Each is cut into bins where that explains most of what the
    grid of the features chosen before leaves unexplained; the prediction is the share of the
    classes in the block of the grid where a row lands.

    Parameters
    ----------
    penalty : float, default=0.001
        lambda of Eqs. (5) and (8): a split pays if it explains at least this share of what was
        unexplained before the feature.
    max_features : int, optional
        How many features to choose at most; default: until nothing pays.
    stopping : {"patience", "best_loss"}, default="patience"
        Which splits of a feature stay: those up to the last one that paid, or the prefix of
        lowest loss (Eq. (8)).
    patience : int, default=5
        Splits in a row that do not pay before the search for more ends; 1 is the paper's prose.
    noise_floor : float, default=6.0
        A split that cuts g blocks must also explain ``noise_floor * g / N``: pure noise explains
        about g / N, and the best of many splits of it several times that. 0 is the paper. The
        default was chosen by nested cross-validation (5 folds outside, 4 inside, the paper's
        penalties) on eleven sets of 126 to 5,000 rows, where the means of AUC or R2 are .60
        with a floor of 0, .71 with 4, .76 with 6, .77 with 8 and .76 with 12; the two sets of
        4,000 rows and more do best with 4. Below a few thousand rows the floor asks for more
        than any of the paper's penalties, so that there it decides alone.
    min_samples : float, default=1
        A block of less weight answers with the deepest block above it that has enough.
    max_bins : int, optional
        At most so many values a feature, by equi-depth bins; default: all values, up to 65,535
        distinct ones, else 4,096 equi-depth bins. A feature of no more distinct values than that
        keeps them.
    max_blocks : int, default=100_000
        No feature is chosen once there are so many occupied blocks.
    categorical_features : "from_dtype", None or list, default="from_dtype"
        Columns (names or indices) that hold categories; "from_dtype": those of type category,
        string and object of a DataFrame. Categories are ordered by their mean outcome (share of
        the second class; of the most frequent one if there are more) and then cut like numbers.
        One that was not there in training counts as missing.
    user_splits : dict, optional
        Column (name or index) -> inner cut values: the feature's bins, taken as they are.

    Attributes
    ----------
    selected_features_ : list of int
        Columns in the order of choice.
    splits_ : list of float64 (cuts,)
        Inner cut values of each chosen feature. Categories are numbered as in ``categories_``.
    categories_ : dict of int to list
        Categorical column -> its categories, in order.
    r2_steps_ : float64 (steps + 1, features)
        Each feature's gain of R2 given the grid so far; 0 where it is chosen or nothing pays.
    r2_ : float
        1 - SSE / SST of the answers to the training rows (with more than two classes: of Gini).
    ties_ : list of list of int
        The columns that gained most at each step: more than one if they tie exactly; the first
        one is chosen.
    network_ : list of Edge
        (source, target, weight), Eq. (10).
    bin_table_ : DataFrame
        One row an occupied block: intervals, n, mean.
    binning_loss_ : dict of int to float
        Columns that were binned before the search -> b: a split of one loses at most
        b / (p (1 - p)) of R2, p being the share of the positive class.
    threshold_ : float or None
        theta of Eq. (11): the training blocks from this share of the second class upwards hold at
        least as many rows as there are positives. None unless there are two classes.
    grid_ : Grid
    classes_ : array (classes,)
    tuning_ : DataFrame or None
        What `whybox.graph.s3d_tuning.tune` chose from: penalty, n_features, mean, sd, n_folds.
    n_features_in_ : int
    feature_names_in_ : array of str
        If X had column names.

    References
    ----------
    Fennell, Zuo, Lerman, "Predicting and explaining behavioral data with structured feature space
    decomposition", EPJ Data Science 8:23 (2019).

    Examples
    --------
    >>> import numpy as np
    >>> X = np.tile(np.arange(8.0), 20)[:, None]
    >>> y = np.where((X[:, 0] > 2) & (X[:, 0] <= 5), "yes", "no")
    >>> model = S3DClassifier(penalty=0.01).fit(X, y)
    >>> model.splits_[0].tolist(), model.predict([[1.0], [4.0]]).tolist()
    ([2.0, 5.0], ['no', 'yes'])
    """

    classes_: Array
    threshold_: float | None

    def __init__(
        self,
        penalty: float = 0.001,
        max_features: int | None = None,
        stopping: str = "patience",
        patience: int = 5,
        noise_floor: float = 6.0,
        min_samples: float = 1,
        max_bins: int | None = None,
        max_blocks: int = 100_000,
        categorical_features: object = "from_dtype",
        user_splits: Mapping[Any, Any] | None = None,
    ) -> None:
        self.penalty = penalty
        self.max_features = max_features
        self.stopping = stopping
        self.patience = patience
        self.noise_floor = noise_floor
        self.min_samples = min_samples
        self.max_bins = max_bins
        self.max_blocks = max_blocks
        self.categorical_features = categorical_features
        self.user_splits = user_splits

    def _n_classes(self) -> int:
        return len(self.classes_)

    def _outcomes(self, parts: list[Array]) -> list[Array]:
        """Number the classes."""
        from sklearn.utils.multiclass import check_classification_targets

        try:
            for y in parts:
                check_classification_targets(y)
            self.classes_ = np.unique(np.concatenate([np.unique(y) for y in parts]))
        except (ValueError, TypeError) as error:
            raise InputError(str(error), where="y") from error
        return [np.searchsorted(self.classes_, y) for y in parts]

    def _means(self, source: StatisticsSource, found: Decomposition) -> tuple[Array, ...]:
        """Give the classes' shares."""
        if len(self.classes_) == 1:
            return tuple(np.ones((len(n), 1)) for n in found.n)
        shares = [s / n[:, None] for n, s in zip(found.n, found.s, strict=True)]
        if len(self.classes_) > 2:
            return tuple(shares)
        rest = [(n[:, None] - s) / n[:, None] for n, s in zip(found.n, found.s, strict=True)]
        return tuple(np.hstack(pair) for pair in zip(rest, shares, strict=True))

    def _finish(self) -> None:
        """Choose the threshold: count blocks, the most positive first, up to the positives."""
        self.threshold_ = None
        if len(self.classes_) == 2:
            mean, weight = self.grid_.mean[-1][:, 1], self.grid_.weight[-1]
            order = np.argsort(-mean, kind="stable")
            positives = self.grid_.weight[0][0] * self.grid_.mean[0][0, 1]
            reached = np.cumsum(weight[order]) >= positives * (1 - 1e-12)
            self.threshold_ = float(mean[order][reached.argmax()]) if positives > 0 else 1.0

    def _outputs(self, mean: Array) -> Array:
        return mean[:, 1:] if mean.shape[1] == 2 else mean

    def predict(self, X: object) -> Array:
        """Give the positive class from the threshold on, or the block's most frequent class.

        Parameters
        ----------
        X : array-like or DataFrame (rows, features)

        Returns
        -------
        array (rows,)

        Examples
        --------
        >>> X, y = np.tile(np.arange(4.0), 25)[:, None], np.tile([0, 0, 1, 2], 25)
        >>> S3DClassifier().fit(X, y).predict([[0.5], [1.5], [7.0]]).tolist()
        [0, 1, 2]
        """
        shares = self.predict_proba(X)
        return self._labels(shares)

    def predict_proba(self, X: object) -> Array:
        """Give the classes' shares in the block where each row lands.

        Parameters
        ----------
        X : array-like or DataFrame (rows, features)

        Returns
        -------
        float64 (rows, classes)

        Examples
        --------
        >>> X, y = np.tile(np.arange(4.0), 25)[:, None], np.tile([0, 0, 1, 1], 25)
        >>> S3DClassifier().fit(X, y).predict_proba([[0.5]]).tolist()
        [[1.0, 0.0]]
        """
        *_, shares = self._column_means(X)
        return shares

    def staged_predict_proba(self, X: object) -> Iterator[Array]:
        """Give what `predict_proba` would with none of the features, the first, and so on.

        Parameters
        ----------
        X : array-like or DataFrame (rows, features)

        Yields
        ------
        float64 (rows, classes)

        Examples
        --------
        >>> X, y = np.tile(np.arange(4.0), 25)[:, None], np.tile([0, 0, 1, 1], 25)
        >>> [p.tolist() for p in S3DClassifier().fit(X, y).staged_predict_proba([[0.5]])]
        [[[0.5, 0.5]], [[1.0, 0.0]]]
        """
        yield from self._column_means(X)

    def _labels(self, shares: Array) -> Array:
        """Decide for a class."""
        if self.threshold_ is None:
            return np.asarray(self.classes_[shares.argmax(axis=1)])
        return np.asarray(self.classes_[(shares[:, 1] >= self.threshold_).astype(int)])
