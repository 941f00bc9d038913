"""Submitted runs go on by themselves, tell how they do, and end when they are told to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import pytest

from scored import make_crawl, make_model
from whybox.config import CancelConfig, StatusConfig, SubmitConfig
from whybox.errors import InputError
from whybox.pipelines import cancel, status, submit
from whybox.pipelines.runs import is_group_alive

LONG = ("synth", "{out}", "--users", "200000")


@pytest.fixture
def started(tmp_path):
    """Submit a command, its output in the test's folder."""
    names = []

    def start(*command):
        given = tuple(word.format(out=tmp_path / "out") for word in command)
        outcome = submit.run(SubmitConfig(command=given, runs=tmp_path / "runs"))
        names.append(outcome.values["run"])
        return outcome.values

    yield start
    for name in names:
        cancel.run(CancelConfig(run=name, runs=tmp_path / "runs"))


def look(tmp_path, name):
    return status.run(StatusConfig(run=name, runs=tmp_path / "runs"))


def wait(tmp_path, name, seconds=100):
    end = time.monotonic() + seconds
    while look(tmp_path, name).values["state"] == "running":
        assert time.monotonic() < end
        time.sleep(0.1)
    return look(tmp_path, name)


def test_a_run_survives_the_command_that_started_it(tmp_path):
    crawl = make_crawl(tmp_path / "crawl", n_files=2, n_users=6)
    model = make_model(tmp_path / "m.whybox")
    scoring = ["score", str(model), *map(str, crawl), "--out", "out", "--parts", "3"]
    made = subprocess.run(
        [sys.executable, "-m", "whybox", "submit", "--json", "--runs", str(tmp_path / "runs"),
         *scoring, "--scheduler", "sync"],
        capture_output=True, text=True, check=True, cwd=tmp_path,
    )  # fmt: skip
    name = json.loads(made.stdout)["run"]
    ended = wait(tmp_path, name)
    assert (ended.values["state"], ended.values["exit_code"]) == ("done", 0)
    assert (ended.values["parts_done"], ended.values["parts_failed"]) == (3, 0)
    assert (tmp_path / "out" / "current" / "manifest.json").exists()
    listed = look(tmp_path, "all").values["runs"]
    assert listed == [{"run": name, "state": "done"}]


def test_a_run_that_fails_says_so(tmp_path, started):
    made = started("inspect", "no/such.whybox")
    ended = wait(tmp_path, made["run"])
    assert (ended.values["state"], ended.values["exit_code"]) == ("failed", 2)
    assert "no/such.whybox" in " ".join(ended.lines)


def test_cancelling_ends_the_whole_group(tmp_path, started):
    made = started(*LONG)
    assert look(tmp_path, made["run"]).values["state"] == "running"
    outcome = cancel.run(CancelConfig(run=made["run"], runs=tmp_path / "runs"))
    assert outcome.values["state"] == "cancelled"
    assert not is_group_alive(made["pid"])
    assert look(tmp_path, made["run"]).values["state"] == "cancelled"
    again = cancel.run(CancelConfig(run=made["run"], runs=tmp_path / "runs"))
    assert again.status == "already done"


def test_another_process_of_the_same_number_is_left_alone(tmp_path, started):
    made = started("inspect", "no/such.whybox")
    wait(tmp_path, made["run"])
    path = tmp_path / "runs" / made["run"] / "run.json"
    (path.parent / "exit").unlink()
    path.write_text(json.dumps({**json.loads(path.read_text()), "pid": os.getpid()}))
    assert look(tmp_path, made["run"]).values["state"] == "killed"
    outcome = cancel.run(CancelConfig(run=made["run"], runs=tmp_path / "runs"))
    assert outcome.status == "already done"  # and this process is still here


@pytest.mark.parametrize("command", [(), ("no-verb",), ("submit", "synth")])
def test_only_verbs_are_submitted(tmp_path, command):
    with pytest.raises(InputError, match="no verb to run"):
        submit.run(SubmitConfig(command=command, runs=tmp_path))


def test_options_of_the_verb_stand_after_it(tmp_path):
    with pytest.raises(InputError, match="--workers is an option of synth"):
        submit.run(SubmitConfig(command=("synth", "x"), runs=tmp_path, workers=2))


def test_no_run_is_found_outside_the_folder(tmp_path):
    with pytest.raises(InputError, match="no run"):
        look(tmp_path, "../somewhere")
