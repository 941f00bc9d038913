"""A folder of versions on this machine, and the place beside it where the next one is made.

::

    OUT/current            a link to the version that stands; put there by one rename
    OUT/manifest.json      a link to its manifest
    OUT/versions/NAME/     whole versions, the newest few; each names the one before it
    OUT/work/              lock, ledger, finished parts, and what was read of each input

A reader that follows ``current`` once finds one whole version, the old or the new.  One run at a
time holds the lock (flock), which ends with its process.  For an address in a store the versions
are there (`whybox.data.versions`), beside the lease of the run that works (`whybox.data.lease`), and
the working place is in the user's cache on this machine.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whybox._faults import fault_point
from whybox.data.lease import Lease
from whybox.data.ledger import forget, has_dead_lines
from whybox.data.retention import retain, surplus
from whybox.data.sealed import unseal_values
from whybox.data.versions import CURRENT, SpoiltError, fetched, is_store, leasing, uploading
from whybox.errors import InputError, RunError

__all__ = ["Workplace", "standing_manifest", "workplace"]

MANIFEST, VERSIONS, WORK = "manifest.json", "versions", "work"
_NEW, _NEW_LINK = ".new", ".current.new"
_OURS = {CURRENT, MANIFEST, VERSIONS, WORK, _NEW_LINK, "." + MANIFEST}


@dataclass(frozen=True)
class Workplace:
    """Where a run works and publishes.

    Parameters
    ----------
    out : str
        The folder, or the address in a store.
    work : pathlib.Path
        On this machine; its subfolders are made as they are asked for.
    lease : whybox.data.lease.Lease, optional
        On an address in a store, of the run that works there.
    """

    out: str
    work: Path
    lease: Lease | None = None

    def folder(self, name: str) -> Path:
        """Give a subfolder of the working place."""
        path = self.work / name
        path.mkdir(parents=True, exist_ok=True)
        return path

    @property
    def standing_name(self) -> str | None:
        """The name of the version that stands, by the link alone; of a store's None."""
        link = Path(self.out).expanduser() / CURRENT
        return link.readlink().name if not is_store(self.out) and link.is_symlink() else None

    @contextmanager
    def publishing(self, name: str) -> Iterator[Path]:
        """Build a version, and let it stand when all went well.

        Parameters
        ----------
        name : str
            Of the version; equal names mean equal bytes.

        Yields
        ------
        pathlib.Path
            The folder to write into.
        """
        if self.lease is not None:
            with uploading(self.out, self.lease) as staging:
                yield staging
            return
        versions = Path(self.out).expanduser() / VERSIONS
        staging = versions / _NEW
        shutil.rmtree(staging, ignore_errors=True)
        staging.mkdir(parents=True)
        fault_point("publish.begun")
        yield staging
        fault_point("publish.built")
        _sync(staging)
        _place(staging, versions / name)
        fault_point("publish.placed")
        _point(Path(self.out).expanduser(), name)
        fault_point("publish.pointed")

    def tidy(self, keep: int) -> None:
        """Remove what no version needs: old versions, their parts, and what dead runs left.

        Parameters
        ----------
        keep : int
            Versions that stay.
        """
        for path in self.orphans(keep):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
            fault_point("tidy.removed")
        if self._has_dead_lines(keep):
            forget(self.work / "ledger.jsonl", _live_parts(self.versions(keep)))
        if self.lease is not None:
            retain(self.out, keep, self.lease)

    def is_tidy(self, keep: int) -> bool:
        """Tell whether there is nothing for `tidy` to do; nothing is touched."""
        here = not self.orphans(keep) and not self._has_dead_lines(keep)
        return here and not (is_store(self.out) and surplus(self.out, keep))

    def _has_dead_lines(self, keep: int) -> bool:
        live = _live_parts(self.versions(keep))
        return bool(live) and has_dead_lines(self.work / "ledger.jsonl", live)

    def orphans(self, keep: int) -> list[Path]:
        """List what `tidy` removes; nothing is touched.

        Parameters
        ----------
        keep : int

        Returns
        -------
        list of pathlib.Path
        """
        found = _partials(self.work)
        chain = self.versions(keep)
        if not is_store(self.out):
            root, names = Path(self.out).expanduser(), {manifest["name"] for manifest in chain}
            asides = (root / _NEW_LINK, root / ("." + MANIFEST))
            found += [path for path in asides if path.is_symlink()]
            found += [path for path in _listed(root / VERSIONS) if path.name not in names]
        if chain:
            parts, caches = _live_parts(chain), _live_caches(self.work, chain[0])
            found += [path for path in _listed(self.work / "parts") if path.stem not in parts]
            kept = [path for name in ("cells", "index") for path in _listed(self.work / name)]
            found += [path for path in kept if caches is not None and path.name not in caches]
            found += _listed(self.work / "parked")
        return sorted(found)

    def versions(self, keep: int) -> list[dict[str, Any]]:
        """Read the manifests of the newest versions, the one that stands first.

        Parameters
        ----------
        keep : int
            At most so many; of a store's only the first.

        Returns
        -------
        list of dict
        """
        manifest, chain = standing_manifest(self.out), list[dict[str, Any]]()
        while manifest is not None and len(chain) < keep:
            chain.append(manifest)
            previous = manifest.get("previous")
            if not previous or is_store(self.out):
                break
            manifest = standing_manifest(str(Path(self.out) / VERSIONS / previous))
        return chain


@contextmanager
def workplace(out: str) -> Iterator[Workplace]:
    """Open a folder for one run at a time.

    Parameters
    ----------
    out : str
        A folder that does not exist, is empty, or was made this way; or an address in a store.

    Yields
    ------
    Workplace

    Raises
    ------
    InputError
        If the folder holds other things.
    RunError
        If another run works there, the folder cannot be made, or the disk is full or fails.
    """
    place = _place_of(out)
    if not is_store(out):
        _check(Path(out).expanduser())
    try:
        place.work.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = os.open(place.work / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise RunError(f"the folder cannot be made: {error.strerror}", where=out) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(lock)
        raise RunError(
            "locked: another run is writing to the same place",
            where=out,
            remedy="wait for it to end, or write elsewhere",
        ) from error
    try:
        for path in _partials(place.work):
            path.unlink(missing_ok=True)  # the worker of a dead run may end its file just now
        if is_store(out):
            with leasing(out) as lease:
                yield Workplace(place.out, place.work, lease)
        else:
            yield place
    except OSError as error:
        raise RunError(
            f"a file cannot be written or read: {error.strerror or error}",
            where=str(error.filename or out),
            remedy="make room or mend the disk, and run again: what is finished is kept",
        ) from error
    finally:
        os.close(lock)


def standing_manifest(out: str) -> dict[str, Any] | None:
    """Read the manifest of the version that stands; nothing is touched.

    Parameters
    ----------
    out : str

    Returns
    -------
    dict or None
        None if none stands, or it was spoilt: its seal is broken.

    Raises
    ------
    RunError
        The store fails for good.

    Examples
    --------
    >>> standing_manifest("no/such/folder") is None
    True
    """
    try:
        with fetched(out, lambda _: ()) as folder:
            found = json.loads((folder / MANIFEST).read_text("utf-8"))
        unseal_values(found)
    except (OSError, ValueError, RecursionError, SpoiltError):
        return None
    return dict(found)


def peek(out: str) -> Workplace:
    """Give the place of a run without its lock, for looking only."""
    return _place_of(out)


def link(source: Path, target: Path) -> None:
    """Give a file a second name, or copy it where that cannot be."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def replace(partial: Path, path: Path, point: str) -> None:
    """Put a finished file in its place by one rename.

    Whoever uses it later holds it against its hash, so that it need not be on the disk yet.
    ``point`` names the fault points before and after: ``POINT.written`` and ``POINT.placed``.
    """
    fault_point(f"{point}.written")
    partial.replace(path)
    fault_point(f"{point}.placed")


def _place_of(out: str) -> Workplace:
    if not is_store(out):
        return Workplace(str(out), Path(out).expanduser() / WORK)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    name = hashlib.sha256(out.rstrip("/").encode()).hexdigest()[:16]
    return Workplace(str(out), cache / "whybox" / name)


def _check(root: Path) -> None:
    """Refuse what is not ours."""
    if not root.exists():
        return
    if not root.is_dir():
        raise InputError(
            "there is a file in the folder's place", where=str(root), remedy="name another folder"
        )
    others = sorted({path.name for path in root.iterdir()} - _OURS)
    if others or ((root / MANIFEST).exists() and not (root / MANIFEST).is_symlink()):
        raise InputError(
            f"the folder holds other things: {', '.join(others[:3]) or MANIFEST}",
            where=str(root),
            remedy="name another folder, or empty this one",
        )


def _sync(folder: Path) -> None:
    """Put files and folders on the disk before they can be found."""
    for path in (folder, *folder.rglob("*")):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _place(staging: Path, version: Path) -> None:
    """Give a version its name; one that is there already is mended file by file."""
    if not version.exists():
        staging.rename(version)
        return
    for path in sorted(p for p in staging.rglob("*") if p.is_file()):
        target = version / path.relative_to(staging)
        target.parent.mkdir(parents=True, exist_ok=True)
        path.replace(target)
        fault_point("publish.mended")
    shutil.rmtree(staging)


def _point(root: Path, name: str) -> None:
    """Let a version stand: one rename. The link to its manifest leads nowhere before the first."""
    if not (root / MANIFEST).is_symlink():
        _swap(root / ("." + MANIFEST), f"{CURRENT}/{MANIFEST}", root / MANIFEST)
        fault_point("publish.linked")
    _swap(root / _NEW_LINK, f"{VERSIONS}/{name}", root / CURRENT)


def _swap(aside: Path, target: str, link: Path) -> None:
    aside.unlink(missing_ok=True)
    aside.symlink_to(target)
    fault_point("publish.aside")
    aside.replace(link)


def _partials(work: Path) -> list[Path]:
    """Files that a dead run had not finished."""
    return [*work.glob("*.partial.*"), *work.glob("*/*.partial.*")]


def _listed(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _live_parts(chain: Collection[Mapping[str, Any]]) -> set[str]:
    """Inputs of the parts of these versions."""
    return {part["input_sha256"] for manifest in chain for part in manifest["parts"]
            if "input_sha256" in part}  # fmt: skip


def _live_caches(work: Path, manifest: Mapping[str, Any]) -> set[str] | None:
    """Files that hold what was read of the inputs of a version; None if their list was spoilt."""
    index = work / "index" / f"{manifest['source']}.json"
    try:
        return {index.name, *json.loads(index.read_text("utf-8"))["files"]}
    except FileNotFoundError:
        return set()
    except (OSError, ValueError, KeyError, TypeError):
        return None
