"""A SLURM of one node: munged, slurmctld and slurmd of this machine, in a folder of their own."""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from daemons import Daemon, running

NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "setpriv")
CONFIGURATION = """\
ClusterName=whybox
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=2
SlurmdParameters=config_overrides
ReturnToService=2
MpiDefault=none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 RealMemory=8000 State=UNKNOWN
PartitionName=tests Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


@dataclass(frozen=True)
class Slurm:
    """A running one; `env` makes the commands find it."""

    env: dict[str, str]

    def ask(self, *command: str, **options) -> str:
        """Run a command of SLURM and give what it printed."""
        done = subprocess.run(
            command, env=self.env, check=True, capture_output=True, text=True, **options
        )
        return done.stdout.strip()

    def jobs(self) -> dict[str, tuple[str, str]]:
        """Name and state of each job by its number."""
        lines = self.ask("squeue", "--noheader", "--format=%i %j %T").splitlines()
        return {line.split()[0]: tuple(line.split()[1:]) for line in lines}

    def wait(self, number: str, seconds: float) -> None:
        """Wait until a job has left the queue."""
        end = time.monotonic() + seconds
        while number in self.jobs():
            assert time.monotonic() < end, f"job {number} did not end: {self.jobs()}"
            time.sleep(0.5)


def why_not() -> str | None:
    """Why none can run here, or None."""
    missing = [name for name in NEEDED if not shutil.which(name)]
    if os.geteuid() != 0:
        return "a SLURM of one node needs root"
    return f"not on this machine: {', '.join(missing)}" if missing else None


@contextlib.contextmanager
def one_node(folder: Path) -> Iterator[Slurm]:
    """Start the daemons in a folder that others may enter; stop them and all jobs at the end."""
    for name in ("munge", "state", "spool"):
        (folder / name).mkdir()
    (folder / "slurm.conf").write_text(
        CONFIGURATION.format(host=platform.node(), folder=folder), "utf-8"
    )
    env = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
    slurm = Slurm(env)
    with contextlib.ExitStack() as stack:
        stack.enter_context(_munged(folder / "munge"))
        for name in ("slurmctld", "slurmd"):
            command = [shutil.which(name), "-D", "-f", env["SLURM_CONF"]]
            stack.enter_context(running(command, folder / f"{name}.log", env=env))
        _await_node(slurm)
        try:
            yield slurm
        finally:
            slurm.ask("scancel", "--user=root")
            end = time.monotonic() + 30
            while slurm.jobs() and time.monotonic() < end:
                time.sleep(0.5)


@contextlib.contextmanager
def _munged(folder: Path) -> Iterator[Daemon]:
    """The keeper of a key of its own, as munge's own user."""
    (folder / "key").write_bytes(os.urandom(128))
    (folder / "key").chmod(0o600)
    for path in (folder, folder / "key"):
        shutil.chown(path, "munge", "munge")
    folder.chmod(0o755)
    files = {"socket": "socket", "key-file": "key", "pid-file": "pid", "log-file": "log"}
    options = [f"--{name}={folder / file}" for name, file in files.items()]
    become = ["setpriv", "--reuid=munge", "--regid=munge", "--clear-groups"]
    command = [
        *become,
        shutil.which("munged"),
        "--foreground",
        *options,
        f"--seed-file={folder}/seed",
    ]
    with running(command, folder.parent / "munged.log") as daemon:
        end = time.monotonic() + 20
        while not (folder / "socket").exists():
            assert daemon.process.poll() is None and time.monotonic() < end, daemon.log.read_text()
            time.sleep(0.05)
        yield daemon


def _await_node(slurm: Slurm) -> None:
    """Wait until the node takes jobs."""
    end = time.monotonic() + 60
    state = ""
    while state != "idle":
        assert time.monotonic() < end, f"the node is {state or 'silent'}"
        time.sleep(0.2)
        with contextlib.suppress(subprocess.CalledProcessError):
            state = slurm.ask("sinfo", "--noheader", "--format=%T")
