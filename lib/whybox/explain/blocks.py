"""Tables of a report that stand by themselves: a heading, a sentence on how to read it, the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from whybox.explain.svg import Table
from whybox.explain.wording import number, percent

__all__ = [
    "TableBlock",
    "base_rate_block",
    "figures_block",
    "subgroup_block",
    "topics_block",
    "votes_block",
    "with_and_without_block",
    "words_block",
]

Listed = Sequence[float] | None
"""Value, low and high; None where it is not known."""

_SHARES = {
    "sensitivity": "found among the positive (sensitivity)",
    "specificity": "left alone among the negative (specificity)",
    "precision": "right among the flagged (precision)",
    "accuracy": "right among all (accuracy)",
}
_NUMBERS = {
    "f1_macro": "F1, macro",
    "f1_positive": "F1, positive class",
    "auc": "AUC",
    "brier": "Brier score (0 is best)",
    "calibration_error": "expected calibration error (ECE, 0 is best)",
}


@dataclass(frozen=True)
class TableBlock:
    """A table with what a reader needs beside it.

    Parameters
    ----------
    title : str
    note : str
        How to read it.
    table : Table
    prose : bool, default False
        Whether the last column is a text that may run over lines.

    Examples
    --------
    >>> TableBlock("Words", "", Table(["word"])).title
    'Words'
    """

    title: str
    note: str
    table: Table
    prose: bool = False


def figures_block(appraisal: Mapping[str, Any]) -> TableBlock:
    """Show figures with their intervals.

    Parameters
    ----------
    appraisal : mapping
        Of a card: ``figures`` by name, ``people``, ``threshold``, ``method``.

    Returns
    -------
    TableBlock

    Examples
    --------
    >>> appraisal = {"figures": {"accuracy": [0.9, 0.85, 0.93], "auc": None}, "people": 200,
    ...              "threshold": 0.5, "method": "all folds together"}
    >>> figures_block(appraisal).table.rows
    [('right among all (accuracy)', '90.0 %', '85.0 to 93.0 %'), ('AUC', '–', '–')]
    """
    figures = appraisal["figures"]
    rows = [(text, *_share(figures[name])) for name, text in _SHARES.items() if name in figures]
    rows += [(text, *_number(figures[name])) for name, text in _NUMBERS.items() if name in figures]
    return TableBlock(
        "How sure the figures are",
        f"Decisions at a probability of {number(appraisal['threshold'])} for "
        f"{number(appraisal['people'])} people; {appraisal['method']}. Intervals tell of chance in "
        f"who was sampled, not of other populations.{_hindsight(appraisal)}",
        Table(("figure", "value", "95 % interval"), rows),
    )


def _hindsight(appraisal: Mapping[str, Any]) -> str:
    """Warn of a threshold that was chosen with what it is judged by."""
    if not appraisal.get("threshold_from_these_rows"):
        return ""
    return (
        " The threshold was chosen on these very rows, so the figures of its decisions, and all "
        "that is drawn or reckoned from them below, are a little better than new people would give; "
        "the figures by fold above are not: there each fold's threshold was chosen without the rows "
        "it is judged by. AUC, Brier score and calibration do not depend on it."
    )


def base_rate_block(rows: Sequence[Mapping[str, Any]]) -> TableBlock:
    """Show what decisions are worth by how common the positive class is.

    Parameters
    ----------
    rows : sequence of mapping
        ``base_rate``, ``about``, ``flagged``, ``right_among_flagged``, ``right_among_others``.

    Returns
    -------
    TableBlock

    Examples
    --------
    >>> row = {"base_rate": 0.05, "about": "stated", "flagged": 0.158,
    ...        "right_among_flagged": [0.28, 0.23, 0.35], "right_among_others": [0.993, 0.991, 0.995]}
    >>> base_rate_block([row]).table.rows[0][:3]
    ('5.0 % (stated)', '158 of 1,000', '28.0 % (23.0 to 35.0)')
    """
    table = [
        (
            f"{percent(row['base_rate'])} ({row['about']})"
            if row["about"]
            else percent(row["base_rate"]),
            f"{number(round(1000 * row['flagged']))} of 1,000",
            _with_interval(_share(row["right_among_flagged"])),
            _with_interval(_share(row["right_among_others"])),
        )
        for row in rows
    ]
    return TableBlock(
        "Where the positive class is rarer",
        "How many of the flagged are right depends on how common the positive class is where the "
        "model is used (Bayes' rule; sensitivity and specificity are taken to stay the same). In "
        "brackets: 95 % intervals.",
        Table(
            (
                "share of the positive class",
                "flagged",
                "right among the flagged",
                "right among the others",
            ),
            table,
        ),
    )


def subgroup_block(column: str, groups: Sequence[Mapping[str, Any]], fewer: int) -> TableBlock:
    """Show errors group by group.

    Parameters
    ----------
    column : str
    groups : sequence of mapping
        Fields of `whybox.model_selection.subgroups.SubgroupFigures`, intervals as lists.
    fewer : int
        Groups of fewer people are not told of.

    Returns
    -------
    TableBlock

    Examples
    --------
    >>> group = {"group": "a", "n_people": None, "n_positive": None, "sensitivity": None,
    ...          "specificity": None, "f1_positive": None, "brier": None}
    >>> subgroup_block("region", [group], 10).table.rows
    [('a', 'under 10', '–', '–', '–', '–', '–')]
    """
    rows = [
        (
            str(group["group"]),
            f"under {fewer}" if group["n_people"] is None else number(group["n_people"]),
            *_positive(group, fewer),
            *(_with_interval(_share(group[name])) for name in ("sensitivity", "specificity")),
            *(_number(group[name])[0] for name in ("f1_positive", "brier")),
        )
        for group in groups
    ]
    return TableBlock(
        f"Group by group: {column}",
        "In brackets: 95 % intervals. Intervals that do not overlap are a reason to look closer before any "
        f"use; nothing is told of fewer than {fewer} people.",
        Table(
            (column, "people", "positive", "sensitivity", "specificity", "F1, positive", "Brier"),
            rows,
        ),
    )


def votes_block(
    n_rows: int, n_differ: int, votes_right: float, probabilities_right: float, where: int
) -> TableBlock:
    """Show where the trees' vote and the probability at the threshold part.

    Parameters
    ----------
    n_rows, n_differ : int
    votes_right, probabilities_right : float
        Share of all rows.
    where : int
        Rows that differ of which the vote is right.

    Returns
    -------
    TableBlock

    Examples
    --------
    >>> votes_block(100, 3, 0.91, 0.9, 2).table.rows[2]
    ('they differ', '3 rows', 'the vote is right for 2, the probability for 1')
    """
    return TableBlock(
        "Votes against probabilities",
        "The figures by fold are of the trees' vote; decisions and force plots follow the "
        "probability. Near the threshold they may part.",
        Table(
            ("decided by", "right", "note"),
            [
                ("vote of the trees", percent(votes_right), "accuracy by fold"),
                ("probability at the threshold", percent(probabilities_right), "decisions"),
                (
                    "they differ",
                    f"{number(n_differ)} rows",
                    f"the vote is right for {number(where)}, the probability for "
                    f"{number(n_differ - where)}",
                )
                if n_differ
                else ("they differ", "nowhere", f"of {number(n_rows)} rows"),
            ],
        ),
    )


def with_and_without_block(
    rule: str, rows: Sequence[tuple[str, str, Sequence[tuple[float, float] | None]]]
) -> TableBlock:
    """Show what is left of a model without the posts that its labels were made from.

    Parameters
    ----------
    rule : str
        What this model was trained on, in a sentence.
    rows : sequence of (str, str, sequence of (mean, sd) or None)
        Which model, what was left out, and accuracy, F1 macro, F1 positive, AUC.

    Returns
    -------
    TableBlock

    Examples
    --------
    >>> block = with_and_without_block("All posts.", [("this model", "nothing", [(0.9, 0.01), None])])
    >>> block.table.rows
    [('this model', 'nothing', '0.900 ± 0.010', '–')]
    """
    return TableBlock(
        "With and without the posts that the labelling rule matches",
        rule,
        Table(
            ("model", "left out", "accuracy", "F1, macro", "F1, positive", "AUC"),
            [
                (name, left_out, *(_mean_sd(pair) for pair in figures))
                for name, left_out, figures in rows
            ],
        ),
    )


def words_block(rows: Sequence[Mapping[str, Any]], title: str, note: str) -> TableBlock:
    """Show the words of each class, one line a class.

    Parameters
    ----------
    rows : sequence of mapping
        ``label``, ``word``, ``users``, most telling first.
    title, note : str

    Returns
    -------
    TableBlock

    Examples
    --------
    >>> row = {"label": "yes", "word": "tired", "users": 41}
    >>> words_block([row], "Words", "").table.rows
    [('yes', 'tired (41)')]
    """
    by_class: dict[str, list[str]] = {}
    for row in rows:
        words = by_class.setdefault(str(row["label"]) or "no label", [])
        words.append(f"{row['word']} ({number(row['users'])})")
    table = [(name, ", ".join(words)) for name, words in by_class.items()]
    return TableBlock(title, note, Table(("class", "stems (users)"), table), prose=True)


def topics_block(
    topics: Mapping[str, Sequence[str]], importance: Mapping[str, float] | None = None
) -> TableBlock:
    """Show topics by name with their likeliest words.

    Parameters
    ----------
    topics : mapping of str to sequence of str
        Words by the topic's column and name.
    importance : mapping of str to float, optional
        Mean absolute Shapley value by topic.

    Returns
    -------
    TableBlock

    Examples
    --------
    >>> topics_block({"topic1: sleep": ["night", "tired"]}, {"topic1: sleep": 0.02}).table.rows
    [('topic1: sleep', '2.0', 'night, tired')]
    """
    known = importance or {}
    ordered = sorted(topics, key=lambda name: -known.get(name, 0.0))
    return TableBlock(
        "Topics",
        "The likeliest stems of each topic, the most important topic first, with its mean change of "
        "an answer in percentage points. Stems of fewer than 10 users are in no topic.",
        Table(
            ("topic", "mean change (points)", "stems"),
            [
                (
                    name,
                    f"{100 * known[name]:.1f}" if name in known else "–",
                    ", ".join(topics[name]),
                )
                for name in ordered
            ],
        ),
        prose=True,
    )


def _positive(group: Mapping[str, Any], fewer: int) -> tuple[str]:
    """How many are positive, if it can be said."""
    if group["n_people"] is None:
        return ("–",)
    return (f"under {fewer}" if group["n_positive"] is None else number(group["n_positive"]),)


def _share(listed: Listed) -> tuple[str, str]:
    """A share and its interval as percentages."""
    if listed is None:
        return "–", "–"
    value, low, high = listed
    return percent(value), f"{100 * low:.1f} to {100 * high:.1f} %"


def _number(listed: Listed) -> tuple[str, str]:
    """A figure and its interval as numbers."""
    if listed is None:
        return "–", "–"
    value, low, high = listed
    return f"{value:.3f}", f"{low:.3f} to {high:.3f}"


def _with_interval(cells: tuple[str, str]) -> str:
    """Both in one cell."""
    return "–" if cells[0] == "–" else f"{cells[0]} ({cells[1].removesuffix(' %')})"


def _mean_sd(pair: tuple[float, float] | None) -> str:
    """Mean and spread over the folds."""
    return "–" if pair is None else f"{pair[0]:.3f} ± {pair[1]:.3f}"
