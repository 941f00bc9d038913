"""Folders that appear whole or not at all.

A run writes into a hidden folder beside the target and publishes it by a rename.  The hidden
folder is locked (flock) while its run lives: a second run is refused, and what a dead run left is
cleared away by the next one.  A folder in a store is published by `whybox.data.versions`.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from whybox.data.retention import retain
from whybox.data.versions import is_store, leasing, uploading
from whybox.errors import InputError, RunError

__all__ = ["MARKER", "keep_degraded", "publishing", "write_manifest"]

MARKER = "_whybox.json"
"""What a folder without a manifest has instead, under a name that readers of posts pass over."""

_DEGRADED = "degraded"
_KEPT = 3
"""Versions that stay in a store: a reader may still be copying an older one."""


@contextmanager
def publishing(target: str | Path) -> Iterator[Path]:
    """Build a folder beside its place, and put it there when all went well.

    Parameters
    ----------
    target : path
        A folder that does not exist, is empty, or is one that whybox made (its manifest.json or
        `MARKER` names the software): that one is replaced.  Or an address in a store, as in
        ``s3://bucket/folder``.

    Yields
    ------
    pathlib.Path
        The folder to write into.  If the body raises, it is removed and the target is as before.

    Raises
    ------
    InputError
        If the target is a file, or a folder with other things in it.
    RunError
        If another run is publishing to the same place, the folder cannot be made, or the store
        fails.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with publishing(Path(folder, "out")) as staging:
    ...         _ = (staging / "a.txt").write_text("a")
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['out']
    """
    if is_store(target):
        with leasing(str(target)) as lease:
            with uploading(str(target), lease) as staging:
                yield staging
            retain(str(target), _KEPT, lease)
        return
    _check_local(target)
    target = Path(target).expanduser().absolute()
    aside = target.with_name(f".{target.name}.whybox-old")
    staging = target.with_name(f".{target.name}.whybox-new")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        lock = _lock(staging)
    except OSError as error:
        raise RunError(f"the folder cannot be made: {error.strerror}", where=str(target)) from error
    try:
        _recover(target, aside)
        _check_target(target)
        _clear(staging)
        yield staging
        if any(staging.iterdir()):  # it is empty if what was written is kept as degraded
            _swap(staging, target, aside)
    finally:
        if _is_same(staging, lock):
            shutil.rmtree(staging, ignore_errors=True)
        os.close(lock)


def write_manifest(folder: Path, content: Mapping[str, Any]) -> None:
    """Write a folder's manifest.json: text as it is, no clock.

    Parameters
    ----------
    folder : pathlib.Path
        That `publishing` gave.
    content : mapping
        Plain JSON values, ``software`` among them: by it a folder is known as whybox's.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_manifest(Path(folder), {"kind": "scores", "software": {}})
    ...     json.loads(Path(folder, "manifest.json").read_text())["kind"]
    'scores'
    """
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    (folder / "manifest.json").write_text(text, encoding="utf-8")


def keep_degraded(staging: Path, target: str | Path) -> None:
    """Keep what a run wrote, but do not publish it: it goes to ``target/degraded``.

    Parameters
    ----------
    staging : pathlib.Path
        The folder that `publishing` gave; nothing is left in it.
    target : path
        The run's target; what is published there stays.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     target = Path(folder, "out")
    ...     with publishing(target) as staging:
    ...         _ = (staging / "a.txt").write_text("a")
    ...         keep_degraded(staging, target)
    ...     sorted(path.relative_to(folder).as_posix() for path in target.rglob("*"))
    ['out/degraded', 'out/degraded/a.txt']
    """
    if is_store(target):
        address = f"{str(target).rstrip('/')}/{_DEGRADED}"
        with leasing(address) as lease:
            with uploading(address, lease) as copy:
                shutil.copytree(staging, copy, dirs_exist_ok=True, copy_function=_rename)
            retain(address, 1, lease)
        _clear(staging)
        return
    kept = Path(target).expanduser().absolute() / _DEGRADED
    if kept.exists():
        shutil.rmtree(kept)
    kept.mkdir(parents=True)
    for path in sorted(staging.iterdir()):
        path.rename(kept / path.name)


def _rename(source: str, target: str) -> None:
    Path(source).rename(target)


def _check_local(target: str | Path) -> None:
    """Refuse an address, which would become a local folder of a strange name."""
    if re.match(r"[a-z][a-z0-9]+:/", str(target)):
        raise InputError(
            "outputs are written to folders of a file system, or to s3://",
            where=str(target),
            remedy="name a local folder, or for extract and score s3://bucket/folder",
        )


def _lock(staging: Path) -> int:
    """Make the hidden folder and lock it; the lock is on the folder, and ends with the process."""
    staging.mkdir(exist_ok=True)
    lock = os.open(staging, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        alone = _is_same(staging, lock)
    except BlockingIOError:
        alone = False
    if not alone:
        os.close(lock)
        raise RunError(
            "locked: another run is writing to the same place",
            where=str(staging.parent),
            remedy="wait for it to end, or write elsewhere",
        )
    return lock


def _is_same(staging: Path, lock: int) -> bool:
    """Tell whether the hidden folder is still the one that is locked."""
    try:
        return os.path.samestat(staging.stat(), os.fstat(lock))
    except FileNotFoundError:
        return False


def _recover(target: Path, aside: Path) -> None:
    """End what a run left that was killed between two renames."""
    if aside.exists():
        if target.exists():
            shutil.rmtree(aside)
        else:
            aside.rename(target)


def _check_target(target: Path) -> None:
    """Refuse to replace what is not ours."""
    if target.is_dir():
        held = {path.name for path in target.iterdir()} - {_DEGRADED}
        if not held or any(_is_ours(target / name) for name in ("manifest.json", MARKER)):
            return
        what = "the folder is not empty, and was not made by whybox"
    elif target.exists():
        what = "there is a file in the folder's place"
    else:
        return
    raise InputError(what, where=str(target), remedy="name another folder, or empty this one")


def _is_ours(manifest: Path) -> bool:
    """Tell a manifest of whybox by what every one of them has."""
    try:
        content = json.loads(manifest.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(content, dict) and "software" in content


def _clear(folder: Path) -> None:
    """Empty a folder."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def _swap(staging: Path, target: Path, aside: Path) -> None:
    """Put the new folder in the place of the old one, which is removed afterwards."""
    try:
        if target.exists():
            target.rename(aside)
        staging.rename(target)
    except OSError as error:
        _recover(target, aside)
        raise RunError(f"publication failed: {error.strerror}", where=str(target)) from error
    shutil.rmtree(aside, ignore_errors=True)
