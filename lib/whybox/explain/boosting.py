"""A picture of how boosting went."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from whybox.explain.context import History
from whybox.explain.svg import FALL, MUTED, WIDE, Plot, Table, draw
from whybox.explain.wording import number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["history_plot"]


def history_plot(history: History) -> Plot:
    """Error and size of each round's tree.

    Parameters
    ----------
    history : History
        Of one round or more.

    Returns
    -------
    Plot

    Examples
    --------
    >>> plot = history_plot(History(np.array([0.1]), np.array([1.1]), np.array([5])))
    >>> plot.table.rows
    [('1', '0.1', '5', '1.1')]
    """
    rounds = np.arange(1, len(history.error) + 1)

    def paint(figure: Figure) -> None:
        upper, lower = figure.subplots(2, 1, sharex=True)
        upper.plot(rounds, history.error, color=FALL, linewidth=1.2)
        upper.set(ylabel="weighted error", ylim=(0, None))
        if history.leaves_grown is not None:
            lower.plot(rounds, history.leaves_grown, color=MUTED, linewidth=1, label="grown")
        lower.plot(rounds, history.leaves, color=FALL, linewidth=1.2, label="kept after pruning")
        lower.set(ylabel="leaves", xlabel="round", ylim=(0, None))
        if history.leaves_grown is not None:
            figure.legend(loc="outside upper right", ncols=2, fontsize=9)

    alt = (
        f"Over {number(len(rounds))} rounds the weighted error goes from "
        f"{number(history.error[0])} to {number(history.error[-1])}; trees keep "
        f"{number(int(history.leaves.min()))} to {number(int(history.leaves.max()))} leaves."
    )
    shown = np.unique(np.linspace(0, len(rounds) - 1, 20).astype(np.int64))
    rows = [
        tuple(
            number(part[at].item())
            for part in (rounds, history.error, history.leaves, history.weight)
        )
        for at in shown
    ]
    return Plot(
        "history",
        "Round by round",
        "Each round's tree: its error on the weights of that round, and its size.",
        alt,
        draw("history", alt, (WIDE, 4.2), paint),
        Table(("round", "weighted error", "leaves", "weight of the tree"), rows),
    )
