"""Disturbed as a seed draws and run again, a run ends as if nobody had disturbed it.

Four seeds by default; ``WHYBOX_FAULT_SEEDS=100`` tries the first hundred.
"""

from __future__ import annotations

import os
import signal
import time

import pytest
from dying import begin, end
from harness import PARTS, USERS, Study, Trial

from scored import file_digests, read_scores, scores_digest
from whybox.data.versions import fetched
from whybox.errors import RunError
from whybox.pipelines import score

SEEDS = int(os.environ.get("WHYBOX_FAULT_SEEDS", "4"))
KINDS = (
    "worker", "spoilt", "store", "point",
    "moment", "limit", "full", "armed", "client", "frozen", "nanny", "scheduler",
)  # fmt: skip
STORE = KINDS.index("store")


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    made = Study.make(tmp_path_factory.mktemp("seeded"))
    yield made
    made.cluster.stop()


@pytest.mark.parametrize("seed", [n for n in range(SEEDS) if n % len(KINDS) != STORE])
def test_a_disturbed_run_is_resumed_to_the_bytes_of_a_quiet_one(study, tmp_path, seed):
    trial = Trial(study, seed, KINDS, tmp_path)
    if trial.kind == "full" and os.geteuid() != 0:
        pytest.skip("only root may mount a small disk")
    trial.start()
    trial.disturb()
    print(f"seed {seed}: {trial.kind} {trial.name} {trial.told}")
    trial.resume()
    trial.check()


def once_free(run):
    """Run when the lease that an earlier run left unreadable has ended."""
    for _ in range(5):
        try:
            return run()
        except RunError as error:
            if "heard of" not in str(error):
                raise
            time.sleep(2)
    return run()


@pytest.mark.parametrize("seed", [n for n in range(SEEDS) if n % len(KINDS) == STORE])
def test_a_store_that_fails_gets_the_bytes_of_a_folder(
    study, tmp_path, seed, store, proxy, monkeypatch
):
    trial = Trial(study, seed, KINDS, tmp_path)
    draw = trial.random
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("whybox.data.lease.LASTS", 4.0)  # for one that the store cut as it came
    out = "s3://posts/scores"
    if trial.name == "later":
        source = study.given["source"][:4]
        assert score.run(study.config(out, source=source)).status == "done"
    done, faults = "", draw.sample(["InternalError", "SlowDown", "cut", "short"], 4)
    while faults and done not in ("done", "already done"):
        fault, method = faults.pop(), draw.choice(("GET", "PUT"))
        times = draw.choice((1, 2, 5, 30, 100))
        proxy.spoil(fault, times, method, after=draw.randrange(8))
        try:
            done = score.run(study.config(out)).status
        except RunError as error:
            done = str(error)
        print(f"seed {seed}: {fault} {method} x{times} {proxy.seen} {trial.name}: {done}")
        proxy.spoil("none", 0)
    assert once_free(lambda: score.run(study.config(out))).status in ("done", "already done")
    with fetched(out) as folder:
        assert file_digests(folder) == study.quiet[trial.name][0]
    assert score.run(study.config(out)).status == "already done"


def test_of_two_runs_at_once_one_wins_and_the_other_is_told(study, tmp_path):
    config, log = study.config(tmp_path / "out"), tmp_path / "log.txt"
    first = begin(config)
    while not (tmp_path / "out" / "work" / "cells").is_dir():  # it has the lock
        time.sleep(0.002)
    os.kill(first.pid, signal.SIGSTOP)
    assert end(begin(config, log=log)) == 1
    assert "locked: another run is writing" in log.read_text("utf-8")
    os.kill(first.pid, signal.SIGCONT)
    assert end(first) == 0
    assert file_digests(tmp_path / "out" / "current") == study.quiet["first"][0]


def test_of_runs_that_start_together_one_publishes(study, tmp_path):
    runs = [begin(study.config(tmp_path / "out")) for _ in range(3)]
    codes = {end(run) for run in runs}
    assert 0 in codes <= {0, 1}
    assert file_digests(tmp_path / "out" / "current") == study.quiet["first"][0]


def test_a_run_right_after_a_kill_is_not_locked_out(study, tmp_path):
    run = begin(study.config(tmp_path / "out"))
    while not (tmp_path / "out" / "work" / "cells").is_dir():
        time.sleep(0.002)
    os.kill(run.pid, signal.SIGKILL)
    assert end(begin(study.config(tmp_path / "out"))) == 0
    assert scores_digest(tmp_path / "out") == scores_digest(study.folder / "first")
    assert len(read_scores(tmp_path / "out")) == USERS and PARTS > 1
