"""The page of a run that scored users: what was decided, what was not, on what grounds, what drifted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from whybox.explain.blocks import TableBlock
from whybox.explain.card import RESPONSIBLE_USE
from whybox.explain.context import DataSummary, ThresholdChoice
from whybox.explain.page import card_in_order, environment, totals_of
from whybox.explain.scores_plots import drift_plot, spread_plot
from whybox.explain.svg import Plot
from whybox.explain.wording import number, percent

__all__ = ["ReasonCount", "ScoresPage", "build_scores_page"]

_SECTIONS = {
    "answers": "What was answered",
    "worth": "What flags are worth",
    "abstentions": "Where it does not answer",
    "drift": "What has drifted",
    "data": "The data",
    "card": "Model card",
    "software": "Software and hashes",
}
_REASONS_SHOWN = 15
_CHI_SQUARED = 16.92  # that one in twenty exceeds, of ten pieces: nine degrees of freedom


@dataclass(frozen=True)
class ReasonCount:
    """How often a feature, or a rule, is among the top reasons of the flagged.

    Attributes
    ----------
    feature : str
    first : int
        Users of whom it is the largest.
    among : int
        Users who have it among their reasons.
    raised, lowered : int
        For how many of these it raises or lowers the probability; both 0 of a rule.

    Examples
    --------
    >>> ReasonCount("friends", 3, 5, 4, 1).among
    5
    """

    feature: str
    first: int
    among: int
    raised: int
    lowered: int


@dataclass(frozen=True, eq=False)
class ScoresPage:
    """What the page shows.

    Attributes
    ----------
    title, summary : str
        The summary is one paragraph in plain words.
    positive : str
        The class whose probability is told.
    threshold : ThresholdChoice
    band : float
        Nearer to the threshold than this there is no answer.
    decisions : mapping of str to int
        Users by the class decided.
    abstentions : mapping of str to (int, str)
        Users without an answer by the reason, and what that means.
    data : DataSummary
    scores, training_scores : sequence of int
        Users, and training rows, in bins of equal width from 0 to 1; the latter None if not known.
    reasons : sequence of ReasonCount
        Of the flagged, the most frequent first.
    review : sequence of (str, str, str, str)
        Pseudonym, reason, probability, what it rests on.
    drift : sequence of mapping
        As `whybox.explain.scores_plots.drift_plot` has them.
    max_drift : float or None
    users : mapping of str to int
        ``gone``, ``new``, ``stayed`` against the version before; empty without one.
    changes : sequence of mapping
        ``before``, ``now``, ``users``: answers that are others now.
    worth : sequence of TableBlock
    worth_notes : sequence of str
    card : mapping
    software, hashes : mapping of str to str
    units : str, default "users"
        What is scored: ``users`` or ``posts``; everything that is said of users above is of these.
    """

    title: str
    summary: str
    positive: str
    threshold: ThresholdChoice
    band: float
    decisions: Mapping[str, int]
    abstentions: Mapping[str, tuple[int, str]]
    data: DataSummary
    scores: Sequence[int]
    training_scores: Sequence[int] | None = None
    reasons: Sequence[ReasonCount] = ()
    review: Sequence[tuple[str, str, str, str]] = ()
    drift: Sequence[Mapping[str, Any]] = ()
    max_drift: float | None = None
    users: Mapping[str, int] = field(default_factory=dict)
    changes: Sequence[Mapping[str, Any]] = ()
    worth: Sequence[TableBlock] = ()
    worth_notes: Sequence[str] = ()
    card: Mapping[str, Any] = field(default_factory=dict)
    software: Mapping[str, str] = field(default_factory=dict)
    hashes: Mapping[str, str] = field(default_factory=dict)
    units: str = "users"

    @property
    def unit(self) -> str:
        """One of them."""
        return self.units.removesuffix("s")

    @property
    def n_silent(self) -> int:
        """Users without an answer."""
        return sum(count for count, _ in self.abstentions.values())

    @property
    def n_users(self) -> int:
        """All of them."""
        return sum(self.decisions.values()) + self.n_silent


def build_scores_page(data: ScoresPage) -> str:
    """Write the page.

    Parameters
    ----------
    data : ScoresPage

    Returns
    -------
    str
        An HTML document with all styles and pictures inside: no script, no outside address. The
        same data give the same bytes. Names from the data are escaped.

    Examples
    --------
    >>> page = build_scores_page(
    ...     ScoresPage("Scores of <3", "Two of three.", "yes", ThresholdChoice(0.5, "0.5"), 0.05,
    ...                {"no": 1, "yes": 1}, {"near threshold": (1, "too close")}, DataSummary(),
    ...                scores=[1, 2])
    ... )
    >>> "<h1>Scores of &lt;3</h1>" in page, "<script" in page, page.count("<svg")
    (True, False, 1)
    """
    return (
        environment()
        .get_template("scores.html.j2")
        .render(
            data=data,
            sections={name: title for name, title in _SECTIONS.items() if _filled(data, name)},
            responsible_use=data.card.get("responsible_use", RESPONSIBLE_USE),
            highlights=_highlights(data),
            pictures=_pictures(data),
            decisions=_decisions(data),
            **_reasons(data),
            abstentions=[
                (name, number(count), meaning)
                for name, (count, meaning) in data.abstentions.items()
            ],
            silent=data.n_silent,
            drift_text=_drift_text(data),
            came_and_went=[(name, number(count)) for name, count in data.users.items()],
            changes=[(row["before"], row["now"], number(row["users"])) for row in data.changes],
            totals=totals_of(data.data.inputs),
            card=card_in_order(data.card),
        )
    )


def _filled(data: ScoresPage, section: str) -> bool:
    """Tell whether a section has anything to show."""
    parts: dict[str, Any] = {
        "abstentions": data.abstentions,
        "worth": data.worth or data.worth_notes,
        "card": data.card,
        "software": data.software or data.hashes,
    }
    return bool(parts.get(section, True))


def _highlights(data: ScoresPage) -> list[tuple[str, str, str]]:
    """Choose what stands on top: label, figure, note."""
    rows = [(data.units, number(data.n_users), "each of them once")]
    for name, count in sorted(data.decisions.items(), key=lambda pair: pair[0] != data.positive):
        label = f"flagged as {name}" if name == data.positive else f"decided {name}"
        rows.append((label[:40], number(count), f"{_share(count, data)} of the {data.units}"))
    rows.append(
        ("no answer", number(data.n_silent), f"{_share(data.n_silent, data)} of the {data.units}")
    )
    return rows


def _share(count: int, data: ScoresPage) -> str:
    return percent(count / data.n_users if data.n_users else None)


def _pictures(data: ScoresPage) -> dict[str, Plot | None]:
    """Draw what there is to draw."""
    spread = None
    if sum(data.scores):
        known = data.training_scores if sum(data.training_scores or ()) else None
        spread = spread_plot(data.scores, known, data.threshold.value, data.band, data.units)
    return {
        "scores": spread,
        "drift": drift_plot(data.drift, data.max_drift) if data.drift else None,
    }


def _decisions(data: ScoresPage) -> list[tuple[str, str, str]]:
    """Users by what became of them, all of them in the end."""
    rows = [(name, number(count), _share(count, data)) for name, count in data.decisions.items()]
    rows.append(("no answer", number(data.n_silent), _share(data.n_silent, data)))
    return [*rows, ("all", number(data.n_users), _share(data.n_users, data))]


def _reasons(data: ScoresPage) -> dict[str, Any]:
    """The table of reasons: of features with their direction, of rules without."""
    directed = any(each.raised or each.lowered for each in data.reasons)
    columns = ["feature" if directed else "rule", "among the reasons", "the first of them"]
    note = (
        "How many of the flagged have it among the top reasons of their answer, and as the first."
    )
    if directed:
        columns += ["raises the probability", "lowers it"]
        note += f" A feature may raise the probability of one {data.unit} and lower another's."
    if len(data.reasons) > _REASONS_SHOWN:
        note += f" The first {_REASONS_SHOWN} of {number(len(data.reasons))}."
    rows = [
        (
            each.feature,
            number(each.among),
            number(each.first),
            *((number(each.raised), number(each.lowered)) if directed else ()),
        )
        for each in data.reasons[:_REASONS_SHOWN]
    ]
    return {"reasons": rows, "reasons_columns": columns, "reasons_note": note}


def _drift_text(data: ScoresPage) -> str:
    """Say what drift is compared with."""
    sides = {row["against"] for row in data.drift}
    told = [
        f"Figures and thresholds are of the training rows: the less these {data.units} are like them, the "
        "less they hold."
    ]
    if "training" in sides:
        told.append("Bars are against the training rows." + _by_chance(data))
    else:
        told.append("The model's file does not tell how its training rows are spread.")
    if "previous" in sides:
        told.append("Dots are against the version before.")
    elif not data.users:
        told.append("There is no version before this one to compare with.")
    return " ".join(told)


def _by_chance(data: ScoresPage) -> str:
    """Say how large an index chance alone makes: times n m / (n + m) it is chi-squared."""
    n, m = data.n_users, data.card.get("data", {}).get("rows")
    if not n or not m:
        return ""
    index = _CHI_SQUARED * (1 / n + 1 / m)
    return (
        f" Of {number(n)} {data.units} and {number(m)} training rows, chance alone lifts about one feature in "
        f"twenty above {number(index, 2)}: less than that is no drift."
    )
