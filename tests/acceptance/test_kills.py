"""A8: a worker killed, and a part or an input that kills its worker each time."""

from __future__ import annotations

import os
import signal
import threading
import time

import dask
import pytest

from scored import file_digests, make_crawl, make_model, read_scores
from whybox.config import ScoreConfig
from whybox.data.ledger import read_entries
from whybox.errors import RunError
from whybox.graph.session import connect
from whybox.pipelines import score

pytestmark = pytest.mark.slow
PARTS = 60


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A model, 60 files of posts, and the folder of a run that nothing disturbed."""
    folder = tmp_path_factory.mktemp("kills")
    crawl = make_crawl(folder / "crawl", n_files=PARTS, n_users=240)
    given = {"model": make_model(folder / "m.whybox"), "parts": PARTS}
    given["source"] = tuple(map(str, crawl))
    score.run(ScoreConfig(out=str(folder / "quiet"), scheduler="sync", **given))
    return given, folder / "quiet"


@pytest.fixture
def two_workers():
    """A session of its own, whose workers may die; two deaths condemn a task."""
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        connect("local", workers=2) as session,
    ):
        yield session


def ledger_of(out):
    return read_entries(out / "work" / "ledger.jsonl")


def test_a_killed_worker_changes_no_byte(study, two_workers, tmp_path):
    given, quiet = study
    pids = list(two_workers.client.run(os.getpid).values())
    out = tmp_path / "out"

    def kill():
        while len(ledger_of(out)) < 5:
            time.sleep(0.01)
        os.kill(pids[0], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    outcome = score.run(ScoreConfig(out=str(out), **given), session=two_workers)
    killer.join()
    assert outcome.status == "done"
    assert not set(two_workers.client.run(os.getpid).values()) >= set(pids)
    assert file_digests(out / "current") == file_digests(quiet / "current")
    assert len(list((out / "current" / "scores").iterdir())) == PARTS
    rows = read_scores(out)["user"].to_pylist()
    assert len(rows) == len(set(rows)) == 240


def test_a_part_that_kills_its_worker_is_named_and_all_others_are_kept(
    study, tmp_path, monkeypatch, request
):
    given, quiet = study
    monkeypatch.setenv("WHYBOX_FAULT", "part-00007:1")  # for each new worker
    session = request.getfixturevalue("two_workers")
    out = tmp_path / "out"
    outcome = score.run(ScoreConfig(out=str(out), **given), session=session)
    assert (outcome.status, outcome.exit_code, outcome.values["parts_done"]) == ("degraded", 1, 59)
    assert [failure["name"] for failure in outcome.values["failed"]] == ["part-00007"]
    assert "posts-000.jsonl" in outcome.lines[0]
    assert not (out / "current").exists()
    assert len({entry.part for entry in ledger_of(out) if entry.output}) == 59
    monkeypatch.delenv("WHYBOX_FAULT")
    again = score.run(ScoreConfig(out=str(out), scheduler="sync", **given))
    assert again.status == "done"
    last = ledger_of(out)[-1]
    assert (last.part, last.attempt, len(ledger_of(out))) == ("part-00007", 2, PARTS + 1)
    assert file_digests(out / "current") == file_digests(quiet / "current")


def test_an_input_that_kills_its_worker_is_named_and_all_others_are_read(
    study, tmp_path, monkeypatch, request
):
    given, _ = study
    bad = given["source"][13]
    monkeypatch.setenv("WHYBOX_FAULT", f"read {bad}:1")
    session = request.getfixturevalue("two_workers")
    out = tmp_path / "out"
    with pytest.raises(RunError, match="the other 59 are done and kept") as caught:
        score.run(ScoreConfig(out=str(out), **given), session=session)
    assert caught.value.where == bad and caught.value.exit_code == 1
    assert len(list((out / "work" / "cells").glob("*.npz"))) == 59
    assert not (out / "current").exists()
