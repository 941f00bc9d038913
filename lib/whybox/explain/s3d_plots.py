"""Pictures of how a decomposition came about: its steps, its feature network, its tuning."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from whybox.explain.s3d_hypercube import SCALE, plain_colours
from whybox.explain.s3d_space import FeatureSpace
from whybox.explain.svg import FALL, GRID, INK, MUTED, PAPER, RISE, WIDE, Plot, Table, draw
from whybox.explain.wording import number

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["curve_plot", "network_edges", "network_plot", "step_plot", "tuning_plot"]

Floats = NDArray[np.float64]
_MOST_FEATURES = 30  # of a step chart
_MOST_EDGES = 40  # of a network
_LETTERS = 13  # of a line in a frame
_EVEN = "#8a8a8a"


def step_plot(space: FeatureSpace, name: str = "s3d-steps") -> Plot:
    """One bar a feature and step, the steps one below the other (Fennell et al., Figure 6).

    Parameters
    ----------
    space : FeatureSpace
    name : str
        Of the picture, unique on its page.

    Returns
    -------
    Plot
        Features in the order of choice, then by their largest gain. The chosen bar is outlined;
        features that tie with it exactly carry an equals sign. The last row shows what each
        feature would have added at one more step, where that was kept.

    Examples
    --------
    >>> from whybox.s3d import S3DRegressor
    >>> model = S3DRegressor().fit([[1.0], [2.0]] * 50, [0.5, 1.5] * 50)
    >>> step_plot(FeatureSpace.of(model)).table.rows
    [('x0', '1', '0')]
    """
    gains, n_steps = space.gains, len(space.chosen)
    ranked = np.argsort(-gains.max(axis=0), kind="stable").tolist()
    shown = [*space.chosen, *(j for j in ranked if j not in space.chosen)][:_MOST_FEATURES]
    together = np.cumsum([0.0, *(gains[k, j] for k, j in enumerate(space.chosen))])

    def paint(figure: Figure) -> None:
        panels = figure.subplots(len(gains), 1, squeeze=False, sharex=True, sharey=True)[:, 0]
        for k, panel in enumerate(panels):
            chosen = space.chosen[k] if k < n_steps else None
            ties = space.ties[k] if k < n_steps else ()
            _bars(panel, gains[k], shown, chosen, ties)
            title = "next" if chosen is None else f"step {k + 1}: {number(together[k + 1])} in all"
            panel.set_title(title, fontsize=8.5, loc="left")
        names = [_brief(space.features[j]) for j in shown]
        panels[-1].set_xticks(
            range(len(shown)), names, rotation=50, ha="right", fontsize=8, rotation_mode="anchor"
        )
        figure.supylabel("R² gained", fontsize=9.5)

    alt = f"Bars of R² that each feature would add at each step. {_course(space)}"
    hidden = gains.shape[1] - len(shown)
    last = " Last row: what one more feature would add." if len(gains) > n_steps else ""
    more = f" {hidden} features that add less are left out." if hidden else ""
    header = ["feature", *(f"step {k + 1}" for k in range(n_steps)), "next"]
    return Plot(
        name,
        "What each step added",
        "In the order of choice, then by what they add. Outlined: the feature chosen at that "
        f"step; = ties with it exactly.{last}{more}",
        alt,
        draw(name, alt, (WIDE, 1.4 + 1.05 * len(gains)), paint),
        Table(
            header[: len(gains) + 1],
            [(space.features[j], *(number(g, 4) for g in gains[:, j].tolist())) for j in shown],
        ),
    )


def network_edges(space: FeatureSpace) -> list[tuple[int, int, float]]:
    """Give the feature network, Eq. (10) of Fennell et al.

    Parameters
    ----------
    space : FeatureSpace

    Returns
    -------
    list of (source, target, weight)
        The R2 of the source that choosing the target made redundant; negative: an interaction, the
        source explains more once the target is known. By target in the order of choice.

    Examples
    --------
    >>> gains = np.array([[0.5, 0.3], [0.0, 0.1]])
    >>> [(s, t, round(w, 6)) for s, t, w in network_edges(
    ...     FeatureSpace("ab", [0], gains, [[0]], [], [], "mean"))]
    [(1, 0, 0.2)]
    """
    edges = []
    for k, target in enumerate(space.chosen[: len(space.gains) - 1]):
        lost = space.gains[k] - space.gains[k + 1]
        known = set(space.chosen[: k + 1])
        edges += [(j, target, w) for j, w in enumerate(lost.tolist()) if w and j not in known]
    return edges


def network_plot(space: FeatureSpace, name: str = "s3d-network") -> Plot:
    """Arrows from features to the chosen ones that made them redundant (Figure 7).

    Parameters
    ----------
    space : FeatureSpace
    name : str

    Returns
    -------
    Plot
        Chosen features on top, numbered in their order; a dashed arrow is an interaction.

    Examples
    --------
    >>> gains = np.array([[0.5, 0.3], [0.0, 0.1]])
    >>> network_plot(FeatureSpace("ab", [0], gains, [[0]], [], [], "mean")).table.rows
    [('b', 'a', '0.2')]
    """
    edges = sorted(network_edges(space), key=lambda edge: -abs(edge[2]))
    shown = edges[:_MOST_EDGES]
    at = _nodes(space, {j for source, target, _ in shown for j in (source, target)})
    widest = max((abs(w) for *_, w in shown), default=1.0)

    def paint(figure: Figure) -> None:
        axes = figure.subplots()
        axes.set_axis_off()
        for source, target, weight in shown[::-1]:
            _arrow(axes, at[source], at[target], weight, widest)
        for j, place in at.items():
            _node(
                axes, place, space.features[j], space.chosen.index(j) if j in space.chosen else None
            )
        axes.set_xlim(-0.12, 1.12)
        axes.set_ylim(-0.75, 1.9)

    rows = [(space.features[s], space.features[t], number(w, 3)) for s, t, w in edges]
    strongest = "; ".join(f"{s} to {t} {w}" for s, t, w in rows[:4]) or "none"
    alt = f"Arrows from features to the chosen ones, the strongest: {strongest}."
    return Plot(
        name,
        "What made what redundant",
        "An arrow from a feature to a chosen one (framed, in their order): the R² that it no "
        "longer adds; dashed: it adds more now, an interaction. The thickest arrow is "
        f"{number(widest, 2)}; {len(shown)} of {len(edges)} arrows.",
        alt,
        draw(name, alt, (WIDE, 4.2), paint),
        Table(["feature", "chosen feature", "R² made redundant"], rows),
    )


def curve_plot(surface: pd.DataFrame, metric: str = "score", name: str = "s3d-curve") -> Plot:
    """Score by number of features, a line a penalty, with bars of one standard deviation.

    Parameters
    ----------
    surface : DataFrame
        ``tuning_``: penalty, n_features, mean, sd, n_folds.
    metric : str
        What the scores are.
    name : str

    Returns
    -------
    Plot

    Examples
    --------
    >>> from whybox.model_selection.s3d_tuning import tuning_surface
    >>> surface = tuning_surface({(0.01, 0): [0.5, 0.6], (0.01, 1): [0.7, 0.8]})
    >>> curve_plot(surface, "AUC").table.rows
    [('0.01', '1', '0.6', '0.141'), ('0.01', '2', '0.7', '0.141')]
    """
    penalties = sorted(set(surface["penalty"].tolist()), reverse=True)

    def paint(figure: Figure) -> None:
        from matplotlib.ticker import MaxNLocator

        axes = figure.subplots()
        for at, penalty in enumerate(penalties):
            rows = surface[surface["penalty"] == penalty]
            x = rows["n_features"] + 0.06 * (at - (len(penalties) - 1) / 2)
            axes.errorbar(
                x, rows["mean"], np.nan_to_num(rows["sd"]), color=SCALE[at % len(SCALE)],
                linewidth=1.6, elinewidth=0.7, marker="o", markersize=3, label=f"{penalty:g}",
            )  # fmt: skip
        axes.set_xlabel("number of features")
        axes.set_ylabel(metric)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.legend(title="penalty", fontsize=8)

    alt = f"Lines of {metric} by number of features. {_best(surface, metric)}"
    return Plot(
        name,
        f"{metric} by number of features",
        "Mean over folds, bars of one standard deviation; a line a penalty, side by side so that "
        "bars do not hide each other.",
        alt,
        draw(name, alt, (WIDE, 3.6), paint),
        _surface_table(surface),
    )


def tuning_plot(surface: pd.DataFrame, metric: str = "score", name: str = "s3d-tuning") -> Plot:
    """Heat map of the score by penalty and number of features.

    Parameters
    ----------
    surface : DataFrame
        ``tuning_``.
    metric : str
    name : str

    Returns
    -------
    Plot
        The best point is outlined; points that no fold reached are blank.

    Examples
    --------
    >>> from whybox.model_selection.s3d_tuning import tuning_surface
    >>> surface = tuning_surface({(0.01, 0): [0.5, 0.6], (0.01, 1): [0.7, 0.8]})
    >>> tuning_plot(surface, "AUC").title
    'AUC by penalty and number of features'
    """
    table = surface.pivot_table(index="penalty", columns="n_features", values="mean")
    table = table.sort_index(ascending=False)

    def paint(figure: Figure) -> None:
        from matplotlib.colors import LinearSegmentedColormap
        from matplotlib.patches import Rectangle

        axes, values = figure.subplots(), np.ma.masked_invalid(table.to_numpy())
        colours = LinearSegmentedColormap.from_list("whybox", SCALE)
        mesh = axes.pcolormesh(values, cmap=colours, edgecolors=GRID, linewidth=0.4)
        axes.set_xticks(np.arange(table.shape[1]) + 0.5, [str(k) for k in table.columns])
        axes.set_yticks(np.arange(table.shape[0]) + 0.5, [f"{p:g}" for p in table.index])
        axes.invert_yaxis()
        axes.grid(visible=False)
        row, column = np.unravel_index(int(np.nanargmax(table.to_numpy())), table.shape)
        outline: Any = (int(column), int(row))
        axes.add_patch(Rectangle(outline, 1, 1, fill=False, edgecolor=INK, linewidth=2))
        axes.set_xlabel("number of features")
        axes.set_ylabel("penalty")
        bar = figure.colorbar(mesh, ax=axes, label=metric)
        plain_colours(bar)
        bar.ax.grid(visible=False)

    alt = f"Heat map of {metric} by penalty and number of features. {_best(surface, metric)}"
    return Plot(
        name,
        f"{metric} by penalty and number of features",
        "Mean over folds; the best is outlined, what no fold reached is blank.",
        alt,
        draw(name, alt, (WIDE, 1.6 + 0.36 * table.shape[0]), paint),
        _surface_table(surface),
    )


def _bars(panel: Axes, gains: Floats, shown: list[int], chosen: int | None, ties: Any) -> None:
    """Draw one step."""
    colours = [FALL if j == chosen else _EVEN for j in shown]
    panel.bar(range(len(shown)), gains[shown], color=colours, width=0.7)
    panel.grid(visible=False, axis="x")
    panel.tick_params(axis="y", labelsize=7)
    for x, j in enumerate(shown):
        if j == chosen:
            panel.bar(x, gains[j], width=0.7, fill=False, edgecolor=INK, linewidth=1.6)
        elif j in ties:
            panel.annotate("=", (x, gains[j]), ha="center", va="bottom", color=INK, fontsize=8)


def _course(space: FeatureSpace) -> str:
    """Say what was chosen."""
    total, words = 0.0, []
    for k, j in enumerate(space.chosen):
        total += float(space.gains[k, j])
        words.append(f"{space.features[j]} ({number(float(space.gains[k, j]))})")
    if not words:
        return "No feature is chosen."
    return f"Chosen: {', '.join(words)}; together R² is {number(total)}."


def _nodes(space: FeatureSpace, linked: set[int]) -> dict[int, tuple[float, float]]:
    """Put chosen features on top, the others that have arrows below."""
    above = list(space.chosen)
    below = sorted(linked - set(above))
    at = {j: (float(x), 1.0) for j, x in zip(above, _spread(len(above)), strict=True)}
    return at | {j: (float(x), 0.0) for j, x in zip(below, _spread(len(below)), strict=True)}


def _spread(n: int) -> Floats:
    return np.linspace(0.0, 1.0, n) if n > 1 else np.full(n, 0.5)


def _node(axes: Axes, place: tuple[float, float], name: str, rank: int | None) -> None:
    """Write a feature's name: of a chosen one in a frame that arrows end at."""
    if rank is None:
        axes.text(
            *place, _brief(name), ha="right", va="top", rotation=40, rotation_mode="anchor",
            fontsize=8, color=INK,
        )  # fmt: skip
        return
    frame = {"boxstyle": "round,pad=0.35", "facecolor": PAPER, "edgecolor": FALL, "linewidth": 1.2}
    words = "\n".join(_broken(f"{rank + 1} {name}"))
    axes.text(*place, words, ha="center", va="center", fontsize=8, color=INK, bbox=frame, zorder=3)


def _broken(name: str) -> list[str]:
    """A long name in two lines, broken where one of its words ends."""
    first = ""
    for word in re.split(r"(?<=[_ -])", name):
        if first and len(first) + len(word) > _LETTERS:
            return [first, _brief(name[len(first) :], _LETTERS)]
        first += word
    return [_brief(first, _LETTERS + 3)]


def _arrow(
    axes: Axes, start: tuple[float, float], end: tuple[float, float], weight: float, widest: float
) -> None:
    """Draw an arrow as thick as its weight; among the chosen it is an arc above them."""
    from matplotlib.patches import FancyArrowPatch

    level = start[1] == end[1]
    patch = FancyArrowPatch(
        start, end, arrowstyle="-|>", mutation_scale=8, shrinkA=12 if level else 5, shrinkB=16,
        connectionstyle="arc3,rad=0.3" if level else "arc3,rad=0.0",
        linewidth=0.5 + 3.5 * abs(weight) / widest, linestyle="--" if weight < 0 else "-",
        color=RISE if weight < 0 else MUTED,
    )  # fmt: skip
    axes.add_patch(patch)


def _best(surface: pd.DataFrame, metric: str) -> str:
    """Say where the surface is highest."""
    best = surface.iloc[int(surface["mean"].to_numpy().argmax())]
    return (
        f"Best {metric}: {number(float(best['mean']))} (standard deviation "
        f"{number(float(best['sd']))}) with penalty {best['penalty']:g} and "
        f"{int(best['n_features'])} features."
    )


def _surface_table(surface: pd.DataFrame) -> Table:
    """Write the surface."""
    rows = [
        (f"{p:g}", str(k), number(mean), number(sd))
        for p, k, mean, sd in surface[["penalty", "n_features", "mean", "sd"]].itertuples(
            index=False
        )
    ]
    return Table(["penalty", "features", "mean", "standard deviation"], rows)


def _brief(name: str, most: int = 24) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"
