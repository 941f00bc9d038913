"""Scoring into a store, where the lease is all that two machines share: nothing half, nobody locked out."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import replace

import pytest
from dying import begin, end, in_own_process
from harness import fault_points

from scored import file_digests, make_crawl, make_model
from stored import held
from whybox.config import ScoreConfig
from whybox.data.retention import surplus
from whybox.data.versions import fetched

OUT = "s3://posts/scores"


POINTS = ("leased", "uploaded", "pointed", "removed")
"""In a run: after the lease, the files of a version, its name, and each removal of an old one."""


@pytest.fixture(scope="module")
def quiet(tmp_path_factory):
    """Commands with ever more inputs, and the bytes that each makes in a folder on this machine."""
    folder = tmp_path_factory.mktemp("store")
    crawl = [str(path) for path in make_crawl(folder / "crawl")]
    given = {"model": make_model(folder / "m.whybox"), "scheduler": "sync", "parts": 3, "keep": 1}
    made = []
    for n_files in (3, 4, 5, 6):
        config = ScoreConfig(out=str(folder / "out"), source=tuple(crawl[:n_files]), **given)
        assert in_own_process(config) == 0
        made.append((replace(config, out=OUT), file_digests(folder / "out" / "current")))
    return made


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """Go to another machine, as far as files go."""

    def go(name):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / name))

    go("one")
    return go


def published():
    with fetched(OUT) as folder:
        return file_digests(folder)


def objects(store):
    return {path: store.info(path)["ETag"] for path in store.find("posts/scores")}


def freeze_when_leased(config, store):
    """Begin a run and stop it when it has the lease."""
    run = begin(config)
    end_of_patience = time.monotonic() + 60
    while not store.exists("posts/scores/lease.json"):
        assert time.monotonic() < end_of_patience
        time.sleep(0.005)
    os.kill(run.pid, signal.SIGSTOP)
    return run


def test_of_two_machines_one_wins_and_the_other_is_told(store, quiet, machine, tmp_path):
    config, wanted = quiet[0]
    first, log = freeze_when_leased(config, store), tmp_path / "log.txt"
    machine("two")
    assert in_own_process(config, log=log) == 1
    told = " ".join(log.read_text("utf-8").split())
    assert "locked: another run is writing" in told and f"process {first.pid} on" in told
    os.kill(first.pid, signal.SIGCONT)
    assert end(first) == 0
    assert published() == wanted and held(store, OUT)["state"] == "released"
    assert in_own_process(config) == 0


def test_a_run_right_after_a_kill_is_not_locked_out(store, quiet, machine):
    config, wanted = quiet[0]
    killed = freeze_when_leased(config, store)
    os.kill(killed.pid, signal.SIGKILL)
    machine("two")  # not even the files of the dead run are needed
    assert end(killed) == -9 and in_own_process(config) == 0
    assert published() == wanted and held(store, OUT)["serial"] == 2


def test_a_run_that_died_between_two_steps_is_resumed_to_the_same_bytes(store, quiet, machine):
    for (config, wanted), point in zip(quiet, POINTS, strict=True):
        assert in_own_process(config, f"store.{point}:1") == -9
        assert in_own_process(config) == 0
        assert published() == wanted and surplus(OUT, keep=1) == []
    before = objects(store)
    assert in_own_process(config) == 0
    assert objects(store) == before
    versions = {path.split("/")[3] for path in before if "/versions/" in path}
    # after the last kill nothing was left to do, and no lease was needed
    assert len(versions) == 1 and held(store, OUT)["serial"] == 2 * len(POINTS) - 1


def test_every_point_of_the_program_is_tried():
    assert {name for name in fault_points() if name.startswith("store.")} == {
        f"store.{point}" for point in POINTS
    }
