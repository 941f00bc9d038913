"""Two worker processes behind TLS on loopback: the same bytes, and nobody else gets in."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal

import pytest

import whybox
from daemons import DASK, running
from small_study import study
from whybox.errors import RunError
from whybox.graph.guard import guarded
from whybox.graph.remote import remote_client
from whybox.graph.session import connect


@pytest.fixture(scope="module")
def start(certificates, tmp_path_factory):
    """Start a part of the cluster, as its machine would."""
    folder = tmp_path_factory.mktemp("cluster")
    env = {"DASK_CONFIG": str(certificates / "dask.yaml")}

    def started(name, *command, **more_env):
        return running([*DASK, *command], folder / f"{name}.log", env={**env, **more_env})

    return started


@pytest.fixture(scope="module")
def scheduler(start):
    listening = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    with start("scheduler", "scheduler", "--protocol", "tls", *listening) as daemon:
        yield daemon.wait_for(r"Scheduler at:\s+(tls://127\.0\.0\.1:\d+)")[1]


@pytest.fixture(scope="module")
def start_worker(start, scheduler, tmp_path_factory):
    """Start a worker of the cluster, with a nanny that replaces it."""
    scratch = tmp_path_factory.mktemp("scratch")

    def started(name, *options, **env):
        where = ("--local-directory", str(scratch), "--name", name, "--no-dashboard")
        return start(name, "worker", scheduler, "--nthreads", "1", *where, *options, **env)

    return started


@pytest.fixture(scope="module")
def cluster(start_worker, scheduler):
    """The address of a scheduler with two workers."""
    with start_worker("first") as first, start_worker("second") as second:
        for worker in (first, second):
            worker.wait_for("Starting established connection")
        yield scheduler


class Listener:
    """Calls back when a task is finished, and keeps what it hears."""

    def __init__(self, moved=lambda: None):
        self.moved, self.heard = moved, []

    @contextlib.contextmanager
    def track(self, label, total):
        yield lambda n: self.moved()

    def say(self, message):
        self.heard.append(message)


@pytest.fixture(scope="module")
def old_package(tmp_path_factory):
    """A folder with another version of the package, for PYTHONPATH."""
    folder = tmp_path_factory.mktemp("old")
    leave = shutil.ignore_patterns("__pycache__")
    shutil.copytree(whybox.__path__[0], folder / "whybox", ignore=leave)
    (folder / "whybox-0.0.1.dist-info").mkdir()
    metadata = folder / "whybox-0.0.1.dist-info" / "METADATA"
    metadata.write_text("Metadata-Version: 2.1\nName: whybox\nVersion: 0.0.1\n")
    return folder


def test_a_scheduler_to_which_no_worker_comes_is_told(scheduler, certificates):
    listener = Listener()
    with (
        remote_client(scheduler, tls=certificates) as client,
        pytest.raises(RunError, match="no worker came within 1 s"),
        guarded(client, listener, patience=1),
    ):
        pass
    assert listener.heard == ["waiting for the first worker"]


def test_a_study_is_the_same_bytes_though_a_worker_is_killed_in_the_middle(
    cluster, certificates, timelines, study_here, tmp_path
):
    listener = Listener()
    with connect(cluster, tls=certificates, progress=listener) as session:
        assert session.n_workers == 2
        pids = sorted(session.client.run(os.getpid).values())
        heard = 0

        def kill_after_some():
            nonlocal heard
            heard += 1
            if heard == 5:
                os.kill(pids[0], signal.SIGKILL)

        listener.moved = kill_after_some
        found = study(timelines, tmp_path, session, listener)
        session.client.wait_for_workers(2, timeout=60)
        assert pids[0] not in session.client.run(os.getpid).values()
    assert heard > 5
    assert found == study_here
    assert listener.heard == []  # the settings beside the certificates are as they should be


def test_a_foreign_certificate_is_refused(cluster, foreign_certificates):
    with (
        pytest.raises(RunError, match=r"certificate of the scheduler .* is refused"),
        connect(cluster, tls=foreign_certificates),
    ):
        pass


def test_a_client_whose_authority_the_scheduler_does_not_know_is_refused(
    cluster, certificates, foreign_certificates, tmp_path
):
    for name in ("client.pem", "client-key.pem"):
        shutil.copy(foreign_certificates / name, tmp_path)
    shutil.copy(certificates / "ca.pem", tmp_path)
    with pytest.raises(RunError, match="refuses our certificate"), connect(cluster, tls=tmp_path):
        pass


def test_a_plain_client_is_refused(cluster):
    address = cluster.replace("tls://", "tcp://")
    with pytest.raises(RunError, match="speaks TLS only"), connect(address):
        pass


def test_a_worker_with_another_version_that_comes_later_is_turned_away(
    cluster, certificates, start_worker, old_package
):
    listener = Listener()
    with (
        connect(cluster, tls=certificates, progress=listener) as session,
        start_worker("late", PYTHONPATH=str(old_package)) as late,
    ):
        late.wait_for("turned away: whybox 0.0.1")
        late.process.wait(30)
        workers = session.client.scheduler_info(n_workers=-1)["workers"].values()
        assert sorted(worker["name"] for worker in workers) == ["first", "second"]
    (told,) = listener.heard
    assert "worker late" in told
    assert f"whybox 0.0.1 where the driver has whybox {whybox.__version__}" in told


def test_a_worker_with_another_version_is_refused_before_any_work(
    cluster, certificates, start_worker, old_package
):
    with start_worker("old", "--no-nanny", PYTHONPATH=str(old_package)) as old:
        old.wait_for("Starting established connection")
        with (
            pytest.raises(RunError, match=r"^worker old \(tls://[^)]*\): whybox 0\.0\.1 where"),
            connect(cluster, tls=certificates),
        ):
            pass
