"""``whybox submit``: a verb as a run of its own, which goes on when the terminal is closed."""

from __future__ import annotations

from dataclasses import fields

from whybox.config import CONFIGS, RunConfig, SubmitConfig
from whybox.errors import InputError
from whybox.pipelines.outcome import Outcome
from whybox.pipelines.runs import runs_folder, shown, start
from whybox.progress import SILENT, Progress

__all__ = ["run"]


def run(config: SubmitConfig, *, progress: Progress = SILENT) -> Outcome:
    """Start a verb and return at once.

    Parameters
    ----------
    config : SubmitConfig
    progress : Progress, optional

    Returns
    -------
    Outcome
        With the name of the run.

    Raises
    ------
    InputError
        There is no such verb, or an option of the verb stands before it.
    RunError
        It cannot be started.
    """
    verbs = sorted(set(CONFIGS) - {"submit", "status", "cancel"})
    if not config.command or config.command[0] not in verbs:
        raise InputError(
            f"no verb to run: {shown(config.command)}",
            where="whybox submit",
            remedy=f"name one of {', '.join(verbs)}, then its arguments",
        )
    for entry in fields(RunConfig):
        if getattr(config, entry.name) != entry.default:
            raise InputError(
                f"--{entry.name} is an option of {config.command[0]}",
                where="whybox submit",
                remedy="write it after the verb",
            )
    made = start(config.command, runs_folder(config.runs))
    values = {
        "run": made.name,
        "command": list(made.command),
        "pid": made.pid,
        "log": str(made.log),
    }
    lines = (f"{made.name}: {shown(made.command)}", f"look at it with: whybox status {made.name}")
    return Outcome("submit", values, lines)
