"""How long a CBPT round takes beside six scikit-learn fits on the same rows, on one thread.

``python tests/bench/bench_cbpt.py [--large] [--scaling]``: ``--large`` adds 30,000 rows,
``--scaling`` gives the cost of a round at 1, 2 and 4 times the rows and the features. Statlog is
read from the folder that WHYBOX_REFERENCE names, if there is one. Times are processor seconds,
the least of some repeats.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from whybox.cbpt.boosting import BoostingRules, boost, row_factors
from whybox.cbpt.folds import FoldDealer
from whybox.cbpt.pruning import PruningRules, TrainingSet, fold_curve, grow_full
from whybox.trees.weights import round_weights

SIZE = (7873, 38)
LARGE = (30_000, 38)


def made(n_rows: int, n_features: int, n_classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Continuous features, a tenth of the labels noise."""
    X, y = make_classification(
        n_rows, n_features, n_informative=12, n_redundant=8, n_classes=n_classes, flip_y=0.1,
        class_sep=0.7, random_state=0,
    )  # fmt: skip
    return X.astype(np.float32), y.astype(np.int64)


def least_time(run: Callable[[], object], repeats: int) -> float:
    """Seconds of the fastest of some runs."""
    times = []
    for _ in range(repeats):
        started = time.process_time()
        run()
        times.append(time.process_time() - started)
    return min(times)


class Case:
    """A training set with what a round takes."""

    def __init__(self, X: np.ndarray, y: np.ndarray) -> None:
        self.X, self.y, self.n_classes = X, y, int(y.max()) + 1
        self.data, self.ones = TrainingSet.of(X, y, self.n_classes), np.ones(len(y))
        self.folds = FoldDealer.of(X, y).deal(0, 5)
        first = next(boost(self.data, self.ones, self.ones, BoostingRules(), [0]))  # compiles too
        factors = row_factors(first, self.ones, BoostingRules())
        self.weight = round_weights(self.ones, factors)[1]  # of the second round

    def rounds(self, count: int) -> None:
        list(boost(self.data, self.ones, self.ones, BoostingRules(), range(count)))

    def round_time(self, repeats: int) -> float:
        """Mean seconds of the second and third round, whose weights differ."""
        one = least_time(lambda: self.rounds(1), repeats)
        return (least_time(lambda: self.rounds(3), repeats) - one) / 2

    def fit_six(self) -> None:
        """What a round with scikit-learn's trees takes: one on all rows, one without each fold."""
        for s in range(-1, 5):
            part = self.folds != s
            tree = DecisionTreeClassifier(random_state=0)
            tree.fit(self.X[part], self.y[part], sample_weight=self.weight[part])

    def measure(self, repeats: int) -> dict[str, float]:
        """Seconds by part."""
        rules, first = PruningRules(), self.folds == 0
        return {
            "six scikit-learn fits": least_time(self.fit_six, 2),
            "a round": self.round_time(repeats),
            "of it: full tree and its sequence": least_time(
                lambda: grow_full(self.data, self.weight, rules), repeats
            ),
            "of it: one fold": least_time(
                lambda: fold_curve(self.data, self.weight, first, rules), repeats
            ),
            "once a fit: sorting": least_time(
                lambda: TrainingSet.of(self.X, self.y, self.n_classes), repeats
            ),
        }


def cases(large: bool) -> Iterator[tuple[str, Case]]:
    """Name and training set."""
    yield "7,873 x 38, 2 classes", Case(*made(*SIZE))
    yield "6,435 x 36, 6 classes", Case(*made(6435, 36, 6))
    reference = os.environ.get("WHYBOX_REFERENCE")
    if reference:
        path = Path(reference) / "data" / "uci" / "statlog_satellite.csv"
        table = np.genfromtxt(path, delimiter=",", skip_header=1, dtype=str)
        labels = np.unique(table[:, -1], return_inverse=True)[1].astype(np.int64)
        yield (
            "Statlog, 6,435 x 36 integers, 6 classes",
            Case(np.ascontiguousarray(table[:, :-1].astype(np.float32)), labels),
        )
    if large:
        yield "30,000 x 38, 2 classes", Case(*made(*LARGE))


def print_scaling(repeats: int) -> None:
    """Cost of a round at multiples of the rows and of the features."""
    n_rows, n_features = SIZE
    sizes = [(n_rows * k, n_features) for k in (1, 2, 4)]
    sizes += [(n_rows, n_features * k) for k in (2, 4)]
    base = None
    for size in sizes:
        seconds = Case(*made(*size)).round_time(repeats)
        base = base or seconds
        print(f"{size[0]:>7,} x {size[1]:<4} {seconds * 1000:9.1f} ms {seconds / base:6.2f}")


def main() -> None:
    """Print tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="30,000 rows too")
    parser.add_argument("--scaling", action="store_true", help="multiples of rows and features")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    print(f"load average {os.getloadavg()[0]:.1f}")
    if arguments.scaling:
        print_scaling(arguments.repeats)
        return
    for name, case in cases(arguments.large):
        seconds = case.measure(arguments.repeats)
        print(name)
        for part, value in seconds.items():
            print(f"  {part:<36}{value * 1000:9.1f} ms")
        ratio = seconds["six scikit-learn fits"] / seconds["a round"]
        print(f"  {'times as fast':<36}{ratio:9.1f}")


if __name__ == "__main__":
    main()
