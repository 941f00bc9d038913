"""Processes told apart: a number is given again to another process, a number and a start are not."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Owner", "started_at"]


def started_at(pid: int) -> str | None:
    """Tell when a process began, in the machine's own terms, and since which start of the machine.

    Parameters
    ----------
    pid : int

    Returns
    -------
    str or None
        None if there is no such process, or it has ended and only waits to be noticed.

    Examples
    --------
    >>> started_at(os.getpid()) == started_at(os.getpid()) != None
    True
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return None
    return None if fields[0] in "ZX" else f"{fields[19]} {boot}"


@dataclass(frozen=True)
class Owner:
    """A process among those of all machines.

    Parameters
    ----------
    host : str
        The machine's name, for people.
    pid : int
    started : str or None
        See `started_at`; None where the machine does not tell.
    namespace : str or None
        Whose numbers the process's number is among: those of a container are its own.
    """

    host: str
    pid: int
    started: str | None
    namespace: str | None

    @classmethod
    def this_process(cls) -> Owner:
        """Tell who runs this.

        Examples
        --------
        >>> Owner.this_process().has_ended()
        False
        """
        pid = os.getpid()
        return cls(socket.gethostname(), pid, started_at(pid), _namespace())

    def has_ended(self) -> bool:
        """Tell whether the process is surely gone; of another machine's nothing is sure.

        Examples
        --------
        >>> from dataclasses import replace
        >>> replace(Owner.this_process(), namespace="pid:[1]").has_ended()
        False
        """
        if self.started is None or self.namespace is None or self.namespace != _namespace():
            return False
        here = started_at(os.getpid())
        same_start = here is not None and here.split()[1:] == self.started.split()[1:]
        return same_start and started_at(self.pid) != self.started


def _namespace() -> str | None:
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return None
