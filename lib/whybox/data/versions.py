"""Folders in a store (S3): versions side by side, and one small object that names one of them.

The files of a version are under ``versions/HASH``, the hash being that of its manifest.  What stands
at ``manifest.json`` of the folder names the version, with the size and SHA-256 of each of its files.
It is put last, by the holder of the lease (`whybox.data.lease`) and only over what was there when
it began, so that a reader finds the old version whole, the new one whole, or nothing.  It also lists
the versions before it, the newest first, by which `whybox.data.retention` knows what may go.
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from whybox._faults import fault_point
from whybox.data.lease import LEASE, Lease, leased
from whybox.data.pinned import ChangedError, Pinned, Seen, code_of
from whybox.data.remote import attempt
from whybox.data.storage import CHUNK, file_sha256, filesystem, opened
from whybox.errors import InputError, RunError, WhyboxError

__all__ = ["SpoiltError", "fetched", "is_store", "leasing", "uploading"]

MANIFEST, CURRENT = "manifest.json", "current"
VERSIONS, AT_ONCE = "versions", 8
"""Where versions are; and objects under way at a time."""
_DEGRADED = "degraded"


class SpoiltError(RunError):
    """What a store has is not what was published."""


@dataclass(frozen=True)
class _Object:
    """A file of a version; its path is relative to the version."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Standing:
    """What names the version that stands at an address.

    Parameters
    ----------
    address : str
    folder : str
        Of the version, relative to the address.
    objects : tuple
        Its files.
    older : tuple of str
        Folders of the versions before it, the newest first.
    lease : str or None
        The mark of the lease under which it was written.
    """

    address: str
    folder: str
    objects: tuple[_Object, ...]
    older: tuple[str, ...]
    lease: str | None

    def download(self, names: Collection[str] | None, root: Path) -> None:
        """Copy files whose first folder (or name) is among these, all without names."""
        chosen = [o for o in self.objects if names is None or o.path.split("/")[0] in names]
        base = f"{self.address}/{self.folder}"
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(lambda o: _download(f"{base}/{o.path}", o, root), chosen))


def is_store(place: str | Path) -> bool:
    """Tell an address in a store from a local path.

    Examples
    --------
    >>> is_store("s3://bucket/features"), is_store("features")
    (True, False)
    """
    return re.match(r"s3a?://[^/]", str(place)) is not None


@contextmanager
def leasing(address: str) -> Iterator[Lease]:
    """Hold the lease on an address that is ours, or free, while the block runs.

    Parameters
    ----------
    address : str
        As in ``s3://bucket/folder``: nothing, or a folder that was published this way.

    Yields
    ------
    whybox.data.lease.Lease

    Raises
    ------
    InputError
        If there is no such bucket, or the address holds other things.
    RunError
        If another run holds the lease, or the store fails for good.
    """
    _check_ours(address)
    with leased(address) as lease:
        fault_point("store.leased")
        yield lease


@contextmanager
def uploading(address: str, lease: Lease) -> Iterator[Path]:
    """Build a folder on this machine, and publish it in a store when all went well.

    The folder is made where the system keeps temporary files (TMPDIR).

    Parameters
    ----------
    address : str
        As in ``s3://bucket/folder``.
    lease : Lease
        That `leasing` gave.

    Yields
    ------
    pathlib.Path
        The folder to write into: a manifest.json, and the files that its ``parts`` list.  If the
        body raises, what stands at the address stays.

    Raises
    ------
    RunError
        If the store fails for good, or another run took the lease or published meanwhile.
    """
    pointer = Pinned(f"{address.rstrip('/')}/{MANIFEST}")
    before = named(pointer.look(), address)
    with tempfile.TemporaryDirectory(prefix="whybox-") as folder:
        staging = Path(folder, "new")
        staging.mkdir()
        yield staging
        if any(staging.iterdir()):  # it is empty if what was written is kept as degraded
            _publish(staging, address, pointer, before, lease)


@contextmanager
def fetched(
    place: str | Path, wanted: Callable[[Mapping[str, Any]], Collection[str]] | None = None
) -> Iterator[Path]:
    """Give a published folder as a local one: itself, or a checked copy of what a store has.

    Parameters
    ----------
    place : str or path
        A local path, which is given back (of a folder of versions, the one that stands), or an
        address in a store.
    wanted : callable, optional
        From the manifest to the names of the files and subfolders that are needed; by default all.

    Yields
    ------
    pathlib.Path
        A copy is temporary, and errors about it name the address.

    Raises
    ------
    InputError
        If nothing is published at the address, or it may not be read.
    RunError
        If the store fails for good, or a file has another size or SHA-256 than was published.

    Examples
    --------
    >>> with fetched("features") as folder:
    ...     folder.name
    'features'
    """
    if not is_store(place):
        yield _current(Path(place).expanduser())
        return
    address = str(place).rstrip("/")
    version = standing(address)
    with tempfile.TemporaryDirectory(prefix="whybox-") as folder:
        root = Path(folder)
        version.download({MANIFEST}, root)
        manifest = json.loads((root / MANIFEST).read_text("utf-8"))
        version.download(None if wanted is None else wanted(manifest), root)
        try:
            yield root
        except WhyboxError as error:
            where = error.where and error.where.replace(folder, address)
            raise type(error)(error.what, where=where, remedy=error.remedy) from error


def _current(folder: Path) -> Path:
    """The version that stands in a folder of versions; a folder without versions as it is."""
    link = folder / CURRENT
    return folder / link.readlink() if link.is_symlink() else folder


def _check_ours(address: str) -> None:
    """Refuse an address with things of others."""
    held = listed(address)
    if MANIFEST in held:
        standing(address)
    elif not held <= {VERSIONS, _DEGRADED, LEASE}:  # what a run leaves that did not end
        raise InputError(
            "the folder is not empty, and was not published by whybox",
            where=address,
            remedy="name another folder, or empty this one",
        )


def listed(address: str) -> set[str]:
    """Give the names at an address, none if there is nothing.

    Raises
    ------
    InputError
        If there is no such bucket, or it may not be listed.
    """
    fs, path = filesystem(address.rstrip("/"))
    try:
        found = attempt(lambda: fs.ls(path, detail=False), address)
    except FileNotFoundError as error:
        if code_of(error) == "NoSuchBucket":
            raise InputError("there is no such bucket", where=address) from error
        return set()
    except PermissionError as error:
        raise InputError(f"may not be listed: {error}", where=address) from error
    return {name.rsplit("/", 1)[-1] for name in found}


def standing(address: str) -> Standing:
    """Read which version stands at an address.

    Raises
    ------
    InputError
        If none does, or something else is there.
    """
    try:
        seen = Pinned(f"{address.rstrip('/')}/{MANIFEST}").look()
    except InputError as error:
        raise _nothing(address, error.what) from error
    found = named(seen, address)
    if found is None:
        raise _nothing(address, f"there is no {MANIFEST}")
    return found


def _nothing(address: str, why: str) -> InputError:
    return InputError(
        f"no folder is published there: {why}",
        where=address,
        remedy="give the address that --out of `whybox extract` or `whybox score` had",
    )


def named(seen: Seen | None, address: str) -> Standing | None:
    """Read what names a version; nothing of it is trusted."""
    if seen is None:
        return None
    try:
        content = json.loads(seen.text)
        folder = str(content["folder"])
        objects = tuple(_Object(o["path"], o["size"], o["sha256"]) for o in content["objects"])
        older = tuple(map(str, content.get("older", ())))
        paths = [PurePosixPath(path) for path in (folder, *older, *(o.path for o in objects))]
        if any(path.is_absolute() or ".." in path.parts for path in paths):
            raise ValueError("a path leads elsewhere")
        if MANIFEST not in {o.path for o in objects}:
            raise ValueError("it has no manifest")
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{MANIFEST} does not name a version that whybox published: {error}",
            where=address,
            remedy="give or name another address",
        ) from error
    return Standing(address.rstrip("/"), folder, objects, older, content.get("lease"))


def _publish(
    folder: Path, address: str, pointer: Pinned, before: Standing | None, lease: Lease
) -> None:
    """Upload what the manifest lists, and let it stand."""
    manifest = (folder / MANIFEST).read_bytes()
    now = f"{VERSIONS}/{hashlib.sha256(manifest).hexdigest()[:32]}"
    values = json.loads(manifest)
    objects = _upload_version(folder, f"{address.rstrip('/')}/{now}", values["parts"])
    fault_point("store.uploaded")
    there = listed(f"{address.rstrip('/')}/{VERSIONS}")
    chain = (before.folder, *before.older) if before is not None else ()
    content = {
        "version": 1,
        "kind": values["kind"],
        "folder": now,
        "objects": [asdict(o) for o in objects],
        "older": [path for path in chain if path != now and path.rsplit("/")[-1] in there],
        "software": values["software"],
    }
    point(pointer, content, lease)
    fault_point("store.pointed")


def point(pointer: Pinned, content: Mapping[str, Any], lease: Lease) -> None:
    """Write what names the version that stands, if the lease is still ours and nobody else wrote it.

    With the lease's mark in it no older holder, however late it wakes, can write it any more.
    """
    lease.check()
    text = json.dumps({**content, "lease": lease.mark}, indent=1) + "\n"
    try:
        pointer.put(text.encode())
    except ChangedError as error:
        raise RunError(
            "another run published to the same place meanwhile",
            where=pointer.url,
            remedy="look at what stands there; run again to replace it",
        ) from error


def _upload_version(folder: Path, base: str, parts: Iterable[Mapping[str, Any]]) -> list[_Object]:
    """Upload the files of a version, its manifest last."""
    objects = [
        _Object(path, (folder / path).stat().st_size, file_sha256(str(folder / path)))
        for path in (*sorted(part["path"] for part in parts), MANIFEST)
    ]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda o: _upload(folder / o.path, f"{base}/{o.path}", o), objects))
    return objects


def _upload(path: Path, url: str, wanted: _Object) -> None:
    """Upload a file, and read it back: a body that was cut is sent again."""
    fs, inner = filesystem(url)

    def send() -> None:
        fs.put_file(str(path), inner)
        if file_sha256(url) != wanted.sha256:
            raise OSError("what is stored is not what was sent")

    try:
        attempt(send, url)
    except (FileNotFoundError, PermissionError) as error:
        raise RunError(f"cannot be written: {error}", where=url, remedy="check it") from error


def _download(url: str, wanted: _Object, root: Path) -> None:
    """Copy an object, and compare it with what was published."""
    path = root / wanted.path
    path.parent.mkdir(parents=True, exist_ok=True)
    digest, size = hashlib.sha256(), 0
    with opened(url) as source, path.open("wb") as copy:
        for chunk in iter(lambda: source.read(CHUNK), b""):
            copy.write(chunk)
            digest.update(chunk)
            size += len(chunk)
    if (size, digest.hexdigest()) != (wanted.size, wanted.sha256):
        raise SpoiltError(
            f"the object has {size} bytes, {wanted.size} were published, or other contents",
            where=url,
            remedy="publish the folder again",
        )
