"""Run a command of Whybox on Dask workers that are SLURM jobs of their own.

    python deploy/slurm/on_slurm.py --jobs 8 -- whybox score model.whybox candidates --out scores
    python deploy/slurm/on_slurm.py --jobs 8 -- python jobs/train_candidate_model.py posts --out out

The scheduler lives in this process, behind TLS (DASK_CONFIG must name the dask.yaml that
deploy/tls/make_certificates.py wrote, in a folder that all nodes see); the command gets
``--scheduler tls://...`` appended and runs as it does anywhere. A worker job that ends early is
submitted again; the exit code is the command's.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys

import dask
from dask_jobqueue import SLURMCluster
from distributed.security import Security

LOOPBACK = "127.0.0.1:0"  # pages for people are not encrypted
LOST_AFTER = "20s"  # a worker that is not heard of for so long gets a successor


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--jobs", type=int, default=2, help="worker jobs, one process each")
    parser.add_argument("--queue", help="partition; the cluster's default if not given")
    parser.add_argument("--account", help="account that is charged")
    parser.add_argument("--memory", default="4GB", help="memory of a worker job")
    parser.add_argument("--walltime", default="04:00:00", help="longest time of a worker job")
    parser.add_argument("--interface", help="network interface of nodes and driver, as in ib0")
    parser.add_argument("--logs", default="slurm-logs", help="folder of the worker jobs' logs")
    parser.add_argument("command", nargs="+", help="what to run, after --")
    return parser.parse_args()


def start_cluster(given: argparse.Namespace) -> SLURMCluster:
    """Start the scheduler here; its workers come with `keep_up`."""
    security = Security()  # as DASK_CONFIG says
    if not (security.require_encryption and "DASK_CONFIG" in os.environ):
        raise SystemExit("DASK_CONFIG names no certificates: see deploy/tls/make_certificates.py")
    return SLURMCluster(
        queue=given.queue,
        account=given.account,
        cores=1,
        processes=1,
        memory=given.memory,
        walltime=given.walltime,
        interface=given.interface,
        log_directory=given.logs,
        python=sys.executable,
        protocol="tls://",
        security=security,
        scheduler_options={"dashboard_address": LOOPBACK},
        worker_extra_args=["--dashboard-address", LOOPBACK],
        job_script_prologue=[f"export DASK_CONFIG={os.environ['DASK_CONFIG']}"],
    )


def keep_up(cluster: SLURMCluster, jobs: int, command: list[str]) -> int:
    """Run the command, and submit a worker job for each that was lost."""
    process = subprocess.Popen(command)  # noqa: S603  (what the user wrote after --)
    try:
        while True:
            cluster.scale(jobs)
            try:
                return process.wait(5)
            except subprocess.TimeoutExpired:
                continue
    finally:
        process.terminate()
        process.wait()


def main() -> int:
    """Run the command on a cluster of its own."""
    given = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # scancel: take the workers along
    dask.config.set({"distributed.deploy.lost-worker-timeout": LOST_AFTER})
    with start_cluster(given) as cluster:
        command = [*given.command, "--scheduler", cluster.scheduler_address]
        return keep_up(cluster, given.jobs, command)


if __name__ == "__main__":
    raise SystemExit(main())
