"""The templates that every page is made from, and what several of them show alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whybox.explain.wording import number, percent

if TYPE_CHECKING:
    from jinja2 import Environment

    from whybox.explain.context import InputCount

__all__ = ["card_in_order", "environment", "totals_of"]

_SHOWN_ELSEWHERE = ("responsible_use", "card_version", "appraisal")
_CARD_FIRST = ("intended_use", "out_of_scope", "limits", "contact", "figures", "threshold", "data")


@cache
def environment() -> Environment:
    """Set Jinja up to escape everything and to refuse what is not there.

    Returns
    -------
    jinja2.Environment
        With the templates beside this module, and the filters ``number`` and ``percent``.

    Examples
    --------
    >>> environment().from_string("{{ 1234 | number }} {{ '<' }}").render()
    '1,234 &lt;'
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    found = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters.update(number=number, percent=percent)
    return found


def card_in_order(card: Mapping[str, Any]) -> dict[str, Any]:
    """Put what people should read first first; what stands elsewhere on the page is left out.

    Parameters
    ----------
    card : mapping
        A model's.

    Returns
    -------
    dict

    Examples
    --------
    >>> card_in_order({"hashes": {}, "limits": [], "card_version": 1})
    {'limits': [], 'hashes': {}}
    """
    first = [name for name in _CARD_FIRST if name in card]
    rest = [name for name in card if name not in (*_CARD_FIRST, *_SHOWN_ELSEWHERE)]
    ordered = {name: card[name] for name in (*first, *rest)}
    if isinstance(ordered.get("data"), Mapping):  # the distribution is for machines
        ordered["data"] = {k: v for k, v in ordered["data"].items() if k != "distribution"}
    return ordered


def totals_of(inputs: Sequence[InputCount]) -> dict[str, Any]:
    """Sum the inputs' accounts.

    Parameters
    ----------
    inputs : sequence of InputCount

    Returns
    -------
    dict
        ``files``, ``lines``, ``records``, and by name ``non_records`` and ``quarantined``.

    Examples
    --------
    >>> totals_of([])
    {'files': 0, 'lines': 0, 'records': 0, 'non_records': {}, 'quarantined': {}}
    """
    return {
        "files": sum(part.files for part in inputs),
        "lines": sum(part.lines for part in inputs),
        "records": sum(part.records for part in inputs),
        "non_records": _merge(part.non_records for part in inputs),
        "quarantined": _merge(part.quarantined for part in inputs),
    }


def _merge(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Add counts by name, names in order."""
    total: dict[str, int] = {}
    for part in counts:
        for name, count in part.items():
            total[name] = total.get(name, 0) + count
    return dict(sorted(total.items()))
