"""What every verb is told, what those that read raw posts are, and how an option is declared."""

from __future__ import annotations

import re
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

from whybox.errors import InputError

__all__ = ["KEY_FILE", "RAW", "PostsConfig", "RunConfig", "argument", "option"]

WHERE = "Where it runs"
RAW = "Raw posts (columns: of csv, jsonl and parquet)"
KEY_FILE = "File of the secret key that makes pseudonyms; else WHYBOX_KEY, else one made for you."


def option(explanation: str, default: Any = MISSING, *, panel: str | None = None) -> Any:
    """Make a flag, ``--field-name``.

    Parameters
    ----------
    explanation : str
        What ``--help`` says of it.
    default : any, optional
        Without one the flag must be given.
    panel : str, optional
        The heading that it stands under.

    Examples
    --------
    >>> option("Trees.", 500).default
    500
    """
    return field(default=default, metadata={"help": explanation, "panel": panel})


def argument(explanation: str, metavar: str) -> Any:
    """Make a value that is given by its place.

    Parameters
    ----------
    explanation : str
        What ``--help`` says of it.
    metavar : str
        What the usage line calls it; with dots if it may be given several times.

    Examples
    --------
    >>> argument("Folder to write.", "OUT").metadata["argument"]
    'OUT'
    """
    return field(metadata={"help": explanation, "argument": metavar})


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """Where and how any verb runs; none of it changes a result except the seed."""

    scheduler: str = option(
        "sync (this process), local (worker processes here), tcp://HOST:PORT or tls://HOST:PORT.",
        "local",
        panel=WHERE,
    )
    workers: int | None = option("Local worker processes; one a core.", None, panel=WHERE)
    threads: int = option("Threads of each local worker.", 1, panel=WHERE)
    tls: Path | None = option(
        "Folder of ca.pem, client.pem and client-key.pem for tls://; else as DASK_CONFIG says.",
        None,
        panel=WHERE,
    )
    insecure: bool = option(
        "Allow plain tcp:// to other machines, in a network that nobody else reaches.",
        False,
        panel=WHERE,
    )
    partitions: int | None = option(
        "Cut the input into at most so many tasks; the output is the same.", None, panel=WHERE
    )
    seed: int = option("Seed of everything that is drawn.", 0, panel=WHERE)

    def __post_init__(self) -> None:
        for name in ("workers", "threads", "partitions"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InputError(f"--{name} {value} is too few", remedy="give 1 or more")
        if self.seed < 0:
            raise InputError(f"a seed is 0 or more, not {self.seed}", where="--seed")
        for entry in fields(self):
            _check_local(entry.name, getattr(self, entry.name))


def _check_local(name: str, value: Any) -> None:
    """Refuse an address for a path: it would become a local folder of a strange name."""
    if isinstance(value, Path) and re.match(r"[a-z][a-z0-9]+:/", str(value)):
        raise InputError(
            f"{name} is a local path, not an address",
            where=str(value).replace(":/", "://", 1),
            remedy="models and reports are local files; the folders that extract and score write, "
            "and that train, score and explain read, may be s3://bucket/folder",
        )


@dataclass(frozen=True, kw_only=True)
class PostsConfig(RunConfig):
    """How raw posts are read, by the verbs that take them."""

    format: str = option(
        "auto, twitter-v1, twitter-v2, ttdd, clpsych, sentiment140, tass, tweeteval, csv, jsonl or "
        "parquet.",
        "auto",
        panel=RAW,
    )
    text_column: str | None = option("Column of the text.", None, panel=RAW)
    label_column: str | None = option("Column of the label.", None, panel=RAW)
    user_column: str | None = option("Column of the user.", None, panel=RAW)
    id_column: str | None = option("Column of the post's id.", None, panel=RAW)
    time_column: str | None = option("Column of the time.", None, panel=RAW)
    delimiter: str = option("Delimiter of a csv; TAB or \\t for a tabulator.", ",", panel=RAW)
    quoting: Literal["standard", "none"] = option("Quoting of a csv.", "standard", panel=RAW)
    encoding: str | None = option("By default UTF-8, else latin-1, recorded.", None, panel=RAW)
