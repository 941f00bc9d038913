"""Tasks in windows: few under way, each given back as it is done, failures in their place."""

from __future__ import annotations

import contextlib
import itertools
import os
from pathlib import Path

import pytest
from dask.delayed import delayed

from whybox.errors import InputError
from whybox.graph.session import connect
from whybox.graph.windows import Failed


def _refuse(number):
    raise InputError(f"bad number {number}")


def _succeed_at(path, attempt):
    """Fail as a flaky disk does, until it has been tried so often."""
    file = Path(path)
    file.write_text(file.read_text() + "x" if file.exists() else "x")
    if len(file.read_text()) < attempt:
        raise OSError("flaky")
    return attempt


@pytest.fixture(params=["sync", "cluster"])
def session(request):
    scheduler = "sync" if request.param == "sync" else request.getfixturevalue("cluster_address")
    with connect(scheduler) as opened:
        yield opened


def test_each_result_comes_with_its_number(session):
    tasks = (delayed(abs)(-n) for n in range(50))
    assert sorted(session.stream(tasks, "values", 50, window=7)) == [(n, n) for n in range(50)]


def test_a_task_that_fails_hinders_no_other(session):
    tasks = [delayed(_refuse if n == 3 else abs)(n) for n in range(6)]
    found = dict(session.stream(tasks, "values", 6))
    assert isinstance(found[3], Failed) and not found[3].killed
    assert found[3].explained("values").what == "bad number 3"
    assert [found[n] for n in (0, 1, 2, 4, 5)] == [0, 1, 2, 4, 5]


def test_the_graph_stays_small(cluster_address):
    def held(dask_scheduler):
        return len(dask_scheduler.tasks)

    most = 0
    asked = itertools.count()
    with connect(cluster_address) as session:
        tasks = (delayed(abs)(next(asked)) for _ in range(600))
        for done, _ in enumerate(session.stream(tasks, "values", 600, window=20), 1):
            if done % 50 == 0:
                most = max(most, session.client.run_on_scheduler(held))
    assert done == 600
    assert most <= 2 * 20 + 5  # those under way, and those about to be forgotten


def test_tasks_are_made_when_there_is_room_for_them(cluster_address):
    made = []

    def tasks():
        for number in range(100):
            made.append(number)
            yield delayed(abs)(number)

    with (
        connect(cluster_address) as session,
        contextlib.closing(session.stream(tasks(), "values", 100, window=10)) as done,
    ):
        next(done)
        assert len(made) <= 11


def test_what_may_pass_is_tried_again_and_not_for_ever(cluster_address, tmp_path):
    with connect(cluster_address) as session:
        tasks = [delayed(_succeed_at)(str(tmp_path / name), n) for name, n in (("a", 3), ("b", 9))]
        found = dict(session.stream(tasks, "values", 2, retries=2))
    assert found[0] == 3
    assert isinstance(found[1], Failed) and "flaky" in found[1].explained("values").what
    assert len((tmp_path / "b").read_text()) == 3


def test_what_is_under_way_is_cancelled_when_nobody_listens(cluster_address):
    def held(dask_scheduler):
        return len(dask_scheduler.tasks)

    with connect(cluster_address) as session:
        done = session.stream((delayed(abs)(n) for n in range(40)), "values", 40, window=5)
        next(done)
        done.close()
        for _ in range(100):
            if session.client.run_on_scheduler(held) == 0:
                return
    raise AssertionError(f"process {os.getpid()}: tasks are still held")
