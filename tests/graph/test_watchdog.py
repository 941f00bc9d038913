"""Whoever watches hears which tasks stand still, on which worker, and nothing while work goes on."""

from __future__ import annotations

import contextlib
import functools
import time

import pytest
from dask.delayed import delayed

from whybox.graph.session import connect
from whybox.graph.watchdog import describe, watching


class Listener:
    def __init__(self):
        self.heard = []

    @contextlib.contextmanager
    def track(self, label, total):
        yield lambda n: None

    def say(self, message):
        self.heard.append(message)


@pytest.fixture
def listener():
    return Listener()


def test_a_task_that_stands_still_is_named_with_its_worker(cluster_address, listener):
    with connect(cluster_address) as session:
        future = session.client.compute(delayed(time.sleep)(1.2, dask_key_name="long-nap"))
        with watching(session.client, "naps", listener, minutes=0.5 / 60):
            future.result()
        holders = session.client.scheduler_info(n_workers=-1)["workers"]
    assert listener.heard
    assert all(line.startswith("naps: nothing finished for ") for line in listener.heard)
    assert "long-nap" in listener.heard[0]
    assert any(address in listener.heard[0] for address in holders)


def test_it_is_told_again_only_after_as_long(cluster_address, listener):
    with connect(cluster_address) as session:
        started = time.monotonic()
        with watching(session.client, "naps", listener, minutes=0.5 / 60):
            time.sleep(1.3)
        assert 2 <= len(listener.heard) <= (time.monotonic() - started) / 0.5


def test_work_that_goes_on_is_not_told(cluster_address, listener):
    with (
        connect(cluster_address) as session,
        watching(session.client, "naps", listener, minutes=1.5 / 60) as moved,
    ):
        for _ in range(20):
            time.sleep(0.1)
            moved()
    assert listener.heard == []


def test_a_session_watches_its_tasks(cluster_address, listener, monkeypatch):
    soon = functools.partial(watching, minutes=0.4 / 60)
    monkeypatch.setattr("whybox.graph.session.watching", soon)
    with connect(cluster_address, progress=listener) as session:
        session.compute([delayed(time.sleep)(1)], "naps")
    assert any(line.startswith("naps: nothing finished") for line in listener.heard)


def test_a_connection_that_is_gone_is_told_and_ends_nothing(cluster_address, listener):
    with connect(cluster_address) as session:
        client = session.client
    with watching(client, "naps", listener, minutes=0.3 / 60):
        time.sleep(0.5)
    assert "and the scheduler:" in listener.heard[0]


def test_many_workers_are_counted():
    running = {f"w{n}": ["nap-1", "nap-2"] for n in range(10)}
    told = describe("naps", 5, running)
    assert told.count("has nap-1 (and 1 more)") == 8
    assert told.endswith("and 2 more workers")


def test_tasks_that_no_worker_takes_are_told():
    assert "no task is on a worker, though 1 are connected" in describe("naps", 5, {"w0": []})
