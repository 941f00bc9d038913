"""A scheduler that dies is told in one sentence, wherever in a run it happens."""

from __future__ import annotations

import subprocess
import sys
from functools import partial

import dask
import pytest

from whybox.errors import RunError
from whybox.graph import guard, remote
from whybox.graph.session import connect


@pytest.fixture
def scheduler(monkeypatch):
    """A scheduler and a worker as processes of their own; gives the address and what kills it."""
    hasty = partial(remote.remote_client, patience=1)  # it waits so long for a scheduler to return
    monkeypatch.setattr(remote, "remote_client", hasty)
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    options = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    head = subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True)
    address = next(line.split()[-1] for line in head.stderr if "Scheduler at" in line)
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-dashboard"]
    worker = subprocess.Popen([*command, "--nthreads", "1"], stderr=subprocess.DEVNULL)

    def kill():
        head.kill()
        head.wait()

    yield address, kill
    head.kill()
    head.stderr.close()
    worker.kill()
    worker.wait()


def compute(session):
    session.compute([dask.delayed(abs)(-1)], "absolute values")


def share_and_compute(session):
    session.compute([dask.delayed(len)(session.share([1, 2]))], "lengths")


def stream(session):
    dict(session.stream([dask.delayed(abs)(-1)], "absolute values", 1))


@pytest.mark.parametrize("ask", [compute, share_and_compute, stream])
def test_what_is_asked_of_a_dead_scheduler_is_told(scheduler, ask):
    address, kill = scheduler
    with pytest.raises(RunError, match="the scheduler is gone"), connect(address) as session:
        compute(session)
        kill()
        ask(session)


def test_a_scheduler_that_dies_while_workers_are_looked_at_is_told(scheduler, monkeypatch):
    address, kill = scheduler
    software = guard.software
    monkeypatch.setattr(guard, "software", lambda: (kill(), software())[1])
    with pytest.raises(RunError, match="the scheduler is gone"), connect(address):
        pytest.fail("the session was opened")
