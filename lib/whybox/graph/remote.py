"""A client of a scheduler that somebody else runs: which addresses are safe, and why none answers.

A scheduler runs whatever code it is sent, so that only TLS with certificates of one authority may
leave this machine. Dask tells of most refusals by a timeout; therefore the driver shakes hands on
its own first, and says in words what it met.
"""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import ssl
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

from whybox.errors import InputError, RunError

__all__ = ["check_address", "remote_client"]

_PATIENCE = 20.0  # seconds for a scheduler that is just starting
_SILENCE = 3.0  # Dask speaks first; who says nothing for so long waits for another language
_ROLE_FILES = {"tls_ca_file": "ca.pem", "tls_client_cert": "client.pem"}
_MAKE = "python deploy/tls/make_certificates.py DIR"


@contextlib.contextmanager
def remote_client(
    address: str, *, tls: Path | None = None, insecure: bool = False, patience: float = _PATIENCE
) -> Iterator[Any]:
    """Open a client, and close it when the block ends; the scheduler goes on.

    Parameters
    ----------
    address : str
        ``tls://HOST:PORT``, or ``tcp://HOST:PORT`` on loopback.
    tls : pathlib.Path, optional
        Folder of ca.pem, client.pem and client-key.pem; by default what Dask's settings name.
    insecure : bool, default False
        Let plain tcp:// leave this machine.
    patience : float, default 20
        Seconds to wait for a scheduler that does not answer yet.

    Yields
    ------
    distributed.Client

    Raises
    ------
    InputError
        The address is none or is not safe, or the certificates cannot be used.
    RunError
        No scheduler answers, or it refuses.
    """
    from distributed import Client

    parts = check_address(address, insecure=insecure)
    security = _security(parts, tls)
    _shake_hands(parts, security, patience)
    try:
        client = Client(address, timeout=patience, set_as_default=False, security=security)
    except (OSError, TimeoutError) as error:
        raise _silent(address) from error
    try:
        yield client
    except BaseException:
        with contextlib.suppress(Exception):  # of a dead scheduler: what the block raised is told
            client.close()
        raise
    client.close()


def check_address(address: str, *, insecure: bool = False) -> SplitResult:
    """Take an address apart.

    Parameters
    ----------
    address : str
    insecure : bool, default False
        Let plain tcp:// leave this machine.

    Returns
    -------
    urllib.parse.SplitResult

    Raises
    ------
    InputError
        It is no address, or plain and not on loopback.

    Examples
    --------
    >>> check_address("tls://cluster.example:8786").port
    8786
    >>> check_address("tcp://192.0.2.7:8786")
    Traceback (most recent call last):
    whybox.errors.InputError: tcp://192.0.2.7:8786 is not encrypted and not on this machine ...
    """
    parts = urlsplit(address)
    if parts.scheme not in ("tcp", "tls") or not parts.hostname or not _has_port(parts):
        raise InputError(
            f"{address!r} is no scheduler",
            where="--scheduler",
            remedy="give sync, local, tcp://HOST:PORT (loopback) or tls://HOST:PORT",
        )
    if parts.scheme == "tcp" and not insecure and not _is_loopback(parts.hostname):
        raise InputError(
            f"{address} is not encrypted and not on this machine",
            where="--scheduler",
            remedy="use tls://, since a scheduler runs whatever code it is sent; --insecure allows "
            "it in a network that nobody else can reach",
        )
    return parts


def _has_port(parts: SplitResult) -> bool:
    try:
        return parts.port is not None
    except ValueError:  # not a number
        return False


def _is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine's own."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _security(parts: SplitResult, tls: Path | None) -> Any:
    """Certificates of the folder, or those that Dask's settings name."""
    from distributed.security import Security

    if tls is not None and parts.scheme == "tcp":
        raise InputError(
            f"certificates are for tls://, not for {parts.geturl()}",
            where="--tls",
            remedy=f"use --scheduler tls://{parts.netloc}",
        )
    if tls is not None:
        names = {**_ROLE_FILES, "tls_client_key": "client-key.pem"}
        files = {role: tls.expanduser() / name for role, name in names.items()}
        for path in files.values():
            if not path.is_file():
                raise InputError("no such file", where=str(path), remedy=_MAKE)
        return Security(require_encryption=True, **{k: str(v) for k, v in files.items()})
    security: Any = Security()
    if parts.scheme == "tls" and not (security.tls_ca_file and security.tls_client_cert):
        raise InputError(
            f"no certificates for {parts.geturl()}",
            where="--tls",
            remedy=f"name their folder (made by {_MAKE}), or let DASK_CONFIG name its dask.yaml",
        )
    if parts.scheme == "tcp" and security.require_encryption:
        raise InputError(
            f"Dask's settings require encryption, and {parts.geturl()} has none",
            where="--scheduler",
            remedy="use tls://, or unset DASK_CONFIG",
        )
    return security


def _shake_hands(parts: SplitResult, security: Any, patience: float) -> None:
    """Meet the scheduler as Dask's client will, to say in words what is wrong."""
    context = _context(security) if parts.scheme == "tls" else None
    with _dial(parts, patience) as line:
        if context is not None:
            _speak_tls(line, context, parts.geturl())
        else:
            _speak_plainly(line, parts)


def _context(security: Any) -> ssl.SSLContext:
    """Load the certificates."""
    try:
        context: ssl.SSLContext = security.get_connection_args("client")["ssl_context"]
    except OSError as error:  # ssl.SSLError is one
        raise InputError(
            f"the certificates cannot be used: {error}", where="--tls", remedy=f"make them: {_MAKE}"
        ) from error
    return context


def _dial(parts: SplitResult, patience: float) -> socket.socket:
    """Connect, and wait for a scheduler that is just starting."""
    place = (str(parts.hostname), int(parts.port or 0))
    end = time.monotonic() + patience
    while True:
        try:
            return socket.create_connection(place, timeout=_SILENCE)
        except OSError as error:
            if time.monotonic() > end:
                raise _silent(parts.geturl()) from error
            time.sleep(0.2)


def _silent(address: str) -> RunError:
    return RunError(
        f"no scheduler answers at {address}",
        where="--scheduler",
        remedy="start one, or use --scheduler local",
    )


def _speak_plainly(line: socket.socket, parts: SplitResult) -> None:
    """Refuse a scheduler that waits for TLS; of all else Dask's client will tell."""
    with contextlib.suppress(ConnectionError):
        if _hears(line):
            return
    if _answers_tls(parts):
        raise RunError(
            f"the scheduler at {parts.geturl()} speaks TLS only",
            where="--scheduler",
            remedy=f"use --scheduler tls://{parts.netloc} with its certificates (--tls DIR)",
        )


def _speak_tls(line: socket.socket, context: ssl.SSLContext, address: str) -> None:
    """Check both certificates: the scheduler's here, ours by the scheduler's answer."""
    try:
        with context.wrap_socket(line) as secure:
            _hears(secure)
    except ssl.SSLCertVerificationError as error:
        raise RunError(
            f"the certificate of the scheduler at {address} is refused: {error.verify_message}",
            where="--tls",
            remedy="use the certificates of the scheduler's own authority, and renew expired ones",
        ) from error
    except (ssl.SSLEOFError, ConnectionError, TimeoutError) as error:
        raise _silent(address) from error
    except ssl.SSLError as error:
        if error.reason in ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE"):
            raise RunError(
                f"the scheduler at {address} does not speak TLS",
                where="--scheduler",
                remedy="start it with --protocol tls",
            ) from error
        reason = str(error.reason or error).replace("_", " ").lower()
        raise RunError(
            f"the scheduler at {address} refuses our certificate: {reason}",
            where="--tls",
            remedy="use a certificate of the scheduler's own authority, and renew expired ones",
        ) from error


def _hears(line: socket.socket) -> bool:
    """Whether the other side speaks first, as Dask does."""
    try:
        return bool(line.recv(1))
    except TimeoutError:
        return False


def _answers_tls(parts: SplitResult) -> bool:
    """Whether the other side knows TLS, whoever it is; nothing is sent to it but a greeting."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with _dial(parts, 0.0) as line, context.wrap_socket(line):
            return True
    except ssl.SSLError as error:
        return "ALERT" in str(error.reason)  # it answered, in TLS
    except OSError:
        return False
