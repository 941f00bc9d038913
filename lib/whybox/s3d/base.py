"""What both estimators share: fitting to partitions of rows, landing rows, looking at the blocks."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from whybox.errors import InputError
from whybox.s3d.binning import BinningRules
from whybox.s3d.grid import Grid
from whybox.s3d.memory import estimate_memory
from whybox.s3d.outcome import OutcomeSummary, OutcomeUnits
from whybox.s3d.search import Decomposition, SearchRules, decompose
from whybox.s3d.source import ColumnRules, LocalSource, Partition, StatisticsSource
from whybox.s3d.table import Table, categorical_columns, column_labels
from whybox.s3d.validation import check_parameters, checked_rows, checked_table, given_cuts
from whybox.s3d.views import Views
from whybox.trees.tree import Array

__all__ = ["FeatureSpaceDecomposition"]


class FeatureSpaceDecomposition(TransformerMixin, Views, BaseEstimator):  # type: ignore[misc]
    """Fitting and landing; a subclass says what outcomes are.

    Parameters and attributes are those of ``whybox.s3d.S3DClassifier``.

    Examples
    --------
    >>> from whybox.s3d import S3DRegressor
    >>> issubclass(S3DRegressor, FeatureSpaceDecomposition)
    True
    """

    penalty: float
    max_features: int | None
    stopping: str
    patience: int
    noise_floor: float
    max_bins: int | None
    max_blocks: int
    categorical_features: object
    user_splits: Mapping[Any, Any] | None

    ties_: list[list[int]]
    binning_loss_: dict[int, float]
    tuning_: Any

    estimate_memory = staticmethod(estimate_memory)

    def fit(self, X: object, y: object, sample_weight: object = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like, DataFrame or Dask DataFrame (rows, features)
            NaN is a missing value and gets a bin of its own. A Dask DataFrame stays where it is,
            with the caller's Dask client or, without one, in this process.
        y : array-like or Dask Series (rows,)
        sample_weight : array-like or Dask Series (rows,), optional
            0 or more. A weight of 3 is the same as three copies of the row; rows of weight 0
            count for nothing.

        Returns
        -------
        self

        Raises
        ------
        InputError
            If a parameter or an argument is malformed, or a value is infinite; the message names
            the column.

        Warns
        -----
        UserWarning
            If no feature is chosen: the model is the mean.

        Examples
        --------
        >>> from whybox.s3d import S3DRegressor
        >>> S3DRegressor().fit([[1.0], [2.0]] * 50, [0.5, 1.5] * 50).predict([[0.0], [9.0]])
        array([0.5, 1.5])
        """
        if hasattr(X, "__dask_graph__"):
            # the one edge upwards: the loop is here, the statistics of collections are in graph
            from whybox.graph.s3d import fit_collections

            return fit_collections(self, X, y, sample_weight)
        return self._fit([(X, y, sample_weight)])

    def fit_partitions(self, parts: Iterable[tuple[Any, ...]]) -> Self:
        """Fit the model to rows that come in parts; the cut changes no bit of the result.

        Parameters
        ----------
        parts : iterable of (X, y) or (X, y, sample_weight)
            As `fit` takes them; all with the same columns. Empty parts are left out.

        Returns
        -------
        self

        Raises
        ------
        InputError
            As `fit`; also if there is no part with rows.

        Examples
        --------
        >>> from whybox.s3d import S3DRegressor
        >>> halves = [([[1.0], [2.0]] * 25, [0.5, 1.5] * 25)] * 2
        >>> S3DRegressor().fit_partitions(halves).predict([[0.0], [9.0]])
        array([0.5, 1.5])
        """
        full = [(*part, None)[:3] for part in parts]
        full = [part for part in full if len(part[1]) > 0]
        if not full:
            raise InputError("there is no part with rows", remedy="give at least one row")
        return self._fit(full)

    def _fit(self, parts: list[tuple[Any, ...]]) -> Self:
        """Check, encode, decompose."""
        check_parameters(self.get_params())
        checked = [
            checked_rows(self, *part, reset=number == 0) for number, part in enumerate(parts)
        ]
        names = column_labels(checked[0][0].X)
        wanted = self.categorical_features
        rules = ColumnRules(
            self.max_bins,
            tuple(categorical_columns(checked[0][0].X, wanted, names)),
            given_cuts(self.user_splits, names),
        )
        outcomes = self._outcomes([y for _, y, _ in checked])
        partitions = [
            _weighted_rows(table, y, weight)
            for (table, _, weight), y in zip(checked, outcomes, strict=True)
        ]
        partitions = [part for part in partitions if len(part.y) > 0]
        if not partitions:
            raise InputError(
                "sample_weight is zero at every row", remedy="give some rows a positive weight"
            )
        summary = _merged([OutcomeSummary.of(part.y, part.weight) for part in partitions])
        units = OutcomeUnits.of(summary, self._n_classes())
        source = LocalSource(partitions, units, rules)
        self.categories_ = source.categories
        return self.fit_source(source, rules.cuts)

    def fit_source(self, source: StatisticsSource, cuts: Mapping[int, Array]) -> Self:
        """Fit to statistics, wherever their rows are; columns and classes are known by now.

        Parameters
        ----------
        source : StatisticsSource
        cuts : mapping of int to float64 (cuts,)
            The bins that the user wants.

        Returns
        -------
        self
        """
        self.tuning_ = None  # of an earlier fit; whoever tunes sets it
        binning = BinningRules(self.penalty, self.stopping, self.patience, self.noise_floor, cuts)
        found = decompose(source, SearchRules(binning, self.max_features, self.max_blocks))
        weights = tuple(source.units.weight(n) for n in found.n)
        self.grid_ = Grid(tuple(found.levels), weights, self._means(source, found))
        self.gains_, self.ties_ = found.gains, found.ties
        self.sum_of_squares_ = found.sum_of_squares
        self.binning_loss_ = {
            j: 1 / (2 * coding.n_codes)
            for j, coding in enumerate(source.codings)
            if not coding.lossless
        }
        self._finish()
        if not found.levels:
            why = "y is constant" if found.sum_of_squares == 0 else "no split pays"
            warnings.warn(
                f"no feature is chosen because {why}: the model is the mean of y",
                UserWarning,
                stacklevel=4,
            )
        return self

    @abstractmethod
    def _n_classes(self) -> int:
        """The number of classes, 0 for real outcomes."""

    @abstractmethod
    def _outcomes(self, parts: list[Array]) -> list[Array]:
        """Check outcomes and make numbers of them."""

    @abstractmethod
    def _means(self, source: StatisticsSource, found: Decomposition) -> tuple[Array, ...]:
        """Give the blocks' means at each level, (blocks, outputs)."""

    def _finish(self) -> None:
        """Compute what depends on the means."""

    def _column_means(self, X: object) -> Iterator[Array]:
        """Predict means with no feature, the first, the first two, ..., all of them."""
        check_is_fitted(self)
        table = checked_table(self, X, reset=False)
        table.refuse_infinite(self.categories_)
        yield from self.grid_.means(
            lambda j: table.column(j, self.categories_), table.n_rows, self.min_samples
        )

    def to_state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Give the fitted model as plain data.

        Returns
        -------
        dict
            Fit for JSON: parameters, columns, categories.
        dict of str to array
            Levels, weights, means, gains.

        Examples
        --------
        >>> from whybox.s3d import S3DRegressor
        >>> model = S3DRegressor().fit([[1.0], [2.0]] * 50, [0, 1] * 50)
        >>> model.to_state()[1]["cuts"].tolist()
        [1.0]
        """
        from whybox.s3d.state import pack

        check_is_fitted(self)
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
        >>> from whybox.s3d import S3DRegressor
        >>> model = S3DRegressor().fit([[1.0], [2.0]] * 50, [0, 1] * 50)
        >>> S3DRegressor.from_state(*model.to_state()).predict([[2.0]])
        array([1.])
        """
        from whybox.s3d.state import unpack

        model = cls()
        unpack(model, meta, arrays)
        return model

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "grid_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _weighted_rows(table: Table, y: Array, weight: Array | None) -> Partition:
    """Leave out the rows of weight 0."""
    if weight is not None and not weight.all():
        keep = weight > 0
        table, y, weight = table.rows(keep), y[keep], weight[keep]
    return Partition(table, y, weight)


def _merged(summaries: list[OutcomeSummary]) -> OutcomeSummary:
    """Summarise all partitions."""
    merged = summaries[0]
    for summary in summaries[1:]:
        merged = merged.merge(summary)
    return merged
