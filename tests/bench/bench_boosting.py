"""What 500 trees cost: CBPT beside LightGBM and XGBoost, and how the cost grows with the rows.

Run it as ``python tests/bench/bench_boosting.py [--trees N]``: processor seconds on one thread, all
in one run. CBPT's rounds cost the same from the first to the last, so that fewer of them are timed
and scaled up; the peers fit all their trees. ``--threads``: what ``n_jobs=2`` saves of the wall time
instead. ``--logitboost``: LogitBoost on a small table beside scikit-learn's regression trees.
"""

from __future__ import annotations

import argparse
import itertools
import math
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeRegressor
from threadpoolctl import threadpool_limits

from whybox.baselines import LogitBoostClassifier
from whybox.cbpt import CBPTClassifier
from whybox.model_selection.registry import is_installed, make_model

N_ROWS, N_FEATURES = 7873, 38
TIMED_ROUNDS = 20


def draw(n_rows: int, n_features: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of two classes that overlap."""
    X, y = make_classification(
        n_rows, n_features, n_informative=n_features // 3, n_redundant=n_features // 5,
        flip_y=0.1, class_sep=0.7, random_state=0,
    )  # fmt: skip
    return X, y


def seconds(run: Callable[[], Any]) -> float:
    """Processor time of one run, of all threads."""
    started = time.process_time()
    run()
    return time.process_time() - started


def round_seconds(X: np.ndarray, y: np.ndarray, rounds: int = TIMED_ROUNDS) -> tuple[float, float]:
    """Seconds of one round, and of all that is done once a fit; the lesser of two runs each."""

    def fit(n: int) -> float:
        return min(seconds(lambda: CBPTClassifier(n, random_state=0).fit(X, y)) for _ in range(2))

    few, many = fit(2), fit(2 + rounds)
    each = (many - few) / rounds
    return each, few - 2 * each


def beside_peers(trees: int) -> None:
    """Print what as many trees cost each."""
    X, y = draw(N_ROWS, N_FEATURES)
    each, once = round_seconds(X, y)
    whole = once + trees * each
    print(f"{N_ROWS:,} x {N_FEATURES}, {trees} trees, one thread")
    print(f"  {'cbpt':<30}{whole:8.2f} s   ({1000 * each:.1f} ms a round, {TIMED_ROUNDS} timed)")
    peers = {"lightgbm": {"num_leaves": 64}, "xgboost": {"max_leaves": 64, "max_depth": 0}}
    for name, params in peers.items():
        if not is_installed(name):
            print(f"  {name}: not installed")
            continue
        model = make_model(name, 0, n_estimators=trees, learning_rate=0.1, **params)
        spent = seconds(lambda model=model: model.fit(X, y))  # type: ignore[misc]
        print(f"  {name + ', 64 leaves':<30}{spent:8.2f} s   (cbpt: {whole / spent:.1f} times)")


def growth() -> None:
    """Print a round's cost at 1, 2 and 4 times the rows, and the features."""
    for what, sizes in (
        ("rows", [(2000 * factor, N_FEATURES) for factor in (1, 2, 4)]),
        ("features", [(4000, 19 * factor) for factor in (1, 2, 4)]),
    ):
        print(f"a round, with the number of {what}")
        spent = []
        for n_rows, n_features in sizes:
            each, _ = round_seconds(*draw(n_rows, n_features), rounds=8)
            spent.append(each)
            print(f"  {n_rows:>7,} x {n_features:<4}{1000 * each:10.1f} ms")
        steps = [math.log2(b / a) for a, b in itertools.pairwise(spent)]
        print(f"  exponent: {', '.join(f'{step:.2f}' for step in steps)}")


def threads(repeats: int = 5, rounds: int = 10) -> None:
    """Print wall and processor seconds of a fit by one and by two threads, taken in turns."""
    for n_rows in (2000, 8000, 30_000):
        X, y = draw(n_rows, N_FEATURES)
        spent: dict[int, list[tuple[float, float]]] = {1: [], 2: []}
        for _ in range(repeats):
            for n_jobs, times in spent.items():
                wall, started = time.perf_counter(), time.process_time()
                CBPTClassifier(rounds, n_jobs=n_jobs, random_state=0).fit(X, y)
                times.append((time.perf_counter() - wall, time.process_time() - started))
        (one, alone), (two, both) = (
            tuple(statistics.median(column) for column in zip(*times, strict=True))
            for times in spent.values()
        )
        print(f"{n_rows:,} x {N_FEATURES}, {rounds} rounds, medians of {repeats}")
        print(f"  one thread   {one:6.2f} s wall, {alone:6.2f} s of processors")
        print(
            f"  two threads  {two:6.2f} s wall, {both:6.2f} s of processors: {one / two:.2f} times"
        )


def logitboost(trees: int, n_classes: int = 6) -> None:
    """Print what LogitBoost's trees cost on a table like Glass, and as many of scikit-learn's."""
    X, y = make_classification(
        114, 9, n_informative=6, n_classes=n_classes, n_clusters_per_class=1, flip_y=0.2,
        random_state=0,
    )  # fmt: skip
    random, timed = np.random.default_rng(0), 200
    responses, weight = random.normal(size=(timed, len(y))), random.uniform(0.01, 0.25, len(y))
    print(f"{len(y)} x {X.shape[1]}, {n_classes} classes, {trees} rounds, one thread")
    for depth in (5, 10, 15):
        limits: dict[str, Any] = {"max_depth": depth, "max_leaf_nodes": 64}

        def theirs(limits: dict[str, Any] = limits) -> None:
            for response in responses:
                DecisionTreeRegressor(**limits, random_state=0).fit(X, response, weight)

        model = LogitBoostClassifier(trees, **limits)
        ours = min(seconds(lambda model=model: model.fit(X, y)) for _ in range(3))  # type: ignore[misc]
        peer = min(seconds(theirs) for _ in range(3)) * trees * n_classes / timed
        print(f"  depth {depth:>2}: {ours:.2f} s; scikit-learn's trees alone {peer:.2f} s")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trees", type=int, default=500)
    parser.add_argument("--threads", action="store_true", help="two threads beside one")
    parser.add_argument("--logitboost", action="store_true", help="LogitBoost on a small table")
    arguments = parser.parse_args()
    print(f"load average {os.getloadavg()[0]:.1f}")
    with threadpool_limits(1):
        CBPTClassifier(2, random_state=0).fit(*draw(200, 9))  # compile
        if arguments.threads:
            threads()
        elif arguments.logitboost:
            logitboost(arguments.trees)
        else:
            beside_peers(arguments.trees)
            growth()


if __name__ == "__main__":
    main()
