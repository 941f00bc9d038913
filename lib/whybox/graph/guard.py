"""The preflight on workers: on all of them before any work, and on those that join later.

A worker that is there is asked, and one that does not fit ends the run before it began. A worker
that joins later looks at itself, by a plugin of the session, and leaves before it takes a task.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping
from typing import Any

from distributed import WorkerPlugin

from whybox.errors import RunError
from whybox.graph.preflight import Findings, compare, facts, gathered, software
from whybox.graph.windows import scheduler_there, workers_there
from whybox.progress import Progress

__all__ = ["guarded"]

_PATIENCE = 600  # seconds for the first worker: a queue or an autoscaler is slow
_TOPIC = "whybox-preflight"
_REMEDY = "give driver and workers the same software and room on the disk; start the worker again"


@contextlib.contextmanager
def guarded(client: Any, progress: Progress, *, patience: float = _PATIENCE) -> Iterator[None]:
    """Let only workers that fit take part while the block runs.

    Parameters
    ----------
    client : distributed.Client
    progress : Progress
        Hears what is not as it should be, and which later worker was turned away.
    patience : float, default 600
        Seconds to wait for the first worker.

    Raises
    ------
    RunError
        A worker does not fit, or none came.
    """
    _await_one(client, progress, patience)
    ours = software()
    findings, asked = _ask_all(client, ours)
    for warning in findings.warnings:
        progress.say(warning)
    if findings.refusals:
        first, *others = findings.refusals
        more = f" (and {len(others)} more like it)" if others else ""
        raise RunError(f"{first}{more}", where="before any work", remedy=_REMEDY)
    name = f"{_TOPIC}-{client.id}"  # a session's own: another's may end before
    with scheduler_there(OSError):
        client.subscribe_topic(_TOPIC, lambda event: progress.say(event[1]))
        client.register_plugin(_Guard(ours, asked), name=name)
    try:
        yield
    finally:
        with contextlib.suppress(Exception):  # the scheduler may be gone
            client.unsubscribe_topic(_TOPIC)
            client.unregister_worker_plugin(name)


class _Guard(WorkerPlugin):
    """Turns the worker that it is set up on away, if that does not fit."""

    def __init__(self, ours: Mapping[str, str], asked: frozenset[str]) -> None:
        self.ours, self.asked = ours, asked

    def setup(self, worker: Any) -> None:
        if worker.address in self.asked:
            return
        name, findings = _name(worker.name, worker.address), self._findings(worker)
        for warning in findings.warnings:
            worker.log_event(_TOPIC, f"worker {name}: {warning}")
        if findings.refusals:
            told = f"worker {name} turned away: {findings.refusals[0]}"
            worker.log_event(_TOPIC, told)
            # an error raised here would be logged, and the worker would work
            worker.loop.add_callback(worker.close, reason=told, nanny=True)

    def _findings(self, worker: Any) -> Findings:
        """Judge by the worker's own package, which may be too old to know how."""
        try:
            return compare(self.ours, _facts(worker))
        except Exception as error:
            return Findings((f"cannot tell of itself: {type(error).__name__}: {error}",))


def _facts(dask_worker: Any) -> dict[str, Any]:
    """What a worker runs to tell of itself; Dask fills the argument by its name."""
    return facts(dask_worker.local_directory, dask_worker.state.nthreads)


def _ask_all(client: Any, ours: Mapping[str, str]) -> tuple[Findings, frozenset[str]]:
    """Ask every worker at once; give the addresses of those that were."""
    asked = time.time()
    with scheduler_there(OSError):
        answers = client.run(_facts, on_error="return")
    heard = time.time()
    known = workers_there(client)
    refusals, warnings = [], []
    for address, answer in answers.items():
        name = _name(known.get(address, {}).get("name", "?"), address)
        if isinstance(answer, OSError) and address not in known:
            continue  # it died as it was asked; whoever comes in its place looks at itself
        if isinstance(answer, Exception):
            told = f"cannot tell of itself: {type(answer).__name__}: {answer}"
            refusals.append((name, told))
            continue
        skew = answer["clock"] - min(max(answer["clock"], asked), heard)
        found = compare(ours, answer, skew=skew)
        refusals += [(name, sentence) for sentence in found.refusals]
        warnings += [(name, sentence) for sentence in found.warnings]
    return Findings(gathered(refusals), gathered(warnings)), frozenset(answers) & frozenset(known)


def _name(name: Any, address: str) -> str:
    """A worker's name, and its address if that says more."""
    return address if str(name) == address else f"{name} ({address})"


def _await_one(client: Any, progress: Progress, patience: float) -> None:
    """Wait for the first worker."""
    if workers_there(client):
        return
    progress.say("waiting for the first worker")
    try:
        client.wait_for_workers(1, timeout=patience)
    except TimeoutError as error:
        raise RunError(
            f"no worker came within {patience:.0f} s",
            where=client.scheduler.address,
            remedy="start workers and run again",
        ) from error
