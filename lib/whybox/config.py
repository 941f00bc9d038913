"""What a run is told: one frozen value a verb, from flags, from a TOML file, or from both.

A TOML file has common keys at its top and one table a verb; a flag given on the command line wins::

    scheduler = "local"
    workers = 2

    [train]
    target = "label"
    n_estimators = 200
"""

from __future__ import annotations

import difflib
import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, TypeVar

from whybox.errors import InputError

__all__ = [
    "CONFIGS",
    "DemoConfig",
    "ExplainConfig",
    "ExtractConfig",
    "InspectConfig",
    "RunConfig",
    "ScoreConfig",
    "SynthesisConfig",
    "TrainConfig",
    "build_config",
    "read_config_file",
]

Rows = Literal["all", "unlabelled"]


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """Where and how any verb runs; none of it changes a result except ``seed``.

    Parameters
    ----------
    scheduler : str, default "local"
        ``sync`` (this process), ``local`` (worker processes here), or a scheduler's address.
    workers : int, optional
        Local worker processes; by default one a core.
    threads : int, default 1
        Threads of each local worker.
    partitions : int, optional
        Into how many tasks input is cut; by default as many as there is work for.
    seed : int, default 0
        The seed of everything that is drawn.
    """

    scheduler: str = "local"
    workers: int | None = None
    threads: int = 1
    partitions: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("workers", "threads", "partitions"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InputError(f"{value} is not a number of {name}", remedy="give 1 or more")
        if self.seed < 0:
            raise InputError(f"a seed is 0 or more, not {self.seed}", where="--seed")


@dataclass(frozen=True, kw_only=True)
class SynthesisConfig(RunConfig):
    """``whybox synth``: see `whybox.synth.SynthConfig` for what the numbers mean."""

    out: Path
    users: int = 1000
    posts_per_user: float | None = None
    positive_share: float = 0.35
    unlabelled_share: float = 0.2
    layout: str = "ttdd"


@dataclass(frozen=True, kw_only=True)
class ExtractConfig(RunConfig):
    """``whybox extract``: raw posts to accounted records and features.

    The defaults are those of the published data set where it says something: nights in UTC from
    23:00 to 06:00, users of at least 6 posts, VADER's signed words.
    """

    inputs: tuple[str, ...]
    out: Path
    format: str = "auto"
    level: Literal["auto", "user", "post"] = "auto"
    text_column: str | None = None
    label_column: str | None = None
    user_column: str | None = None
    id_column: str | None = None
    time_column: str | None = None
    delimiter: str = ","
    quoting: Literal["standard", "none"] = "standard"
    encoding: str | None = None
    timezone: str = "UTC"
    night: str = "23:00-06:00"
    lang: str = "any"
    min_posts: int = 6
    own_posts_only: bool = False
    drop_matching: str | None = None
    drop_anchors: bool = False
    lexicon: str = "vader"
    max_quarantine: float = 0.01
    salvage: bool = False
    allow_text: str | None = None
    key_file: Path | None = None


@dataclass(frozen=True, kw_only=True)
class TrainConfig(RunConfig):
    """``whybox train``: figures by grouped, stratified CV, then a fit on every labelled row."""

    features: str
    out: Path
    target: str = "label"
    model: str = "cbpt"
    n_estimators: int = 500
    learning_rate: float = 0.5
    columns: tuple[str, ...] = ()
    group: str | None = None
    classes: tuple[str, ...] = ()
    positive: str | None = None
    cv: str = "5"
    threshold: str = "0.5"
    contact: str | None = None


@dataclass(frozen=True, kw_only=True)
class ScoreConfig(RunConfig):
    """``whybox score``: one row a user with probability, decision, abstention and its reason."""

    model: Path
    features: str
    out: Path
    rows: Rows = "all"
    threshold: float | None = None
    band: float = 0.05
    key_file: Path | None = None


@dataclass(frozen=True, kw_only=True)
class ExplainConfig(RunConfig):
    """``whybox explain``: one self-contained HTML file."""

    model: Path
    features: str
    out: Path
    scores: Path | None = None
    max_rows: int = 2000
    key_file: Path | None = None


@dataclass(frozen=True, kw_only=True)
class InspectConfig(RunConfig):
    """``whybox inspect``: what a model file or a folder is."""

    path: Path


@dataclass(frozen=True, kw_only=True)
class DemoConfig(RunConfig):
    """``whybox demo``: synth, extract, train, score, explain in one folder."""

    out: Path = Path("demo")
    users: int = 1200
    posts_per_user: float = 40.0
    n_estimators: int = 100
    key_file: Path | None = None


CONFIGS: dict[str, type[RunConfig]] = {
    "synth": SynthesisConfig,
    "extract": ExtractConfig,
    "train": TrainConfig,
    "score": ScoreConfig,
    "explain": ExplainConfig,
    "inspect": InspectConfig,
    "demo": DemoConfig,
}

C = TypeVar("C", bound=RunConfig)


@dataclass(frozen=True)
class _Keys:
    """The keys a verb's table may have."""

    names: tuple[str, ...]
    where: str = field(default="")

    def check(self, keys: Any) -> None:
        for key in keys:
            if key not in self.names:
                near = difflib.get_close_matches(key, self.names, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(self.names)}"
                raise InputError(f"unknown key {key!r}", where=self.where, remedy=hint)


def _names(kind: type[RunConfig]) -> tuple[str, ...]:
    return tuple(f.name for f in fields(kind))


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
    _Keys(tuple(CONFIGS), f"{path}, its tables").check(tables)
    _Keys(_names(RunConfig), f"{path}, its common keys").check(common)
    for name, table in tables.items():
        _Keys(_names(CONFIGS[name]), f"{path}, [{name}]").check(table)
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
    >>> build_config(DemoConfig, {"users": 50}).users
    50
    """
    import msgspec

    plain = {name: _plain(value) for name, value in values.items()}
    try:
        return msgspec.convert(plain, type=kind, dec_hook=_decode)
    except msgspec.ValidationError as error:
        if isinstance(error.__cause__, InputError):
            raise error.__cause__ from None
        raise InputError(str(error), remedy="see --help for what each option takes") from None


def _plain(value: Any) -> Any:
    """Paths as texts, so that flags and TOML meet the same checks."""
    return str(value) if isinstance(value, Path) else value


def _decode(kind: type, value: Any) -> Any:
    """Turn a text into the one type of field that TOML does not have."""
    if kind is Path and isinstance(value, str):
        return Path(value).expanduser()
    raise NotImplementedError(f"{value!r} is no {kind.__name__}")
