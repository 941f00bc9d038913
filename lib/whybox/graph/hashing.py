"""Hashing files on a session, some a task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from whybox.data.storage import file_sha256
from whybox.graph.calls import calling
from whybox.graph.session import Session

__all__ = ["hash_files"]

_FILES_A_TASK = 200


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
    files = list(sizes.items())
    groups = [files[i : i + _FILES_A_TASK] for i in range(0, len(files), _FILES_A_TASK)]
    found = session.compute([calling(_hash, group)() for group in groups], "hashing inputs")
    return {path: digest for part in found for path, digest in part}


def _hash(files: Sequence[tuple[str, int | None]]) -> list[tuple[str, str]]:
    """Module-level, so that a worker finds it."""
    return [(path, file_sha256(path, size=size)) for path, size in files]
