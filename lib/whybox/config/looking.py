"""Options of the verbs that show what a model or a folder is, and of the demonstration."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from whybox.config.base import KEY_FILE, PostsConfig, RunConfig, argument, option

__all__ = ["DemoConfig", "ExplainConfig", "ExportConfig", "InspectConfig"]


@dataclass(frozen=True, kw_only=True)
class ExplainConfig(PostsConfig):
    """Write a report that a person can look at: one self-contained HTML file.

    Example: whybox explain model.whybox features --out report.html
    """

    model: Path = argument("Model file.", "MODEL")
    source: str = argument("Folder from extract, CSV or Parquet file.", "FEATURES")
    out: Path = option("HTML file to write.")
    scores: str | None = option("Folder from score, to tell of its abstentions.", None)
    max_rows: int = option("Explain at most so many rows, drawn by the seed.", 5000)
    users: tuple[str, ...] = option("Whom to explain one by one, as in u-3f9a,u-77b0.", ())
    base_rate: float | None = option(
        "Share of the positive class where the model is used; by default as trained.", None
    )
    also: Path | None = option(
        "The same model trained without the posts that its labels were made from.", None
    )
    key_file: Path | None = option(KEY_FILE, None)
    allow_text: str | None = option("Show texts in the report, for this reason.", None)


@dataclass(frozen=True, kw_only=True)
class InspectConfig(RunConfig):
    """Tell what a model file or a folder is: card, trees, hashes; manifest and counts.

    Example: whybox inspect model.whybox
    """

    path: Path = argument("Model file, or a folder that whybox wrote.", "PATH")


@dataclass(frozen=True, kw_only=True)
class ExportConfig(RunConfig):
    """Write a model for other programs: they need no whybox to apply it.

    Of an S3D model: rules are sentences; json lists conditions, the first that hold answer; sql is
    a CASE expression over columns named like the features.

    Example: whybox export model.whybox --to sql --out model.sql
    """

    model: Path = argument("Model file.", "MODEL")
    to: str = option(
        "onnx of cbpt; json, sql or rules of s3d; json, regex or rules of expressions."
    )
    out: Path = option("File to write.")


@dataclass(frozen=True, kw_only=True)
class DemoConfig(RunConfig):
    """Run the whole way on synthetic timelines: synth, extract, train, score, explain.

    Example: whybox demo --out demo
    """

    out: Path = option("Folder to write.", Path("demo"))
    users: int = option("Synthetic users.", 1200)
    posts_per_user: float = option("Mean number of posts a user.", 40.0)
    n_estimators: int = option("Trees of the model.", 100)
    key_file: Path | None = option(KEY_FILE, None)
