"""Options of the verbs that fit models and hold them side by side."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from whybox.config.base import PostsConfig, RunConfig, argument, option
from whybox.errors import InputError

__all__ = ["CompareConfig", "TrainConfig"]

TABLE_1 = (
    "cbpt", "adaboost-pt", "lightgbm", "xgboost", "kigb", "logitboost", "real-adaboost", "adaboost",
)  # fmt: skip
S3D = "S3D"
EXPRESSIONS = "Expressions"


@dataclass(frozen=True, kw_only=True)
class TrainConfig(PostsConfig):
    """Cross-validate a model beside its peers, then fit it on every labelled row.

    FEATURES is a folder from extract, a CSV or a Parquet file. Rows without a label are left out
    and counted. cbpt and adaboost-pt learn classes from numbers; s3d learns classes or real
    outcomes from numbers and words; the expressions learn classes from raw texts.

    Example: whybox train features --target label --out model.whybox

    Example: whybox train answers.csv --target target --model s3d --grid paper --out s3d.whybox
    """

    source: str = argument("Folder from extract, CSV or Parquet file.", "FEATURES")
    target: str = option("Column to be learnt.", "label")
    model: str = option(
        "cbpt, adaboost-pt or s3d of a table; of raw texts expressions-tree, -logistic, -forest "
        "or -knn.",
        "cbpt",
    )
    task: Literal["auto", "classification", "regression"] = option(
        "What s3d learns; auto is regression for a target of more than 20 different numbers, or of "
        "fractions.",
        "auto",
    )
    out: Path = option("Model file to write, as in model.whybox.")
    n_estimators: int = option("Trees of cbpt.", 500)
    learning_rate: float = option("Weight of each tree of cbpt.", 0.5)
    features: tuple[str, ...] = option(
        "Feature columns, as in a,b; by default the numeric ones, of s3d those of words too.", ()
    )
    group: str | None = option(
        "Column whose rows stay in one fold (users are groups anyway).", None
    )
    classes: tuple[str, ...] = option("Only rows of these classes, as in a,b.", ())
    positive: str | None = option("The positive class; by default positive, else the last.", None)
    topics: int = option(
        "Add so many topics of the users' documents, fitted inside each fold; 25 in the paper.", 0
    )
    topic_names: tuple[str, ...] = option("What the topics are called, as in a,b.", ())
    topics_as_given: bool = option(
        "Take columns of ready-made topics, though they were not fitted inside the folds.", False
    )
    grid: str = option(
        "Choose parameters by inner folds: none, paper, or a TOML file with a table a model.",
        "none",
    )
    cv: str = option("Folds (5), repeated splits (shuffle:5:0.25), or 0 for no figures.", "5")
    threshold: str = option(
        "auto (0.5; the model's own of s3d), a number, youden, capacity:N or cost:FN/FP.", "auto"
    )
    contact: str | None = option("Who answers questions about the model, for its card.", None)
    subgroups: tuple[str, ...] = option(
        "Columns of groups whose errors are compared, as in a,b.", ()
    )
    base_rate: float | None = option(
        "Share of the positive class where the model will be used, as in 0.05.", None
    )
    report: Path | None = option("HTML report to write as well, as explain does.", None)
    categorical: tuple[str, ...] = option(
        "Columns of categories though they look like numbers, as in a,b; texts are anyway.",
        (),
        panel=S3D,
    )
    penalty: float = option(
        "Share of what is unexplained that a split must explain.", 0.001, panel=S3D
    )
    max_features: int | None = option(
        "Choose at most so many features; by default until nothing pays.", None, panel=S3D
    )
    min_samples: float = option("A block of fewer rows answers with a coarser one.", 5, panel=S3D)
    rule: Literal["best", "one_se"] = option(
        "With --grid: the best point, or the simplest within one standard error of it.",
        "best",
        panel=S3D,
    )
    n_expressions: int = option("Columns of the model.", 9, panel=EXPRESSIONS)
    min_precision: float | None = option(
        "Least precision for its class; 0.6, or more of a large class.", None, panel=EXPRESSIONS
    )
    min_recall: float = option("Least recall.", 0.01, panel=EXPRESSIONS)
    max_words: int = option("Words of an expression.", 3, panel=EXPRESSIONS)
    language: str = option("Language of the texts.", "english", panel=EXPRESSIONS)


@dataclass(frozen=True, kw_only=True)
class CompareConfig(RunConfig):
    """Hold models side by side by nested cross-validation: figures, paired differences, stability.

    OUT/comparison.csv and .html have the table; the first model is the one that the others are held
    against, and the majority's row is always there. What is done is kept as it is done: a run that
    was killed goes on where it stopped.

    Example: whybox compare features --target label --models cbpt,lightgbm --out comparison
    """

    source: str = argument("Folder from extract, CSV or Parquet file.", "FEATURES")
    target: str = option("Column to be learnt.", "label")
    models: tuple[str, ...] = option(
        "Models by name; by default CBPT and its peers in the paper's Table I.",
        TABLE_1,
    )
    out: Path = option("Folder to write.")
    features: tuple[str, ...] = option(
        "Feature columns, as in a,b; by default the numeric ones.", ()
    )
    group: str | None = option(
        "Column whose rows stay in one fold (users are groups anyway).", None
    )
    classes: tuple[str, ...] = option(
        "Only rows of these classes, as in a,b; all-pairs compares on each pair of classes.", ()
    )
    positive: str | None = option("The positive class; by default positive, else the last.", None)
    topics: int = option("Add so many topics of the documents, fitted inside each fold.", 0)
    topics_as_given: bool = option("Take columns of ready-made topics all the same.", False)
    cv: str = option("Folds (5) or repeated splits (shuffle:5:0.25).", "5")
    grid: str = option(
        "Choose parameters: none, paper, or a TOML file with a table a model.", "none"
    )
    inner: int = option("Inner folds on which parameters are chosen.", 3)
    select_by: str = option("Figure that chooses parameters.", "accuracy")
    n_estimators: int | None = option(
        "Trees of every ensemble, whatever its grid or default says.", None
    )
    learning_curve: bool = option("Fit on shares of the train rows too.", False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.inner < 2:
            raise InputError(f"--inner {self.inner} is too few", remedy="give 2 or more")
