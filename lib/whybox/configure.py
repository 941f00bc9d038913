"""Making a verb's configuration from flags and from a TOML file, every value checked."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any, TypeVar

from whybox.config import CONFIGS, RunConfig
from whybox.errors import InputError

__all__ = ["build_config", "read_config_file"]

C = TypeVar("C", bound=RunConfig)


def read_config_file(path: Path, verb: str) -> dict[str, Any]:
    """Read the keys that a TOML file has for one verb.

    Parameters
    ----------
    path : Path
        A TOML file: common keys at the top, one table a verb.
    verb : str
        A key of `CONFIGS`.

    Returns
    -------
    dict
        Field name -> value as TOML gives it; the verb's table wins over the common keys.

    Raises
    ------
    InputError
        The file is missing, is not TOML, or has a key nobody knows.
    """
    try:
        document = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise InputError("no such configuration file", where=str(path)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"not a TOML file: {error}", where=str(path)) from None
    tables = {key: value for key, value in document.items() if isinstance(value, dict)}
    common = {key: value for key, value in document.items() if key not in tables}
    _check_keys(tables, CONFIGS, f"{path}, its tables")
    _check_keys(common, _names(RunConfig), f"{path}, its common keys")
    for name, table in tables.items():
        _check_keys(table, _names(CONFIGS[name]), f"{path}, [{name}]")
    return {**common, **tables.get(verb, {})}


def build_config(kind: type[C], values: dict[str, Any]) -> C:
    """Make a verb's configuration from plain values.

    Parameters
    ----------
    kind : subclass of RunConfig
    values : dict
        Field name -> value; each is checked against its field's type.

    Raises
    ------
    InputError
        A field without a default is missing, or a value has the wrong type or range.

    Examples
    --------
    >>> from whybox.config import DemoConfig
    >>> build_config(DemoConfig, {"users": 50}).users
    50
    """
    import msgspec

    needed = [entry for entry in fields(kind) if entry.default is MISSING]
    missing = [_shown(entry) for entry in needed if entry.name not in values]
    if missing:
        raise InputError(f"not given: {', '.join(missing)}", remedy="see --help for an example")
    plain = {name: _plain(value) for name, value in values.items()}
    try:
        return msgspec.convert(plain, type=kind, dec_hook=_decode)
    except msgspec.ValidationError as error:
        if isinstance(error.__cause__, InputError):
            raise error.__cause__ from None
        raise InputError(str(error), remedy="see --help for what each option takes") from None


def _names(kind: type[RunConfig]) -> list[str]:
    return [entry.name for entry in fields(kind)]


def _check_keys(keys: Iterable[str], known: Iterable[str], where: str) -> None:
    """Refuse a key that is not known, and offer the nearest that is."""
    known = list(known)
    for key in keys:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}"
            raise InputError(f"unknown key {key!r}", where=where, remedy=hint)


def _shown(entry: Field[Any]) -> str:
    """An option as a user writes it."""
    metavar: str | None = entry.metadata.get("argument")
    return metavar or "--" + entry.name.replace("_", "-")


def _plain(value: Any) -> Any:
    """Paths as texts, so that flags and TOML meet the same checks."""
    return str(value) if isinstance(value, Path) else value


def _decode(kind: type, value: Any) -> Any:
    """Turn a text into the one type of field that TOML does not have."""
    if kind is Path and isinstance(value, str):
        return Path(value).expanduser()
    raise NotImplementedError(f"{value!r} is no {kind.__name__}")
