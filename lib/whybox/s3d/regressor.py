"""S3DRegressor: the decomposition for real outcomes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from whybox.errors import InputError
from whybox.s3d.base import FeatureSpaceDecomposition
from whybox.s3d.search import Decomposition
from whybox.s3d.source import StatisticsSource
from whybox.trees.tree import Array

__all__ = ["S3DRegressor"]


class S3DRegressor(RegressorMixin, FeatureSpaceDecomposition):  # type: ignore[misc]
    """Structured feature-space decomposition (S3D) for real outcomes.

    Parameters
    ----------
    penalty, max_features, stopping, patience, noise_floor, min_samples, max_bins, max_blocks
        See S3DClassifier.
    categorical_features, user_splits
        See S3DClassifier, whose attributes it has too, but for classes and threshold. Outcomes
        are added up in fixed point of as many bits as the number of rows leaves in 64 (41 for a
        million rows); means are exact, rounded once.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.tile(np.arange(4.0), 25)[:, None]
    >>> S3DRegressor().fit(X, np.abs(X[:, 0] - 1)).predict([[0.0], [1.0], [9.0]])
    array([1., 0., 2.])
    """

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
        return 0

    def _outcomes(self, parts: list[Array]) -> list[Array]:
        """Make floats, all finite."""
        outcomes = []
        for y in parts:
            try:
                floats = np.asarray(y, dtype=np.float64)
            except (TypeError, ValueError) as error:
                raise InputError("y is not numeric", remedy="use S3DClassifier") from error
            if not np.isfinite(floats).all():
                bad = int(np.argmin(np.isfinite(floats)))
                raise InputError(
                    f"y holds {floats[bad]} at row {bad}: NaN, infinity or a missing value",
                    remedy="drop the row or give it a finite outcome",
                )
            outcomes.append(floats)
        return outcomes

    def _means(self, source: StatisticsSource, found: Decomposition) -> tuple[Array, ...]:
        """Give the exact means, rounded once."""
        sums = source.limb_sums(len(found.n[-1]))
        means = [source.units.means(found.n[-1], sums)]
        for level, n in zip(found.levels[::-1], found.n[-2::-1], strict=True):
            above = np.zeros((len(n), sums.shape[1]), np.int64)
            np.add.at(above, level.parent, sums)
            sums = above
            means.append(source.units.means(n, sums))
        return tuple(mean[:, None] for mean in means[::-1])

    def predict(self, X: object) -> Array:
        """Give the mean of the block where each row lands.

        Parameters
        ----------
        X : array-like or DataFrame (rows, features)

        Returns
        -------
        float64 (rows,)

        Examples
        --------
        >>> S3DRegressor().fit([[1.0], [2.0]] * 50, [0.5, 1.5] * 50).predict([[0.0]])
        array([0.5])
        """
        *_, means = self._column_means(X)
        return means[:, 0]

    def staged_predict(self, X: object) -> Iterator[Array]:
        """Give what `predict` would with none of the features, the first, and so on.

        Parameters
        ----------
        X : array-like or DataFrame (rows, features)

        Yields
        ------
        float64 (rows,)

        Examples
        --------
        >>> model = S3DRegressor().fit([[1.0], [2.0]] * 50, [0.5, 1.5] * 50)
        >>> [p.tolist() for p in model.staged_predict([[0.0]])]
        [[1.0], [0.5]]
        """
        for means in self._column_means(X):
            yield means[:, 0]
