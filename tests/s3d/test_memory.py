"""The estimate of a fit's memory beside what the allocator saw."""

from __future__ import annotations

import tracemalloc

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
