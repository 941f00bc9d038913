"""Timelines to a model of candidates, their scores, and a report: the first paper's study.

Labelled timelines (positive, negative) teach CBPT; unlabelled ones are scored and explained. Run it
anywhere::

    python jobs/train_candidate_model.py timelines --out study
    python jobs/train_candidate_model.py timelines --out study --scheduler tcp://127.0.0.1:8786

Each step is also a verb of the command line; see ``whybox VERB --help`` for what it takes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from whybox.cli.console import Console
from whybox.config import ExplainConfig, ExtractConfig, ScoreConfig, TrainConfig
from whybox.graph.session import connect
from whybox.pipelines import explain, extract, score, train
from whybox.pipelines.outcome import Outcome


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("timelines", help="a folder with labeled/ and unlabeled/")
    parser.add_argument("--out", type=Path, required=True, help="folder for all results")
    parser.add_argument("--scheduler", default="local", help="sync, local, or an address")
    parser.add_argument("--workers", type=int, help="local worker processes")
    parser.add_argument("--trees", type=int, default=500)
    parser.add_argument("--lang", default="any", help="keep posts of these languages, as in en,es")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def study(given: argparse.Namespace, console: Console) -> Outcome:
    out: Path = given.out
    features, model, scores = out / "features", out / "model.whybox", out / "scores"
    with connect(given.scheduler, workers=given.workers, progress=console) as session:
        extract.run(
            ExtractConfig(
                inputs=(given.timelines,), out=str(features), format="ttdd", lang=given.lang
            ),
            progress=console,
            session=session,
        )
        trained = train.run(
            TrainConfig(source=str(features), out=model, n_estimators=given.trees, seed=given.seed),
            progress=console,
            session=session,
        )
        score.run(
            ScoreConfig(model=model, source=(str(features),), out=str(scores), rows="unlabelled"),
            progress=console,
            session=session,
        )
        explain.run(
            ExplainConfig(
                model=model, source=str(features), out=out / "report.html", scores=str(scores)
            ),
            progress=console,
            session=session,
        )
    return trained


if __name__ == "__main__":  # workers import this module again
    console = Console()
    given = arguments()
    raise SystemExit(console.run(lambda: study(given, console)))
