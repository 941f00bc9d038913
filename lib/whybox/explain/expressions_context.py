"""What a report of expressions is told: plain values, names of what is not to be shown already masked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from whybox.explain.blocks import TableBlock
from whybox.explain.context import CrossValidation, ModelSummary, OutOfFold, ThresholdChoice

__all__ = ["Answer", "Column", "ExpressionsReport", "Form", "Ranked", "Sentence", "Weights"]

Segments = Sequence[tuple[str, bool]]


@dataclass(frozen=True)
class Form:
    """How an expression's words stand in texts.

    Parameters
    ----------
    text : str
        The words, three dots where others stand between.
    count : int
        Texts in which they stand like this.

    Examples
    --------
    >>> Form("thanks … for", 12).count
    12
    """

    text: str
    count: int


@dataclass(frozen=True)
class Column:
    """One expression.

    Parameters
    ----------
    name, label : str
        Its words, and its class.
    texts, others : int
        Training texts of its class, and of other classes, that have it.
    precision, recall, score : float
        On the training texts; the score is CF-ICF.
    holders : int
        Users who wrote it, or texts where users are not known.
    here : int
        Texts shown to the report that have it.
    right_here : float, optional
        Share of these that are of its class; None if no label is known.
    adjacent : float, optional
        Share of the texts looked at where its words follow each other; None for one word.
    gap : float, optional
        Median number of tokens between its first and last word that are not its own.
    looked : int
        Texts looked at for places and forms.
    forms : sequence of Form
        The commonest.
    examples : sequence of sequence of (str, bool)
        Texts cut into pieces, those that match marked; empty unless texts may be shown.

    Examples
    --------
    >>> Column("thanks", "positive", 9, 1, 0.9, 0.3, 1.2, 10, 4).label
    'positive'
    """

    name: str
    label: str
    texts: int
    others: int
    precision: float
    recall: float
    score: float
    holders: int
    here: int
    right_here: float | None = None
    adjacent: float | None = None
    gap: float | None = None
    looked: int = 0
    forms: Sequence[Form] = ()
    examples: Sequence[Segments] = ()


@dataclass(frozen=True)
class Sentence:
    """One rule of a tree.

    Parameters
    ----------
    has, lacks : sequence of str
    prediction : str
    support : int
        Training texts under it.
    precision : float
        Share of them that are of the predicted class.

    Examples
    --------
    >>> Sentence(["thanks"], [], "positive", 12, 0.75).support
    12
    """

    has: Sequence[str]
    lacks: Sequence[str]
    prediction: str
    support: int
    precision: float


@dataclass(frozen=True)
class Answer:
    """What texts with the same expressions are answered.

    Parameters
    ----------
    has : sequence of str
    count : int
        Texts here that have these and no others.
    prediction : str
    probability : float
    right : float, optional
        Share of them of the predicted class; None if no label is known.

    Examples
    --------
    >>> Answer(["thanks"], 12, "positive", 0.75).right is None
    True
    """

    has: Sequence[str]
    count: int
    prediction: str
    probability: float
    right: float | None = None


@dataclass(frozen=True)
class Weights:
    """The weighted sum of one class.

    Parameters
    ----------
    label : str
    weights : sequence of (str, str)
        What is added for what, the start first, then the strongest expression.

    Examples
    --------
    >>> Weights("positive", [("thanks", "+2.000")]).label
    'positive'
    """

    label: str
    weights: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Ranked:
    """The words of one class of the texts shown, best first by CF-ICF.

    Parameters
    ----------
    label : str
    words : sequence of (str, str, str, str)
        A word, texts of the class with it, texts of others, CF-ICF.

    Examples
    --------
    >>> Ranked("positive", [("thanks", "9", "1", "1.200")]).words[0][0]
    'thanks'
    """

    label: str
    words: Sequence[tuple[str, str, str, str]]


@dataclass(frozen=True, eq=False)
class ExpressionsReport:
    """Everything that a report of expressions may show; what is empty is left out.

    Parameters
    ----------
    title, summary : str
    model : ModelSummary
    n_training : int
        Texts that the model learnt from.
    unit : str
        What holders are: users or texts.
    columns : sequence of Column
    n_shown : int
        Texts that the report was shown.
    rules : sequence of Sentence
    hidden_rules : (int, int)
        Rules that are not shown, and training texts under them.
    weights : sequence of Weights
    answers : sequence of Answer
    ranked : sequence of Ranked
    cost : mapping of str to float
        Eqs. 24 to 27: rules, clauses, complexity, or neighbours; F1, rate.
    advice : sequence of str
    texts_shown_for : str, optional
        Why texts are shown.
    tables : mapping of str to sequence of TableBlock
        By the section at whose end they stand.
    cross_validation, out_of_fold, threshold, card
        As in `whybox.explain.context.ReportData`.
    software, hashes : mapping of str to str

    Examples
    --------
    >>> ExpressionsReport("A", "B", ModelSummary("expressions-tree"), 10, "texts", (), 5).rules
    ()
    """

    title: str
    summary: str
    model: ModelSummary
    n_training: int
    unit: str
    columns: Sequence[Column]
    n_shown: int
    rules: Sequence[Sentence] = ()
    hidden_rules: tuple[int, int] = (0, 0)
    weights: Sequence[Weights] = ()
    answers: Sequence[Answer] = ()
    ranked: Sequence[Ranked] = ()
    cost: Mapping[str, float] = field(default_factory=dict)
    advice: Sequence[str] = ()
    texts_shown_for: str | None = None
    cross_validation: CrossValidation | None = None
    out_of_fold: OutOfFold | None = None
    tables: Mapping[str, Sequence[TableBlock]] = field(default_factory=dict)
    threshold: ThresholdChoice | None = None
    card: Mapping[str, Any] = field(default_factory=dict)
    software: Mapping[str, str] = field(default_factory=dict)
    hashes: Mapping[str, str] = field(default_factory=dict)
