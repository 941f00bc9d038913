"""What a report is told: plain values, filled by whoever ran the work. Every part may be missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from whybox.errors import InputError
from whybox.explain.attribution import Attribution, Person
from whybox.explain.blocks import TableBlock
from whybox.explain.summaries import FeatureTable

if TYPE_CHECKING:
    from whybox.explain.s3d_context import Decomposition, OutOfFoldAnswers

__all__ = [
    "CLASS_METRICS",
    "Attribution",
    "CrossValidation",
    "DataSummary",
    "History",
    "InputCount",
    "ModelSummary",
    "OutOfFold",
    "Person",
    "ReportData",
    "ScoreRow",
    "ThresholdChoice",
]

CLASS_METRICS = {
    "accuracy": "accuracy",
    "f1_macro": "F1, macro",
    "f1_positive": "F1, positive class",
    "auc": "AUC",
    "brier": "Brier score",
}


@dataclass(frozen=True)
class InputCount:
    """What became of one input's lines: ``lines = records + non_records + quarantined``.

    Parameters
    ----------
    name : str
        The file or folder, without names of people.
    lines, records : int
    non_records, quarantined : mapping of str to int
        Counts by kind and by reason.
    files : int, default 1
        Files that are told of together.

    Examples
    --------
    >>> InputCount("part-1", 10, 8, {"blank": 1}, {"not JSON": 1}).records
    8
    """

    name: str
    lines: int
    records: int
    non_records: Mapping[str, int] = field(default_factory=dict)
    quarantined: Mapping[str, int] = field(default_factory=dict)
    files: int = 1


@dataclass(frozen=True, eq=False)
class DataSummary:
    """What went in.

    Parameters
    ----------
    inputs : sequence of InputCount
    users_dropped : mapping of str to int
        Users left out, by reason.
    class_counts : mapping of str to int
        Rows a class, after dropping.
    features : FeatureTable, optional

    Examples
    --------
    >>> DataSummary(class_counts={"negative": 3, "positive": 2}).inputs
    ()
    """

    inputs: Sequence[InputCount] = ()
    users_dropped: Mapping[str, int] = field(default_factory=dict)
    class_counts: Mapping[str, int] = field(default_factory=dict)
    features: FeatureTable | None = None


@dataclass(frozen=True)
class ScoreRow:
    """One model's figures over the folds.

    Parameters
    ----------
    model : str
    figures : mapping of str to (mean, sd)
        By metric: accuracy, f1_macro, f1_positive, auc, brier. None where undefined.

    Examples
    --------
    >>> ScoreRow("majority", {"accuracy": (0.65, 0.0), "auc": None}).model
    'majority'
    """

    model: str
    figures: Mapping[str, tuple[float, float] | None]


@dataclass(frozen=True)
class CrossValidation:
    """Models side by side on the same folds.

    Parameters
    ----------
    rows : sequence of ScoreRow
        The model first, then its peers.
    description : str
        How the folds were made and what was tuned inside them.
    metrics : mapping of str to str
        The figures that are shown, and what they are called.

    Examples
    --------
    >>> CrossValidation([ScoreRow("majority", {"accuracy": (0.65, 0.0)})], "5 folds").description
    '5 folds'
    """

    rows: Sequence[ScoreRow] = ()
    description: str = ""
    metrics: Mapping[str, str] = field(default_factory=lambda: CLASS_METRICS)


@dataclass(frozen=True, eq=False)
class OutOfFold:
    """Each row's score by the model that had not seen it.

    Parameters
    ----------
    positive : bool array (rows,)
        Whether the row is of the positive class.
    scores : float array (rows,)
        Probability of the positive class.
    names : (str, str)
        Of the negative and the positive class.

    Examples
    --------
    >>> OutOfFold(np.array([True, False]), np.array([0.8, 0.1])).names
    ('negative', 'positive')
    """

    positive: NDArray[np.bool_]
    scores: NDArray[np.float64]
    names: tuple[str, str] = ("negative", "positive")

    def __post_init__(self) -> None:
        _same_length(positive=self.positive, scores=self.scores)


@dataclass(frozen=True, eq=False)
class History:
    """Boosting, round by round (the kept trees).

    Parameters
    ----------
    error, weight : float array (rounds,)
        Weighted training error (eps) and the tree's weight (theta).
    leaves : int array (rounds,)
    leaves_grown : int array (rounds,), optional
        Before pruning.

    Examples
    --------
    >>> History.from_records([{"eps": 0.1, "theta": 1.1, "leaves": 5, "leaves_grown": 9}]).leaves
    array([5])
    """

    error: NDArray[np.float64]
    weight: NDArray[np.float64]
    leaves: NDArray[np.int64]
    leaves_grown: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        _same_length(error=self.error, weight=self.weight, leaves=self.leaves)

    @classmethod
    def from_records(cls, records: Sequence[Mapping[str, Any]]) -> History:
        """Take a CBPTClassifier's ``history_``, rounds that kept no tree left out.

        Parameters
        ----------
        records : sequence of mapping
            With eps, theta, leaves and leaves_grown.

        Returns
        -------
        History

        Examples
        --------
        >>> len(History.from_records([{"eps": 0.6, "theta": None, "leaves": 2}]).error)
        0
        """
        kept = [record for record in records if record.get("theta")]
        grown = [record.get("leaves_grown") for record in kept]
        return cls(
            np.array([record["eps"] for record in kept], dtype=np.float64),
            np.array([record["theta"] for record in kept], dtype=np.float64),
            np.array([record["leaves"] for record in kept], dtype=np.int64),
            np.array(grown, dtype=np.int64) if kept and None not in grown else None,
        )


@dataclass(frozen=True)
class ThresholdChoice:
    """Where a score becomes a decision.

    Parameters
    ----------
    value : float
        Flagged from this probability on.
    rule : str
        As given: ``0.5``, ``youden``, ``capacity:N``, ``cost:FN/FP``.
    reason : str
        How it was chosen, in a sentence.
    disagreements : int, optional
        Rows whose class by vote differs from the decision by probability.

    Examples
    --------
    >>> ThresholdChoice(0.5, "0.5").disagreements is None
    True
    """

    value: float
    rule: str
    reason: str = ""
    disagreements: int | None = None


@dataclass(frozen=True)
class ModelSummary:
    """What kind of model it is.

    Parameters
    ----------
    name : str
        As users say it: ``cbpt``.
    description : str
        How it decides, in plain words.
    positive : str
        The positive class.
    parameters : mapping of str to anything
    facts : mapping of str to anything
        Numbers worth a line: trees, leaves, features.

    Examples
    --------
    >>> ModelSummary("cbpt").positive
    'positive'
    """

    name: str
    description: str = ""
    positive: str = "positive"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class ReportData:
    """Everything a report may show; what is None is left out.

    Parameters
    ----------
    title : str
    summary : str
        One paragraph in plain words: what was asked, what was found.
    model : ModelSummary
    data, cross_validation, ..., card
        Optional parts. Abstentions are counts by reason.
    people : sequence of Person
        Users to explain one by one; needs the attribution.
    tables : mapping of str to sequence of TableBlock
        By the section at whose end they stand: data, performance, model, ...
    rows : int, optional
        Rows of which those in the attribution were drawn.
    software, hashes : mapping of str to str

    Examples
    --------
    >>> ReportData("A model", "It was asked and it answered.", ModelSummary("cbpt")).people
    ()
    """

    title: str
    summary: str
    model: ModelSummary
    data: DataSummary | None = None
    cross_validation: CrossValidation | None = None
    out_of_fold: OutOfFold | None = None
    answers: OutOfFoldAnswers | None = None
    attribution: Attribution | None = None
    decomposition: Decomposition | None = None
    people: Sequence[Person] = ()
    tables: Mapping[str, Sequence[TableBlock]] = field(default_factory=dict)
    rows: int | None = None
    history: History | None = None
    threshold: ThresholdChoice | None = None
    abstentions: Mapping[str, int] | None = None
    card: Mapping[str, Any] | None = None
    software: Mapping[str, str] = field(default_factory=dict)
    hashes: Mapping[str, str] = field(default_factory=dict)


def _same_length(**parts: Any) -> None:
    """Refuse parts of different lengths."""
    lengths = {name: len(part) for name, part in parts.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(f"lengths differ: {lengths}, expected the same for all")
