"""Folders in a store (S3): versions side by side, and one small object that names one of them.

The files of a version are under ``versions/HASH``, the hash being that of its manifest.  What stands
at ``manifest.json`` of the folder names the version, with the size and SHA-256 of each of its files.
It is put last, and only over what was there when the run began, so that a reader finds the old
version whole, the new one whole, or nothing, and the later of two runs is refused.
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from whybox.data.remote import attempt
from whybox.data.storage import CHUNK, file_sha256, filesystem, opened
from whybox.errors import InputError, RunError, WhyboxError

__all__ = ["SpoiltError", "fetched", "is_store", "upload", "uploading"]

MANIFEST, CURRENT = "manifest.json", "current"
_VERSIONS, _DEGRADED = "versions", "degraded"
_AT_ONCE = 8
"""Objects under way at a time."""
_REFUSALS = ("PreconditionFailed", "NoSuchKey", "NotImplemented")
"""How stores answer when a condition does not hold, or is none that they know."""


class SpoiltError(RunError):
    """What a store has is not what was published."""


@dataclass(frozen=True)
class _Object:
    """A file of a version; its path is relative to the version."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True)
class _Version:
    """The version that stands at an address."""

    address: str
    objects: tuple[_Object, ...]

    def download(self, names: Collection[str] | None, root: Path) -> None:
        """Copy files whose first folder (or name) is among these, all without names."""
        chosen = [o for o in self.objects if names is None or o.path.split("/")[0] in names]
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            list(pool.map(lambda o: _download(f"{self.address}/{o.path}", o, root), chosen))


def is_store(place: str | Path) -> bool:
    """Tell an address in a store from a local path.

    Examples
    --------
    >>> is_store("s3://bucket/features"), is_store("features")
    (True, False)
    """
    return re.match(r"s3a?://[^/]", str(place)) is not None


@contextmanager
def uploading(address: str) -> Iterator[Path]:
    """Build a folder on this machine, and publish it in a store when all went well.

    The folder is made where the system keeps temporary files (TMPDIR).

    Parameters
    ----------
    address : str
        As in ``s3://bucket/folder``: nothing, or a folder that was published this way.

    Yields
    ------
    pathlib.Path
        The folder to write into.  If the body raises, what stands at the address stays.

    Raises
    ------
    InputError
        If there is no such bucket, or the address holds other things.
    RunError
        If the store fails for good, or another run published to the address meanwhile.
    """
    etag = _found(address)
    with tempfile.TemporaryDirectory(prefix="whybox-") as folder:
        staging = Path(folder, "new")
        staging.mkdir()
        yield staging
        if any(staging.iterdir()):  # it is empty if what was written is kept as degraded
            _name_version(address, _upload_version(staging, address), etag)


def upload(folder: Path, address: str) -> None:
    """Publish a folder that is ready, as `uploading` does.

    Parameters
    ----------
    folder : pathlib.Path
        With a manifest.json; what its ``parts`` list is published, and nothing else.
    address : str
        As in ``s3://bucket/folder``.

    Raises
    ------
    InputError, RunError
        As `uploading`.
    """
    etag = _found(address)
    _name_version(address, _upload_version(folder, address), etag)


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
    version = _standing(address)
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


def _found(address: str) -> str | None:
    """The ETag of what names the version that stands, None if nothing does."""
    fs, path = filesystem(address.rstrip("/"))
    try:
        listed = attempt(lambda: fs.ls(path, detail=False), address)
    except FileNotFoundError as error:
        if _code(error) == "NoSuchBucket":
            raise InputError("there is no such bucket", where=address) from error
        return None
    except PermissionError as error:
        raise InputError(f"may not be listed: {error}", where=address) from error
    held = {name.rsplit("/", 1)[-1] for name in listed}
    if MANIFEST not in held:
        if held <= {_VERSIONS, _DEGRADED}:  # a run that did not end, or was degraded
            return None
        raise InputError(
            "the folder is not empty, and was not published by whybox",
            where=address,
            remedy="name another folder, or empty this one",
        )
    etag = attempt(lambda: fs.info(f"{path}/{MANIFEST}"), address)["ETag"]
    _standing(address.rstrip("/"))
    return str(etag)


def _standing(address: str) -> _Version:
    """Read which version stands at an address; nothing of it is trusted."""
    try:
        with opened(f"{address}/{MANIFEST}") as file:
            content = json.loads(file.read())
        folder = PurePosixPath(content["folder"])
        objects = tuple(_Object(o["path"], o["size"], o["sha256"]) for o in content["objects"])
        paths = (folder, *(PurePosixPath(o.path) for o in objects))
        if any(path.is_absolute() or ".." in path.parts for path in paths):
            raise ValueError("a path leads elsewhere")
        if MANIFEST not in {o.path for o in objects}:
            raise ValueError("it has no manifest")
    except InputError as error:
        raise InputError(
            f"no folder is published there: {error.what}",
            where=address,
            remedy="give the address that --out of `whybox extract` or `whybox score` had",
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{MANIFEST} does not name a version that whybox published: {error}",
            where=address,
            remedy="give or name another address",
        ) from error
    return _Version(f"{address}/{folder}", objects)


def _upload_version(folder: Path, address: str) -> bytes:
    """Upload what the manifest lists, and give the text that is to name the version."""
    text = (folder / MANIFEST).read_bytes()
    manifest = json.loads(text)
    version = f"{_VERSIONS}/{hashlib.sha256(text).hexdigest()[:32]}"
    objects = [
        _Object(path, (folder / path).stat().st_size, file_sha256(str(folder / path)))
        for path in (*sorted(part["path"] for part in manifest["parts"]), MANIFEST)
    ]
    base = f"{address.rstrip('/')}/{version}"
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        list(pool.map(lambda o: _upload(folder / o.path, f"{base}/{o.path}", o), objects))
    named = {
        "version": 1,
        "kind": manifest["kind"],
        "folder": version,
        "objects": [asdict(o) for o in objects],
        "software": manifest["software"],
    }
    return (json.dumps(named, indent=1) + "\n").encode()


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


def _name_version(address: str, text: bytes, etag: str | None) -> None:
    """Let a version stand, if what stood when the run began still does."""
    url = f"{address.rstrip('/')}/{MANIFEST}"
    fs, path = filesystem(url)
    condition = {"IfNoneMatch": "*"} if etag is None else {"IfMatch": etag}

    def put() -> None:
        try:
            fs.pipe_file(path, text, **condition)
        except OSError as error:
            code = _code(error)
            if code == "NotImplemented" and _found(address) == etag:
                condition.clear()  # this store has no conditions: the next attempt goes without
            if not condition or code not in _REFUSALS:
                raise
            if _holds(url, text):
                return
            raise RunError(
                "another run published to the same place meanwhile",
                where=address,
                remedy="look at what stands there; run again to replace it",
            ) from error

    try:
        attempt(put, url)
    except (FileNotFoundError, PermissionError) as error:
        raise RunError(f"cannot be written: {error}", where=url, remedy="check it") from error


def _holds(url: str, text: bytes) -> bool:
    """Tell whether this very text stands: an earlier attempt's answer was lost on its way."""
    try:
        with opened(url) as file:
            return bool(file.read() == text)
    except InputError:
        return False


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


def _code(error: BaseException) -> str | None:
    """The store's own name of an error."""
    response = getattr(error.__cause__, "response", None) or {}
    code: str | None = response.get("Error", {}).get("Code")
    return code
