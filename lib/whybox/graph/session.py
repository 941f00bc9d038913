"""Where work runs: in this process, in worker processes here, or behind a scheduler's address.

Everything above asks a `Session` to compute delayed tasks and gets their results in the order in
which they were asked, so that nothing depends on where, or on how many workers, they ran.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from whybox.config import RunConfig
from whybox.graph.watchdog import watching
from whybox.graph.windows import (
    Failed,
    in_turn,
    in_windows,
    scheduler_there,
    window_of,
    workers_there,
)
from whybox.progress import SILENT, Progress

__all__ = ["Session", "connect", "using"]

# Freed memory is kept for the next block: with Dask's default of 64 KiB to trim at, text work is
# twice as slow. Where one of the two is set, glibc no longer adapts the other and leaves it at
# 128 KiB: each larger array would be mapped, and its pages faulted in, anew.
_MALLOC = {"MALLOC_TRIM_THRESHOLD_": 128 << 20, "MALLOC_MMAP_THRESHOLD_": 32 << 20}


@dataclass(frozen=True)
class Session:
    """A place that computes delayed tasks.

    Parameters
    ----------
    client : distributed.Client or None
        None computes in this process, one task after the other.
    progress : Progress
        Hears of every finished task.
    """

    client: Any = None
    progress: Progress = field(default=SILENT)

    @property
    def n_workers(self) -> int:
        """Workers at hand now; 1 in this process."""
        if self.client is None:
            return 1
        return max(1, len(workers_there(self.client)))

    def share(self, value: Any) -> Any:
        """Send a large value once; what comes back stands for it in the arguments of tasks.

        It is a task that stays computed: workers hand it on to one another, and what a lost worker
        had is made again. Scattered data would be forgotten, and scattering waits for dead workers.
        """
        from dask.config import set as dask_settings
        from dask.delayed import delayed

        task = delayed(value, pure=False, traverse=False)
        if self.client is None:
            return task
        with dask_settings({"distributed.admin.large-graph-warning-threshold": "1 TiB"}):
            return self.client.persist(task)

    def compute(self, tasks: Sequence[Any], label: str, *, window: int | None = None) -> list[Any]:
        """Compute delayed tasks.

        Parameters
        ----------
        tasks : sequence of dask.delayed.Delayed
        label : str
            What the work is, for whoever watches.
        window : int, optional
            At most so many are under way; by default all are submitted at once.

        Returns
        -------
        list
            A result a task, in the order of ``tasks``.

        Raises
        ------
        WhyboxError
            As a task raised it.
        RunError
            A worker died under a task, or the connection was lost.
        """
        results: list[Any] = [None] * len(tasks)
        with contextlib.closing(
            self.stream(tasks, label, len(tasks), window=window or max(1, len(tasks)), retries=0)
        ) as done:
            for number, result in done:
                if isinstance(result, Failed):
                    raise result.explained(label)
                results[number] = result
        return results

    def stream(
        self,
        tasks: Iterable[Any],
        label: str,
        total: int,
        *,
        window: int | None = None,
        retries: int = 2,
    ) -> Generator[tuple[int, Any], None, None]:
        """Compute many delayed tasks, and give each as it is done.

        Parameters
        ----------
        tasks : iterable of dask.delayed.Delayed
            Taken as there is room, so that the graph stays small.
        label : str
        total : int
            How many there are.
        window : int, optional
            At most so many are under way; by default some a thread.
        retries : int, default 2
            Further tries of a task that raised something else than a `WhyboxError`.

        Yields
        ------
        tuple of int and object
            A task's number and its result, or a `whybox.graph.windows.Failed` in its place.

        Raises
        ------
        RunError
            The scheduler is gone.

        Examples
        --------
        >>> import dask
        >>> tasks = (dask.delayed(abs)(-n) for n in range(3))
        >>> list(Session().stream(tasks, "absolute values", 3))
        [(0, 0), (1, 1), (2, 2)]
        """
        if self.client is None:
            done = in_turn(tasks)
        else:
            done = in_windows(self.client, tasks, window or window_of(self.client), retries)
        with (
            self.progress.track(label, total) as advance,
            watching(self.client, label, self.progress) as moved,
        ):
            for number, result in done:
                moved()
                advance(1)
                yield number, result


@contextlib.contextmanager
def connect(
    scheduler: str = "local",
    *,
    workers: int | None = None,
    threads: int = 1,
    tls: Path | None = None,
    insecure: bool = False,
    progress: Progress = SILENT,
) -> Iterator[Session]:
    """Open a session, and close what it started when the block ends.

    Parameters
    ----------
    scheduler : str, default "local"
        ``sync``: this process. ``local``: worker processes on loopback. ``tcp://HOST:PORT`` (only
        on loopback, since it is not encrypted) or ``tls://HOST:PORT``: a running scheduler.
        Its workers, and those that join later, must have this process's software.
    workers : int, optional
        Processes of a local session; by default one a core.
    threads : int, default 1
        Threads of each of them.
    tls : pathlib.Path, optional
        Folder of the certificates for tls://; by default what Dask's settings name.
    insecure : bool, default False
        Let plain tcp:// leave this machine.
    progress : Progress, optional
        Hears of every finished task.

    Yields
    ------
    Session

    Raises
    ------
    InputError
        ``scheduler`` is none of these, or there are no certificates for it.
    RunError
        No scheduler answers at the address, it refuses, or a worker has other software; or the
        scheduler went away while the block ran.

    Examples
    --------
    >>> import dask
    >>> with connect("sync") as session:
    ...     session.compute([dask.delayed(abs)(-1), dask.delayed(abs)(-2)], "absolute values")
    [1, 2]
    """
    if scheduler == "sync":
        yield Session(None, progress)
        return
    from whybox.graph.guard import guarded
    from whybox.graph.remote import remote_client

    if scheduler == "local":
        opened = _local_client(workers, threads)
    else:
        opened = remote_client(scheduler, tls=tls, insecure=insecure)
    with opened as client, scheduler_there(), guarded(client, progress):
        yield Session(client, progress)


@contextlib.contextmanager
def using(session: Session | None, config: RunConfig, progress: Progress) -> Iterator[Session]:
    """Use a session that is open, or open one as a configuration says.

    Parameters
    ----------
    session : Session or None
        Stays open.
    config : RunConfig
    progress : Progress

    Yields
    ------
    Session

    Examples
    --------
    >>> with using(None, RunConfig(scheduler="sync"), SILENT) as session:
    ...     session.n_workers
    1
    """
    if session is not None:
        yield session
        return
    with connect(
        config.scheduler,
        workers=config.workers,
        threads=config.threads,
        tls=config.tls,
        insecure=config.insecure,
        progress=progress,
    ) as opened:
        yield opened


@contextlib.contextmanager
def _local_client(workers: int | None, threads: int) -> Iterator[Any]:
    """Worker processes on loopback, without a dashboard."""
    import dask
    from distributed import Client, LocalCluster
    from distributed.security import Security

    spawn = "distributed.nanny.pre-spawn-environ"
    settings = {
        **{f"{spawn}.{name}": value for name, value in _MALLOC.items()},
        f"{spawn}.NUMBA_NUM_THREADS": threads,
        "distributed.comm.timeouts.connect": "60s",  # a busy machine is no dead one
    }
    # closing a local cluster tells of heartbeats that no longer reach it
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with (
        dask.config.set(settings),
        LocalCluster(
            n_workers=workers or os.cpu_count() or 1,
            threads_per_worker=threads,
            host="127.0.0.1",
            protocol="tcp://",  # whatever Dask's settings say of clusters: it is loopback
            security=Security(require_encryption=False),
            dashboard_address="127.0.0.1:0",  # any free port, so that two runs do not meet
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client
