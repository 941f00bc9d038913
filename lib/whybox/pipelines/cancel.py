"""``whybox cancel``: end a submitted run with all its processes."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from whybox.config import CancelConfig
from whybox.errors import RunError
from whybox.pipelines.outcome import Outcome
from whybox.pipelines.runs import Run, find_run, is_group_alive, runs_folder
from whybox.progress import SILENT, Progress

__all__ = ["run"]

_SECONDS_BETWEEN_LOOKS = 0.05


def run(config: CancelConfig, *, progress: Progress = SILENT) -> Outcome:
    """Ask the processes of a run to end, and end them if they do not.

    Parameters
    ----------
    config : CancelConfig
    progress : Progress, optional

    Returns
    -------
    Outcome
        ``already done`` if the run had ended.

    Raises
    ------
    InputError
        There is no such run.
    RunError
        Its processes may not be ended, or do not end.
    """
    found = find_run(config.run, runs_folder(config.runs))
    if found.state != "running":
        values = {"run": found.name, "state": found.state}
        line = f"{found.name} had ended: {found.state}"
        return Outcome("cancel", values, (line,), status="already done")
    (Path(found.folder) / "cancelled").touch()
    for number in (signal.SIGTERM, signal.SIGKILL):
        _signal(found, number)
        if _ends(found.pid, config.grace):
            line = f"{found.name}: cancelled; what it has finished is kept"
            return Outcome("cancel", {"run": found.name, "state": "cancelled"}, (line,))
    raise RunError(f"the processes of {found.name} do not end", where=f"group {found.pid}")


def _signal(found: Run, number: signal.Signals) -> None:
    """Signal the group, whose number is the run's as long as one of its processes is there."""
    try:
        os.killpg(found.pid, number)
    except ProcessLookupError:
        return
    except PermissionError as error:
        raise RunError(
            f"{found.name} may not be ended: it is another user's", where=f"group {found.pid}"
        ) from error


def _ends(group: int, seconds: float) -> bool:
    """Wait until no process of a group is left."""
    end = time.monotonic() + seconds
    while is_group_alive(group):
        if time.monotonic() > end:
            return False
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    return True
