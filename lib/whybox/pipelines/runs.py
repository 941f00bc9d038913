"""Runs that go on without a terminal: each has a folder with what was started, its log and its end.

``run.json`` says which process it is: a number that the system gives again to another process is
told apart by the time when that one was started.  ``exit`` appears when the run has ended by itself.
"""

from __future__ import annotations

import json
import os
import secrets
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from whybox.data.processes import started_at
from whybox.errors import InputError, RunError

__all__ = ["Run", "all_runs", "find_run", "is_group_alive", "runs_folder", "start"]

# $0 is the file of the exit code, $@ the command; the file appears whole
_SHELL = '"$@"; code=$?; printf "%s\\n" "$code" > "$0.new" && mv "$0.new" "$0"'


@dataclass(frozen=True)
class Run:
    """A run that was submitted.

    Parameters
    ----------
    name : str
    command : tuple of str
        The verb with its arguments.
    folder : str
        Where its state is.
    where : str
        The folder it was started in.
    pid : int
        The first process of its group.
    started : str
        When that process was started, as the system counts; it tells it from a later one.
    """

    name: str
    command: tuple[str, ...]
    folder: str
    where: str
    pid: int
    started: str

    @property
    def log(self) -> Path:
        """All that it printed."""
        return Path(self.folder) / "log"

    @property
    def exit_code(self) -> int | None:
        """How it ended, None if it has not, or did not end by itself."""
        try:
            return int((Path(self.folder) / "exit").read_text("ascii"))
        except FileNotFoundError:
            return None

    @property
    def is_alive(self) -> bool:
        """Whether the process is there, and the same."""
        return started_at(self.pid) == self.started

    @property
    def state(self) -> str:
        """``running``, ``done``, ``failed``, ``cancelled`` or ``killed``."""
        code = self.exit_code
        if code is not None:
            return "done" if code == 0 else "failed"
        if self.is_alive:
            return "running"
        return "cancelled" if (Path(self.folder) / "cancelled").exists() else "killed"


def runs_folder(given: Path | None) -> Path:
    """Give the folder of runs.

    Parameters
    ----------
    given : pathlib.Path or None
        By default ``$XDG_STATE_HOME/whybox/runs`` (``~/.local/state/whybox/runs``).

    Returns
    -------
    pathlib.Path

    Examples
    --------
    >>> runs_folder(Path("runs")).name
    'runs'
    """
    if given is not None:
        return given.absolute()
    state = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(state, "whybox", "runs")


def start(command: Sequence[str], folder: Path) -> Run:
    """Start a command of whybox in a session of its own.

    Parameters
    ----------
    command : sequence of str
        A verb with its arguments.
    folder : pathlib.Path
        Of all runs.

    Returns
    -------
    Run

    Raises
    ------
    RunError
        The folder cannot be written, or the system does not tell when a process was started.
    """
    name = f"{command[0]}-{secrets.token_hex(4)}"
    own = folder / name
    try:
        own.mkdir(parents=True, mode=0o700)
        with (own / "log").open("wb") as log:
            process = subprocess.Popen(  # noqa: S603  (the user's own command, no shell reads it)
                ["/bin/sh", "-c", _SHELL, str(own / "exit"), sys.executable, "-m", "whybox",
                 *command],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
    except OSError as error:
        raise RunError(f"the run cannot be started: {error.strerror}", where=str(own)) from error
    run = Run(
        name, tuple(command), str(own), str(Path.cwd()), process.pid, started_at(process.pid) or ""
    )
    partial = own / "run.json.new"
    partial.write_text(json.dumps(asdict(run), indent=1) + "\n", "utf-8")
    partial.replace(own / "run.json")
    return run


def find_run(name: str, folder: Path) -> Run:
    """Read a run's state.

    Parameters
    ----------
    name : str
    folder : pathlib.Path
        Of all runs.

    Returns
    -------
    Run

    Raises
    ------
    InputError
        There is no such run.

    Examples
    --------
    >>> find_run("score-0", Path("no/such"))
    Traceback (most recent call last):
    whybox.errors.InputError: no run 'score-0' (no/such): `whybox status all` lists what there is
    """
    try:
        if Path(name).name != name:
            raise ValueError
        values = json.loads((folder / name / "run.json").read_text("utf-8"))
        return Run(**{**values, "command": tuple(values["command"])})
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise InputError(
            f"no run {name!r}", where=str(folder), remedy="`whybox status all` lists what there is"
        ) from error


def all_runs(folder: Path) -> list[Run]:
    """List the runs of a folder, the latest first."""
    found = sorted(folder.glob("*/run.json"), key=lambda path: -path.stat().st_mtime_ns)
    return [find_run(path.parent.name, folder) for path in found]


def is_group_alive(group: int) -> bool:
    """Tell whether any process of a group has not ended; one that only waits to be noticed has.

    Parameters
    ----------
    group : int

    Returns
    -------
    bool

    Examples
    --------
    >>> is_group_alive(os.getpgrp())
    True
    """
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text("ascii", "replace").rpartition(")")[2].split()
        except OSError:  # it ended meanwhile
            continue
        if fields[2] == str(group) and fields[0] not in "ZX":
            return True
    return False


def shown(command: Sequence[str]) -> str:
    """Write a command as a person would type it."""
    return shlex.join(["whybox", *command])
