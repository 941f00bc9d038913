"""How nine readable columns generalise: the reversed k-fold study of discriminatory expressions.

Each fold of Sentiment140 teaches a model that is judged on all others; a grid of thresholds stands
beside seven filters of words. Run it anywhere; killed and run again, it goes on where it was::

    python jobs/sentiment140_generalisation.py training.csv --out study --folds 10
    python jobs/sentiment140_generalisation.py training.csv --out study --folds 100 \
        --scheduler tcp://127.0.0.1:8786
"""

from __future__ import annotations

import argparse
from pathlib import Path

from whybox.cli.console import Console
from whybox.graph.session import connect
from whybox.model_selection.generalisation import FILTERS
from whybox.pipelines import generalisation
from whybox.pipelines.outcome import Outcome


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("posts", help="a file of Sentiment140")
    parser.add_argument("--out", type=Path, required=True, help="folder for all results")
    parser.add_argument("--folds", type=int, default=100)
    parser.add_argument("--columns", type=int, default=9, help="columns of each model")
    parser.add_argument("--precision", type=float, nargs="+", default=[0.6, 0.75, 0.9], help="p")
    parser.add_argument("--recall", type=float, nargs="+", default=[0.001, 0.003, 0.01], help="r")
    parser.add_argument("--words", type=int, nargs="+", default=[1, 3], help="in an expression")
    parser.add_argument("--filters", nargs="*", default=list(FILTERS), help="beside expressions")
    parser.add_argument("--scheduler", default="local", help="sync, local, or an address")
    parser.add_argument("--workers", type=int, help="local worker processes")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def study(given: argparse.Namespace, console: Console) -> Outcome:
    config = generalisation.GeneralisationConfig(
        source=given.posts,
        out=given.out,
        n_folds=given.folds,
        n_columns=given.columns,
        min_precision=tuple(given.precision),
        min_recall=tuple(given.recall),
        max_words=tuple(given.words),
        filters=tuple(given.filters),
        seed=given.seed,
    )
    with connect(given.scheduler, workers=given.workers, progress=console) as session:
        return generalisation.run(config, progress=console, session=session)


if __name__ == "__main__":  # workers import this module again
    console = Console()
    given = arguments()
    raise SystemExit(console.run(lambda: study(given, console)))
