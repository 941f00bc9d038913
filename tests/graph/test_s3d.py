"""A decomposition fitted to partitions on workers is the one fitted in memory, to the last bit."""

from __future__ import annotations

import gc
import json
import tracemalloc

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from whybox.errors import InputError
from whybox.graph import s3d as fits
from whybox.graph import s3d_source as source
from whybox.graph.s3d import fit_collections, fit_on_dask, fit_on_parquet, fit_on_parts
from whybox.graph.session import connect
from whybox.s3d import S3DClassifier, S3DRegressor

N = 2000


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(5)
    X = pd.DataFrame(
        {
            "counts": np.floor(np.exp(rng.normal(3, 1.6, N))),
            "share": rng.uniform(size=N),
            "hour": rng.integers(0, 24, N),
            "colour": rng.choice(["red", "green", "blue", "grey"], N),
            "gaps": np.where(rng.uniform(size=N) < 0.3, np.nan, rng.integers(0, 9, N)),
        }
    )
    score = np.log1p(X["counts"]) + 3 * (X["hour"] > 12) + 2 * (X["colour"] == "red")
    return X.assign(y=score + X["gaps"].fillna(4) + rng.normal(0, 1, N))


@pytest.fixture
def here():
    with connect("sync") as session:
        yield session


@pytest.fixture
def there(cluster_address):
    with connect(cluster_address) as session:
        yield session


def fingerprint(model):
    meta, arrays = model.to_state()
    return json.dumps(meta), {name: (a.dtype, a.shape, a.tobytes()) for name, a in arrays.items()}


def in_memory(model, rows, weight=None):
    X = rows.drop(columns=["y"] if weight is None else ["y", weight])
    return fingerprint(model.fit(X, rows["y"], None if weight is None else rows[weight]))


def cut(rows, n_parts, seed=2):
    """Shuffle the rows and cut them anywhere."""
    rng = np.random.default_rng(seed)
    places = np.sort(rng.integers(0, len(rows), n_parts - 1))
    order = np.split(rng.permutation(len(rows)), places)
    return dd.from_delayed(
        [dask.delayed(rows.iloc[part].reset_index(drop=True)) for part in order],
        meta=rows.iloc[:0],
        verify_meta=False,
    )


def names(y):
    return np.array(["low", "middle", "high"])[np.digitize(y, [7, 10])]


CASES = {
    "two classes": (S3DClassifier(noise_floor=0), lambda y: y > np.median(y), None),
    "three classes": (S3DClassifier(), names, None),
    "whole outcomes": (S3DRegressor(), np.rint, None),
    "real outcomes": (S3DRegressor(noise_floor=0, max_features=3), lambda y: y * 0.1, None),
    "bins and cuts": (
        S3DRegressor(max_bins=50, user_splits={"share": [0.3, 0.7]}),
        lambda y: y * 0.1,
        None,
    ),
    "whole weights": (S3DRegressor(), lambda y: y, lambda rng: rng.integers(0, 4, N)),
    "real weights": (S3DClassifier(), lambda y: y > 8, lambda rng: rng.uniform(0, 2, N)),
}


@pytest.mark.parametrize("case", CASES)
def test_partitions_and_shuffled_rows_change_no_bit(rows, here, there, case):
    model, outcome, weights = CASES[case]
    table, weight = rows.assign(y=outcome(rows["y"].to_numpy())), None
    if weights is not None:
        table, weight = table.assign(w=weights(np.random.default_rng(1)).astype(float)), "w"
    whole = in_memory(model, table, weight)
    assert len(model.selected_features_) > 1
    for session, n_parts in ((here, 1), (there, 3), (here, 11)):
        found = fit_on_dask(session, model, cut(table, n_parts), "y", weight=weight)
        assert found is model
        assert fingerprint(model) == whole, n_parts


@pytest.mark.parametrize("batch", [1, 1 << 30])
def test_statistics_in_batches_of_any_size_give_the_same_model(rows, here, batch, monkeypatch):
    model = S3DRegressor()
    whole = in_memory(model, rows)
    monkeypatch.setattr(source, "_BATCH", batch)
    monkeypatch.setattr(source, "_FAN_IN", 2)
    assert fingerprint(fit_on_dask(here, model, cut(rows, 5), "y")) == whole


def test_more_values_than_codes_are_binned_alike(there):
    rng = np.random.default_rng(4)
    x = np.concatenate([rng.permutation(70_000) * 0.1, np.full(4000, np.nan)])
    y = np.abs(np.nan_to_num(x) / 7000 - 0.5) + rng.normal(0, 0.03, len(x)) > 0.2
    rows = pd.DataFrame({"x": x, "y": y})
    model = S3DClassifier()
    whole = in_memory(model, rows)
    assert model.binning_loss_ == {0: 1 / (2 * 4096)}
    assert len(model.splits_[0]) > 1
    for n_parts in (1, 3):  # a part of its own has too many values, or none has
        assert fingerprint(fit_on_dask(there, model, cut(rows, n_parts), "y")) == whole


@pytest.mark.parametrize("cuts", [None, {"share": [-1.0, 0.21, 0.5, 7.0]}])
@pytest.mark.parametrize("n_values", [50, 700])
def test_values_are_binned_alike_a_range_after_the_other(rows, here, n_values, cuts, monkeypatch):
    model = S3DRegressor(max_bins=37, user_splits=cuts)
    whole = in_memory(model, rows)
    monkeypatch.setattr(source, "_VALUES", n_values)
    assert fingerprint(fit_on_dask(here, model, cut(rows, 3), "y")) == whole


def test_parquet_files_are_read_by_row_groups(rows, there, tmp_path, monkeypatch):
    model = S3DRegressor()
    whole = in_memory(model, rows)
    paths = [str(tmp_path / f"{number}.parquet") for number in range(2)]
    for path, part in zip(paths, (rows[:700], rows[700:]), strict=True):
        part.to_parquet(path, row_group_size=100, index=False)
    monkeypatch.setattr(fits, "_ROWS", 250)
    assert fingerprint(fit_on_parquet(there, model, paths, "y")) == whole


def test_collections_are_fitted_where_the_callers_client_is(rows, there):
    model, table = S3DRegressor(), rows.assign(w=np.arange(N) % 3 + 1.0)
    whole = in_memory(model, table, "w")
    ddf = cut(table, 4)
    parts = ddf.drop(columns=["y", "w"]), ddf["y"], ddf["w"]
    assert fingerprint(fit_collections(model, *parts)) == whole
    with there.client.as_current():
        assert fingerprint(fit_collections(model, *parts)) == whole
    with pytest.raises(InputError, match="y is a Series"):
        fit_collections(model, parts[0], table["y"])
    with pytest.raises(InputError, match="partitioned alike"):
        fit_collections(model, parts[0], cut(table, 4, seed=9)["y"])


def test_parts_without_rows_or_weight_are_left_out(rows, here):
    table = rows.assign(w=np.where(np.arange(N) < 500, 0.0, 1.0))
    table["y"] = np.where(table["w"] == 0, "only here", np.where(table["y"] > 8, "b", "a"))
    model = S3DClassifier()
    whole = in_memory(model, table, "w")
    parts = [dask.delayed(table[a:b]) for a, b in ((0, 0), (0, 500), (500, 900), (900, N))]
    assert fingerprint(fit_on_parts(here, model, parts, "y", weight="w")) == whole
    assert model.classes_.tolist() == ["a", "b", "only here"]
    with pytest.raises(InputError, match="no part with rows"):
        fit_on_parts(here, model, parts[:1], "y", weight="w")
    with pytest.raises(InputError, match="zero at every row"):
        fit_on_parts(here, model, parts[:2], "y", weight="w")


def test_what_is_wrong_is_named(rows, here, there, tmp_path):
    model = S3DRegressor()
    with pytest.raises(InputError, match="no column 'z'"):
        fit_on_dask(here, model, cut(rows, 2), "z")
    with pytest.raises(InputError, match="penalty"):
        fit_on_dask(here, S3DRegressor(penalty=-1.0), cut(rows, 2), "y")
    infinite = rows.assign(share=np.where(np.arange(N) == 7, np.inf, rows["share"]))
    with pytest.raises(InputError, match=r"infinite.*'share'"):
        fit_on_dask(there, model, cut(infinite, 3), "y")
    renamed = rows.rename(columns={"hour": "day"})
    with pytest.raises(InputError, match="feature names"):
        fit_on_parts(here, model, [dask.delayed(rows), dask.delayed(renamed)], "y")
    numbers = rows.assign(colour=1.0)
    with pytest.raises(InputError, match="part 1 holds categories"):
        fit_on_parts(here, model, [dask.delayed(rows), dask.delayed(numbers)], "y")
    path = tmp_path / "rows.parquet"
    path.write_text("no such thing")
    with pytest.raises(InputError, match=r"Parquet.*rows\.parquet"):
        fit_on_parquet(here, model, [str(path)], "y")


@pytest.mark.parametrize("weight", [None, "hour"])
def test_a_part_keeps_codes_and_no_column_as_it_was_read(rows, weight):
    from whybox.graph.s3d_parts import read_part

    many = 100 * N
    numbers = rows[["counts", "hour", "gaps", "y"]].astype(float)
    read_part(S3DRegressor(), numbers, "y", weight)  # imports
    tracemalloc.start()
    try:
        part = read_part(S3DRegressor(), numbers.sample(many, replace=True), "y", weight)
        gc.collect()
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    n_features, n_rows = len(part.local), len(part.rows.y)
    outcomes = 8 if weight is None else 16
    assert kept < n_rows * (2 * n_features + outcomes) * 1.1 + 200_000


def test_what_a_worker_does_changes_none_of_its_arguments(rows):
    from whybox.graph import s3d_parts as parts
    from whybox.s3d.columns import Coding
    from whybox.s3d.grid import Level
    from whybox.s3d.outcome import OutcomeUnits

    table = rows[["hour", "y"]].assign(y=rows["y"] > 8)
    read = parts.read_part(S3DClassifier(), table, "y", None)
    started = parts.start(read, OutcomeUnits.of(parts.summary(read), 2))
    codes = started.local[0].codes.copy()
    coding = Coding(np.arange(-1.0, 24.0), -1.0, False, True)
    coded = parts.encoded(started, [coding], {})
    assert (coded.codes[0] == codes + 1).all()
    np.testing.assert_array_equal(started.local[0].codes, codes)
    cell = parts.first_cells(started)
    blocks = np.zeros(2, np.int32), np.arange(2, dtype=np.int32)
    level = Level(0, np.array([12.0]), 0.0, 23.0, *blocks)
    bins = (coding.edges > 12).astype(np.int32)
    np.testing.assert_array_equal(parts.moved(coded, cell, level, bins), table["hour"] > 12)
    assert not cell.any()


def test_fit_itself_takes_dask_frames():
    rng = np.random.default_rng(4)
    rows = pd.DataFrame({"a": rng.integers(0, 9, 400), "b": rng.normal(size=400)})
    rows["y"] = (rows["a"] > 4).astype(int)
    ddf = dd.from_pandas(rows, npartitions=3)
    far = S3DClassifier().fit(ddf[["a", "b"]], ddf["y"])
    near = S3DClassifier().fit(rows[["a", "b"]], rows["y"])
    assert [cuts.tolist() for cuts in far.splits_] == [cuts.tolist() for cuts in near.splits_]
    assert far.r2_ == near.r2_
