"""Hashing files on a session, some a task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from whybox.data.storage import file_sha256
from whybox.graph.calls import calling
from whybox.graph.session import Session

__all__ = ["hash_files", "hashing_tasks"]

_FILES_A_TASK = 200
_BYTES_A_TASK = 64 << 20

_Sized = tuple[str, int | None]


def hash_files(session: Session, sizes: Mapping[str, int | None]) -> dict[str, str]:
    """Hash files as they are stored.

    Parameters
    ----------
    session : Session
    sizes : mapping of str to int or None
        By path, what each had when it was found.

    Returns
    -------
    dict of str to str
        SHA-256 by path.

    Raises
    ------
    InputError
        If one is not there or may not be read.
    RunError
        If one has another size now.

    Examples
    --------
    >>> import os
    >>> hash_files(Session(), {os.devnull: None})[os.devnull][:8]
    'e3b0c442'
    """
    found = session.compute(hashing_tasks(list(sizes.items())), "hashing inputs")
    return dict(zip(sizes, (digest for part in found for digest in part), strict=True))


def hashing_tasks(
    files: Sequence[_Sized], storage_options: Mapping[str, object] | None = None
) -> list[Any]:
    """Make the tasks that hash files.

    Parameters
    ----------
    files : sequence of tuple of str and int or None
        Path, and the size that it had when it was found.
    storage_options : mapping, optional
        fsspec's.

    Returns
    -------
    list of dask.delayed.Delayed
        Each gives the SHA-256 of some neighbours: of at most 200, and of 64 MiB but for one file
        that is larger.

    Examples
    --------
    >>> import os
    >>> len(hashing_tasks([(os.devnull, 40 << 20), (os.devnull, None), (os.devnull, 40 << 20)]))
    2
    """
    groups: list[list[_Sized]] = []
    held = 0
    for path, size in files:
        held += size or 0
        if not groups or len(groups[-1]) == _FILES_A_TASK or held > _BYTES_A_TASK:
            groups.append([])
            held = size or 0
        groups[-1].append((path, size))
    options = dict(storage_options or {})
    return [calling(_hash, group, options)() for group in groups]


def _hash(files: Sequence[_Sized], options: dict[str, object]) -> list[str]:
    """Module-level, so that a worker finds it."""
    return [file_sha256(path, options, size=size) for path, size in files]
