"""From a matplotlib figure to inline SVG that follows the page's colours and never changes.

Colours of ink and palette are drawn as reserved hex values and then become CSS variables, so that
a page in the dark shows dark pictures. No date, no random ids, no addresses, two decimals.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FALL", "GRID", "INK", "MUTED", "PAPER", "RISE", "WIDE", "Plot", "Table", "draw"]

INK, MUTED, GRID, PAPER = "#010101", "#010102", "#010103", "#010104"
RISE, FALL = "#010105", "#010106"  # what pushes an answer up, and down
WIDE = 9.4  # inches of a picture as wide as the page: text is then as large as beside it
_VARIABLES = {
    INK: "currentColor",
    MUTED: "var(--muted)",
    GRID: "var(--line)",
    PAPER: "var(--paper)",
    RISE: "var(--rise)",
    FALL: "var(--fall)",
}
_STYLE: dict[str, Any] = {
    "svg.fonttype": "none",  # text stays text: readable by machines, in the page's typeface
    "text.parse_math": False,  # a name may hold a $
    "axes.unicode_minus": True,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib: the same layout everywhere
    "font.size": 9.5,
    "text.color": INK,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.facecolor": "none",
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
}
_FONT = "font-family: 'DejaVu Sans', sans-serif; "


@dataclass(frozen=True)
class Table:
    """The numbers behind a picture, as text.

    Parameters
    ----------
    columns : sequence of str
    rows : sequence of sequence of str

    Examples
    --------
    >>> Table(["feature"], [["posts"]]).columns
    ['feature']
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]] = field(default_factory=tuple)


@dataclass(frozen=True)
class Plot:
    """A picture with what it says in words and in numbers.

    Parameters
    ----------
    name : str
        Unique on a page; letters, digits and hyphens.
    title, caption, alt : str
        Alt says what one sees, for those who do not.
    svg : str
        Markup, already safe.
    table : Table

    Examples
    --------
    >>> Plot("roc", "ROC", "", "A curve.", "<svg></svg>", Table(["x"])).name
    'roc'
    """

    name: str
    title: str
    caption: str
    alt: str
    svg: str
    table: Table


def draw(name: str, alt: str, size: tuple[float, float], paint: Callable[[Figure], None]) -> str:
    """Paint a figure and give its markup.

    Parameters
    ----------
    name : str
        Prefix of the ids in it.
    alt : str
    size : (float, float)
        Width and height in inches; the page scales it.
    paint : callable
        Given an empty matplotlib Figure, paints on it.

    Returns
    -------
    str
        An ``<svg>`` element: transparent, with a role and a label.

    Notes
    -----
    Matplotlib's settings are global: do not draw in several threads at once.

    Examples
    --------
    >>> markup = draw("dot", "One dot.", (2, 1), lambda figure: figure.subplots().plot([1], [1]))
    >>> markup.startswith('<svg role="img" aria-label="One dot."'), "http" in markup
    (True, False)
    """
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    buffer = io.StringIO()
    style: Any = {**_STYLE, "svg.hashsalt": name}
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        matplotlib.rcdefaults()  # whatever a matplotlibrc on this machine says
        matplotlib.rcParams.update(style)
        figure = Figure(figsize=size)
        FigureCanvasSVG(figure)
        paint(figure)
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(buffer, format="svg", transparent=True, metadata=nothing)
    return _inline(buffer.getvalue(), name, alt)


def _inline(document: str, name: str, alt: str) -> str:
    """Turn an SVG document into an element of a page."""
    body = document[document.index("<svg") :]
    head, _, rest = body.partition(">")
    box = re.search(r'viewBox="[^"]*"', head)
    rest = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", rest, count=1, flags=re.DOTALL)
    rest = rest.replace("xlink:href", "href").replace(_FONT, "")  # the page's typeface instead
    rest = _own_ids(_round(rest), name)
    for colour, variable in _VARIABLES.items():
        rest = rest.replace(colour, variable)
    label = escape(alt, quote=True)
    return f'<svg role="img" aria-label="{label}" {box.group() if box else ""}>{rest.strip()}'


def _round(markup: str) -> str:
    """Keep two decimals of coordinates: smaller, and the same on every processor."""
    return re.sub(
        r' (x|y|x1|x2|y1|y2|width|height|d|transform|points)="[^"]*"',
        lambda found: re.sub(r"(\.\d\d)\d+", r"\1", found.group()),
        markup,
    )


def _own_ids(markup: str, name: str) -> str:
    """Drop ids that nothing refers to, and make the others the picture's own."""
    used = set(re.findall(r'href="#([\w.-]+)"', markup)) | set(
        re.findall(r"url\(#([\w.-]+)\)", markup)
    )
    markup = re.sub(
        r' id="([\w.-]+)"',
        lambda found: f' id="{name}-{found.group(1)}"' if found.group(1) in used else "",
        markup,
    )
    markup = re.sub(r'href="#([\w.-]+)"', rf'href="#{name}-\1"', markup)
    return re.sub(r"url\(#([\w.-]+)\)", rf"url(#{name}-\1)", markup)
