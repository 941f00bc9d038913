"""``whybox status``: what a submitted run is doing, or how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from whybox.config import StatusConfig
from whybox.data.ledger import read_entries
from whybox.data.workplace import peek
from whybox.pipelines.outcome import Outcome, Table
from whybox.pipelines.runs import Run, all_runs, find_run, runs_folder, shown
from whybox.progress import SILENT, Progress

__all__ = ["run"]

_TAIL = 5
_TAIL_BYTES = 1 << 14


def run(config: StatusConfig, *, progress: Progress = SILENT) -> Outcome:
    """Tell the state of a run, or of all.

    Parameters
    ----------
    config : StatusConfig
    progress : Progress, optional

    Returns
    -------
    Outcome
        Always ``done``: the state of the run is among the values.

    Raises
    ------
    InputError
        There is no such run.
    """
    folder = runs_folder(config.runs)
    if config.run == "all":
        runs = all_runs(folder)
        rows = tuple((found.name, found.state, shown(found.command)) for found in runs)
        values = {"runs": [{"run": f.name, "state": f.state} for f in runs]}
        return Outcome("status", values, (), (Table(str(folder), ("run", "state", "what"), rows),))
    found = find_run(config.run, folder)
    facts = _facts(found)
    table = Table(found.name, ("what", "value"), tuple(facts.items()))
    return Outcome("status", {"run": found.name, **facts}, tuple(_tail(found.log)), (table,))


def _facts(found: Run) -> dict[str, Any]:
    """The state, and what the ledger says."""
    facts: dict[str, Any] = {"state": found.state, "command": shown(found.command)}
    if found.exit_code is not None:
        facts["exit_code"] = found.exit_code
    out = _out(found)
    if out is not None:
        entries = read_entries(peek(out).work / "ledger.jsonl")
        if entries:
            last = entries[-1].run
            facts["parts_done"] = len({e.part for e in entries if e.run == last and e.output})
            facts["parts_failed"] = len({e.part for e in entries if e.run == last and not e.output})
    facts["log"] = str(found.log)
    return facts


def _out(found: Run) -> str | None:
    """The folder that a run of `score` writes, as its command names it."""
    if found.command[0] != "score":
        return None
    given: Mapping[str, str] = dict(zip(found.command, found.command[1:], strict=False))
    out = given.get("--out")
    for word in found.command:
        if word.startswith("--out="):
            out = word.removeprefix("--out=")
    if out is None or "://" in out:
        return out
    return str(Path(found.where) / Path(out).expanduser())


def _tail(log: Path) -> list[str]:
    """The last lines of a log."""
    with log.open("rb") as stream:
        stream.seek(0, 2)
        stream.seek(max(0, stream.tell() - _TAIL_BYTES))
        return stream.read().decode("utf-8", "replace").splitlines()[-_TAIL:]
