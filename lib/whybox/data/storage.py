"""Bytes from wherever they are stored: local or remote through fsspec, decompressed by content.

Everything downstream works on an iterator of chunks of at most a few MiB, so that memory stays
bounded whatever the size of a file.  A compressed file that is cut or fails its checksum gives
all the bytes that can be had and then raises `Damage`.
"""

from __future__ import annotations

import hashlib
import io
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import fsspec
import zstandard

from whybox.data.remote import RemoteFile
from whybox.errors import InputError, RunError

__all__ = ["CHUNK", "Damage", "file_sha256", "filesystem", "opened", "read_chunks", "read_head"]

CHUNK = 1 << 20
CONNECT_TIMEOUT, READ_TIMEOUT = 10, 60
"""Seconds that a store has to answer."""
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


class Damage(Exception):  # noqa: N818  (a finding that the reader judges, not yet an error)
    """A compressed file ends early or fails its checksum."""


def filesystem(path: str, options: Mapping[str, Any] | None = None) -> tuple[Any, str]:
    """Find the file system of a path.

    Parameters
    ----------
    path : str
        A local path or a URL such as ``s3://bucket/key``.
    options : mapping, optional
        fsspec's storage options.

    Returns
    -------
    tuple of fsspec.AbstractFileSystem and str
        The file system, and the path as it knows it.

    Raises
    ------
    InputError
        If the protocol is not known, or its package is not installed.

    Examples
    --------
    >>> filesystem("/tmp/posts.jsonl")[1]
    '/tmp/posts.jsonl'
    """
    try:
        fs, inner = fsspec.core.url_to_fs(path, **_settings(path, options))
    except (ValueError, ImportError) as error:
        raise InputError(
            f"no way to read this kind of address: {error}",
            where=path,
            remedy="give a local path, or a protocol that fsspec knows, such as s3://",
        ) from error
    if is_remote(fs) and hasattr(fs, "retries"):
        fs.retries = 1  # whybox.data.remote tries again, and counts
    return fs, inner


def _settings(path: str, options: Mapping[str, Any] | None) -> dict[str, Any]:
    """Options for a protocol: listings are never remembered, and only one place tries again."""
    given = dict(options or {})
    if path.startswith(("s3://", "s3a://")):
        given.setdefault("use_listings_cache", False)
        own = {
            "retries": {"max_attempts": 0},
            "connect_timeout": CONNECT_TIMEOUT,
            "read_timeout": READ_TIMEOUT,
        }
        given["config_kwargs"] = own | dict(given.get("config_kwargs", {}))
    return given


def is_remote(fs: Any) -> bool:
    """Tell a file system behind a network (or in memory) from the machine's own."""
    protocols = (fs.protocol,) if isinstance(fs.protocol, str) else fs.protocol
    return not {"file", "local"} & set(protocols)


@contextmanager
def opened(path: str, options: Mapping[str, Any] | None = None) -> Iterator[Any]:
    """Open a file for reading, as it is stored.

    Parameters
    ----------
    path : str
    options : mapping, optional
        fsspec's storage options.

    Yields
    ------
    file object
        Seekable. One that is not on this machine is a `whybox.data.remote.RemoteFile`.

    Raises
    ------
    InputError
        If it is not there or may not be read.

    Examples
    --------
    >>> import os
    >>> with opened(os.devnull) as file:
    ...     file.read()
    b''
    """
    fs, inner = filesystem(path, options)
    try:
        file: Any = RemoteFile(fs, inner) if is_remote(fs) else fs.open(inner, "rb")
    except (FileNotFoundError, PermissionError) as error:
        raise InputError(f"cannot be read: {error}", where=path, remedy="check it") from error
    with file:
        yield file


def read_chunks(
    path: str, options: Mapping[str, Any] | None = None, start: int = 0
) -> Iterator[bytes]:
    """Give a file's bytes, decompressed if it is gzip or zstd (by content, not by name).

    Parameters
    ----------
    path : str
    options : mapping, optional
        fsspec's storage options.
    start : int, default=0
        First byte wanted; other than 0 only for files that are not compressed.

    Yields
    ------
    bytes
        Never empty.

    Raises
    ------
    Damage
        After all bytes that can be had, if the compressed stream is cut or corrupt.

    Examples
    --------
    >>> import gzip, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a")
    ...     _ = path.write_bytes(gzip.compress(b"one") + gzip.compress(b"two"))
    ...     b"".join(read_chunks(str(path)))
    b'onetwo'
    """
    with opened(path, options) as raw:
        if start:
            raw.seek(start)
            yield from iter(lambda: raw.read(CHUNK), b"")
            return
        first = raw.read(CHUNK)
        if first.startswith(_GZIP):
            yield from _gunzip(raw, first)
        elif first.startswith(_ZSTD):
            yield from _unzstd(raw, first)
        elif first:
            yield first
            yield from iter(lambda: raw.read(CHUNK), b"")


def _gunzip(raw: io.BufferedIOBase, data: bytes) -> Iterator[bytes]:
    """Decompress the members of a gzip file, bounded whatever the ratio."""
    member = zlib.decompressobj(wbits=31)
    try:
        while data:
            while data:
                if member.eof:
                    data = data.lstrip(b"\0")  # padding between members is allowed
                    member = zlib.decompressobj(wbits=31) if data else member
                if out := member.decompress(data, CHUNK):
                    yield out
                data = member.unused_data if member.eof else member.unconsumed_tail
            data = raw.read(CHUNK)
    except zlib.error as error:
        raise Damage(f"is damaged ({error})") from error
    if not member.eof:
        raise Damage("is cut short")


def _unzstd(raw: io.BufferedIOBase, data: bytes) -> Iterator[bytes]:
    """Decompress the frames of a zstd file."""
    frame = zstandard.ZstdDecompressor().decompressobj()
    try:
        while data:
            for i in range(0, len(data), 1 << 16):  # small bites: the output has no bound
                piece = data[i : i + (1 << 16)]
                while piece:
                    if frame.eof:
                        frame = zstandard.ZstdDecompressor().decompressobj()
                    if out := frame.decompress(piece):
                        yield out
                    piece = frame.unused_data if frame.eof else b""
            data = raw.read(CHUNK)
    except zstandard.ZstdError as error:
        raise Damage(f"is damaged ({error})") from error
    if not frame.eof:
        raise Damage("is cut short")


def read_head(path: str, options: Mapping[str, Any] | None = None, size: int = CHUNK) -> bytes:
    """Give the first bytes of a file, decompressed; what a damaged file still gives.

    Parameters
    ----------
    path : str
    options : mapping, optional
        fsspec's storage options.
    size : int, default=CHUNK

    Returns
    -------
    bytes
        At most `size` of them.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a")
    ...     _ = path.write_bytes(b"one two")
    ...     read_head(str(path), size=3)
    b'one'
    """
    head = b""
    try:
        for chunk in read_chunks(path, options):
            head += chunk
            if len(head) >= size:
                break
    except Damage:
        pass  # reading it for its records will tell
    return head[:size]


def is_compressed(path: str, options: Mapping[str, Any] | None = None) -> bool:
    """Tell whether a file is gzip or zstd, by its first bytes."""
    with opened(path, options) as raw:
        return bool(raw.read(4).startswith((_GZIP, _ZSTD)))


def file_sha256(
    path: str, options: Mapping[str, Any] | None = None, *, size: int | None = None
) -> str:
    """Hash a file as it is stored.

    Parameters
    ----------
    path : str
    options : mapping, optional
        fsspec's storage options.
    size : int, optional
        What it had when it was found.

    Returns
    -------
    str
        SHA-256, hexadecimal.

    Raises
    ------
    RunError
        If it has another size now: it changed while it was read.

    Examples
    --------
    >>> import os
    >>> file_sha256(os.devnull)[:8]
    'e3b0c442'
    """
    digest = hashlib.sha256()
    length = 0
    with opened(path, options) as raw:
        for chunk in iter(lambda: raw.read(CHUNK), b""):
            digest.update(chunk)
            length += len(chunk)
    if size is not None and length != size:
        raise RunError(
            f"the file has {length} bytes and had {size}: it changed while it was read",
            where=path,
            remedy="run again when nothing writes to it",
        )
    return digest.hexdigest()
