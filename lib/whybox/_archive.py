"""Zips and arrays as bytes: the same bytes for the same content, and nothing run when read.

Members are sorted by name and have one fixed date, owner and compression; arrays are little-endian
and in C order. Reading takes no more memory than was allowed and raises only ValueError. A file is written
whole or not at all.
"""

from __future__ import annotations

import io
import math
import os
import re
import secrets
import struct
import sys
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from whybox.errors import InputError, RunError

__all__ = ["pack_arrays", "pack_zip", "unpack_arrays", "unpack_zip", "write_file"]

_KINDS = "biufU"  # booleans, integers, floats, fixed-width text: never objects
_NAME = re.compile(r"[A-Za-z0-9_./-]{1,200}")
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, OSError,
    OverflowError, RuntimeError,
)  # fmt: skip
# An npy of version 1.0 as numpy writes it; numpy's own reader would evaluate the literal.
_NPY = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '([<|][biufU][0-9]+)', 'fortran_order': False, "
    rb"'shape': \(([0-9, ]*)\), \} *\n",
    re.DOTALL,
)


def pack_zip(members: Mapping[str, bytes], *, deflated: bool = True) -> bytes:
    """Zip members, without clock, user or machine.

    Parameters
    ----------
    members : mapping of str to bytes
    deflated : bool, default True
        Else stored as they are.

    Returns
    -------
    bytes

    Examples
    --------
    >>> pack_zip({"b": b"2", "a": b"1"}) == pack_zip({"a": b"1", "b": b"2"})
    True
    """
    compression = zipfile.ZIP_DEFLATED if deflated else zipfile.ZIP_STORED
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in sorted(members):
            info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            info.create_system = 3
            info.external_attr = 0o644 << 16
            archive.writestr(info, members[name], compression, compresslevel=6)
    return buffer.getvalue()


def unpack_zip(data: bytes, max_bytes: int) -> dict[str, bytes]:
    """Read all members of a zip.

    Parameters
    ----------
    data : bytes
    max_bytes : int
        Of all members together; a zip that declares more is refused before any is read, and none
        is read further than it declares.

    Returns
    -------
    dict of str to bytes

    Raises
    ------
    ValueError
        If it is no zip, damaged, too large, or has a member twice.

    Examples
    --------
    >>> unpack_zip(pack_zip({"a": b"1"}), 100)
    {'a': b'1'}
    >>> unpack_zip(pack_zip({"a": bytes(101)}), 100)
    Traceback (most recent call last):
    ValueError: unpacked, it is larger than 100 bytes
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = archive.infolist()
            if len({info.filename for info in infos}) < len(infos):
                raise ValueError("a member is there twice")
            if sum(info.file_size for info in infos) > max_bytes:
                raise ValueError(f"unpacked, it is larger than {max_bytes:,} bytes")
            known = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
            if any(info.compress_type not in known for info in infos):
                raise ValueError("a member is neither stored nor deflated")
            return {info.filename: archive.read(info) for info in infos}
    except _DAMAGE as error:
        raise ValueError(str(error)) from error


def pack_arrays(arrays: Mapping[str, np.ndarray]) -> bytes:
    """Write arrays as an uncompressed npz (the zip around it compresses).

    Parameters
    ----------
    arrays : mapping of str to array
        Booleans, integers, floats or fixed-width text.

    Returns
    -------
    bytes
        What ``numpy.load(allow_pickle=False)`` reads.

    Raises
    ------
    ValueError
        If an array is of another kind, or its name is no plain one.

    Examples
    --------
    >>> pack_arrays({"x": np.array([{}])})
    Traceback (most recent call last):
    ValueError: array 'x' is of type object, expected booleans, integers, floats or text
    """
    members = {}
    for name, array in arrays.items():
        if not _NAME.fullmatch(name):
            raise ValueError(f"array name {name!r} is not of letters, digits and . _ / -")
        if array.dtype.kind not in _KINDS:
            raise ValueError(
                f"array {name!r} is of type {array.dtype}, expected booleans, integers, floats "
                "or text"
            )
        buffer = io.BytesIO()
        plain = np.asarray(array, dtype=array.dtype.newbyteorder("<"), order="C")
        np.lib.format.write_array(buffer, plain, version=(1, 0), allow_pickle=False)
        members[f"{name}.npy"] = buffer.getvalue()
    return pack_zip(members, deflated=False)


def unpack_arrays(data: bytes, max_bytes: int) -> dict[str, np.ndarray]:
    """Read what `pack_arrays` wrote.

    Parameters
    ----------
    data : bytes
    max_bytes : int
        Of all arrays together.

    Returns
    -------
    dict of str to array
        Writable copies.

    Raises
    ------
    ValueError
        If an array is of another kind, or its declared size is not that of its bytes.

    Examples
    --------
    >>> unpack_arrays(pack_arrays({"x": np.array([1.5])}), 1000)
    {'x': array([1.5])}
    """
    members = unpack_zip(data, max_bytes)
    return {name.removesuffix(".npy"): _read_array(member) for name, member in members.items()}


def _read_array(data: bytes) -> np.ndarray:
    """Read one npy, its declared size held against its bytes before memory is taken."""
    header = _NPY.match(data)
    if header is None or header.end() != 10 + int.from_bytes(data[8:10], "little"):
        raise ValueError("an array is not as numpy writes booleans, numbers or text")
    kind, content = header[1].decode("ascii"), len(data) - header.end()
    shape = tuple(int(length) for length in header[2].split(b",") if length.strip())
    try:
        dtype = np.dtype(kind)
        if dtype.itemsize == 0 or dtype.itemsize * math.prod(shape) != content:
            raise ValueError(f"an array's bytes do not make shape {shape} of {dtype}")
        array = np.frombuffer(data, dtype, offset=header.end()).reshape(shape).copy()
    except (TypeError, OverflowError) as error:
        raise ValueError(f"an array of type {kind} and shape {shape} cannot be") from error
    if dtype.kind == "U" and array.size and array.reshape(-1).view("<u4").max() > sys.maxunicode:
        raise ValueError("an array holds what is no text")
    return array


def write_file(path: Path, data: bytes) -> None:
    """Write beside the file, flush to the disk, and rename: a reader sees the old or the new.

    Parameters
    ----------
    path : Path
    data : bytes

    Raises
    ------
    InputError
        If the folder is missing or closed to us.
    RunError
        If the disk fails.

    Examples
    --------
    >>> write_file(Path("no/such/folder/model.whybox"), b"")
    Traceback (most recent call last):
    whybox.errors.InputError: cannot write the model: No such file or directory (...)...
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    try:
        try:
            with temporary.open("xb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            temporary.replace(path)
            _sync_folder(path.parent)
        finally:
            temporary.unlink(missing_ok=True)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError, PermissionError) as error:
        raise InputError(
            f"cannot write the model: {error.strerror}",
            where=os.fspath(path),
            remedy="make the folder, or choose a file in one that you may write to",
        ) from error
    except OSError as error:
        raise RunError(f"cannot write the model: {error.strerror}", where=str(path)) from error


def _sync_folder(folder: Path) -> None:
    """Make a rename last through a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
