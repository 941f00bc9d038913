"""A worker that would give other results is refused in one sentence; what is only slow is told."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time

import pytest

import whybox
from whybox.graph.guard import guarded
from whybox.graph.preflight import Findings, compare, facts, gathered, software
from whybox.graph.session import connect

OURS = software()
FIT = {
    "software": OURS,
    "directory": "/scratch",
    "free_disk": 50 << 30,
    "clock": 0.0,
    "threads": 1,
    "numba_threads": 1,
    "trim_threshold": 128 << 20,
    "mmap_threshold": 32 << 20,
}


def test_a_worker_like_the_driver_is_fit():
    assert compare(OURS, FIT) == Findings()


@pytest.mark.parametrize("name", sorted(OURS))
def test_any_other_software_is_refused(name):
    findings = compare(OURS, FIT | {"software": OURS | {name: "0.0.1"}})
    assert findings.refusals == (f"{name} 0.0.1 where the driver has {name} {OURS[name]}",)
    assert findings.warnings == ()


def test_a_worker_that_lacks_a_package_is_refused():
    found = {name: text for name, text in OURS.items() if name != "numba"}
    (refusal,) = compare(OURS, FIT | {"software": found}).refusals
    assert refusal.startswith("numba unknown where")


def test_a_full_disk_is_refused_and_named():
    (refusal,) = compare(OURS, FIT | {"free_disk": 300 << 20}).refusals
    assert refusal == "300 MiB left in /scratch where 1024 are needed"


@pytest.mark.parametrize(
    ("changed", "skew", "told"),
    [
        ({}, 7.2, "a clock 7 s ahead of ours"),
        ({}, -90.0, "a clock 90 s behind ours"),
        ({"numba_threads": None}, 0.0, "NUMBA_NUM_THREADS not set"),
        ({"numba_threads": 4}, 0.0, "NUMBA_NUM_THREADS 4"),
        ({"trim_threshold": 65536}, 0.0, "MALLOC_TRIM_THRESHOLD_ 65536"),
        ({"trim_threshold": None}, 0.0, "MALLOC_TRIM_THRESHOLD_ not set"),
        ({"mmap_threshold": None}, 0.0, "MALLOC_MMAP_THRESHOLD_ not set"),
        (
            {"trim_threshold": 65536, "mmap_threshold": None},
            0.0,
            "MALLOC_TRIM_THRESHOLD_ 65536 and MALLOC_MMAP_THRESHOLD_ not set",
        ),
    ],
)
def test_what_is_slow_or_crooked_is_told_and_not_refused(changed, skew, told):
    findings = compare(OURS, FIT | changed, skew=skew)
    assert findings.refusals == ()
    (warning,) = findings.warnings
    assert warning.startswith(told)


def test_a_malloc_that_nobody_set_adapts_itself():
    assert compare(OURS, FIT | {"trim_threshold": None, "mmap_threshold": None}) == Findings()


@pytest.mark.parametrize("skew", [-4.9, 0.0, 4.9])
def test_clocks_may_differ_a_little(skew):
    assert compare(OURS, FIT, skew=skew) == Findings()


def test_what_several_workers_share_is_said_once():
    assert gathered([("a", "x"), ("b", "y"), ("c", "x")]) == ("workers a, c: x", "worker b: y")


def test_facts_are_of_this_process(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_NUM_THREADS", "3")
    monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_", raising=False)
    found = facts(str(tmp_path), 2)
    assert found["free_disk"] <= shutil.disk_usage(tmp_path).total
    assert abs(found["clock"] - time.time()) < 60
    assert (found["threads"], found["numba_threads"], found["trim_threshold"]) == (2, 3, None)


def test_another_line_of_source_is_another_software(tmp_path):
    copy = shutil.copytree(whybox.__path__[0], tmp_path / "whybox")
    with (copy / "errors.py").open("a") as stream:
        stream.write("# changed\n")
    command = [
        sys.executable,
        "-c",
        "from whybox.graph.preflight import software; print(software())",
    ]
    done = subprocess.run(
        command, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=True
    )
    theirs = eval(done.stdout)  # a dict of texts
    assert {name for name in OURS if OURS[name] != theirs[name]} == {"whybox sources"}


def test_a_process_whose_folder_is_upgraded_beneath_it_tells_what_it_loaded(tmp_path):
    copy = shutil.copytree(whybox.__path__[0], tmp_path / "whybox")
    code = (
        "import sys; from whybox.graph.preflight import software; before = software();"
        "open(sys.argv[1], 'a').write('# changed'); print(software() == before)"
    )
    command = [sys.executable, "-c", code, str(copy / "errors.py")]
    done = subprocess.run(
        command, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "True"


def test_workers_of_a_local_session_pass_in_a_moment(cluster_address):
    told = []

    class Listener:
        say = staticmethod(told.append)

    with connect(cluster_address) as session:
        started = time.process_time()
        with guarded(session.client, Listener()):
            taken = time.process_time() - started
    assert told == []
    assert taken < 1  # of the driver's own; about a tenth of a second on a quiet machine
