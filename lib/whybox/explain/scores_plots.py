"""Pictures of a run that scored users: how the scores are spread, and what has drifted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from whybox.explain.svg import FALL, INK, MUTED, RISE, WIDE, Plot, Table, draw
from whybox.explain.wording import number, percent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["CHANGED", "LOOK_CLOSER", "drift_plot", "drift_verdict", "spread_plot"]

LOOK_CLOSER, CHANGED = 0.1, 0.25
"""Stability indices from which a common rule of thumb looks closer, and calls it a change."""

_SHOWN = 15
_Sides = Mapping[str, Mapping[str, Any]]


def spread_plot(
    now: Sequence[int],
    training: Sequence[int] | None,
    threshold: float,
    band: float,
    units: str = "users",
) -> Plot:
    """Outline how many users have which score, over the training rows' own.

    Parameters
    ----------
    now, training : sequence of int
        Users and training rows in bins of equal width from 0 to 1, one at least in either; None
        where the model's file has no out-of-fold scores.
    threshold, band : float
    units : str, default "users"
        What they are called.

    Returns
    -------
    Plot

    Examples
    --------
    >>> plot = spread_plot([3, 1], None, 0.5, 0.05)
    >>> plot.table.rows
    [('0', '0.5', '3', '75.0 %'), ('0.5', '1', '1', '25.0 %')]
    """
    edges = np.linspace(0.0, 1.0, len(now) + 1)
    shares = np.asarray(now) / sum(now)
    before = None if training is None else np.asarray(training) / sum(training)

    def paint(figure: Figure) -> None:
        axes = figure.subplots()
        low, high = max(threshold - band, 0.0), min(threshold + band, 1.0)
        if band:
            axes.axvspan(low, high, color=MUTED, alpha=0.16, linewidth=0, label="no answer")
        axes.stairs(100 * shares, edges, fill=True, alpha=0.3, color=FALL)
        axes.stairs(100 * shares, edges, color=FALL, linewidth=1.6, label=f"these {units}")
        if before is not None:
            dashes = (0, (4, 2))
            axes.stairs(
                100 * before,
                edges,
                color=RISE,
                linewidth=1.4,
                linestyle=dashes,
                label="training rows",
            )
        axes.axvline(threshold, color=INK, linewidth=1.1, label="threshold")
        axes.set(xlim=(0, 1), ylim=(0, None), xlabel="score (probability)", ylabel="share (%)")
        axes.tick_params(axis="x", pad=7)  # clear of the lowest number beside it
        figure.legend(loc="outside upper right", ncols=4, fontsize=9)

    top = int(np.argmax(shares))
    alt = (
        f"Outline of the scores of {number(sum(now))} {units}; most, {percent(float(shares[top]))}, "
        f"lie between {number(float(edges[top]))} and {number(float(edges[top + 1]))}. A line "
        f"marks the threshold, {number(threshold)}."
    )
    columns, told = ["from", "to", units, "share"], [shares]
    if before is not None:
        columns.append("share of the training rows")
        told.append(before)
    rows = [
        (number(edges[at].item()), number(edges[at + 1].item()), number(count),
         *(percent(each[at].item()) for each in told))
        for at, count in enumerate(now)
    ]  # fmt: skip
    caption = f"{units.capitalize()} in pieces of the scale." + (
        ""
        if before is None
        else " Dashed: the training rows, each scored by a model that had not seen it."
    )
    svg = draw("spread", alt, (WIDE, 3.4), paint)
    return Plot("spread", "How the scores are spread", caption, alt, svg, Table(columns, rows))


def drift_verdict(index: float) -> str:
    """Say what a stability index means by the rule of thumb.

    Parameters
    ----------
    index : float

    Returns
    -------
    str

    Examples
    --------
    >>> [drift_verdict(index) for index in (0.05, 0.1, 0.3)]
    ['steady', 'look closer', 'changed']
    """
    if index >= CHANGED:
        return "changed"
    return "look closer" if index >= LOOK_CLOSER else "steady"


def drift_plot(rows: Sequence[Mapping[str, Any]], limit: float | None = None) -> Plot:
    """Bars of each feature's stability index against training, dots against the version before.

    Parameters
    ----------
    rows : sequence of mapping
        ``feature``, ``against`` (``training`` or ``previous``), ``psi``, ``ks``,
        ``missing_before``, ``missing_now``; one at least.
    limit : float, optional
        What the run was told to allow, marked.

    Returns
    -------
    Plot
        The features that moved most; all of them are in the table.

    Examples
    --------
    >>> row = {"feature": "friends", "against": "training", "psi": 0.3, "ks": 0.2,
    ...        "missing_before": 0.0, "missing_now": 0.5}
    >>> drift_plot([row]).table.rows
    [('friends', '0.300', '0.200', '0.0 % to 50.0 %', '–', '–', 'changed')]
    """
    found: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["feature"], {})[row["against"]] = row
    order = sorted(found, key=lambda name: (-_largest(found[name]), name))
    shown = order[:_SHOWN]

    top = order[0]
    alt = (
        f"Bars by feature, the largest first: {top} has an index of "
        f"{number(_largest(found[top]))}. Dashed lines at {LOOK_CLOSER} and {CHANGED}."
    )
    caption = (
        f"Population stability index: from {LOOK_CLOSER} on look closer, from {CHANGED} on it has "
        "changed (dashed lines). The score is the probability itself."
    )
    if len(order) > len(shown):
        caption += f" The first {len(shown)} of {len(order)}; all are in the table."
    columns = ("feature", "PSI, training", "KS, training", "missing", "PSI, before", "KS, before",
               "which is")  # fmt: skip
    table = Table(columns, [_cells(name, found[name]) for name in order])
    svg = draw(
        "drift",
        alt,
        (WIDE, 1.3 + 0.27 * len(shown)),
        lambda figure: _paint_drift(figure, {name: found[name] for name in shown}, limit),
    )
    return Plot("drift-plot", "Feature by feature", caption, alt, svg, table)


def _paint_drift(figure: Figure, shown: Mapping[str, _Sides], limit: float | None) -> None:
    """A bar a feature against training, a dot against the version before."""
    axes, places = figure.subplots(), dict(zip(shown, range(len(shown) - 1, -1, -1), strict=True))
    for against, label in (("training", "the training rows"), ("previous", "the version before")):
        known = {places[n]: sides[against]["psi"] for n, sides in shown.items() if against in sides}
        if known and against == "training":
            axes.barh(list(known), list(known.values()), 0.62, color=FALL, alpha=0.55, label=label)
        elif known:
            axes.scatter(list(known.values()), list(known), 30, color=RISE, zorder=3, label=label)
    for value in (LOOK_CLOSER, CHANGED):
        axes.axvline(value, color=MUTED, linewidth=1, linestyle=(0, (3, 3)))
    if limit is not None:
        axes.axvline(limit, color=INK, linewidth=1.1, label="--max-drift")
    axes.set_yticks(list(places.values()), [name[:28] for name in places])
    axes.set(xlabel="population stability index", xlim=(0, None))
    axes.grid(visible=False, axis="y")
    figure.legend(loc="outside upper right", ncols=3, fontsize=9, reverse=True)


def _largest(sides: _Sides) -> float:
    """A feature's index against training, else against the version before."""
    return float(next(sides[name]["psi"] for name in ("training", "previous") if name in sides))


def _cells(name: str, sides: _Sides) -> tuple[str, ...]:
    """A feature's line of the table."""
    training, before = sides.get("training"), sides.get("previous")
    missing = "–"
    if training is not None:
        missing = f"{percent(training['missing_before'])} to {percent(training['missing_now'])}"
    figures = [
        "–" if side is None else f"{side[what]:.3f}"
        for side in (training, before)
        for what in ("psi", "ks")
    ]
    worst = max(float(side["psi"]) for side in sides.values())
    return (name, *figures[:2], missing, *figures[2:], drift_verdict(worst))
