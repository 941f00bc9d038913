"""Curves of several models over one another: found and false alarms, found and right, calibration.

They are made of counts of test rows in equal pieces of the scale of probability, the negative and
the positive apart, all folds together: exact to the width of a piece.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from whybox.explain.comparison_plots import Curve, draw_lines
from whybox.explain.svg import MUTED, Plot, Table, draw
from whybox.explain.wording import number, percent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["calibration_overlay", "operating_point", "precision_recall_overlay", "roc_overlay"]

Tallies = Mapping[str, Any]
"""By model an int array (2, pieces): negative and positive rows."""

_Floats = NDArray[np.float64]
_ALARMS = (0.01, 0.05, 0.1, 0.2)
_FOUND = (0.25, 0.5, 0.75, 0.9)
_FEWEST = 5  # rows of a dot


def roc_overlay(tallies: Tallies, name: str = "roc") -> Plot:
    """Sensitivity against false alarms, a line a model.

    Parameters
    ----------
    tallies : mapping of str to int array (2, pieces)
        With rows of either class.
    name : str

    Returns
    -------
    Plot

    Examples
    --------
    >>> roc_overlay({"cbpt": [[3, 1], [1, 3]]}).table.rows
    [('cbpt', '0.75', '3.0 %', '15.0 %', '30.0 %', '60.0 %')]
    """
    found = {model: _rates(tally) for model, tally in tallies.items()}
    curves = {m: list(zip(x.tolist(), y.tolist(), strict=True)) for m, (x, y) in found.items()}
    areas = {model: float(np.trapezoid(y, x)) for model, (x, y) in found.items()}
    alt = "Curves from the lower left to the upper right; the diagonal, 0.5, is guessing. " + (
        " ".join(f"{model}: area {number(area)}." for model, area in areas.items())
    )
    rows = [
        (model, number(areas[model]), *(percent(float(np.interp(at, x, y))) for at in _ALARMS))
        for model, (x, y) in found.items()
    ]
    return Plot(
        name,
        "Found and false alarms (ROC)",
        "Test rows of all folds together; the area may differ a little from the mean over the folds.",
        alt,
        _square(name, alt, curves, ("false alarms among the negative", "found among the positive")),
        Table(
            ("model", "area", *(f"found at {percent(at, 0)} false alarms" for at in _ALARMS)), rows
        ),
    )


def precision_recall_overlay(tallies: Tallies, name: str = "precision-recall") -> Plot:
    """Precision against sensitivity, a line a model.

    Parameters
    ----------
    tallies : mapping of str to int array (2, pieces)
        As for `roc_overlay`.
    name : str

    Returns
    -------
    Plot

    Examples
    --------
    >>> precision_recall_overlay({"cbpt": [[3, 1], [1, 3]]}).table.rows
    [('cbpt', '0.688', '75.0 %', '75.0 %', '75.0 %', '50.0 %')]
    """
    found = {model: _precision(tally) for model, tally in tallies.items()}
    share = _share(tallies)
    curves = {
        m: [(0.0, float(y[0])), *zip(x.tolist(), y.tolist(), strict=True)]
        for m, (x, y) in found.items()
    }
    average = {m: float((np.diff(x, prepend=0.0) * y).sum()) for m, (x, y) in found.items()}
    alt = f"Curves of precision; flagging everybody gives {percent(share)}, the dashed line. " + (
        " ".join(f"{model}: average {number(value)}." for model, value in average.items())
    )
    rows = [
        (
            model,
            number(average[model]),
            *(percent(float(y[np.searchsorted(x, at - 1e-12)])) for at in _FOUND),
        )
        for model, (x, y) in found.items()
    ]
    axes = ("found among the positive (sensitivity)", "right among the flagged")
    return Plot(
        name,
        "Found and right (precision and recall)",
        f"Of these rows {percent(share)} are positive: where they are rarer, fewer flags are right.",
        alt,
        _square(name, alt, curves, axes, level=share),
        Table(("model", "average", *(f"right at {percent(at, 0)} found" for at in _FOUND)), rows),
    )


def calibration_overlay(tallies: Tallies, name: str = "calibration", n_bins: int = 10) -> Plot:
    """Observed share against stated probability, a line a model.

    Parameters
    ----------
    tallies : mapping of str to int array (2, pieces)
        As for `roc_overlay`; the pieces a multiple of the bins.
    name : str
    n_bins : int

    Returns
    -------
    Plot

    Examples
    --------
    >>> plot = calibration_overlay({"cbpt": [[3, 1], [1, 3]]}, n_bins=2)
    >>> plot.table.rows
    [('cbpt', '0', '25.0 %', '75.0 %')]
    """
    curves: dict[str, Curve] = {}
    rows, errors = [], {}
    for model, tally in tallies.items():
        stated, observed, counts = _tenths(tally, n_bins)
        drawn = counts >= _FEWEST
        curves[model] = list(zip(stated[drawn].tolist(), observed[drawn].tolist(), strict=True))
        errors[model] = float((np.abs(stated - observed) * counts).sum() / counts.sum())
        cells = [percent(o) if n else "–" for o, n in zip(observed.tolist(), counts, strict=True)]
        rows.append((model, number(errors[model], 2), *cells))
    alt = "Lines of the observed share by stated probability; on the diagonal they agree. " + (
        " ".join(f"{model}: mean distance {number(error, 2)}." for model, error in errors.items())
    )
    edges = np.linspace(0, 100, n_bins + 1)
    columns = (f"stated {a:.0f} to {b:.0f} %" for a, b in pairwise(edges))
    return Plot(
        name,
        "Does 70 % mean 70 %? (calibration)",
        "The share that is positive among the rows of each part of the scale; below the diagonal a "
        f"model promises too much. Parts of fewer than {_FEWEST} rows are in the table alone.",
        alt,
        _square(name, alt, curves, ("stated probability", "observed share"), marker="o"),
        Table(("model", "expected calibration error", *columns), rows),
    )


def operating_point(tally: Any, threshold: float = 0.5) -> tuple[float, float, float | None]:
    """Judge the decisions at a threshold.

    Parameters
    ----------
    tally : int array (2, pieces)
    threshold : float
        Between two pieces.

    Returns
    -------
    sensitivity, specificity : float
    precision : float or None
        None if nothing is flagged.

    Examples
    --------
    >>> operating_point([[3, 1], [1, 3]])
    (0.75, 0.75, 0.75)
    """
    counts = np.asarray(tally, dtype=np.int64)
    cut = round(threshold * counts.shape[1])
    alarms, hits = counts[:, cut:].sum(axis=1).tolist()
    negative, positive = counts.sum(axis=1).tolist()
    right = hits / (hits + alarms) if hits + alarms else None
    return hits / positive, 1 - alarms / negative, right


def _flagged(tally: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Negative and positive rows flagged, from the strictest threshold that makes a difference on."""
    counts = np.asarray(tally, dtype=np.int64)
    counts = counts[:, counts.any(axis=0)][:, ::-1]
    alarms, hits = np.cumsum(counts, axis=1)
    return alarms, hits


def _rates(tally: Any) -> tuple[_Floats, _Floats]:
    """False alarms and sensitivity, from none to all."""
    alarms, hits = _flagged(tally)
    return np.r_[0.0, alarms / alarms[-1]], np.r_[0.0, hits / hits[-1]]


def _precision(tally: Any) -> tuple[_Floats, _Floats]:
    """Sensitivity and precision."""
    alarms, hits = _flagged(tally)
    return hits / hits[-1], hits / (hits + alarms)


def _share(tallies: Tallies) -> float:
    """Of the positive rows, the same for all models."""
    negative, positive = np.asarray(next(iter(tallies.values()))).sum(axis=1).tolist()
    return float(positive / (negative + positive))


def _tenths(tally: Any, n_bins: int) -> tuple[_Floats, _Floats, NDArray[np.int64]]:
    """Mean stated probability, observed share, and rows of each bin."""
    counts = np.asarray(tally, dtype=np.int64)
    n_pieces = counts.shape[1]
    middles = (np.arange(n_pieces) + 0.5) / n_pieces
    rows, binned = counts.sum(axis=0), counts.reshape(2, n_bins, -1).sum(axis=2)
    total = binned.sum(axis=0)
    known = np.maximum(total, 1)
    return (rows * middles).reshape(n_bins, -1).sum(axis=1) / known, binned[1] / known, total


def _square(
    name: str, alt: str, curves: Mapping[str, Curve], labels: tuple[str, str], *,
    level: float | None = None, marker: str = "",
) -> str:  # fmt: skip
    """Lines in a square from 0 to 1, over the diagonal or a level, which is no skill at all."""

    def paint(figure: Figure) -> None:
        axes = figure.subplots()
        ends = [0.0, 1.0] if level is None else [level, level]
        axes.plot([0, 1], ends, color=MUTED, linewidth=0.9, linestyle=(0, (3, 3)))
        draw_lines(axes, curves, marker=marker)
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.04), xlabel=labels[0], ylabel=labels[1])
        axes.set_aspect("equal")
        figure.legend(loc="outside lower center", ncols=2, fontsize=9)

    lines = -(-(len(curves)) // 2)
    return draw(name, alt, (4.4, 4.3 + 0.21 * lines), paint)
