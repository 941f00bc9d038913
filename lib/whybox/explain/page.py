"""The templates that every page is made from."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from whybox.explain.wording import number, percent

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["environment"]


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
