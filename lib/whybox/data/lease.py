"""A lease on an address in a store: of all runs on all machines one at a time works there.

The lease is an object, ``lease.json``, that names its holder. It is made only where none is and
replaced only while it is what was read (`whybox.data.pinned`), so that of two runs one gets it. The
holder writes it again every now and then; how old it is, the store's own clock says. Who finds one
that is too old, or whose holder was a process of this machine that has ended, takes it over, and the
old holder learns that when it wants to publish.

A store without conditions gives no lease that excludes anyone.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from typing import Any

from whybox.data.pinned import ChangedError, Pinned, Seen
from whybox.data.processes import Owner
from whybox.errors import RunError, WhyboxError

__all__ = ["LEASE", "Lease", "leased"]

LEASE = "lease.json"
LASTS = 90.0
"""Seconds after which a lease that was not renewed may be taken over."""
_RENEWALS = 4
"""Renewals in that time."""
_RACES = 5
_HELD: set[str] = set()
"""Tokens of the leases that this process holds now."""


class Lease:
    """A lease that this process holds; made by `leased`.

    Parameters
    ----------
    address : str
        As in ``s3://bucket/folder``.
    """

    def __init__(self, address: str) -> None:
        self.serial = 0
        """How many leases there were at this address, with this one."""
        self._object = Pinned(f"{address.rstrip('/')}/{LEASE}")
        self._owner, self.token, self._writes = Owner.this_process(), secrets.token_hex(8), 0
        self._lost: RunError | None = None
        self._lock = threading.Lock()

    @property
    def is_exclusive(self) -> bool:
        """Whether nobody else can hold it: the store knows conditions."""
        return self._object.conditional

    @property
    def mark(self) -> str | None:
        """What tells this lease from all others; None if it excludes nobody."""
        return f"{self.serial}-{self.token}" if self.is_exclusive else None

    def check(self) -> None:
        """Renew the lease now.

        Raises
        ------
        RunError
            Another run has taken it over, or the store fails for good.
        """
        with self._lock:
            if self._lost is not None:
                raise self._lost
            try:
                self._write("held")
            except ChangedError as error:
                self._lost = RunError(
                    "another run took the lease over, since this one was not heard of for too long",
                    where=self._object.url,
                    remedy="nothing was published; run again when the other has ended",
                )
                raise self._lost from error

    def take(self) -> None:
        """Get it.

        Raises
        ------
        RunError
            Another run has it, or the store fails for good.
        """
        self.serial = 1
        try:
            self._write("held")
            self._prove()
            return
        except ChangedError:
            pass  # one is there, and the store has shown that it knows conditions
        for _ in range(_RACES):
            seen = self._object.look()
            self.serial = 1 + (_free(seen, self._object.url) if seen is not None else 0)
            with suppress(ChangedError):
                self._write("held")
                return
        raise RunError(
            "locked: other runs take the lease one after the other",
            where=self._object.url,
            remedy="run again later",
        )

    def release(self) -> None:
        """Give it back, as far as the store lets us: it ends by itself, too."""
        with self._lock, suppress(WhyboxError):
            if self._lost is None:
                self._write("released")

    def _write(self, state: str) -> None:
        self._writes += 1
        values = {
            "kind": "lease",
            "state": state,
            "serial": self.serial,
            "token": self.token,
            "writes": self._writes,
            "lasts": LASTS,
            "owner": asdict(self._owner),
        }
        self._object.put((json.dumps(values, indent=1) + "\n").encode())

    def _prove(self) -> None:
        """Learn whether the store only overlooks conditions."""
        probe = Pinned(self._object.url)
        try:
            probe.put(b"a store that writes this overlooks conditions\n")
        except ChangedError:
            return
        self._object.conditional = False
        self._object.look()


@contextmanager
def leased(address: str) -> Iterator[Lease]:
    """Hold the lease on an address while the block runs.

    Parameters
    ----------
    address : str
        As in ``s3://bucket/folder``.

    Yields
    ------
    Lease
        To be checked right before anything is done that only its holder may do.

    Raises
    ------
    RunError
        Another run holds it, or the store fails for good.
    """
    lease, ended = Lease(address), threading.Event()
    _HELD.add(lease.token)
    try:
        lease.take()
    except BaseException:
        _HELD.discard(lease.token)
        raise

    def renew() -> None:
        while not ended.wait(LASTS / _RENEWALS):
            with suppress(WhyboxError):  # whoever wants to publish will be told
                lease.check()

    renewer = threading.Thread(target=renew, name="whybox-lease", daemon=True)
    renewer.start()
    try:
        yield lease
    finally:
        ended.set()
        renewer.join()
        lease.release()
        _HELD.discard(lease.token)


def _free(seen: Seen, url: str) -> int:
    """Give the serial number of a lease that nobody holds any more; refuse one that somebody does."""
    serial, lasts, owner, is_left = 0, LASTS, None, False
    with suppress(ValueError, KeyError, TypeError):
        values: dict[str, Any] = json.loads(seen.text)
        serial, lasts = int(values["serial"]), float(values["lasts"])
        if values["state"] == "released":
            return serial
        owner = Owner(**values["owner"])
        # an earlier run of this process, that could not give it back
        is_left = owner == Owner.this_process() and values["token"] not in _HELD
    if seen.age > lasts or is_left or (owner is not None and owner.has_ended()):
        return serial
    who = "somebody" if owner is None else f"process {owner.pid} on {owner.host}"
    raise RunError(
        f"locked: another run is writing to the same place: {who}, heard of {seen.age:.0f} s ago",
        where=url,
        remedy=f"wait for it to end, or write elsewhere; if it is dead, its lease ends by itself in "
        f"{max(1.0, lasts - seen.age):.0f} s",
    )
