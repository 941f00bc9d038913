"""Score a growing crawl every night: each user once, only what changed anew, drift watched.

OUT/current is always one whole version. A run that was killed goes on with the next one, two at once
do not happen, and a night without new posts touches nothing. OUT/current/report.html tells people of
the night: flags, users without an answer, drift. Run it anywhere::

    python jobs/rescore_candidates.py model.whybox crawl --out scores
    python jobs/rescore_candidates.py model.whybox crawl --out scores --max-drift 0.25 \
        --scheduler tcp://127.0.0.1:8786

or from cron, at half past two: ``30 2 * * * cd /srv/study && python jobs/rescore_candidates.py ...``
The exit code is 0 when the scores stand, 1 when the run failed, is locked or degraded (the message
says which), 2 when an input is not what it should be.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from whybox.cli.console import Console
from whybox.config import ScoreConfig
from whybox.graph.session import connect
from whybox.pipelines import score
from whybox.pipelines.outcome import Outcome


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", type=Path, help="a model with its card, as `whybox train` writes")
    parser.add_argument("source", nargs="+", help="raw posts: files, folders or globs; or features")
    parser.add_argument("--out", required=True, help="folder of versions, or s3://bucket/folder")
    parser.add_argument("--format", default="auto", help="format of the raw posts")
    parser.add_argument("--rows", default="unlabelled", choices=("all", "unlabelled"))
    parser.add_argument("--max-drift", type=float, help="stability index that degrades the run")
    parser.add_argument("--no-report", action="store_true", help="write no page for people")
    parser.add_argument("--keep", type=int, default=7, help="versions that stay")
    parser.add_argument("--scheduler", default="local", help="sync, local, or an address")
    parser.add_argument("--workers", type=int, help="local worker processes")
    return parser.parse_args()


def rescore(given: argparse.Namespace, console: Console) -> Outcome:
    config = ScoreConfig(
        model=given.model,
        source=tuple(given.source),
        out=given.out,
        format=given.format,
        rows=given.rows,
        max_drift=given.max_drift,
        report=not given.no_report,
        keep=given.keep,
    )
    with connect(given.scheduler, workers=given.workers, progress=console) as session:
        return score.run(config, progress=console, session=session)


if __name__ == "__main__":  # workers import this module again
    console = Console()
    given = arguments()
    raise SystemExit(console.run(lambda: rescore(given, console)))
