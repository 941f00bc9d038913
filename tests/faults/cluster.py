"""A scheduler and workers, each under a nanny, as processes of their own that a test may kill."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import time
from pathlib import Path

import psutil

from daemons import DASK, running

HERE = Path(__file__).parent


class Cluster:
    """Started when it is first asked for, and mended after each kill."""

    def __init__(self, folder, n_workers=2):
        self.folder, self.n_workers = folder, n_workers
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.stack = contextlib.ExitStack()
        self.scheduler, self.nannies, self.started = None, [], 0

    def mend(self):
        """Start what is not alive, and wait until all workers are there."""
        if self.scheduler is None or self.scheduler.process.poll() is not None:
            self.stop()
            given = ("--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard")
            self.scheduler = self._start("scheduler", *given)
            self.scheduler.wait_for("Scheduler at:")
        self.nannies = [nanny for nanny in self.nannies if nanny.process.poll() is None]
        while len(self.nannies) < self.n_workers:
            given = (self.address, "--host", "127.0.0.1", "--no-dashboard", "--nthreads", "1")
            self.nannies.append(self._start("worker", *given))
        end = time.monotonic() + 120
        while not self._answers():
            assert time.monotonic() < end, "the workers do not come back"
            time.sleep(0.05)
        self.arm(None)

    def arm(self, fault):
        """Let the first worker die at a fault point, or all at none."""
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            known = sorted(client.scheduler_info()["workers"])
            client.run(_arm, fault, workers=known if fault is None else known[:1])

    def workers(self):
        """The workers' process ids, each the child of its nanny."""
        return [
            child.pid
            for nanny in self.nannies
            for child in psutil.Process(nanny.process.pid).children()
            if "spawn_main" in " ".join(child.cmdline())
        ]

    def stop(self):
        """End all."""
        self.stack.close()
        self.scheduler, self.nannies = None, []

    def _answers(self):
        """Tell whether the scheduler knows just the workers that live, and each of them answers."""
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            answers = client.run(os.getpid, on_error="return").values()
        alive = self.workers()
        return len(alive) == self.n_workers and set(answers) == set(alive)

    def _start(self, what, *given):
        self.started += 1
        log = self.folder / f"{what}-{self.started}.log"
        local = ("--local-directory", str(self.folder)) if what == "worker" else ()
        paths = [str(HERE), str(HERE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
        env = {"PYTHONPATH": os.pathsep.join(paths), "NUMBA_NUM_THREADS": "1"}
        return self.stack.enter_context(running((*DASK, what, *given, *local), log, env=env))


def kill(pid):
    """End a process at once, if it is still there."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _arm(fault):
    """Run on a worker."""
    from whybox import _faults

    os.environ.pop("WHYBOX_FAULT", None)
    _faults._passes.clear()
    if fault is not None:
        os.environ["WHYBOX_FAULT"] = fault
