"""What a run is told: one frozen value a verb, from flags, from a TOML file, or from both.

These classes are the one place where an option has its name, type, default and explanation: the
command line is made from them, and a TOML file has the same names. Common keys stand at the top of
the file, then one table a verb; a flag given on the command line wins::

    scheduler = "local"
    workers = 2

    [train]
    target = "label"
    n_estimators = 200
"""

from __future__ import annotations

import re
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

from whybox.errors import InputError

__all__ = [
    "CONFIGS",
    "CancelConfig",
    "CompareConfig",
    "DemoConfig",
    "ExplainConfig",
    "ExportConfig",
    "ExtractConfig",
    "InspectConfig",
    "PostsConfig",
    "RunConfig",
    "ScoreConfig",
    "StatusConfig",
    "SubmitConfig",
    "SynthesisConfig",
    "TopicsConfig",
    "TrainConfig",
]


def _option(explanation: str, default: Any = MISSING, *, panel: str | None = None) -> Any:
    """A flag: ``--field-name``, by default the field's default."""
    return field(default=default, metadata={"help": explanation, "panel": panel})


def _argument(explanation: str, metavar: str) -> Any:
    """A value given by its place."""
    return field(metadata={"help": explanation, "argument": metavar})


_TABLE_1 = (
    "cbpt", "adaboost-pt", "lightgbm", "xgboost", "kigb", "logitboost", "real-adaboost", "adaboost",
)  # fmt: skip
_WHERE = "Where it runs"
_S3D = "S3D"
_RUNS = "Folder of the runs' states; by default in the user's state folder."
_RAW = "Raw posts (columns: of csv, jsonl and parquet)"
_EXPRESSIONS = "Expressions"
_KEY_FILE = "File of the secret key that makes pseudonyms; else WHYBOX_KEY, else one made for you."


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """Where and how any verb runs; none of it changes a result except the seed."""

    scheduler: str = _option(
        "sync (this process), local (worker processes here), tcp://HOST:PORT or tls://HOST:PORT.",
        "local",
        panel=_WHERE,
    )
    workers: int | None = _option("Local worker processes; one a core.", None, panel=_WHERE)
    threads: int = _option("Threads of each local worker.", 1, panel=_WHERE)
    tls: Path | None = _option(
        "Folder of ca.pem, client.pem and client-key.pem for tls://; else as DASK_CONFIG says.",
        None,
        panel=_WHERE,
    )
    insecure: bool = _option(
        "Allow plain tcp:// to other machines, in a network that nobody else reaches.",
        False,
        panel=_WHERE,
    )
    partitions: int | None = _option(
        "Cut the input into at most so many tasks; the output is the same.", None, panel=_WHERE
    )
    seed: int = _option("Seed of everything that is drawn.", 0, panel=_WHERE)

    def __post_init__(self) -> None:
        for name in ("workers", "threads", "partitions"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InputError(f"--{name} {value} is too few", remedy="give 1 or more")
        if self.seed < 0:
            raise InputError(f"a seed is 0 or more, not {self.seed}", where="--seed")
        for entry in fields(self):
            _check_local(entry.name, getattr(self, entry.name))


def _check_local(name: str, value: Any) -> None:
    """Refuse an address for a path: it would become a local folder of a strange name."""
    if isinstance(value, Path) and re.match(r"[a-z][a-z0-9]+:/", str(value)):
        raise InputError(
            f"{name} is a local path, not an address",
            where=str(value).replace(":/", "://", 1),
            remedy="models and reports are local files; the folders that extract and score write, "
            "and that train, score and explain read, may be s3://bucket/folder",
        )


@dataclass(frozen=True, kw_only=True)
class SynthesisConfig(RunConfig):
    """Write synthetic timelines calibrated to published statistics; no real person's text.

    Example: whybox synth timelines --users 2000 --seed 7
    """

    out: Path = _argument("Folder to write.", "OUT")
    users: int = _option("Labelled and unlabelled users together.", 1000)
    posts_per_user: float | None = _option(
        "Mean number of posts a user; the classes' ratio is kept. As published if not given.", None
    )
    positive_share: float = _option("Share of positives among the labelled users.", 0.35)
    unlabelled_share: float = _option("Share of unlabelled candidates among all users.", 0.2)
    layout: Literal["ttdd", "twitter-v1", "sentiment140"] = _option("Layout of the files.", "ttdd")


@dataclass(frozen=True, kw_only=True)
class PostsConfig(RunConfig):
    """How raw posts are read, by the verbs that take them."""

    format: str = _option(
        "auto, twitter-v1, twitter-v2, ttdd, clpsych, sentiment140, tass, tweeteval, csv, jsonl or "
        "parquet.",
        "auto",
        panel=_RAW,
    )
    text_column: str | None = _option("Column of the text.", None, panel=_RAW)
    label_column: str | None = _option("Column of the label.", None, panel=_RAW)
    user_column: str | None = _option("Column of the user.", None, panel=_RAW)
    id_column: str | None = _option("Column of the post's id.", None, panel=_RAW)
    time_column: str | None = _option("Column of the time.", None, panel=_RAW)
    delimiter: str = _option("Delimiter of a csv; TAB or \\t for a tabulator.", ",", panel=_RAW)
    quoting: Literal["standard", "none"] = _option("Quoting of a csv.", "standard", panel=_RAW)
    encoding: str | None = _option("By default UTF-8, else latin-1, recorded.", None, panel=_RAW)


@dataclass(frozen=True, kw_only=True)
class ExtractConfig(PostsConfig):
    """Turn raw posts into accounted records and features.

    Every line of every input ends up as a record, as a non-record of a known kind, or in quarantine
    with its reason; OUT/manifest.json has the counts.

    Example: whybox extract timelines --format ttdd --out features
    """

    inputs: tuple[str, ...] = _argument("Files, folders or globs of raw posts.", "INPUT...")
    out: str = _option("Folder to write, or s3://bucket/folder.")
    level: Literal["auto", "user", "post"] = _option(
        "Features a user or a post; auto is user where there are users.", "auto"
    )
    timezone: str = _option("IANA zone in which nights are told.", "UTC")
    timezone_column: str | None = _option(
        "Column of each post's own IANA zone; without one it is --timezone, and flagged.",
        None,
        panel=_RAW,
    )
    night: str = _option("The hours of the night.", "23:00-06:00")
    lang: str = _option("Keep posts of these languages, as in en,es; any keeps all.", "any")
    min_posts: int = _option("Users with fewer kept posts are listed, not modelled.", 6)
    own_posts_only: bool = _option("Leave retweets out.", False)
    drop_matching: str | None = _option("Leave out posts that match this expression.", None)
    drop_anchors: bool = _option("Leave out the posts that the labels were given for.", False)
    window: str | None = _option("Keep each user's posts of so long a time, as in 30d.", None)
    window_end: str = _option(
        "Where windows end: the user's last post, the user's last anchor, or a date.", "last"
    )
    lexicon: str = _option("Signed words: vader, opinion or sentiwordnet.", "vader")
    spelling: Literal["none", "symspell", "textblob"] = _option(
        "What corrects the spelling of English words; textblob is slow.", "none"
    )
    max_quarantine: float = _option(
        "Share of quarantined lines, of an input of 1,000 or more, that degrades the run.", 0.01
    )
    salvage: bool = _option("Keep the whole lines of a compressed file that is cut.", False)
    allow_text: str | None = _option("Keep the texts in posts/, for this reason.", None)
    key_file: Path | None = _option(_KEY_FILE, None)


@dataclass(frozen=True, kw_only=True)
class TopicsConfig(RunConfig):
    """Fit topics to the users' documents, for a look: words, coherence, shares of each class.

    With the same rows, number and seed they are the topics of `whybox train --topics`.

    Example: whybox topics features --num 25 --out topics.whybox
    """

    source: str = _argument("Folder from extract.", "FEATURES")
    num: int = _option("Topics; 25 in the paper.", 25)
    out: Path = _option("File to write, as in topics.whybox.")
    names: tuple[str, ...] = _option("What the topics are called, as in a,b.", ())
    target: str = _option("Column of the classes.", "label")
    classes: tuple[str, ...] = _option("Only rows of these classes, as in a,b.", ())
    rows: Literal["labelled", "all"] = _option("Which users' documents to fit to.", "labelled")
    words: int = _option("Words to show of each topic.", 10)


@dataclass(frozen=True, kw_only=True)
class TrainConfig(PostsConfig):
    """Cross-validate a model beside its peers, then fit it on every labelled row.

    FEATURES is a folder from extract, a CSV or a Parquet file. Rows without a label are left out
    and counted. cbpt and adaboost-pt learn classes from numbers; s3d learns classes or real
    outcomes from numbers and words; the expressions learn classes from raw texts.

    Example: whybox train features --target label --out model.whybox

    Example: whybox train answers.csv --target target --model s3d --grid paper --out s3d.whybox
    """

    source: str = _argument("Folder from extract, CSV or Parquet file.", "FEATURES")
    target: str = _option("Column to be learnt.", "label")
    model: str = _option(
        "cbpt, adaboost-pt or s3d of a table; of raw texts expressions-tree, -logistic, -forest "
        "or -knn.",
        "cbpt",
    )
    task: Literal["auto", "classification", "regression"] = _option(
        "What s3d learns; auto is regression for a target of more than 20 different numbers, or of "
        "fractions.",
        "auto",
    )
    out: Path = _option("Model file to write, as in model.whybox.")
    n_estimators: int = _option("Trees of cbpt.", 500)
    learning_rate: float = _option("Weight of each tree of cbpt.", 0.5)
    features: tuple[str, ...] = _option(
        "Feature columns, as in a,b; by default the numeric ones, of s3d those of words too.", ()
    )
    group: str | None = _option(
        "Column whose rows stay in one fold (users are groups anyway).", None
    )
    classes: tuple[str, ...] = _option("Only rows of these classes, as in a,b.", ())
    positive: str | None = _option("The positive class; by default positive, else the last.", None)
    topics: int = _option(
        "Add so many topics of the users' documents, fitted inside each fold; 25 in the paper.", 0
    )
    topic_names: tuple[str, ...] = _option("What the topics are called, as in a,b.", ())
    topics_as_given: bool = _option(
        "Take columns of ready-made topics, though they were not fitted inside the folds.", False
    )
    grid: str = _option(
        "Choose parameters by inner folds: none, paper, or a TOML file with a table a model.",
        "none",
    )
    cv: str = _option("Folds (5), repeated splits (shuffle:5:0.25), or 0 for no figures.", "5")
    threshold: str = _option(
        "auto (0.5; the model's own of s3d), a number, youden, capacity:N or cost:FN/FP.", "auto"
    )
    contact: str | None = _option("Who answers questions about the model, for its card.", None)
    subgroups: tuple[str, ...] = _option(
        "Columns of groups whose errors are compared, as in a,b.", ()
    )
    base_rate: float | None = _option(
        "Share of the positive class where the model will be used, as in 0.05.", None
    )
    report: Path | None = _option("HTML report to write as well, as explain does.", None)
    categorical: tuple[str, ...] = _option(
        "Columns of categories though they look like numbers, as in a,b; texts are anyway.",
        (),
        panel=_S3D,
    )
    penalty: float = _option(
        "Share of what is unexplained that a split must explain.", 0.001, panel=_S3D
    )
    max_features: int | None = _option(
        "Choose at most so many features; by default until nothing pays.", None, panel=_S3D
    )
    min_samples: float = _option("A block of fewer rows answers with a coarser one.", 5, panel=_S3D)
    rule: Literal["best", "one_se"] = _option(
        "With --grid: the best point, or the simplest within one standard error of it.",
        "best",
        panel=_S3D,
    )
    n_expressions: int = _option("Columns of the model.", 9, panel=_EXPRESSIONS)
    min_precision: float | None = _option(
        "Least precision for its class; 0.6, or more of a large class.", None, panel=_EXPRESSIONS
    )
    min_recall: float = _option("Least recall.", 0.01, panel=_EXPRESSIONS)
    max_words: int = _option("Words of an expression.", 3, panel=_EXPRESSIONS)
    language: str = _option("Language of the texts.", "english", panel=_EXPRESSIONS)


@dataclass(frozen=True, kw_only=True)
class CompareConfig(RunConfig):
    """Hold models side by side by nested cross-validation: figures, paired differences, stability.

    OUT/comparison.csv and .html have the table; the first model is the one that the others are held
    against, and the majority's row is always there. What is done is kept as it is done: a run that
    was killed goes on where it stopped.

    Example: whybox compare features --target label --models cbpt,lightgbm --out comparison
    """

    source: str = _argument("Folder from extract, CSV or Parquet file.", "FEATURES")
    target: str = _option("Column to be learnt.", "label")
    models: tuple[str, ...] = _option(
        "Models by name; by default CBPT and its peers in the paper's Table I.",
        _TABLE_1,
    )
    out: Path = _option("Folder to write.")
    features: tuple[str, ...] = _option(
        "Feature columns, as in a,b; by default the numeric ones.", ()
    )
    group: str | None = _option(
        "Column whose rows stay in one fold (users are groups anyway).", None
    )
    classes: tuple[str, ...] = _option(
        "Only rows of these classes, as in a,b; all-pairs compares on each pair of classes.", ()
    )
    positive: str | None = _option("The positive class; by default positive, else the last.", None)
    topics: int = _option("Add so many topics of the documents, fitted inside each fold.", 0)
    topics_as_given: bool = _option("Take columns of ready-made topics all the same.", False)
    cv: str = _option("Folds (5) or repeated splits (shuffle:5:0.25).", "5")
    grid: str = _option(
        "Choose parameters: none, paper, or a TOML file with a table a model.", "none"
    )
    inner: int = _option("Inner folds on which parameters are chosen.", 3)
    select_by: str = _option("Figure that chooses parameters.", "accuracy")
    n_estimators: int | None = _option(
        "Trees of every ensemble, whatever its grid or default says.", None
    )
    learning_curve: bool = _option("Fit on shares of the train rows too.", False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.inner < 2:
            raise InputError(f"--inner {self.inner} is too few", remedy="give 2 or more")


@dataclass(frozen=True, kw_only=True)
class ScoreConfig(PostsConfig):
    """Score every user once: probability, decision, top reasons, or abstention with its reason.

    SOURCE is a folder from extract, a CSV or a Parquet file of features; or raw posts, several
    files, folders or globs, from which features are made by the model's own recipe. OUT/current is
    the version that stands, whole at any time. A run that was killed goes on where it stopped, and
    of changed inputs only what they change is computed again. A single CSV or Parquet file has
    features unless --format says that it has posts.

    Example: whybox score model.whybox features --out scores

    Example: whybox score model.whybox crawl/*.jsonl.gz --out scores
    """

    model: Path = _argument("Model file.", "MODEL")
    source: tuple[str, ...] = _argument(
        "Folder from extract, CSV or Parquet file of features, or raw posts.", "SOURCE..."
    )
    out: str = _option("Folder to write, or s3://bucket/folder.")
    rows: Literal["all", "unlabelled"] = _option("Which users to score.", "all")
    threshold: float | None = _option("Instead of the threshold on the model's card.", None)
    band: float = _option("Abstain when the probability is this near to the threshold.", 0.05)
    reasons: int = _option("Features that moved each answer most, with their exact values.", 3)
    parts: int = _option("Parts that users are dealt to by a hash of their id.", 64)
    keep: int = _option("Versions that stay in OUT.", 3)
    max_drift: float | None = _option(
        "Degrade the run (exit code 1) if the stability index of a feature is larger; a common "
        "rule looks closer from 0.1 and at 0.25 calls it a change.",
        None,
    )
    key_file: Path | None = _option(_KEY_FILE, None)
    timezone_column: str | None = _option(
        "Column of each post's own IANA zone, for a model that was trained with one.",
        None,
        panel=_RAW,
    )
    salvage: bool = _option(
        "Keep the whole lines of a compressed file that is cut.", False, panel=_RAW
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
class ExplainConfig(PostsConfig):
    """Write a report that a person can look at: one self-contained HTML file.

    Example: whybox explain model.whybox features --out report.html
    """

    model: Path = _argument("Model file.", "MODEL")
    source: str = _argument("Folder from extract, CSV or Parquet file.", "FEATURES")
    out: Path = _option("HTML file to write.")
    scores: str | None = _option("Folder from score, to tell of its abstentions.", None)
    max_rows: int = _option("Explain at most so many rows, drawn by the seed.", 5000)
    users: tuple[str, ...] = _option("Whom to explain one by one, as in u-3f9a,u-77b0.", ())
    base_rate: float | None = _option(
        "Share of the positive class where the model is used; by default as trained.", None
    )
    also: Path | None = _option(
        "The same model trained without the posts that its labels were made from.", None
    )
    key_file: Path | None = _option(_KEY_FILE, None)
    allow_text: str | None = _option("Show texts in the report, for this reason.", None)


@dataclass(frozen=True, kw_only=True)
class SubmitConfig(RunConfig):
    """Start a verb that goes on when the terminal is closed; `whybox status RUN` tells how it does.

    Everything after the verb is the verb's own; --runs comes before it.

    Example: whybox submit score model.whybox crawl --out scores
    """

    command: tuple[str, ...] = _argument("A verb with its arguments and options.", "VERB ...")
    runs: Path | None = _option(_RUNS, None)


@dataclass(frozen=True, kw_only=True)
class StatusConfig(RunConfig):
    """Tell what a submitted run is doing, or how it ended; of all runs with RUN all.

    Example: whybox status score-1a2b3c4d
    """

    run: str = _argument("Name of the run, or all.", "RUN")
    runs: Path | None = _option(_RUNS, None)


@dataclass(frozen=True, kw_only=True)
class CancelConfig(RunConfig):
    """End a submitted run with all its processes; what it has finished is kept for the next.

    Example: whybox cancel score-1a2b3c4d
    """

    run: str = _argument("Name of the run.", "RUN")
    runs: Path | None = _option(_RUNS, None)
    grace: float = _option("Seconds that its processes have to end by themselves.", 10.0)


@dataclass(frozen=True, kw_only=True)
class InspectConfig(RunConfig):
    """Tell what a model file or a folder is: card, trees, hashes; manifest and counts.

    Example: whybox inspect model.whybox
    """

    path: Path = _argument("Model file, or a folder that whybox wrote.", "PATH")


@dataclass(frozen=True, kw_only=True)
class ExportConfig(RunConfig):
    """Write a model for other programs: they need no whybox to apply it.

    Of an S3D model: rules are sentences; json lists conditions, the first that hold answer; sql is
    a CASE expression over columns named like the features.

    Example: whybox export model.whybox --to sql --out model.sql
    """

    model: Path = _argument("Model file.", "MODEL")
    to: str = _option(
        "onnx of cbpt; json, sql or rules of s3d; json, regex or rules of expressions."
    )
    out: Path = _option("File to write.")


@dataclass(frozen=True, kw_only=True)
class DemoConfig(RunConfig):
    """Run the whole way on synthetic timelines: synth, extract, train, score, explain.

    Example: whybox demo --out demo
    """

    out: Path = _option("Folder to write.", Path("demo"))
    users: int = _option("Synthetic users.", 1200)
    posts_per_user: float = _option("Mean number of posts a user.", 40.0)
    n_estimators: int = _option("Trees of the model.", 100)
    key_file: Path | None = _option(_KEY_FILE, None)


CONFIGS: dict[str, type[RunConfig]] = {
    "demo": DemoConfig,
    "synth": SynthesisConfig,
    "extract": ExtractConfig,
    "topics": TopicsConfig,
    "train": TrainConfig,
    "compare": CompareConfig,
    "score": ScoreConfig,
    "submit": SubmitConfig,
    "status": StatusConfig,
    "cancel": CancelConfig,
    "explain": ExplainConfig,
    "inspect": InspectConfig,
    "export": ExportConfig,
}
