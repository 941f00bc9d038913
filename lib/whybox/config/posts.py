"""Options of the verbs that make posts and turn them into features and topics."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from whybox.config.base import KEY_FILE, RAW, PostsConfig, RunConfig, argument, option

__all__ = ["ExtractConfig", "SynthesisConfig", "TopicsConfig"]


@dataclass(frozen=True, kw_only=True)
class SynthesisConfig(RunConfig):
    """Write synthetic timelines calibrated to published statistics; no real person's text.

    Example: whybox synth timelines --users 2000 --seed 7
    """

    out: Path = argument("Folder to write.", "OUT")
    users: int = option("Labelled and unlabelled users together.", 1000)
    posts_per_user: float | None = option(
        "Mean number of posts a user; the classes' ratio is kept. As published if not given.", None
    )
    positive_share: float = option("Share of positives among the labelled users.", 0.35)
    unlabelled_share: float = option("Share of unlabelled candidates among all users.", 0.2)
    layout: Literal["ttdd", "twitter-v1", "sentiment140"] = option("Layout of the files.", "ttdd")


@dataclass(frozen=True, kw_only=True)
class ExtractConfig(PostsConfig):
    """Turn raw posts into accounted records and features.

    Every line of every input ends up as a record, as a non-record of a known kind, or in quarantine
    with its reason; OUT/manifest.json has the counts.

    Example: whybox extract timelines --format ttdd --out features
    """

    inputs: tuple[str, ...] = argument("Files, folders or globs of raw posts.", "INPUT...")
    out: str = option("Folder to write, or s3://bucket/folder.")
    level: Literal["auto", "user", "post"] = option(
        "Features a user or a post; auto is user where there are users.", "auto"
    )
    timezone: str = option("IANA zone in which nights are told.", "UTC")
    timezone_column: str | None = option(
        "Column of each post's own IANA zone; without one it is --timezone, and flagged.",
        None,
        panel=RAW,
    )
    night: str = option("The hours of the night.", "23:00-06:00")
    lang: str = option("Keep posts of these languages, as in en,es; any keeps all.", "any")
    min_posts: int = option("Users with fewer kept posts are listed, not modelled.", 6)
    own_posts_only: bool = option("Leave retweets out.", False)
    drop_matching: str | None = option("Leave out posts that match this expression.", None)
    drop_anchors: bool = option("Leave out the posts that the labels were given for.", False)
    window: str | None = option("Keep each user's posts of so long a time, as in 30d.", None)
    window_end: str = option(
        "Where windows end: the user's last post, the user's last anchor, or a date.", "last"
    )
    lexicon: str = option("Signed words: vader, opinion or sentiwordnet.", "vader")
    spelling: Literal["none", "symspell", "textblob"] = option(
        "What corrects the spelling of English words; textblob is slow.", "none"
    )
    max_quarantine: float = option(
        "Share of quarantined lines, of an input of 1,000 or more, that degrades the run.", 0.01
    )
    salvage: bool = option("Keep the whole lines of a compressed file that is cut.", False)
    allow_text: str | None = option("Keep the texts in posts/, for this reason.", None)
    key_file: Path | None = option(KEY_FILE, None)


@dataclass(frozen=True, kw_only=True)
class TopicsConfig(RunConfig):
    """Fit topics to the users' documents, for a look: words, coherence, shares of each class.

    With the same rows, number and seed they are the topics of `whybox train --topics`.

    Example: whybox topics features --num 25 --out topics.whybox
    """

    source: str = argument("Folder from extract.", "FEATURES")
    num: int = option("Topics; 25 in the paper.", 25)
    out: Path = option("File to write, as in topics.whybox.")
    names: tuple[str, ...] = option("What the topics are called, as in a,b.", ())
    target: str = option("Column of the classes.", "label")
    classes: tuple[str, ...] = option("Only rows of these classes, as in a,b.", ())
    rows: Literal["labelled", "all"] = option("Which users' documents to fit to.", "labelled")
    words: int = option("Words to show of each topic.", 10)
