"""Options of the verbs that score users, and of runs that outlive their terminal."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from whybox.config.base import KEY_FILE, RAW, PostsConfig, RunConfig, argument, option
from whybox.errors import InputError

__all__ = ["CancelConfig", "ScoreConfig", "StatusConfig", "SubmitConfig"]

RUNS = "Folder of the runs' states; by default in the user's state folder."


@dataclass(frozen=True, kw_only=True)
class ScoreConfig(PostsConfig):
    """Score every user once: probability, decision, top reasons, or abstention with its reason.

    SOURCE is a folder from extract, a CSV or a Parquet file of features; or raw posts, several
    files, folders or globs, from which features are made by the model's own recipe. OUT/current is
    the version that stands, whole at any time. A run that was killed goes on where it stopped, and
    of changed inputs only what they change is computed again. A single CSV or Parquet file has
    features unless --format says that it has posts. With a model of expressions SOURCE is raw posts or a
    folder extracted with texts, and it is posts that are scored.

    Example: whybox score model.whybox features --out scores

    Example: whybox score model.whybox crawl/*.jsonl.gz --out scores
    """

    model: Path = argument("Model file.", "MODEL")
    source: tuple[str, ...] = argument(
        "Folder from extract, CSV or Parquet file of features, or raw posts.", "SOURCE..."
    )
    out: str = option("Folder to write, or s3://bucket/folder.")
    rows: Literal["all", "unlabelled"] = option("Which users to score.", "all")
    threshold: float | None = option("Instead of the threshold on the model's card.", None)
    band: float = option("Abstain when the probability is this near to the threshold.", 0.05)
    reasons: int = option("Features that moved each answer most, with their exact values.", 3)
    parts: int = option("Parts that users are dealt to by a hash of their id.", 64)
    keep: int = option("Versions that stay in OUT.", 3)
    max_drift: float | None = option(
        "Degrade the run (exit code 1) if the stability index of a feature is larger; a common "
        "rule looks closer from 0.1 and at 0.25 calls it a change.",
        None,
    )
    report: bool = option("Write report.html into the version, a page for people.", True)
    base_rate: float | None = option(
        "Share of the positive class among these users, to tell in the report what flags are worth.",
        None,
    )
    key_file: Path | None = option(KEY_FILE, None)
    timezone_column: str | None = option(
        "Column of each post's own IANA zone, for a model that was trained with one.",
        None,
        panel=RAW,
    )
    salvage: bool = option(
        "Keep the whole lines of a compressed file that is cut.", False, panel=RAW
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        given: Any = self.source
        if isinstance(given, str):  # one source may be given as it is
            object.__setattr__(self, "source", (given,))
        object.__setattr__(self, "out", str(self.out))
        for name in ("parts", "keep"):
            if getattr(self, name) < 1:
                raise InputError(
                    f"--{name} {getattr(self, name)} is too few", remedy="give 1 or more"
                )
        if self.reasons < 0:
            raise InputError(f"--reasons {self.reasons} is too few", remedy="give 0 or more")


@dataclass(frozen=True, kw_only=True)
class SubmitConfig(RunConfig):
    """Start a verb that goes on when the terminal is closed; `whybox status RUN` tells how it does.

    Everything after the verb is the verb's own; --runs comes before it.

    Example: whybox submit score model.whybox crawl --out scores
    """

    command: tuple[str, ...] = argument("A verb with its arguments and options.", "VERB ...")
    runs: Path | None = option(RUNS, None)


@dataclass(frozen=True, kw_only=True)
class StatusConfig(RunConfig):
    """Tell what a submitted run is doing, or how it ended; of all runs with RUN all.

    Example: whybox status score-1a2b3c4d
    """

    run: str = argument("Name of the run, or all.", "RUN")
    runs: Path | None = option(RUNS, None)


@dataclass(frozen=True, kw_only=True)
class CancelConfig(RunConfig):
    """End a submitted run with all its processes; what it has finished is kept for the next.

    Example: whybox cancel score-1a2b3c4d
    """

    run: str = argument("Name of the run.", "RUN")
    runs: Path | None = option(RUNS, None)
    grace: float = option("Seconds that its processes have to end by themselves.", 10.0)
