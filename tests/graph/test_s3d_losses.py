"""A fit on workers outlives one of them, and reads its rows from a store."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import fsspec
import numpy as np
import pandas as pd
import pytest

from whybox.errors import WhyboxError
from whybox.graph import s3d as fits
from whybox.graph.s3d import fit_on_parquet
from whybox.graph.s3d_source import WorkerSource
from whybox.graph.session import connect
from whybox.s3d import S3DClassifier

N = 3000
PARTS = 3


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "a": rng.integers(0, 50, N),
            "b": rng.integers(0, 9, N),
            "c": rng.normal(size=N).round(2),
            "kind": rng.choice(list("xyz"), N),
        }
    )
    return X.assign(y=X["a"] + 5 * X["b"] + 10 * X["c"] + rng.normal(0, 5, N) > 45)


@pytest.fixture(scope="module")
def expected(rows):
    return fingerprint(S3DClassifier(noise_floor=1).fit(rows.drop(columns="y"), rows["y"]))


@pytest.fixture
def files(rows, tmp_path):
    paths = [tmp_path / f"{number}.parquet" for number in range(PARTS)]
    for path, some in zip(paths, np.array_split(np.arange(N), PARTS), strict=True):
        rows.iloc[some].to_parquet(path, index=False)
    return [str(path) for path in paths]


@pytest.fixture(scope="module")
def mortal():
    """A cluster of this file's own, whose workers may die: a nanny starts others."""
    with connect("local", workers=2) as session:
        yield session


def fingerprint(model):
    meta, arrays = model.to_state()
    return json.dumps(meta), {name: (a.dtype, a.shape, a.tobytes()) for name, a in arrays.items()}


def killing(session, method, nth, patch, before=lambda: None):
    """Kill the worker that holds the most when a fit is about to make a pass."""
    seen, whole = [], getattr(WorkerSource, method)

    def and_kill(self, *args):
        seen.append(method)
        if len(seen) == nth:
            before()
            held = {worker: len(keys) for worker, keys in session.client.has_what().items()}
            fullest = max(held, key=held.get)
            assert held[fullest] > 0
            os.kill(session.client.run(os.getpid, workers=[fullest])[fullest], signal.SIGKILL)
        return whole(self, *args)

    patch.setattr(WorkerSource, method, and_kill)
    return seen


@pytest.mark.parametrize(("method", "nth"), [("_codings", 1), ("regroup", 1)])
def test_what_a_lost_worker_had_is_made_again_from_the_source(
    files, expected, mortal, method, nth, monkeypatch
):
    seen = killing(mortal, method, nth, monkeypatch)
    model = fit_on_parquet(mortal, S3DClassifier(noise_floor=1), files, "y")
    assert len(seen) >= nth
    assert fingerprint(model) == expected


def test_where_the_source_is_gone_too_the_error_names_it(files, mortal, monkeypatch):
    def remove():
        for path in files:
            Path(path).unlink()

    killing(mortal, "regroup", 1, monkeypatch, remove)
    with pytest.raises(WhyboxError, match=r"cannot be read.*\d\.parquet"):
        fit_on_parquet(mortal, S3DClassifier(noise_floor=1), files, "y")


def test_rows_in_a_store_give_the_model_of_rows_at_hand(
    rows, expected, store, cluster_address, monkeypatch
):
    options = {  # workers have not this process's environment
        "key": os.environ["AWS_ACCESS_KEY_ID"],
        "secret": os.environ["AWS_SECRET_ACCESS_KEY"],
        "client_kwargs": {"endpoint_url": os.environ["AWS_ENDPOINT_URL"]},
    }
    paths = []
    for number, some in enumerate(np.array_split(np.arange(N), PARTS)):
        paths.append(f"s3://posts/{number}.parquet")
        with fsspec.open(paths[-1], "wb") as file:
            rows.iloc[some].to_parquet(file, index=False, row_group_size=500)
    monkeypatch.setattr(fits, "_ROWS", 500)
    blank = S3DClassifier(noise_floor=1)
    with connect(cluster_address) as session:
        far = fit_on_parquet(session, blank, paths, "y", storage_options=options)
    assert fingerprint(far) == expected
    with connect("sync") as session, pytest.raises(WhyboxError, match=r"s3://posts/none\.parquet"):
        fit_on_parquet(session, blank, ["s3://posts/none.parquet"], "y")
