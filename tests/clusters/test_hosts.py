"""Scheduler, two workers and driver on hosts of their own, behind TLS: the same bytes as in one process."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import hosts
from daemons import DASK, ROOT, running
from scored import scores_digest
from small_study import study_digests

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.timeout(900),
    pytest.mark.skipif(hosts.why_not() is not None, reason=str(hosts.why_not())),
]


@pytest.fixture(scope="module")
def network(certificates, tmp_path_factory):
    """The driver's host, the scheduler's and the workers'; all parts are running."""
    folder = tmp_path_factory.mktemp("network")
    env = {"DASK_CONFIG": str(certificates / "dask.yaml")}
    board = ("--dashboard-address", "127.0.0.1:0")
    with hosts.hosts(["driver", "scheduler", "w1", "w2"]) as (driver, scheduler, *workers):
        command = scheduler.command(
            *DASK, "scheduler", "--protocol", "tls", "--host", scheduler.address, *board
        )
        with running(command, folder / "scheduler.log", env=env) as daemon:
            daemon.wait_for(rf"Scheduler at:\s+tls://{scheduler.address}:8786")
            address = f"tls://{scheduler.address}:8786"
            commands = [
                worker.command(
                    *(*DASK, "worker", address, "--host", worker.address, "--name", worker.name),
                    *("--nthreads", "1", *board, "--local-directory", folder / worker.name),
                )
                for worker in workers
            ]
            logs = [folder / f"{worker.name}.log" for worker in workers]
            with (
                running(commands[0], logs[0], env=env) as first,
                running(commands[1], logs[1], env=env) as second,
            ):
                for started in (first, second):
                    started.wait_for("Starting established connection")
                yield driver, scheduler, workers


def run(command, on, env):
    """Run a command, on a host if one is given."""
    words = [sys.executable, *map(str, command)]
    return subprocess.run(
        words if on is None else on.command(*words),
        env={**os.environ, **{name: str(value) for name, value in env.items()}},
        capture_output=True,
        text=True,
        timeout=300,
    )


def run_job(name, *arguments, on=None, **env):
    return run([ROOT / "jobs" / name, *arguments], on, env)


def run_verb(*arguments, on=None, **env):
    return run(["-m", "whybox", *arguments], on, env)


def test_both_jobs_give_the_same_bytes_wherever_they_run(
    network, certificates, timelines, tmp_path
):
    driver, scheduler, _ = network
    found = {}
    for place, where, options in (
        ("sync", None, {}),
        ("local", None, {}),
        (f"tls://{scheduler.address}:8786", driver, {"DASK_CONFIG": certificates / "dask.yaml"}),
    ):
        out = tmp_path / place[:5]
        study = ("train_candidate_model.py", timelines, "--trees", 10, "--out", out)
        nightly = ("rescore_candidates.py", out / "model.whybox", timelines, "--out", out / "night")
        for job in (study, nightly):
            done = run_job(*job, "--scheduler", place, on=where, **options)
            assert done.returncode == 0, done.stderr
        found[place] = study_digests(out) | {"night": scores_digest(out / "night")}
    assert found["sync"] == found["local"] == found[f"tls://{scheduler.address}:8786"]


def test_a_verb_takes_the_certificates_as_an_option(network, certificates, timelines, tmp_path):
    driver, scheduler, _ = network
    options = ("--scheduler", f"tls://{scheduler.address}:8786", "--tls", certificates)
    done = run_verb("extract", timelines, "--out", tmp_path / "out", *options, on=driver)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "manifest.json").exists()


@pytest.mark.parametrize(
    ("scheme", "folder", "told"),
    [
        ("tls", "foreign_certificates", "certificate of the scheduler"),
        ("tls", None, "no certificates"),
        ("tcp", None, "is not encrypted and not on this machine"),
    ],
)
def test_whoever_has_not_our_certificates_is_refused(
    network, timelines, tmp_path, request, scheme, folder, told
):
    driver, scheduler, _ = network
    env = {}
    if folder is not None:
        env["DASK_CONFIG"] = str(request.getfixturevalue(folder) / "dask.yaml")
    done = run_job(
        *("train_candidate_model.py", timelines, "--out", tmp_path / "out"),
        *("--scheduler", f"{scheme}://{scheduler.address}:8786"),
        on=driver,
        **env,
    )
    assert done.returncode in (1, 2)
    assert told in done.stderr
    assert not (tmp_path / "out" / "model.whybox").exists()


def test_plain_tcp_needs_a_word_and_then_meets_tls(network, timelines, tmp_path):
    driver, scheduler, _ = network
    options = ("--scheduler", f"tcp://{scheduler.address}:8786", "--insecure")
    done = run_verb("extract", timelines, "--out", tmp_path / "out", *options, on=driver)
    assert done.returncode == 1
    assert "speaks TLS only" in done.stderr


def test_a_page_for_people_is_on_loopback_only(network):
    _, scheduler, workers = network
    for host in (scheduler, *workers):
        outside = {place for place in host.listening() if not place.startswith("127.0.0.1:")}
        assert outside
        assert all(place.startswith(f"{host.address}:") for place in outside)
    assert len({p for p in scheduler.listening() if not p.startswith("127.")}) == 1
