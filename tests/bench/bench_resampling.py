"""From which size Dask pays for one fit: wall time of the six trees of a round.

``python tests/bench/bench_resampling.py [--sizes 8000x38 30000x38]``: in one thread, in two, on two
worker processes of this machine, and the same tasks with nothing to do. The least of some repeats.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
from bench_cbpt import made

from whybox.cbpt.executors import here, in_threads
from whybox.cbpt.pruning import FULL, PruningRules, TrainingSet, grow_part
from whybox.graph import connect
from whybox.graph.resampling import resident
from whybox.trees import on_grid

SIZES = ["2000x38", "8000x38", "30000x38"]


def nothing(data: TrainingSet, part: int, **rest: Any) -> None:
    """What is left of a task without its work."""


def least_time(run: Callable[..., Iterable], work: Callable, repeats: int) -> float:
    """Milliseconds of the fastest round but for the first, which may compile."""
    times = []
    for _ in range(repeats + 1):
        started = time.perf_counter()
        list(run(work, [FULL, *range(5)]))
        times.append(time.perf_counter() - started)
    return min(times[1:]) * 1000


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", nargs="*", default=SIZES)
    parser.add_argument("--repeats", type=int, default=8)
    repeats = parser.parse_args().repeats
    print(f"{os.cpu_count()} processors, ms a round")
    columns = ("size", "one thread", "2 threads", "2 workers", "empty tasks", "load")
    print("".join(f"{name:>12}" for name in columns))
    with connect("local", workers=2) as session:
        for size in parser.parse_args().sizes:
            X, y = made(*map(int, size.split("x")))
            data, weight = TrainingSet.of(X, y, 2), np.random.RandomState(0).uniform(1, 9, len(y))
            rest = {"weight": on_grid(weight), "folds": np.arange(len(y)) % 5}
            work = partial(grow_part, rules=PruningRules(), **rest)
            with in_threads(data, 2) as threads, resident(session, data) as workers:
                times = [least_time(run, work, repeats) for run in (here(data), threads, workers)]
                times.append(least_time(workers, partial(nothing, **rest), repeats))
            row = "".join(f"{value:12.1f}" for value in [*times, os.getloadavg()[0]])
            print(f"{size:>12}{row}", flush=True)


if __name__ == "__main__":
    main()
