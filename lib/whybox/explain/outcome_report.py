"""What a report shows of real outcomes beside answers against outcomes: figures, and the errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from whybox.explain.blocks import TableBlock
from whybox.explain.s3d_context import OutOfFoldAnswers
from whybox.explain.svg import FALL, MUTED, WIDE, Plot, Table, draw
from whybox.explain.wording import number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["errors_plot", "outcome_tables"]

_FIGURES = {
    "r2": "share of the variance explained (R²)",
    "mae": "mean absolute error, in units of the outcome",
    "rmse": "root of the mean squared error, in units of the outcome",
}
_PARTS = 10
_SPREAD = (10, 25, 50, 75, 90)  # percentiles


def outcome_tables(appraisal: Mapping[str, Any]) -> list[TableBlock]:
    """Show figures with their intervals.

    Parameters
    ----------
    appraisal : mapping
        Of a card, of kind "outcomes".

    Returns
    -------
    list of TableBlock

    Examples
    --------
    >>> known = {"figures": {"r2": None, "mae": [1200.5, 1100.2, 1300.9]}, "people": 9, "method": ""}
    >>> outcome_tables(known)[0].table.rows[1][1:]
    ('1,200', '1,100 to 1,301')
    """
    figures = appraisal["figures"]
    rows = []
    for name, text in _FIGURES.items():
        if name in figures:
            value, low, high = figures[name] or (None, None, None)
            interval = "–" if value is None else f"{number(low)} to {number(high)}"
            rows.append((text, number(value), interval))
    return [
        TableBlock(
            "How sure the figures are",
            f"Answers for {number(appraisal['people'])} people or things; {appraisal['method']}. "
            "R² is about the mean of all rows together, so it may differ a little from the mean "
            "over the folds. Intervals tell of chance in who was sampled, not of other populations.",
            Table(("figure", "value", "95 % interval"), rows),
        )
    ]


def errors_plot(found: OutOfFoldAnswers, name: str = "errors") -> Plot:
    """Outcomes less answers, by tenths of ascending answers.

    Parameters
    ----------
    found : OutOfFoldAnswers
        At least one row.
    name : str
        Of the picture, unique on its page.

    Returns
    -------
    Plot
        A box a tenth: its middle half, a line at its median, and whiskers from the 10th to the
        90th percentile. Boxes away from 0 are answers that are too low (above) or too high.

    Examples
    --------
    >>> errors_plot(OutOfFoldAnswers(np.array([1.0, 3.0]), np.array([1.0, 2.0]))).table.rows
    [('1', '1', '0', '0', '0', '0', '0'), ('1', '2', '1', '1', '1', '1', '1')]
    """
    order = np.lexsort((found.outcomes, found.answers))
    parts = [part for part in np.array_split(order, _PARTS) if len(part)]
    errors = found.outcomes - found.answers
    spread = np.array([np.percentile(errors[part], _SPREAD) for part in parts])
    middles = [float(found.answers[part].mean()) for part in parts]

    def paint(figure: Figure) -> None:
        axes = figure.subplots()
        axes.axhline(0, color=MUTED, linewidth=0.9, linestyle=(0, (3, 3)))
        at = np.arange(len(parts))
        axes.vlines(at, spread[:, 0], spread[:, 4], color=FALL, linewidth=1.2)
        axes.bar(
            at, spread[:, 3] - spread[:, 1], bottom=spread[:, 1], width=0.6, color=FALL, alpha=0.35
        )
        axes.hlines(spread[:, 2], at - 0.3, at + 0.3, color=FALL, linewidth=2.2)
        axes.set_xticks(at, [number(middle) for middle in middles])
        axes.set(xlabel=f"mean answered {found.name} of the tenth", ylabel="observed less answered")
        axes.grid(visible=False, axis="x")

    bias = float(errors.mean())
    alt = (
        f"Boxes of errors by tenths of ascending answers. The medians lie between "
        f"{number(float(spread[:, 2].min()))} and {number(float(spread[:, 2].max()))}; the mean "
        f"error is {number(bias)}."
    )
    rows = [
        (
            number(len(part)),
            number(middle),
            number(float(errors[part].mean())),
            number(float(np.abs(errors[part]).mean())),
            *(number(float(values[at])) for at in (0, 2, 4)),
        )
        for part, middle, values in zip(parts, middles, spread, strict=True)
    ]
    return Plot(
        name,
        "Errors by tenths of the answers",
        "A tenth of the rows each, from the lowest answers to the highest: median, middle half, and "
        f"10th to 90th percentile. Above 0 the answer was too low. Mean error: {number(bias)}.",
        alt,
        draw(name, alt, (WIDE, 3.4), paint),
        Table(
            (
                "rows",
                "mean answer",
                "mean error",
                "mean absolute error",
                "10th percentile",
                "median",
                "90th percentile",
            ),
            rows,
        ),
    )
