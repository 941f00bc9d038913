"""How long a CBPT round takes beside six scikit-learn fits on the same rows, on one thread.

Run it as ``python tests/bench/bench_cbpt.py [--large]``; times are processor seconds, the
least of some repeats.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from whybox.cbpt.boosting import BoostingRules, boost
from whybox.cbpt.folds import FoldDealer
from whybox.cbpt.pruning import PruningRules, TrainingSet, fold_curve, grow_full

CASES = [("7,873 x 38, 2 classes", 7873, 38, 2), ("6,435 x 36, 6 classes", 6435, 36, 6)]
LARGE = [("30,000 x 38, 2 classes", 30_000, 38, 2)]


def least_time(run: Callable[[], object], repeats: int) -> float:
    """Seconds of the fastest of some runs."""
    times = []
    for _ in range(repeats):
        started = time.process_time()
        run()
        times.append(time.process_time() - started)
    return min(times)


def measure(n_rows: int, n_features: int, n_classes: int, repeats: int) -> dict[str, float]:
    """Seconds by part."""
    X, y = make_classification(
        n_rows, n_features, n_informative=12, n_redundant=8, n_classes=n_classes, flip_y=0.1,
        class_sep=0.7, random_state=0,
    )  # fmt: skip
    X, y = X.astype(np.float32), y.astype(np.int64)
    data, ones = TrainingSet.of(X, y, n_classes), np.ones(n_rows)
    weight = np.full(n_rows, 2.0 ** -np.ceil(np.log2(n_rows)))
    folds, rules = FoldDealer.of(X, y).deal(0, 5), PruningRules()

    def fit_six() -> None:
        for s in range(-1, 5):
            part = folds != s
            DecisionTreeClassifier(random_state=0).fit(X[part], y[part], sample_weight=weight[part])

    def rounds(count: int) -> Callable[[], object]:
        return lambda: list(boost(data, ones, ones, BoostingRules(), range(count)))

    rounds(1)()  # compile
    one, three = least_time(rounds(1), repeats), least_time(rounds(3), repeats)
    return {
        "six scikit-learn fits": least_time(fit_six, 2),
        "a round": (three - one) / 2,
        "of it: full tree and its sequence": least_time(
            lambda: grow_full(data, weight, rules), repeats
        ),
        "of it: one fold": least_time(lambda: fold_curve(data, weight, folds == 0, rules), repeats),
        "once a fit: sorting": least_time(lambda: TrainingSet.of(X, y, n_classes), repeats),
    }


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="30,000 rows too")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    for name, *size in CASES + (LARGE if arguments.large else []):
        seconds = measure(*size, arguments.repeats)
        print(name)
        for part, value in seconds.items():
            print(f"  {part:<36}{value * 1000:9.1f} ms")
        ratio = seconds["six scikit-learn fits"] / seconds["a round"]
        print(f"  {'times as fast':<36}{ratio:9.1f}")


if __name__ == "__main__":
    main()
