"""``whybox demo``: the whole way on synthetic timelines, in one folder."""

from __future__ import annotations

from typing import Any

from whybox.config import (
    DemoConfig,
    ExplainConfig,
    ExtractConfig,
    ScoreConfig,
    SynthesisConfig,
    TrainConfig,
)
from whybox.graph.session import Session, using
from whybox.pipelines import explain, extract, score, synth, train
from whybox.pipelines.outcome import Outcome, Table
from whybox.pipelines.training import figures_table
from whybox.progress import SILENT, Progress

__all__ = ["run"]


def run(
    config: DemoConfig, *, progress: Progress = SILENT, session: Session | None = None
) -> Outcome:
    """Run synth, extract, train, score and explain.

    Parameters
    ----------
    config : DemoConfig
    progress : Progress, optional
    session : Session, optional
        An open one to use; by default one is opened as the configuration says.

    Returns
    -------
    Outcome
        With a summary and the report's path, OUT/report.html.

    Raises
    ------
    InputError
        OUT holds other things, or an option is out of its range.
    """
    common: dict[str, Any] = {
        name: getattr(config, name)
        for name in ("scheduler", "workers", "threads", "partitions", "seed")
    }
    out, key_file = config.out, config.key_file
    timelines, features, scores = out / "timelines", out / "features", out / "scores"
    model, report = out / "model.whybox", out / "report.html"
    with using(session, config, progress) as opened:
        shared: dict[str, Any] = {"progress": progress, "session": opened}
        progress.say("1 of 5: synthetic timelines")
        made = synth.run(
            SynthesisConfig(
                out=timelines, users=config.users, posts_per_user=config.posts_per_user, **common
            ),
            progress=progress,
        )
        progress.say("2 of 5: features of users")
        extracted = extract.run(
            ExtractConfig(
                inputs=(str(timelines),),
                out=str(features),
                format="ttdd",
                key_file=key_file,
                **common,
            ),
            **shared,
        )
        progress.say("3 of 5: a model, beside its peers")
        trained = train.run(
            TrainConfig(
                source=str(features), out=model, n_estimators=config.n_estimators, **common
            ),
            **shared,
        )
        progress.say("4 of 5: scores of the unlabelled users")
        scored = score.run(
            ScoreConfig(
                model=model,
                source=(str(features),),
                out=str(scores),
                rows="unlabelled",
                report=False,  # the one page of a demo is explain's
                key_file=key_file,
                **common,
            ),
            **shared,
        )
        progress.say("5 of 5: a report")
        explain.run(
            ExplainConfig(
                model=model,
                source=str(features),
                out=report,
                scores=str(scores),
                key_file=key_file,
                **common,
            ),
            **shared,
        )
    return _outcome(made, extracted, trained, scored, str(report))


def _outcome(
    made: Outcome, extracted: Outcome, trained: Outcome, scored: Outcome, report: str
) -> Outcome:
    """What the demo shows."""
    counts, totals = scored.values, extracted.values
    rows = (
        ("users in", totals["users"] + totals["users_dropped"]),
        ("left out for too few posts", totals["users_dropped"]),
        ("learnt from (labelled)", trained.values["rows"]),
        ("candidates (unlabelled)", counts["users"]),
        ("scored", counts["scored"]),
        ("abstained", counts["abstained"]),
    )
    tables = (
        Table("Users", ("what", "users"), rows),
        figures_table("Cross-validation on the labelled users", trained.values["figures"]),
    )
    values = {
        "report": report,
        "synth": made.values,
        "extract": totals,
        "train": trained.values,
        "score": counts,
    }
    return Outcome("demo", values, (f"Open the report in a browser: {report}",), tables)
