"""What a report shows of three classes or more: who is taken for whom, figures, calibration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from whybox.explain.blocks import TableBlock
from whybox.explain.svg import FALL, INK, MUTED, RISE, WIDE, Plot, Table, draw
from whybox.explain.wording import number, percent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["class_pictures", "class_tables", "confused_plot", "top_label_plot"]

_TOGETHER = {
    "accuracy": "right among all (accuracy)",
    "balanced_accuracy": "right within each class, on average (balanced accuracy)",
    "f1_macro": "F1, macro",
    "f1_weighted": "F1, weighted by class",
    "kappa": "Cohen's kappa (0 is chance)",
    "mcc": "Matthews correlation (0 is chance)",
    "brier": "Brier score over all classes (0 is best, 2 worst)",
    "calibration_error": "calibration error of the likeliest class (0 is best)",
}
_EACH = {
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "auc": "AUC",
    "average_precision": "average precision",
}


def class_tables(appraisal: Mapping[str, Any]) -> list[TableBlock]:
    """Show figures of all classes together, of each class, and group by group.

    Parameters
    ----------
    appraisal : mapping
        Of a card, of kind "classes".

    Returns
    -------
    list of TableBlock

    Examples
    --------
    >>> known = {"classes": ["a", "b", "c"], "figures": {"accuracy": [0.9, 0.8, 0.95]},
    ...          "commonest": {"accuracy": 0.4}, "each": {"f1": [[0.9, 0.8, 1.0], None, None]},
    ...          "counts": [[9, 1, 0], [0, 8, 0], [1, 0, 1]], "people": 20, "method": "",
    ...          "subgroups": {}, "groups_of_fewer_than": 10}
    >>> for block in class_tables(known):
    ...     print(block.table.rows[0])
    ('right among all (accuracy)', '0.900', '0.800 to 0.950', '0.400')
    ('a', '10', '0.900 (0.800 to 1.000)')
    """
    fewer = appraisal["groups_of_fewer_than"]
    return [
        _together(appraisal),
        _each(appraisal),
        *(_groups(column, rows, fewer) for column, rows in appraisal["subgroups"].items()),
    ]


def _together(appraisal: Mapping[str, Any]) -> TableBlock:
    """All classes together, beside the answer that needs no model."""
    figures, trivial = appraisal["figures"], appraisal["commonest"]
    rows = [
        (
            text,
            *_value_and_interval(figures[name]),
            f"{trivial[name]:.3f}" if trivial.get(name) is not None else "–",
        )
        for name, text in _TOGETHER.items()
        if name in figures
    ]
    return TableBlock(
        "How sure the figures are",
        f"The model's own decisions for {number(appraisal['people'])} people; "
        f"{appraisal['method']}. Intervals tell of chance in who was sampled, not of other "
        "populations.",
        Table(("figure", "value", "95 % interval", "always the commonest class"), rows),
    )


def _each(appraisal: Mapping[str, Any]) -> TableBlock:
    """A row a class."""
    each = appraisal["each"]
    shown = {name: text for name, text in _EACH.items() if name in each}
    rows = [
        (
            str(label),
            number(sum(appraisal["counts"][at])),
            *(_cell(each[name][at]) for name in shown),
        )
        for at, label in enumerate(appraisal["classes"])
    ]
    return TableBlock(
        "Class by class",
        "Precision: right among those decided so; recall: found among those that are so. In "
        "brackets: 95 % intervals. AUC and average precision tell how well a class's probability "
        "ranks its rows before all others, whatever is decided.",
        Table(("class", "rows", *shown.values()), rows),
    )


def _groups(column: str, groups: Sequence[Mapping[str, Any]], fewer: int) -> TableBlock:
    """A row a group of people."""
    names = ("accuracy", "balanced_accuracy", "brier")
    rows = [
        (
            str(group["group"]),
            f"under {fewer}" if group["n_people"] is None else number(group["n_people"]),
            *(_cell(group.get(name)) for name in names),
        )
        for group in groups
    ]
    return TableBlock(
        f"Group by group: {column}",
        "In brackets: 95 % intervals. Intervals that do not overlap are a reason to look closer "
        f"before any use; nothing is told of fewer than {fewer} people.",
        Table((column, "people", "accuracy", "balanced accuracy", "Brier"), rows),
    )


def class_pictures(appraisal: Mapping[str, Any]) -> list[Plot]:
    """Draw who is taken for whom, and whether the stated probabilities are true.

    Parameters
    ----------
    appraisal : mapping
        Of a card, of kind "classes".

    Returns
    -------
    list of Plot

    Examples
    --------
    >>> known = {"classes": "abc", "counts": np.eye(3, dtype=int).tolist(),
    ...          "calibration": [[0.9, 1.0, 3]],
    ...          "figures": {"brier": [0.1, 0, 0.2], "calibration_error": [0.1, 0, 0.2]}}
    >>> [plot.name for plot in class_pictures(known)]
    ['confused', 'top-label']
    """
    figures = appraisal["figures"]
    return [
        confused_plot(appraisal["counts"], appraisal["classes"]),
        top_label_plot(
            appraisal["calibration"], figures["brier"][0], figures["calibration_error"][0]
        ),
    ]


def confused_plot(counts: Any, classes: Sequence[str]) -> Plot:
    """True against decided classes: counts, and shares of each true class.

    Parameters
    ----------
    counts : int array (classes, classes)
        Rows are true classes.
    classes : sequence of str

    Returns
    -------
    Plot

    Examples
    --------
    >>> confused_plot([[3, 1, 0], [0, 4, 0], [0, 0, 2]], "abc").table.rows[0]
    ('a', '3 (75 %)', '1 (25 %)', '0 (0 %)', '4')
    """
    cells, n = np.asarray(counts, dtype=np.int64), len(classes)
    shares = cells / np.maximum(cells.sum(axis=1, keepdims=True), 1)

    def paint(figure: Figure) -> None:
        from matplotlib.patches import Rectangle

        axes = figure.subplots()
        for row, column in np.ndindex(n, n):
            share, y = float(shares[row, column]), n - 1 - row
            colour = FALL if row == column else RISE
            place = (column + 0.01, y + 0.03)
            axes.add_patch(
                Rectangle(place, 0.98, 0.94, facecolor=colour, alpha=0.05 + 0.45 * share)
            )
            words = f"{number(int(cells[row, column]))}\n{percent(share, 0)}"
            axes.text(column + 0.5, y + 0.5, words, ha="center", va="center", color=INK)
        middles, names = np.arange(n) + 0.5, [_brief(label, 40 // n + 4) for label in classes]
        axes.set_xticks(middles, names)
        axes.set_yticks(middles[::-1], [_brief(label, 16) for label in classes])
        axes.set(xlim=(0, n), ylim=(0, n), xlabel="decided", ylabel="true class")
        axes.grid(visible=False)
        for spine in axes.spines.values():
            spine.set_visible(False)

    alt = "Counts of true against decided classes. " + " ".join(
        f"Of {number(int(row.sum()))} {label} rows {number(int(row[at]))} are decided so."
        for at, (label, row) in enumerate(zip(classes, cells, strict=True))
    )
    rows = [
        (
            str(label),
            *(f"{number(int(c))} ({percent(float(s), 0)})" for c, s in zip(*pair, strict=True)),
            number(int(pair[0].sum())),
        )
        for label, *pair in zip(classes, cells, shares, strict=True)
    ]
    return Plot(
        "confused",
        "Who is taken for whom",
        "A row a true class, a column a decision; percentages are of the true class.",
        alt,
        draw("confused", alt, (WIDE, 1.0 + 0.62 * n), paint),
        Table(("true class", *(f"decided {label}" for label in classes), "rows"), rows),
    )


def top_label_plot(bins: Sequence[Sequence[float]], brier: float, error: float) -> Plot:
    """How often the likeliest class is the right one, by its stated probability.

    Parameters
    ----------
    bins : sequence of (stated, observed, n_rows)
        From `whybox.model_selection.class_figures.top_label_bins`.
    brier, error : float
        The Brier score and the calibration error.

    Returns
    -------
    Plot

    Examples
    --------
    >>> top_label_plot([[0.75, 0.5, 2]], 0.4, 0.25).table.rows
    [('0.75', '0.5', '2')]
    """
    stated, observed, counts = (
        np.array(part, dtype=np.float64) for part in zip(*bins, strict=True)
    )

    def paint(figure: Figure) -> None:
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1], color=MUTED, linewidth=0.9, linestyle=(0, (3, 3)))
        axes.plot(stated, observed, color=FALL, linewidth=1.4)
        axes.scatter(stated, observed, s=14 + 130 * counts / counts.max(), color=FALL, zorder=3)
        axes.set(xlim=(0, 1.02), ylim=(0, 1.04), xlabel="stated probability of the likeliest class")
        axes.set_ylabel("share that is right")
        axes.tick_params(axis="x", pad=7)  # clear of the lowest number beside it

    alt = (
        "Dots by the likeliest class's stated probability; on the diagonal it is the share that is "
        f"right. Mean distance {number(error)}."
    )
    return Plot(
        "top-label",
        "Does 70 % mean 70 %? (calibration)",
        f"Of the class that each row is most likely of. Brier score {number(brier)} (0 is best); "
        f"expected calibration error {number(error)}. A dot is a tenth of the scale.",
        alt,
        draw("top-label", alt, (WIDE, 3.6), paint),
        Table(
            ("stated probability", "share that is right", "rows"),
            [(number(a, 2), number(b, 2), number(int(n))) for a, b, n in bins],
        ),
    )


def _value_and_interval(listed: Sequence[float] | None) -> tuple[str, str]:
    """A figure, and its interval, as a card lists them."""
    if listed is None:
        return "–", "–"
    value, low, high = listed
    return f"{value:.3f}", f"{low:.3f} to {high:.3f}"


def _cell(found: Any) -> str:
    """A figure with its interval, or alone, in one cell."""
    if isinstance(found, Sequence):
        return "{} ({})".format(*_value_and_interval(found))
    return "–" if found is None else f"{found:.3f}"


def _brief(label: Any, most: int) -> str:
    text = str(label)
    return text if len(text) <= most else f"{text[: most - 1]}…"
