"""Pictures of how well scores separate, decide and tell the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from whybox.explain.context import OutOfFold
from whybox.explain.svg import FALL, INK, MUTED, RISE, WIDE, Plot, Table, draw
from whybox.explain.wording import number, percent
from whybox.model_selection.metrics import calibration_error, ranked_auc
from whybox.model_selection.thresholds import candidates

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "calibration_plot",
    "confusion",
    "confusion_plot",
    "precision_recall_plot",
    "roc_plot",
    "score_plot",
]

_SQUARE = (4.4, 3.9)


def roc_plot(scores: OutOfFold, threshold: float | None = None) -> Plot:
    """Sensitivity against false alarms for every threshold.

    Parameters
    ----------
    scores : OutOfFold
        With rows of either class.
    threshold : float, optional
        To be marked.

    Returns
    -------
    Plot

    Examples
    --------
    >>> scores = OutOfFold(np.array([False, True, True]), np.array([0.2, 0.3, 0.9]))
    >>> roc_plot(scores).caption
    'Area under the curve: 1.'
    """
    cuts, hits, alarms = candidates(scores.scores, scores.positive)
    sensitivity, false_rate = hits / hits[-1], alarms / alarms[-1]
    area = ranked_auc(scores.scores, scores.positive)

    def paint(figure: Figure) -> None:
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1], color=MUTED, linewidth=0.9, linestyle=(0, (3, 3)))
        axes.plot(false_rate, sensitivity, color=FALL, linewidth=1.8)
        _mark(axes, false_rate, sensitivity, cuts, threshold)
        _unit_square(axes, "false alarms among the negative", "found among the positive")

    alt = (
        f"Curve from the lower left to the upper right, area {number(area)}; the diagonal, 0.5, "
        "is guessing."
    )
    table = _along(cuts, {"false alarm rate": false_rate, "sensitivity": sensitivity})
    caption = f"Area under the curve: {number(area)}."
    return Plot(
        "roc", "Found and false alarms (ROC)", caption, alt, draw("roc", alt, _SQUARE, paint), table
    )


def precision_recall_plot(scores: OutOfFold, threshold: float | None = None) -> Plot:
    """Precision against sensitivity for every threshold.

    Parameters
    ----------
    scores : OutOfFold
        With rows of either class.
    threshold : float, optional
        To be marked.

    Returns
    -------
    Plot

    Examples
    --------
    >>> scores = OutOfFold(np.array([False, True, True]), np.array([0.2, 0.3, 0.9]))
    >>> precision_recall_plot(scores).table.columns
    ('threshold', 'sensitivity', 'precision')
    """
    cuts, hits, alarms = (part[1:] for part in candidates(scores.scores, scores.positive))
    precision, recall = hits / (hits + alarms), hits / hits[-1]
    share = float(scores.positive.mean())

    def paint(figure: Figure) -> None:
        axes = figure.subplots()
        axes.axhline(share, color=MUTED, linewidth=0.9, linestyle=(0, (3, 3)))
        axes.step(recall, precision, color=FALL, linewidth=1.8, where="post")
        _mark(axes, recall, precision, cuts, threshold, drop=6)
        _unit_square(axes, "found among the positive (sensitivity)", "right among the flagged")

    average = float(np.sum(np.diff(recall, prepend=0.0) * precision))
    alt = (
        f"Precision falling as more of the positive are found; average {number(average)}. "
        f"The dashed line at {percent(share)} is flagging everybody."
    )
    return Plot(
        "precision-recall",
        "Found and right (precision and recall)",
        f"Average precision: {number(average)}; flagging everybody gives {percent(share)}.",
        alt,
        draw("precision-recall", alt, _SQUARE, paint),
        _along(cuts, {"sensitivity": recall, "precision": precision}),
    )


def confusion(scores: OutOfFold, threshold: float) -> NDArray[np.int64]:
    """Count rows by class and decision.

    Parameters
    ----------
    scores : OutOfFold
    threshold : float
        Flagged from here on.

    Returns
    -------
    int64 array (2, 2)
        Rows: negative, positive; columns: not flagged, flagged.

    Examples
    --------
    >>> confusion(OutOfFold(np.array([False, True]), np.array([0.2, 0.3])), 0.25).tolist()
    [[1, 0], [0, 1]]
    """
    flagged = scores.scores >= threshold
    cells = 2 * scores.positive.astype(np.int64) + flagged
    return np.bincount(cells, minlength=4).reshape(2, 2)


def confusion_plot(scores: OutOfFold, threshold: float) -> Plot:
    """The four counts of a decision.

    Parameters
    ----------
    scores : OutOfFold
    threshold : float

    Returns
    -------
    Plot

    Examples
    --------
    >>> plot = confusion_plot(OutOfFold(np.array([False, True]), np.array([0.2, 0.3])), 0.25)
    >>> plot.table.rows
    (('negative', '1', '0'), ('positive', '0', '1'))
    """
    counts = confusion(scores, threshold)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    columns = (f"not flagged as {scores.names[1]}", f"flagged as {scores.names[1]}")

    def paint(figure: Figure) -> None:
        from matplotlib.patches import Rectangle

        axes = figure.subplots()
        for row, column in np.ndindex(2, 2):
            right = row == column
            share = float(shares[row, column])
            colour = FALL if right else RISE
            place = (column + 0.02, 1.02 - row)
            axes.add_patch(
                Rectangle(place, 0.96, 0.96, facecolor=colour, alpha=0.10 + 0.45 * share)
            )
            x, y = column + 0.5, 1.5 - row
            axes.text(
                x, y + 0.06, number(counts[row, column]), ha="center", va="bottom", fontsize=15
            )
            axes.text(x, y - 0.06, percent(share), ha="center", va="top", fontsize=9.5)
        axes.set_xticks([0.5, 1.5], ["not flagged", "flagged"])
        axes.set_yticks([1.5, 0.5], [name[:18] for name in scores.names], rotation=90, va="center")
        axes.set(xlim=(0, 2), ylim=(0, 2))
        axes.grid(visible=False)
        for spine in axes.spines.values():
            spine.set_visible(False)

    alt = (
        f"Of {number(counts[0].sum())} {scores.names[0]} rows {number(counts[0, 1])} are flagged, "
        f"of {number(counts[1].sum())} {scores.names[1]} rows {number(counts[1, 1])}."
    )
    return Plot(
        "confusion",
        "Decisions at the threshold",
        f"Flagged from a probability of {number(threshold)} on; percentages are of each class.",
        alt,
        draw("confusion", alt, _SQUARE, paint),
        Table(
            ("class", *columns),
            tuple(
                (name, *(number(int(count)) for count in row))
                for name, row in zip(scores.names, counts, strict=True)
            ),
        ),
    )


def calibration_plot(scores: OutOfFold, n_bins: int = 10) -> Plot:
    """Observed share against stated probability.

    Parameters
    ----------
    scores : OutOfFold
    n_bins : int
        Bins of equal width.

    Returns
    -------
    Plot
        With the Brier score and the expected calibration error (ECE).

    Examples
    --------
    >>> plot = calibration_plot(OutOfFold(np.array([False, True]), np.array([0.0, 0.5])))
    >>> plot.caption
    'Brier score 0.125 (0 is best); expected calibration error 0.25. A dot is a tenth of the scale.'
    """
    p, happened = scores.scores, scores.positive
    bins = np.minimum((p * n_bins).astype(np.int64), n_bins - 1)
    counts = np.bincount(bins, minlength=n_bins)
    filled = counts > 0
    stated = np.bincount(bins, p, n_bins)[filled] / counts[filled]
    observed = np.bincount(bins, happened, n_bins)[filled] / counts[filled]
    brier, error = float(np.mean((p - happened) ** 2)), calibration_error(p, happened, n_bins)

    def paint(figure: Figure) -> None:
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1], color=MUTED, linewidth=0.9, linestyle=(0, (3, 3)))
        axes.plot(stated, observed, color=FALL, linewidth=1.4)
        sizes = 14 + 130 * counts[filled] / counts.max()
        axes.scatter(stated, observed, s=sizes, color=FALL, zorder=3)
        _unit_square(axes, "stated probability", "observed share")

    alt = (
        f"Dots by stated probability; on the diagonal it is the observed share. Mean distance "
        f"{number(error)}."
    )
    rows = [
        (number(a, 2), number(b, 2), number(int(n)))
        for a, b, n in zip(stated, observed, counts[filled], strict=True)
    ]
    return Plot(
        "calibration",
        "Does 70 % mean 70 %? (calibration)",
        f"Brier score {number(brier)} (0 is best); expected calibration error {number(error)}. "
        f"A dot is {'a tenth' if n_bins == 10 else f'one of {n_bins} parts'} of the scale.",
        alt,
        draw("calibration", alt, _SQUARE, paint),
        Table(("stated probability", "observed share", "rows"), rows),
    )


def score_plot(scores: OutOfFold, threshold: float | None = None, n_bins: int = 20) -> Plot:
    """How the scores of either class are spread.

    Parameters
    ----------
    scores : OutOfFold
    threshold : float, optional
        To be marked.
    n_bins : int

    Returns
    -------
    Plot

    Examples
    --------
    >>> plot = score_plot(OutOfFold(np.array([False, True]), np.array([0.1, 0.9])), n_bins=2)
    >>> plot.table.rows
    [('0', '0.5', '1', '0'), ('0.5', '1', '0', '1')]
    """
    edges = np.linspace(0.0, 1.0, n_bins + 1)
    bins = np.minimum((scores.scores * n_bins).astype(np.int64), n_bins - 1)
    counts = [np.bincount(bins[part], minlength=n_bins) for part in _classes(scores)]

    def paint(figure: Figure) -> None:
        axes = figure.subplots()
        for count, colour, name in zip(counts, (FALL, RISE), scores.names, strict=True):
            heights = count / max(count.sum(), 1)
            axes.stairs(heights, edges, fill=True, alpha=0.25, color=colour)
            axes.stairs(heights, edges, color=colour, linewidth=1.5, label=name[:30])
        if threshold is not None:
            axes.axvline(threshold, color=INK, linewidth=1)
        axes.set(xlim=(0, 1), xlabel="score (probability)", ylabel="share of the class")
        axes.tick_params(axis="x", pad=7)  # clear of the lowest number beside it
        figure.legend(loc="outside upper right", ncols=2, fontsize=9)

    medians = [
        number(float(np.median(scores.scores[part])) if part.any() else None)
        for part in _classes(scores)
    ]
    alt = (
        f"Two outlines of scores; the median is {medians[0]} for {scores.names[0]} and "
        f"{medians[1]} for {scores.names[1]}."
    )
    rows = [
        (number(low), number(high), number(int(a)), number(int(b)))
        for low, high, a, b in zip(edges[:-1].tolist(), edges[1:].tolist(), *counts, strict=True)
    ]
    caption = "Each class sums to 1." + ("" if threshold is None else " The line: the threshold.")
    return Plot(
        "scores",
        "How the scores are spread",
        caption,
        alt,
        draw("scores", alt, (WIDE, 3.4), paint),
        Table(("from", "to", *scores.names), rows),
    )


def _classes(scores: OutOfFold) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Select the negative and the positive rows."""
    return ~scores.positive, scores.positive


def _mark(
    axes: Axes, x: NDArray, y: NDArray, cuts: NDArray, threshold: float | None, drop: int = -11
) -> None:
    """Put a dot where the threshold is, its label beside it on the empty side of the curve."""
    if threshold is None:
        return
    at = max(int(np.searchsorted(-cuts, -threshold, side="right")) - 1, 0)
    axes.scatter([x[at]], [y[at]], s=42, color=RISE, zorder=4)
    axes.annotate(
        f"threshold {number(threshold)}",
        (x[at], y[at]),
        (7, drop),
        textcoords="offset points",
        fontsize=9,
    )


def _unit_square(axes: Axes, x: str, y: str) -> None:
    """Label a square from 0 to 1."""
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.04), xlabel=x, ylabel=y)


def _along(cuts: NDArray, columns: dict[str, NDArray]) -> Table:
    """Tabulate a curve at about a dozen of its points."""
    shown = np.unique(np.linspace(0, len(cuts) - 1, 12).astype(np.int64))
    rows = [
        (number(float(cuts[at])), *(number(float(part[at])) for part in columns.values()))
        for at in shown
    ]
    return Table(("threshold", *columns), rows)
