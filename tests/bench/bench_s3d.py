"""How long a decomposition of a million rows and 20 features takes, and its memory, on one thread.

Run it as ``python tests/bench/bench_s3d.py [--sizes 1000000 ...]``; each case runs in a process of
its own, times are processor seconds of a fit, memory is what its peak adds to the data's.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import time

import numpy as np

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(name, "1")

CLASSES, REAL = "two classes", "real outcomes"


def make_table(n_rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Make heavy-tailed counts, percentages, small categories and rounded measures.

    The outcome's log odds depend on columns 0, 1, 2, 5 and 9 only; 3 and 4 copy 0 and 1.
    """
    rng = np.random.default_rng(seed)
    X = np.empty((n_rows, 20))
    X[:, 0] = np.minimum(np.floor(rng.lognormal(3, 1.5, n_rows)), 1e6)
    X[:, 1] = np.minimum(np.floor(6 * rng.pareto(1.3, n_rows)), 1e6)
    X[:, 2] = rng.integers(0, 101, n_rows)
    X[:, 3] = np.floor(X[:, 0] * rng.lognormal(0, 0.5, n_rows))
    X[:, 4] = np.round(np.log1p(X[:, 1]), 1)
    X[:, 5] = rng.poisson(2, n_rows)
    X[:, 6] = rng.integers(0, 2, n_rows)
    X[:, 7] = np.round(rng.exponential(50, n_rows), 2)
    X[:, 8] = rng.geometric(0.2, n_rows)
    X[:, 9] = np.round(rng.normal(size=n_rows), 3)
    for j, high in zip(range(10, 14), (24, 7, 1000, 11), strict=True):
        X[:, j] = rng.integers(0, high, n_rows)
    for j in range(14, 20):
        X[:, j] = np.round(rng.standard_t(4, n_rows), j % 3 + 1)
    odds = 0.4 * np.log1p(X[:, 0]) - 0.5 * np.log1p(X[:, 1]) + 0.6 * np.abs(X[:, 9]) - 2
    odds += 0.8 * ((X[:, 2] > 60) & (X[:, 0] > 20)) + 0.4 * (X[:, 5] >= 4)
    return X, (rng.uniform(size=n_rows) < 1 / (1 + np.exp(-odds))).astype(np.int64)


def resident(field: str) -> int:
    """Bytes resident now (VmRSS), or at the peak (VmHWM)."""
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(field))


def measure(n_rows: int, outcome: str, repeats: int) -> tuple[float, int, int, list[int], float]:
    """Give seconds, bytes, the estimate of them, the chosen columns, and R2."""
    from whybox.s3d import S3DClassifier, S3DRegressor

    kind = S3DRegressor if outcome == REAL else S3DClassifier
    X, y = make_table(n_rows)
    if outcome == REAL:
        y = y + np.random.default_rng(1).normal(0, 0.5, n_rows)
    model = kind(max_features=5, noise_floor=0)
    model.fit(X[:10_000], y[:10_000])  # compile
    before = resident("VmRSS")
    reset_peak()
    model.fit(X, y)
    used = resident("VmHWM") - before
    distinct = [len(np.unique(X[:, j])) for j in range(X.shape[1])]
    seconds = []
    for _ in range(repeats):
        started = time.process_time()
        model.fit(X, y)
        seconds.append(time.process_time() - started)
    estimate = model.estimate_memory(n_rows, distinct, 5, real=outcome == REAL)
    return min(seconds), used, estimate, model.selected_features_, model.r2_


def reset_peak() -> None:
    """Let the peak be counted from here on."""
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[250_000, 1_000_000])
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    for outcome in (CLASSES, REAL):
        for n_rows in arguments.sizes:
            with context.Pool(1) as pool:
                seconds, used, estimate, chosen, r2 = pool.apply(
                    measure, (n_rows, outcome, arguments.repeats)
                )
            print(
                f"{outcome:<14}{n_rows:>10,} rows x 20: {seconds:6.2f} s, "
                f"{used / 2**20:6.1f} MiB (estimated {estimate / 2**20:6.1f}), "
                f"features {chosen}, R2 {r2:.4f}"
            )


if __name__ == "__main__":
    main()
