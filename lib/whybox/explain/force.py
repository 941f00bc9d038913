"""The force plot of one row: features push the answer from the base value to where it stands.

Those that raise it end at the answer from the left, those that lower it begin there to the right,
the strongest next to the answer (Tong et al., Fig. 6).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from whybox.explain.context import Attribution, Person
from whybox.explain.svg import FALL, GRID, INK, MUTED, PAPER, RISE, WIDE, Plot, Table, draw
from whybox.explain.wording import number, percent, signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Push", "force_plot", "pushes"]

_LETTER = 0.072  # inches a letter of a label takes at most


@dataclass(frozen=True)
class Push:
    """A feature's share in an answer, and where its arrow lies.

    Parameters
    ----------
    feature : str
    value : float
        Of the feature; NaN is missing.
    phi : float
        Shapley value.
    start, end : float
        The arrow, on the scale of the answer; it points from start to end.

    Examples
    --------
    >>> Push("posts", 612.0, -0.04, 0.27, 0.23).phi
    -0.04
    """

    feature: str
    value: float
    phi: float
    start: float
    end: float


def pushes(attribution: Attribution, row: int) -> list[Push]:
    """Stack a row's Shapley values beside its answer, the strongest first.

    Parameters
    ----------
    attribution : Attribution
    row : int

    Returns
    -------
    list of Push
        Without those that push nothing.

    Examples
    --------
    >>> explained = Attribution(["a", "b"], np.ones((1, 2)), np.array([[0.25, -0.5]]), 0.5)
    >>> [(push.feature, push.start, push.end) for push in pushes(explained, 0)]
    [('b', 0.75, 0.25), ('a', 0.0, 0.25)]
    """
    phi = attribution.values[row]
    reached = {True: attribution.prediction(row), False: attribution.prediction(row)}
    stacked = []
    for at in np.argsort(-np.abs(phi), kind="stable"):
        size, up = abs(float(phi[at])), bool(phi[at] > 0)
        if size == 0:
            continue
        near = reached[up]
        far = near - size if up else near + size
        reached[up] = far
        value = float(attribution.X[row, at])
        stacked.append(Push(attribution.features[at], value, float(phi[at]), far, near))
    return stacked


def force_plot(attribution: Attribution, person: Person, labels: int = 4) -> Plot:
    """Draw what pushed one user's answer.

    Parameters
    ----------
    attribution : Attribution
    person : Person
    labels : int
        Arrows named on either side.

    Returns
    -------
    Plot

    Examples
    --------
    >>> explained = Attribution(["a"], np.ones((1, 1)), np.full((1, 1), 0.25), 0.5)
    >>> force_plot(explained, Person("u-3f9a", 0, "highest score")).title
    'u-3f9a: highest score'
    """
    stacked = pushes(attribution, person.row)
    answer = attribution.prediction(person.row)
    named = [*_named(stacked, labels, up=True), *_named(stacked, labels, up=False)]
    low, high = _limits(stacked, named, attribution.base, answer)
    levels = _levels(named, low, high)
    deepest = max(levels, default=-1) + 1

    def paint(figure: Figure) -> None:
        axes = figure.subplots()
        for push in stacked:
            _arrow(axes, push, (high - low) / 110)
        for push, level in zip(named, levels, strict=True):
            _label(axes, push, level, (high - low) / 220)
        _marks(axes, attribution.base, answer, low, high)
        axes.set_xlim(low, high)
        axes.set_ylim(-0.25 - 0.5 * deepest, 1.6)

    alt = _words(stacked, attribution, answer)
    typical = _typical(attribution)
    name = f"force-{person.row}"
    size = (WIDE, 1.35 + 0.26 * deepest)
    return Plot(
        name,
        f"{person.pseudonym}: {person.note}" if person.note else person.pseudonym,
        f"From the base value of {percent(attribution.base)} to {percent(answer)}, "
        f"the {attribution.output}.",
        alt,
        draw(name, alt, size, paint),
        Table(
            ["feature", "value", "mean of the rows", "change (percentage points)"],
            [
                (push.feature, number(push.value), number(typical[push.feature]), signed(push.phi))
                for push in stacked
            ],
        ),
    )


def _typical(attribution: Attribution) -> dict[str, float]:
    """The mean of each feature's known values: what a user's value is held against."""
    return {
        name: float(np.mean(column[np.isfinite(column)])) if np.isfinite(column).any() else np.nan
        for name, column in zip(
            attribution.features, np.asarray(attribution.X, dtype=np.float64).T, strict=True
        )
    }


def _named(stacked: Sequence[Push], labels: int, *, up: bool) -> list[Push]:
    """Choose the arrows worth a label: the strongest of a side, if they can be seen."""
    total = sum(abs(push.phi) for push in stacked) or 1.0
    side = [push for push in stacked if (push.phi > 0) == up]
    return [push for push in side[:labels] if abs(push.phi) > 0.02 * total]


def _limits(
    stacked: Sequence[Push], named: Sequence[Push], base: float, answer: float
) -> tuple[float, float]:
    """Frame the arrows, both marks and the labels, with a margin."""
    ends = [base, answer, *(push.start for push in stacked)]
    margin = 0.06 * ((max(ends) - min(ends)) or 0.1)
    low, high = min(ends) - margin, max(ends) + margin
    for push in named:
        high = max(high, low + (_middle(push) - low) / (1 - _share(push)))
    return low, high


def _levels(named: Sequence[Push], low: float, high: float) -> list[int]:
    """Give each label a line of its own where it would touch another label or its stalk.

    A label begins at its stalk and goes right. From the right to the left each one goes one line
    below all that it would reach, so no stalk runs through a text.
    """
    levels: dict[int, int] = {}
    for at in sorted(range(len(named)), key=lambda at: -_middle(named[at])):
        end = _middle(named[at]) + _share(named[at]) * (high - low)
        reached = [levels[other] for other in levels if _middle(named[other]) < end]
        levels[at] = max(reached, default=-1) + 1
    return [levels[at] for at in range(len(named))]


def _middle(push: Push) -> float:
    """Give where an arrow's stalk stands."""
    return (push.start + push.end) / 2


def _share(push: Push) -> float:
    """Give the part of the picture's width that a label takes."""
    return min((len(_text(push)) * _LETTER + 0.15) / WIDE, 0.5)


def _text(push: Push) -> str:
    """Write an arrow's label."""
    name = push.feature if len(push.feature) <= 24 else f"{push.feature[:23]}…"
    return f"{name} = {number(push.value)}"


def _arrow(axes: Axes, push: Push, tip: float) -> None:
    """Draw one arrow as a band with a pointed end."""
    from matplotlib.patches import Polygon

    toward = 1.0 if push.phi > 0 else -1.0
    point = toward * min(tip, abs(push.phi) / 2)
    corners: list[Any] = [
        (push.start, 0.0),
        (push.end - point, 0.0),
        (push.end, 0.35),
        (push.end - point, 0.7),
        (push.start, 0.7),
        (push.start + point, 0.35),
    ]
    colour = RISE if push.phi > 0 else FALL
    axes.add_patch(Polygon(corners, facecolor=colour, edgecolor=PAPER, linewidth=0.9))


def _label(axes: Axes, push: Push, level: int, gap: float) -> None:
    """Write a label on a stalk under its arrow."""
    colour, x, y = (RISE if push.phi > 0 else FALL), _middle(push), -0.55 - 0.5 * level
    axes.plot([x, x], [0.0, y], color=colour, linewidth=0.8, solid_capstyle="butt")
    axes.text(x + gap, y - 0.03, _text(push), ha="left", va="bottom", fontsize=9, color=colour)


def _marks(axes: Axes, base: float, answer: float, low: float, high: float) -> None:
    """Mark the base value and the answer over a scale."""
    axes.plot([base, base], [0.0, 1.0], color=MUTED, linewidth=1, linestyle=(0, (3, 2)))
    axes.plot([answer, answer], [0.0, 1.0], color=INK, linewidth=1.2)
    near = abs(answer - base) < 0.2 * (high - low)
    sides = ("right", "left") if base <= answer else ("left", "right")
    base_side, answer_side = sides if near else ("center", "center")
    axes.text(base, 1.06, f"base {percent(base)}", ha=base_side, color=MUTED, fontsize=9)
    axes.text(
        answer,
        1.06,
        f"answer {percent(answer)}",
        ha=answer_side,
        fontsize=10.5,
        fontweight="bold",
    )
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.spines["top"].set(visible=True, color=GRID)
    axes.set_yticks([])
    axes.grid(visible=False)
    axes.xaxis.tick_top()
    axes.xaxis.set_major_locator(_ticks())
    axes.xaxis.set_major_formatter(lambda x, _: f"{100 * x:.0f} %")
    axes.tick_params(axis="x", labelsize=8.5, labelcolor=MUTED, length=3, color=GRID)


def _ticks() -> Any:
    """Place a handful of round ticks."""
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(nbins=6, steps=[1, 2, 5, 10])


def _words(stacked: Sequence[Push], attribution: Attribution, answer: float) -> str:
    """Tell the plot in a sentence."""

    def side(up: bool) -> str:
        strongest = [push for push in stacked if (push.phi > 0) == up][:3]
        return ", ".join(f"{_text(push)} ({signed(push.phi)} points)" for push in strongest)

    return (
        f"Arrows from the base value {percent(attribution.base)} to the answer {percent(answer)}. "
        f"Raising it: {side(True) or 'nothing'}. Lowering it: {side(False) or 'nothing'}."
    )
