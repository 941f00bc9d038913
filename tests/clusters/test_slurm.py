"""The batch file of deploy/slurm on a SLURM of one node: the same bytes, though a worker job is lost."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

import slurm
from daemons import ROOT, open_folder
from scored import scores_digest
from small_study import study_digests
from whybox.config import ExtractConfig, ScoreConfig, SynthesisConfig, TrainConfig
from whybox.graph.session import connect
from whybox.pipelines import extract, score, synth, train

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.timeout(900),
    pytest.mark.skipif(slurm.why_not() is not None, reason=str(slurm.why_not())),
]
SBATCH = ROOT / "deploy" / "slurm" / "rescore.sbatch"


@pytest.fixture(scope="module")
def batch(certificates):
    """Submit the batch file as a user does; gives the SLURM, what submits, and the workers' logs."""
    pytest.importorskip("dask_jobqueue", reason="the extra slurm is not installed")
    with open_folder() as folder, slurm.one_node(folder) as cluster:
        here = {
            "DASK_CONFIG": str(certificates / "dask.yaml"),
            "WHYBOX_BIN": str(Path(sys.executable).parent),
            "WHYBOX_JOBS": "2",
            "WHYBOX_MEMORY": "1GB",
            "WHYBOX_INTERFACE": "lo",
            "WHYBOX_LOGS": str(folder / "workers"),
        }

        def submit(*command, **env):
            log = folder / f"log-{time.monotonic_ns()}"
            options = ("--parsable", f"--output={log}", "--mem=1G", f"--chdir={ROOT}")
            with pytest.MonkeyPatch.context() as patch:
                for name, value in (here | env).items():
                    patch.setitem(cluster.env, name, str(value))
                return cluster.ask("sbatch", *options, str(SBATCH), *map(str, command)), log

        yield cluster, submit, folder / "workers"


@pytest.fixture(scope="module")
def demo_set(tmp_path_factory):
    """Timelines, a model of them, and the scores of one process."""
    out = tmp_path_factory.mktemp("demo")
    timelines, features, model = out / "timelines", out / "features", out / "model.whybox"
    synth.run(SynthesisConfig(out=timelines, users=1200, posts_per_user=100, seed=1))
    with connect("local", workers=2) as session:
        extract.run(
            ExtractConfig(inputs=(str(timelines),), out=str(features), format="ttdd"),
            session=session,
        )
        train.run(
            TrainConfig(source=str(features), out=model, n_estimators=20, cv="3"), session=session
        )
    config = ScoreConfig(
        model=model, source=(str(timelines),), out=str(out / "sync"), scheduler="sync"
    )
    score.run(config)
    return timelines, model, scores_digest(out / "sync")


def wait_until(condition, seconds=240):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_scores_are_the_same_bytes_though_a_worker_job_is_cancelled_half_way(
    batch, demo_set, tmp_path
):
    cluster, submit, _ = batch
    timelines, model, expected = demo_set
    out = tmp_path / "scores"
    driver, log = submit(WHYBOX_MODEL=model, WHYBOX_INPUT=timelines, WHYBOX_OUT=out)

    def workers():
        return [
            n for n, (name, state) in cluster.jobs().items() if n != driver and state == "RUNNING"
        ]

    wait_until(lambda: len(workers()) == 2)
    wait_until(lambda: list(out.rglob("*.parquet")))  # the first part is done
    assert not (out / "current").exists()
    lost = workers()[0]
    cluster.ask("scancel", lost)
    cluster.wait(driver, 400)
    told = log.read_text("utf-8")
    assert (out / "current").exists(), told
    assert scores_digest(out) == expected
    assert lost not in cluster.jobs()


def test_the_study_runs_unchanged(batch, timelines, tmp_path):
    cluster, submit, _ = batch
    job = [sys.executable, ROOT / "jobs" / "train_candidate_model.py", timelines, "--trees", "10"]
    driver, log = submit(*job, "--out", tmp_path / "there")
    here = [*map(str, job), "--out", str(tmp_path / "here"), "--scheduler", "sync"]
    subprocess.run(here, check=True, capture_output=True)
    cluster.wait(driver, 400)
    assert (tmp_path / "there" / "report.html").exists(), log.read_text("utf-8")
    found = [study_digests(tmp_path / name) for name in ("here", "there")]
    assert found[0] == found[1]


def test_the_nightly_job_runs_unchanged(batch, demo_set, timelines, tmp_path):
    cluster, submit, _ = batch
    _, model, _ = demo_set
    job = [sys.executable, ROOT / "jobs" / "rescore_candidates.py", model, timelines]
    driver, log = submit(*job, "--out", tmp_path / "there")
    here = [*map(str, job), "--out", str(tmp_path / "here"), "--scheduler", "sync"]
    subprocess.run(here, check=True, capture_output=True)
    cluster.wait(driver, 400)
    assert (tmp_path / "there" / "current").exists(), log.read_text("utf-8")
    assert scores_digest(tmp_path / "there") == scores_digest(tmp_path / "here")


def test_without_certificates_nothing_starts(batch, tmp_path):
    cluster, submit, _ = batch
    driver, log = submit(DASK_CONFIG=tmp_path)
    cluster.wait(driver, 60)
    assert re.search("DASK_CONFIG names no certificates", log.read_text("utf-8"))


def test_a_lost_worker_job_is_submitted_again(batch):
    cluster, submit, logs = batch
    driver, _ = submit("bash", "-c", "sleep 150")

    def workers():
        found = cluster.jobs().items()
        return {n for n, (_, state) in found if n != driver and state == "RUNNING"}

    def joined(number):
        files = logs.glob(f"*{number}*")
        return any("Starting established connection" in path.read_text("utf-8") for path in files)

    wait_until(lambda: len(workers()) == 2 and all(map(joined, workers())))
    before = workers()
    cluster.ask("scancel", min(before))
    wait_until(lambda: len(workers() - before) == 1)
    cluster.ask("scancel", driver)
    wait_until(lambda: not cluster.jobs())  # the driver takes its workers along
