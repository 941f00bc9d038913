"""Whether a worker may take part: the same software and word lists, room on its disk, fit settings.

Another version of a package may give other numbers, so that it refuses; what only makes work slow
or times crooked is told. Here is what is looked at and how it is judged; `whybox.graph.guard`
brings it to the workers.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import whybox
from whybox.text.lexicons import load_lexicon

__all__ = ["Findings", "compare", "facts", "gathered", "software"]

_PACKAGES = (
    "whybox", "numpy", "pandas", "pyarrow", "scikit-learn", "numba", "dask", "distributed", "nltk",
)  # fmt: skip
_LEAST_DISK = 1 << 30
_MOST_SKEW = 5.0
_LEAST_KEPT = 16 << 20
_SETS_IT = "deploy/dask.yaml sets it for workers"


@dataclass(frozen=True)
class Findings:
    """What is wrong with workers.

    Parameters
    ----------
    refusals : tuple of str
        Sentences; with one of them a worker may not take part.
    warnings : tuple of str
        Sentences; the results are the same all the same.
    """

    refusals: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def software() -> dict[str, str]:
    """Tell the versions that results depend on.

    Returns
    -------
    dict
        By package; ``python`` is the minor version, ``whybox sources`` a hash of the package's
        modules, ``lexicon`` one of VADER's words. Kept from the first call on, so that a worker
        whose folder was upgraded beneath it tells what it has loaded.

    Examples
    --------
    >>> sorted(software())[:3]
    ['dask', 'distributed', 'lexicon']
    """
    return dict(_software())


@cache
def _software() -> dict[str, str]:
    found = {name: _version(name) for name in _PACKAGES}
    found["python"] = ".".join(platform.python_version_tuple()[:2])
    found["whybox sources"] = _sources()
    found["lexicon"] = load_lexicon("vader").sha256[:12]
    return found


def facts(directory: str | None = None, threads: int = 1) -> dict[str, Any]:
    """Tell all that is looked at, of this process.

    Parameters
    ----------
    directory : str, optional
        Where this worker writes; by default the current folder.
    threads : int, default 1
        Tasks that this worker runs at once.

    Returns
    -------
    dict
        ``software``; ``free_disk`` in bytes of ``directory``; ``clock`` in seconds since 1970;
        ``threads``; ``numba_threads``, and glibc's ``trim_threshold`` and ``mmap_threshold`` in
        bytes (None if not set).

    Examples
    --------
    >>> sorted(facts())
    ['clock', 'directory', 'free_disk', 'mmap_threshold', 'numba_threads', 'software', 'threads',
     'trim_threshold']
    """
    directory = directory or str(Path.cwd())
    return {
        "software": software(),
        "directory": directory,
        "free_disk": shutil.disk_usage(directory).free,
        "clock": time.time(),
        "threads": threads,
        "numba_threads": _number("NUMBA_NUM_THREADS"),
        "trim_threshold": _number("MALLOC_TRIM_THRESHOLD_"),
        "mmap_threshold": _number("MALLOC_MMAP_THRESHOLD_"),
    }


def compare(ours: Mapping[str, str], theirs: Mapping[str, Any], *, skew: float = 0.0) -> Findings:
    """Judge a worker.

    Parameters
    ----------
    ours : mapping
        The driver's :func:`software`.
    theirs : mapping
        The worker's :func:`facts`.
    skew : float, default 0
        Seconds that the worker's clock is ahead of the driver's (less than 0: behind).

    Returns
    -------
    Findings
        As in "numpy 2.1.0 where the driver has numpy 2.2.0", to be put after a worker's name.

    Examples
    --------
    >>> ours = software()
    >>> compare(ours, facts() | {"software": ours | {"numpy": "1.0"}}).refusals[0][:9]
    'numpy 1.0'
    """
    refusals, warnings = [], []
    found = theirs.get("software", {})
    different = [name for name, ours_ in ours.items() if found.get(name) != ours_]
    if different:
        has = ", ".join(f"{name} {found.get(name, 'unknown')}" for name in different)
        wants = ", ".join(f"{name} {ours[name]}" for name in different)
        refusals.append(f"{has} where the driver has {wants}")
    if theirs["free_disk"] < _LEAST_DISK:
        refusals.append(
            f"{theirs['free_disk'] >> 20} MiB left in {theirs['directory']} where "
            f"{_LEAST_DISK >> 20} are needed"
        )
    if abs(skew) > _MOST_SKEW:
        warnings.append(f"a clock {abs(skew):.0f} s {'ahead of' if skew > 0 else 'behind'} ours")
    numba = theirs["numba_threads"]
    if numba is None or numba > theirs["threads"]:
        told = "not set" if numba is None else numba
        warnings.append(f"NUMBA_NUM_THREADS {told}, which crowds the cores; {_SETS_IT}")
    if told := _gives_back(theirs):
        warnings.append(f"{told}, which halves the speed of texts; {_SETS_IT}")
    return Findings(tuple(refusals), tuple(warnings))


def _gives_back(theirs: Mapping[str, Any]) -> str:
    """Which settings make malloc give memory back at once; left alone, glibc adapts them."""
    found = {
        "MALLOC_TRIM_THRESHOLD_": theirs["trim_threshold"],
        "MALLOC_MMAP_THRESHOLD_": theirs["mmap_threshold"],
    }
    if set(found.values()) == {None}:
        return ""
    small = {name: n for name, n in found.items() if n is None or n < _LEAST_KEPT}
    return " and ".join(f"{name} {'not set' if n is None else n}" for name, n in small.items())


def gathered(sentences: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Say what several workers share once.

    Parameters
    ----------
    sentences : iterable of tuple of str
        A worker's name and what is wrong with it.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> gathered([("a", "no disk"), ("b", "no disk"), ("c", "a clock 9 s behind ours")])
    ('workers a, b: no disk', 'worker c: a clock 9 s behind ours')
    """
    names: dict[str, list[str]] = {}
    for name, sentence in sentences:
        names.setdefault(sentence, []).append(name)
    return tuple(
        f"worker{'s' if len(who) > 1 else ''} {', '.join(who)}: {sentence}"
        for sentence, who in names.items()
    )


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


def _sources() -> str:
    """Hash the modules of the package, as they are on the disk."""
    folder = Path(str(whybox.__file__)).parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py"), key=lambda path: path.relative_to(folder).as_posix()):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:12]


def _number(variable: str) -> int | None:
    """A whole number of the environment."""
    text = os.environ.get(variable, "")
    return int(text) if text.isdecimal() else None
