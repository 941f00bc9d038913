"""The page of a version of scores: built from finished parts and sums, before the version stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whybox.config import ScoreConfig
from whybox.data.storage import file_sha256
from whybox.explain.blocks import TableBlock
from whybox.explain.card import software_versions
from whybox.explain.context import DataSummary, ThresholdChoice
from whybox.explain.scores import ScoresPage, build_scores_page
from whybox.explain.svg import Table
from whybox.explain.wording import number, percent
from whybox.graph.rounds import Round
from whybox.model_selection.answers import Rule
from whybox.pipelines.accounts import input_counts
from whybox.pipelines.report_tables import appraisal_tables, base_rates_at
from whybox.pipelines.review import MEANINGS
from whybox.pipelines.score_drift import SCORE, Drift
from whybox.pipelines.score_model import ScoredModel
from whybox.pipelines.score_people import read_people

__all__ = ["REPORT", "ScoredRun", "write_report"]

REPORT = "report.html"
_HASHES = {"model_sha256": "model", "source": "input", "run": "run", "key": "key of the pseudonyms"}

_ABOUT = {"these rows": "training rows"}


@dataclass(frozen=True, eq=False)
class ScoredRun:
    """A run whose parts are all done.

    Attributes
    ----------
    config : ScoreConfig
    model : ScoredModel
    rule : Rule
    found : Round
    drift : Drift
    counts : mapping
        The manifest's.
    accounts : sequence of mapping
        The manifest's inputs.
    identity : mapping
        The manifest's: of what the run is.
    """

    config: ScoreConfig
    model: ScoredModel
    rule: Rule
    found: Round
    drift: Drift
    counts: Mapping[str, Any]
    accounts: Sequence[Mapping[str, Any]]
    identity: Mapping[str, Any]


def write_report(folder: Path, run: ScoredRun) -> list[dict[str, Any]]:
    """Write the page of a version into its folder.

    It tells of the run's input and results alone, so that its bytes are the same however often the
    run was killed on its way.

    Parameters
    ----------
    folder : pathlib.Path
    run : ScoredRun

    Returns
    -------
    list of dict
        The manifest's entry of the page.
    """
    page = build_scores_page(_page(run))
    (folder / REPORT).write_text(page, encoding="utf-8")
    digest = file_sha256(str(folder / REPORT))
    return [{"path": REPORT, "rows": run.counts["users"], "sha256": digest}]


def _page(run: ScoredRun) -> ScoresPage:
    """What the page shows."""
    people = read_people([part.path for part in run.found.parts], run.rule.positive)
    threshold, counts = _threshold(run), run.counts
    worth, notes = _worth(run)
    trained = run.model.scores
    return ScoresPage(
        title=f"Scores of {number(counts['users'])} {_units(run)}",
        summary=_summary(run, threshold),
        positive=run.rule.positive,
        threshold=threshold,
        band=run.rule.band,
        decisions=_decisions(run),
        abstentions={n: (k, MEANINGS.get(n, "")) for n, k in counts["abstentions"].items()},
        data=_data(run),
        scores=run.drift.distribution["counts"][SCORE][:-1],  # the last: without a probability
        training_scores=None if trained is None else trained[:-1],
        reasons=people.reasons,
        review=people.review,
        drift=run.drift.rows,
        max_drift=run.config.max_drift,
        users=run.drift.users,
        changes=run.drift.changes,
        worth=worth,
        worth_notes=notes,
        card=run.model.card,
        software=software_versions(),
        units=_units(run),
        hashes={told: run.identity[name] for name, told in _HASHES.items()},
    )


def _decisions(run: ScoredRun) -> dict[str, int]:
    """Users by decision, a class that nobody got included."""
    classes = dict.fromkeys([run.rule.positive, *run.model.card["data"].get("class_counts", ())], 0)
    return {**classes, **run.counts["decisions"]}


def _threshold(run: ScoredRun) -> ThresholdChoice:
    """The threshold, and where it comes from."""
    value, card = run.rule.threshold, run.model.card["threshold"]
    if run.config.threshold is not None:
        return ThresholdChoice(value, "--threshold", "given for this run")
    return ThresholdChoice(value, card.get("rule", ""), card.get("reason") or "of the model's card")


def _summary(run: ScoredRun, threshold: ThresholdChoice) -> str:
    """Say in plain words what was asked, what was answered, and what must not be done with it."""
    counts, positive, card = run.counts, run.rule.positive, run.model.card
    flagged = counts["decisions"].get(positive, 0)
    learnt = card["data"].get("rows")
    each, without = _units(run).removesuffix("s"), run.config.rows == "unlabelled"
    text = (
        f"The question was, for each {each}{' without a label' if without else ''}, how much it is like those labelled “{positive}”"
        + (f" among the {number(learnt)} rows that the model learnt from. " if learnt else ". ")
        + f"Of {number(counts['users'])} {_units(run)}, {number(flagged)} are flagged: their probability "
        f"is {number(threshold.value)} or more, the threshold being {threshold.reason}. "
        f"{number(counts['scored'] - flagged)} are not flagged, and for {number(counts['abstained'])} "
        "there is no answer. "
    )
    if run.drift.exceeded:
        text += (
            f"Spread otherwise than in training by more than was allowed: {_some(run.drift.exceeded)}; "
            "look at the drift first. "
        )
    return text + (
        "A flag is a likeness to examples and may be wrong: it is there for people to look at, and "
        "nobody may be judged, ranked or contacted for it alone."
    )


def _units(run: ScoredRun) -> str:
    """What is scored."""
    return "posts" if run.model.reads_texts else "users"


def _some(names: Sequence[str], most: int = 5) -> str:
    """Name the first, and count the others."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _data(run: ScoredRun) -> DataSummary:
    """Where the users come from; every one of them is in the scores."""
    entries = run.accounts if run.accounts and "lines" in run.accounts[0] else ()
    return DataSummary(input_counts(entries), class_counts={_units(run): run.counts["users"]})


def _worth(run: ScoredRun) -> tuple[list[TableBlock], list[str]]:
    """What flags are worth by the figures that were taken in training, if they are of this threshold."""
    known, rate = run.model.card.get("appraisal"), run.config.base_rate
    if known is None:
        return [], ["How often flags are right was not measured when the model was trained."]
    if known["threshold"] != run.rule.threshold:
        return [], [
            f"The model's figures are of a threshold of {number(known['threshold'])}: they tell "
            "nothing of flags at another one."
        ]
    stated = known["base_rates"] if rate is None else base_rates_at(known, rate)
    rows = [{**row, "about": _ABOUT.get(row["about"], row["about"])} for row in stated]
    card = {**run.model.card, "appraisal": {**known, "base_rates": rows}}
    return [*_right_here(run, rows), *appraisal_tables(card)], [
        "These figures are of the training rows, cross-validated, with every row decided. What "
        "is like them keeps them; where the positive class is rarer, fewer flags are right."
    ]


def _right_here(run: ScoredRun, rows: Sequence[Mapping[str, Any]]) -> list[TableBlock]:
    """How many of this run's flags may be right, by how common the positive class is."""
    flagged, scored = run.counts["decisions"].get(run.rule.positive, 0), run.counts["scored"]
    table = [
        (
            percent(row["base_rate"]) + (f" ({row['about']})" if row["about"] else ""),
            number(round(flagged * row["right_among_flagged"][0])),
            " to ".join(number(round(flagged * end)) for end in row["right_among_flagged"][1:]),
            percent(row["flagged"]),
        )
        for row in rows
        if row["right_among_flagged"] is not None
    ]
    if not table or not flagged:
        return []
    block = TableBlock(
        f"Of the {number(flagged)} flagged here",
        f"By Bayes' rule. Here {percent(flagged / scored)} of the decided are flagged: the row whose "
        f"last column is nearest to that tells most of these {_units(run)}.",
        Table(("if so many are positive", "right", "95 % interval", "would be flagged"), table),
    )
    return [block]
