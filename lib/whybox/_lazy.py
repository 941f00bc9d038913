"""Names that are imported when they are first used (PEP 562), so that a package costs nothing."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["lazy_exports"]


def lazy_exports(
    package: str, names: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make a package's ``__getattr__`` and ``__dir__``.

    Parameters
    ----------
    package : str
        The package's ``__name__``.
    names : mapping of str to str
        Public name -> the submodule (relative to the package) that defines it.

    Returns
    -------
    tuple of two callables
        To be bound to ``__getattr__`` and ``__dir__`` in the package's ``__init__``.

    Examples
    --------
    >>> getattr_, dir_ = lazy_exports("whybox", {"InputError": "errors"})
    >>> getattr_("InputError").__name__
    'InputError'
    >>> dir_()
    ['InputError']
    """

    def __getattr__(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{package}.{names[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    def __dir__() -> list[str]:
        return sorted(names)

    return __getattr__, __dir__
