"""Pseudonyms for people: the same id gives the same name under the same key, and none without it.

HMAC-SHA-256 (RFC 2104): a plain hash of a user id can be undone by trying all ids.  The key is
never written to a result; its id is, so that two results can be told to match.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from whybox.errors import InputError

__all__ = ["Key", "load_key", "pseudonym"]

_LEAST_BYTES = 16


@dataclass(frozen=True)
class Key:
    """A secret key; it is never shown.

    Parameters
    ----------
    secret : bytes
        16 bytes or more.

    Raises
    ------
    InputError
        If it is shorter.

    Examples
    --------
    >>> Key(b"0123456789abcdef")
    Key(id='ff076a51672a')
    """

    secret: bytes = field(repr=False)
    id: str = field(init=False)

    def __post_init__(self) -> None:
        if len(self.secret) < _LEAST_BYTES:
            raise InputError(
                f"the key has {len(self.secret)} bytes, fewer than {_LEAST_BYTES}",
                remedy="make one, for example with: openssl rand -hex 32",
            )
        digest = hashlib.sha256(b"whybox key id:" + self.secret).hexdigest()
        object.__setattr__(self, "id", digest[:12])


def pseudonym(key: Key, value: str) -> str:
    """Give the pseudonym of an id or a name.

    Parameters
    ----------
    key : Key
    value : str

    Returns
    -------
    str
        32 hexadecimal digits (128 bits).

    Examples
    --------
    >>> pseudonym(Key(b"0123456789abcdef"), "42") == pseudonym(Key(b"0123456789abcdef"), "42")
    True
    """
    return hmac.digest(key.secret, value.encode("utf-8"), "sha256").hex()[:32]


def load_key(key_file: str | Path | None = None, environ: Mapping[str, str] | None = None) -> Key:
    """Find the key: a file, else WHYBOX_KEY, else the user's own, made at first use.

    Parameters
    ----------
    key_file : path, optional
        Its content, white space around it left out, is the key.
    environ : mapping, optional
        By default the process's environment.  The user's key is in ``$XDG_CONFIG_HOME/whybox/key``
        (``~/.config/whybox/key``), readable by its owner only.

    Returns
    -------
    Key

    Raises
    ------
    InputError
        If the file cannot be read, or the key is too short.

    Examples
    --------
    >>> load_key(environ={"WHYBOX_KEY": "0123456789abcdef"}).id
    'ff076a51672a'
    """
    environ = os.environ if environ is None else environ
    if key_file is not None:
        return Key(_read(Path(key_file)))
    if given := environ.get("WHYBOX_KEY"):
        return Key(given.strip().encode("utf-8"))
    home = environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    path = Path(home, "whybox", "key")
    if not path.exists():
        _make(path)
    return Key(_read(path))


def _read(path: Path) -> bytes:
    """Read a key file."""
    try:
        return path.read_bytes().strip()
    except OSError as error:
        raise InputError(
            f"the key file cannot be read: {error.strerror}",
            where=str(path),
            remedy="check its path and permissions",
        ) from error


def _make(path: Path) -> None:
    """Make the user's key whole or not at all; of two runs at once, the first one's stays."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=path.parent)  # made with mode 0600
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_hex(32) + "\n")
        try:
            os.link(name, path)
        except FileExistsError:
            pass
        finally:
            Path(name).unlink()
    except OSError as error:
        raise InputError(
            f"no key could be made: {error.strerror}",
            where=str(path),
            remedy="give one by a key file or by WHYBOX_KEY",
        ) from error
