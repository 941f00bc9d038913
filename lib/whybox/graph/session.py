"""Where work runs: in this process, in worker processes here, or behind a scheduler's address.

Everything above asks a `Session` to compute delayed tasks and gets their results in the order in
which they were asked, so that nothing depends on where, or on how many workers, they ran.
"""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from whybox.config import RunConfig
from whybox.errors import InputError, RunError, WhyboxError
from whybox.progress import SILENT, Progress

__all__ = ["Session", "connect", "using"]

# Freed memory is kept for the next block: with Dask's default of 64 KiB text work is twice as slow.
_MALLOC_TRIM_BYTES = 128 << 20


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
        return 1 if self.client is None else max(1, len(self.client.scheduler_info()["workers"]))

    def share(self, value: Any) -> Any:
        """Send a large value once; what comes back stands for it in the arguments of tasks."""
        from dask.delayed import delayed

        if self.client is None:
            return delayed(value, pure=False, traverse=False)
        return self.client.scatter(value, broadcast=True, hash=False)

    def compute(self, tasks: Sequence[Any], label: str) -> list[Any]:
        """Compute delayed tasks.

        Parameters
        ----------
        tasks : sequence of dask.delayed.Delayed
        label : str
            What the work is, for whoever watches.

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
        with self.progress.track(label, len(tasks)) as advance:
            if self.client is None:
                return [_compute_here(task, advance) for task in tasks]
            return self._compute_there(tasks, label, advance)

    def _compute_there(self, tasks: Sequence[Any], label: str, advance: Any) -> list[Any]:
        from distributed import as_completed

        futures = self.client.compute(list(tasks))
        order = {future.key: index for index, future in enumerate(futures)}
        results: list[Any] = [None] * len(futures)
        try:
            for future, result in as_completed(futures, loop=self.client.loop, with_results=True):
                results[order[future.key]] = result
                advance(1)
        except WhyboxError:
            raise
        except Exception as error:
            raise RunError(
                f"{label} failed: {type(error).__name__}: {error}",
                remedy="run again with --debug for the traceback, or with --scheduler sync",
            ) from error
        finally:
            self.client.cancel(futures)
        return results


def _compute_here(task: Any, advance: Any) -> Any:
    """One task in this process."""
    result = task.compute(scheduler="synchronous")
    advance(1)
    return result


@contextlib.contextmanager
def connect(
    scheduler: str = "local",
    *,
    workers: int | None = None,
    threads: int = 1,
    progress: Progress = SILENT,
) -> Iterator[Session]:
    """Open a session, and close what it started when the block ends.

    Parameters
    ----------
    scheduler : str, default "local"
        ``sync``: this process. ``local``: worker processes on loopback. ``tcp://HOST:PORT`` (only
        on loopback, since it is not encrypted) or ``tls://HOST:PORT``: a running scheduler.
    workers : int, optional
        Processes of a local session; by default one a core.
    threads : int, default 1
        Threads of each of them.
    progress : Progress, optional
        Hears of every finished task.

    Yields
    ------
    Session

    Raises
    ------
    InputError
        ``scheduler`` is none of these.
    RunError
        No scheduler answers at the address.

    Examples
    --------
    >>> import dask
    >>> with connect("sync") as session:
    ...     session.compute([dask.delayed(abs)(-1), dask.delayed(abs)(-2)], "absolute values")
    [1, 2]
    """
    if scheduler == "sync":
        yield Session(None, progress)
    elif scheduler == "local":
        with _local_client(workers, threads) as client:
            yield Session(client, progress)
    else:
        with _remote_client(scheduler) as client:
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
        config.scheduler, workers=config.workers, threads=config.threads, progress=progress
    ) as opened:
        yield opened


@contextlib.contextmanager
def _local_client(workers: int | None, threads: int) -> Iterator[Any]:
    """Worker processes on loopback, without a dashboard."""
    import dask
    from distributed import Client, LocalCluster

    spawn = "distributed.nanny.pre-spawn-environ"
    settings = {
        f"{spawn}.MALLOC_TRIM_THRESHOLD_": _MALLOC_TRIM_BYTES,
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
            dashboard_address="127.0.0.1:0",  # any free port, so that two runs do not meet
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@contextlib.contextmanager
def _remote_client(address: str) -> Iterator[Any]:
    """A client of a scheduler that somebody else runs."""
    from distributed import Client

    parts = urlsplit(address)
    if parts.scheme not in ("tcp", "tls") or not parts.hostname or not _has_port(parts):
        raise InputError(
            f"{address!r} is no scheduler",
            where="--scheduler",
            remedy="give sync, local, tcp://HOST:PORT (loopback) or tls://HOST:PORT",
        )
    if parts.scheme == "tcp" and not _is_loopback(parts.hostname):
        raise InputError(
            f"{address} is not encrypted and not on this machine",
            where="--scheduler",
            remedy="use tls://, since a scheduler runs whatever code it is sent",
        )
    try:
        client = Client(address, timeout="20s", set_as_default=False)
    except (OSError, TimeoutError) as error:
        raise RunError(
            f"no scheduler answers at {address}",
            where="--scheduler",
            remedy="start one, or use --scheduler local",
        ) from error
    with client:
        yield client


def _has_port(parts: Any) -> bool:
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
