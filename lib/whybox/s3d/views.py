"""What a fitted decomposition shows: where rows land, what was chosen, what it explains."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from whybox.kernels.s3d import FULL
from whybox.s3d.grid import Grid
from whybox.s3d.validation import checked_table
from whybox.trees.tree import Array

__all__ = ["Edge", "Views"]


class Edge(NamedTuple):
    """A link of the feature network, Eq. (10).

    Examples
    --------
    >>> Edge(source=3, target=0, weight=0.02).weight
    0.02
    """

    source: int
    """Column of the feature that explains less (or more) now."""
    target: int
    """Column of the chosen feature."""
    weight: float
    """R2 that choosing the target took from the source; negative: an interaction added it."""


class Views:
    """The attributes of ``whybox.s3d.S3DClassifier`` that follow from its grid and its gains.

    Examples
    --------
    >>> from whybox.s3d import S3DRegressor
    >>> issubclass(S3DRegressor, Views)
    True
    """

    min_samples: float
    n_features_in_: int
    grid_: Grid
    gains_: Array
    sum_of_squares_: float
    categories_: dict[int, list[Any]]

    def transform(self, X: object) -> Array:
        """Give each row's bins and block.

        Parameters
        ----------
        X : array-like or DataFrame (rows, features)

        Returns
        -------
        int64 (rows, chosen features + 1)
            The bin of each chosen feature, in the order of choice, counted from 0; the one after
            the last is that of missing values. Then the block's number in ``bin_table_``, -1 if
            no training row was there.

        Examples
        --------
        >>> from whybox.s3d import S3DRegressor
        >>> model = S3DRegressor().fit([[1.0], [2.0]] * 50, [0.5, 1.5] * 50)
        >>> model.transform([[0.0], [9.0], [np.nan]]).tolist()
        [[0, 0], [1, 1], [2, -1]]
        """
        check_is_fitted(self)
        table = checked_table(self, X, reset=False)
        table.refuse_infinite(self.categories_)
        places = np.zeros((table.n_rows, len(self.grid_.levels) + 1), np.int64)
        walk = self.grid_.walk(lambda j: table.column(j, self.categories_), table.n_rows)
        for k, (bins, block) in enumerate(walk):
            places[:, k], places[:, -1] = bins, block
        return places

    def get_feature_names_out(self, input_features: object = None) -> Array:
        """Name the columns that `transform` gives: ``<feature>_bin``, and ``block``.

        Examples
        --------
        >>> from whybox.s3d import S3DRegressor
        >>> S3DRegressor().fit([[1.0], [2.0]] * 50, [0, 1] * 50).get_feature_names_out().tolist()
        ['x0_bin', 'block']
        """
        names = [f"{self.feature_labels_[j]}_bin" for j in self.selected_features_]
        return np.array([*names, "block"], dtype=object)

    @property
    def feature_labels_(self) -> list[str]:
        """The columns' names; x0, x1, ... where they have none."""
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        if names is not None:
            return [str(name) for name in names]
        return [f"x{j}" for j in range(self.n_features_in_)]

    @property
    def selected_features_(self) -> list[int]:
        """Columns in the order of choice."""
        check_is_fitted(self)
        return [level.feature for level in self.grid_.levels]

    @property
    def splits_(self) -> list[Array]:
        """Inner cut values of each chosen feature, ascending; ``x <= cut`` is left of it."""
        check_is_fitted(self)
        return [level.cuts for level in self.grid_.levels]

    @property
    def r2_steps_(self) -> Array:
        """Each feature's gain of R2 given the grid so far: float64 (steps + 1, features)."""
        check_is_fitted(self)
        return np.asarray(self.gains_ / FULL)

    @property
    def r2_(self) -> float:
        """1 - SSE / SST of the model's answers to its training rows."""
        check_is_fitted(self)
        if not self.grid_.levels:
            return 0.0
        levels = self.grid_.levels
        gained = sum(int(self.gains_[k, level.feature]) for k, level in enumerate(levels)) / FULL
        off = np.square(
            self._outputs(self.grid_.mean[-1])
            - self._outputs(self.grid_.answers(self.min_samples)[-1])
        )
        return float(gained - self.grid_.weight[-1] @ off.sum(axis=1) / self.sum_of_squares_)

    @property
    def network_(self) -> list[Edge]:
        """The feature network (Eq. (10)), by target in the order of choice, then by source."""
        steps, edges = self.r2_steps_, []
        chosen = self.selected_features_
        for k, target in enumerate(chosen):
            lost = steps[k] - steps[k + 1]
            left = [j for j in range(self.n_features_in_) if j not in chosen[: k + 1]]
            edges += [Edge(j, target, float(lost[j])) for j in left if lost[j] != 0]
        return edges

    @property
    def bin_table_(self) -> Any:
        """The occupied blocks as a DataFrame: each feature's interval, N, and the mean."""
        from whybox.s3d.bins import bin_table

        check_is_fitted(self)
        return bin_table(self)

    def _outputs(self, mean: Array) -> Array:
        """Give the columns of the means whose squares R2 adds up."""
        return mean
