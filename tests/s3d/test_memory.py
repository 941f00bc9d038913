"""The estimate of a fit's memory beside what the allocator saw."""

from __future__ import annotations

import ctypes
import multiprocessing
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from whybox.s3d import S3DClassifier, S3DRegressor, estimate_memory

N, M = 200_000, 12


@pytest.mark.parametrize("kind", [S3DClassifier, S3DRegressor])
@pytest.mark.parametrize("n_values", [50, 20_000])
@pytest.mark.parametrize("max_features", [1, 3])
def test_the_estimate_is_right_within_a_quarter(kind, n_values, max_features):
    rng = np.random.default_rng(0)
    X = rng.integers(0, n_values, (N, M)).astype(float)
    X[:, 0] %= 40
    y = (X[:, 0] + X[:, 1] / n_values * 40 + rng.normal(0, 20, N) > 40).astype(int)
    if kind is S3DRegressor:
        y = y + rng.normal(0, 0.1, N)
    model = kind(penalty=0.01, max_features=max_features)
    model.fit(X, y)  # compiles what this kind of data needs, which is no memory of a fit
    tracemalloc.start()
    model.fit(X, y)
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    distinct = [len(np.unique(X[:, j])) for j in range(M)]
    estimate = estimate_memory(N, distinct, max_features, real=kind is S3DRegressor)
    assert used == pytest.approx(estimate, rel=0.25)
    assert S3DClassifier.estimate_memory is estimate_memory


def test_what_a_process_takes_is_within_a_quarter_too():
    """Not all of it is the allocator's that was asked above: kernels have their own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        for kind in (S3DClassifier, S3DRegressor):
            used, estimate = pool.apply(resident_beyond_input, (kind, 600_000))
            assert used == pytest.approx(estimate, rel=0.25)


def resident_beyond_input(kind, n_rows):
    """Bytes by which a fit raises the process's peak, and the estimate of them."""
    status, peak = Path("/proc/self/status"), Path("/proc/self/clear_refs")

    def resident(field):
        lines = status.read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))

    rng = np.random.default_rng(0)
    X = rng.integers(0, 3000, (n_rows, M)).astype(float)
    X[:, 0] %= 40
    y = (X[:, 0] + X[:, 1] / 75 + rng.normal(0, 20, n_rows) > 40).astype(int)
    if kind is S3DRegressor:
        y = y + rng.normal(0, 0.1, n_rows)
    model = kind(penalty=0.01, max_features=1)
    model.fit(X[:20_000], y[:20_000])  # compiles
    ctypes.CDLL(None).malloc_trim(0)  # what making the rows left behind would be used again
    before = resident("VmRSS")
    peak.write_text("5", encoding="ascii")  # the peak is counted from here on
    model.fit(X, y)
    used = resident("VmHWM") - before
    distinct = [40] + [3000] * (M - 1)
    return used, estimate_memory(n_rows, distinct, 1, real=kind is S3DRegressor)
