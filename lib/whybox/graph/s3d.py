"""Decompositions of rows that no single process holds: partitions stay on the workers.

A fit reads the rows once and keeps their codes, then makes one pass over the codes a chosen
feature. Only statistics leave a worker; they are whole numbers, added up in the order of the parts,
so that the model has the same bytes as one that ``fit`` makes of all rows in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from typing import Any, TypeVar

import numpy as np

from whybox.data.storage import opened
from whybox.errors import InputError
from whybox.graph import s3d_parts
from whybox.graph.s3d_source import KeptParts, WorkerSource
from whybox.graph.session import Session
from whybox.s3d.base import FeatureSpaceDecomposition
from whybox.s3d.outcome import OutcomeSummary, OutcomeUnits
from whybox.s3d.source import ColumnRules
from whybox.s3d.table import column_labels
from whybox.s3d.validation import check_parameters, checked_table, given_cuts
from whybox.trees.tree import Array

__all__ = ["fit_collections", "fit_on_dask", "fit_on_parquet", "fit_on_parts"]

Model = TypeVar("Model", bound=FeatureSpaceDecomposition)

_TARGET, _WEIGHT = "\x00y", "\x00sample_weight"  # no feature is called so
_ROWS = 1 << 20  # rows of a part of a Parquet file, at least if there are as many


def fit_on_dask(
    session: Session, estimator: Model, ddf: Any, target: str, *, weight: str | None = None
) -> Model:
    """Fit a decomposition to a Dask DataFrame.

    Call it from where the session was opened, never inside a task.

    Parameters
    ----------
    session : Session
    estimator : S3DClassifier or S3DRegressor
    ddf : dask.dataframe.DataFrame
        Features, the outcome, and weights if any.
    target : str
        The column of the outcome.
    weight : str, optional
        The column of the rows' weights, which is then no feature.

    Returns
    -------
    estimator
        Fitted: the same model, to the last bit, as ``fit`` gives, however the rows are cut.

    Raises
    ------
    InputError
        As ``fit`` raises it; also if a column is missing.
    RunError
        A worker was lost.

    Examples
    --------
    >>> import dask.dataframe, pandas
    >>> from whybox.graph import connect
    >>> from whybox.s3d import S3DRegressor
    >>> rows = pandas.DataFrame({"a": [1.0, 2.0] * 50, "y": [0.5, 1.5] * 50})
    >>> ddf = dask.dataframe.from_pandas(rows, npartitions=3)
    >>> with connect("sync") as session:
    ...     model = fit_on_dask(session, S3DRegressor(), ddf, "y")
    >>> model.splits_
    [array([1.])]
    """
    _check_columns(list(ddf.columns), target, weight, "the Dask DataFrame")
    return fit_on_parts(session, estimator, ddf.to_delayed(), target, weight=weight)


def fit_collections(estimator: Model, X: Any, y: Any, sample_weight: Any = None) -> Model:
    """Fit a decomposition to Dask collections, where the caller's Dask client computes.

    This is what ``fit`` of the estimators does with a Dask DataFrame. Without a client the parts
    are computed in this process, one after the other.

    Parameters
    ----------
    estimator : S3DClassifier or S3DRegressor
    X : dask.dataframe.DataFrame
    y, sample_weight : dask.dataframe.Series
        Partitioned as X is: their rows are taken as they come.

    Returns
    -------
    estimator
        As `fit_on_dask` gives it.

    Raises
    ------
    InputError
        As ``fit`` raises it; also if the partitions do not go together.

    Examples
    --------
    >>> import dask.dataframe, pandas
    >>> from whybox.s3d import S3DRegressor
    >>> rows = pandas.DataFrame({"a": [1.0, 2.0] * 50, "y": [0.5, 1.5] * 50})
    >>> ddf = dask.dataframe.from_pandas(rows, npartitions=3)
    >>> fit_collections(S3DRegressor(), ddf[["a"]], ddf["y"]).splits_
    [array([1.])]
    """
    from dask.delayed import delayed
    from distributed import default_client

    given = [X, y] if sample_weight is None else [X, y, sample_weight]
    for name, each in zip(("X", "y", "sample_weight"), given, strict=False):
        if not hasattr(each, "to_delayed") or each.npartitions != X.npartitions:
            raise InputError(
                f"{name} is a {type(each).__name__}, X a Dask DataFrame of {X.npartitions} parts",
                remedy="give Dask collections that are partitioned alike",
            )
    try:
        session = Session(default_client())
    except ValueError:  # there is none
        session = Session()
    join = delayed(_joined, pure=False)
    parts = [join(*part) for part in zip(*(each.to_delayed() for each in given), strict=True)]
    weight = None if sample_weight is None else _WEIGHT
    return fit_on_parts(session, estimator, parts, _TARGET, weight=weight)


def fit_on_parquet(
    session: Session,
    estimator: Model,
    paths: Sequence[str],
    target: str,
    *,
    weight: str | None = None,
    storage_options: Mapping[str, Any] | None = None,
) -> Model:
    """Fit a decomposition to Parquet files, a few row groups a part.

    Parameters
    ----------
    session : Session
    estimator : S3DClassifier or S3DRegressor
    paths : sequence of str
        Local paths or addresses such as ``s3://bucket/key``, which the workers open.
    target : str
        The column of the outcome.
    weight : str, optional
        The column of the rows' weights.
    storage_options : mapping, optional
        fsspec's.

    Returns
    -------
    estimator
        As `fit_on_dask` gives it.

    Raises
    ------
    InputError
        As `fit_on_dask`; also if a file cannot be read or is no Parquet file.
    RunError
        A worker was lost.

    Examples
    --------
    >>> import pathlib, pandas, tempfile
    >>> from whybox.graph import connect
    >>> from whybox.s3d import S3DRegressor
    >>> rows = pandas.DataFrame({"a": [1.0, 2.0] * 50, "y": [0.5, 1.5] * 50})
    >>> with tempfile.TemporaryDirectory() as folder, connect("sync") as session:
    ...     path = pathlib.Path(folder) / "rows.parquet"
    ...     rows.to_parquet(path)
    ...     fit_on_parquet(session, S3DRegressor(), [str(path)], "y").splits_
    [array([1.])]
    """
    from dask.delayed import delayed

    read = delayed(_read_groups, pure=False)
    parts = []
    for path in paths:
        columns, groups = _layout(path, storage_options)
        _check_columns(columns, target, weight, path)
        parts += [read(path, some, storage_options) for some in groups]
    return fit_on_parts(session, estimator, parts, target, weight=weight)


def fit_on_parts(
    session: Session,
    estimator: Model,
    frames: Sequence[Any],
    target: str,
    *,
    weight: str | None = None,
) -> Model:
    """Fit a decomposition to delayed DataFrames, each of which fits into a worker.

    Parameters
    ----------
    session : Session
    estimator : S3DClassifier or S3DRegressor
    frames : sequence of dask.delayed.Delayed
        All with the same columns; those without rows are left out.
    target : str
    weight : str, optional

    Returns
    -------
    estimator
        As `fit_on_dask` gives it.

    Examples
    --------
    >>> import dask, pandas
    >>> from whybox.graph import connect
    >>> from whybox.s3d import S3DClassifier
    >>> frame = dask.delayed(pandas.DataFrame({"a": [1.0, 2.0] * 50, "y": ["no", "yes"] * 50}))
    >>> with connect("sync") as session:
    ...     fit_on_parts(session, S3DClassifier(), [frame, frame], "y").classes_.tolist()
    ['no', 'yes']
    """
    from dask.delayed import delayed
    from sklearn.base import clone

    check_parameters(estimator.get_params())
    work = KeptParts(session)
    blank = clone(estimator)
    read = delayed(s3d_parts.read_part, pure=False)
    work.keep([read(blank, frame, target, weight) for frame in frames])
    facts = session.compute(work.tasks(s3d_parts.facts), "reading parts")
    work.parts = [part for part, found in zip(work.parts, facts, strict=True) if found is not None]
    found = [each for each in facts if each is not None]
    rules = _columns(estimator, found)
    if not any(each.n_weighted for each in found):
        raise InputError(
            "the weight is zero at every row", remedy="give some rows a positive weight"
        )
    work.parts = [part for part, each in zip(work.parts, found, strict=True) if each.n_weighted]
    labels = _labels(estimator, found)
    work.become(s3d_parts.numbered, labels)
    summary = reduce(
        OutcomeSummary.merge, session.compute(work.tasks(s3d_parts.summary), "reading outcomes")
    )
    units = OutcomeUnits.of(summary, estimator._n_classes())
    source = WorkerSource(work, units, rules)
    estimator.categories_ = source.categories
    return estimator.fit_source(source, rules.cuts)


def _joined(X: Any, y: Any, weight: Any = None) -> Any:
    """Put outcomes and weights beside the features, row by row whatever the indices say."""
    for name, each in (("y", y), ("sample_weight", weight)):
        if each is not None and len(each) != len(X):
            raise InputError(
                f"a part of {name} has {len(each)} values, that of X {len(X)} rows",
                remedy="give Dask collections that are partitioned alike",
            )
    more = {_TARGET: y.array} if weight is None else {_TARGET: y.array, _WEIGHT: weight.array}
    return X.assign(**more)


def _columns(estimator: FeatureSpaceDecomposition, found: Sequence[s3d_parts.Facts]) -> ColumnRules:
    """Tell the estimator its columns, and refuse parts that differ in them."""
    if not found:
        raise InputError("there is no part with rows", remedy="give at least one row")
    for number, each in enumerate(found):
        checked_table(estimator, each.head, reset=number == 0)
        if each.categorical != found[0].categorical:
            raise InputError(
                f"part {number} holds categories in the columns {list(each.categorical)}, the "
                f"first one in {list(found[0].categorical)}",
                remedy="give all parts the same types, or name the columns in categorical_features",
            )
    names = column_labels(found[0].head)
    cuts = given_cuts(estimator.user_splits, names)
    return ColumnRules(estimator.max_bins, found[0].categorical, cuts)


def _labels(estimator: Any, found: Sequence[s3d_parts.Facts]) -> Array | None:
    """Tell the estimator the labels of all parts; None for real outcomes."""
    labels = [each.labels for each in found if each.labels is not None]
    if not labels:
        return None
    estimator._outcomes(labels)
    return np.asarray(estimator.classes_)


def _check_columns(columns: list[Any], target: str, weight: str | None, where: str) -> None:
    """Refuse a table that has not the named columns."""
    for name in [target] if weight is None else [target, weight]:
        if name not in columns:
            raise InputError(f"there is no column {name!r}", where=where, remedy="name another")


def _layout(path: str, options: Mapping[str, Any] | None) -> tuple[list[str], list[list[int]]]:
    """Give a Parquet file's columns, and its row groups in parts of at least a million rows."""
    with _parquet(path, options) as file:
        groups: list[list[int]] = []
        room = 0
        for group in range(file.metadata.num_row_groups):
            if room <= 0:
                groups.append([])
                room = _ROWS
            groups[-1].append(group)
            room -= file.metadata.row_group(group).num_rows
        return list(file.schema_arrow.names), groups


def _read_groups(path: str, groups: list[int], options: Mapping[str, Any] | None) -> Any:
    """Read some row groups: a DataFrame."""
    with _parquet(path, options) as file:
        return file.read_row_groups(groups).to_pandas()


@contextmanager
def _parquet(path: str, options: Mapping[str, Any] | None) -> Iterator[Any]:
    """Open a Parquet file, wherever it is."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with opened(path, options) as raw, pq.ParquetFile(raw) as file:
            yield file
    except (pa.ArrowException, OSError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(
            f"cannot be read as Parquet: {first}", where=path, remedy="give a Parquet file"
        ) from error
