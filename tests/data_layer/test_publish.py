"""Publication: whole or not at all, never over what is not ours, and after any accident."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from whybox.data import publishing
from whybox.data.publish import keep_degraded
from whybox.errors import InputError, RunError


def build(target, content, fail=False):
    """Publish a folder with one file and a manifest."""
    with publishing(target) as staging:
        (staging / "data.txt").write_text(content)
        (staging / "sub").mkdir()
        if fail:
            raise KeyboardInterrupt
        (staging / "manifest.json").write_text(json.dumps({"version": "x", "software": {}}))


def names(folder):
    """What a folder holds."""
    return sorted(path.name for path in folder.iterdir())


def test_a_folder_appears_and_is_replaced(tmp_path):
    target = tmp_path / "deep" / "out"
    for content in ("one", "two"):
        build(target, content)
        assert (target / "data.txt").read_text() == content
        assert names(target.parent) == ["out"]


def test_an_empty_folder_is_taken(tmp_path):
    (tmp_path / "out").mkdir()
    build(tmp_path / "out", "one")
    assert names(tmp_path / "out") == ["data.txt", "manifest.json", "sub"]


@pytest.mark.parametrize("before", [False, True])
def test_an_exception_leaves_things_as_they_were(tmp_path, before):
    if before:
        build(tmp_path / "out", "one")
    with pytest.raises(KeyboardInterrupt):
        build(tmp_path / "out", "two", fail=True)
    assert names(tmp_path) == (["out"] if before else [])
    assert not before or (tmp_path / "out" / "data.txt").read_text() == "one"


@pytest.mark.parametrize("manifest", [None, "{}", "not json", '{"name": "a web application"}'])
def test_a_folder_of_others_is_refused_and_untouched(tmp_path, manifest):
    out = tmp_path / "out"
    out.mkdir()
    (out / "thesis.tex").write_text("years of work")
    if manifest is not None:
        (out / "manifest.json").write_text(manifest)
    with pytest.raises(InputError, match="not made by whybox"):
        build(out, "one")
    assert (out / "thesis.tex").read_text() == "years of work" and names(tmp_path) == ["out"]


def test_a_degraded_run_is_kept_beside_what_is_published_and_replaced_by_a_good_one(tmp_path):
    target = tmp_path / "out"
    for content in ("bad", "worse"):
        with publishing(target) as staging:
            (staging / "data.txt").write_text(content)
            (staging / "manifest.json").write_text(json.dumps({"software": {}}))
            keep_degraded(staging, target)
    assert names(target) == ["degraded"]
    assert (target / "degraded" / "data.txt").read_text() == "worse"
    build(target, "good")
    assert names(target) == ["data.txt", "manifest.json", "sub"] and names(tmp_path) == ["out"]


def test_a_file_in_the_place_is_refused(tmp_path):
    (tmp_path / "out").write_text("a file")
    with pytest.raises(InputError, match="file in the folder's place"):
        build(tmp_path / "out", "one")
    assert names(tmp_path) == ["out"]


def test_two_runs_at_once_one_is_refused(tmp_path):
    with publishing(tmp_path / "out") as staging:
        with pytest.raises(RunError, match="locked"):
            build(tmp_path / "out", "two")
        (staging / "data.txt").write_text("one")
    assert (tmp_path / "out" / "data.txt").read_text() == "one"


DIE_IN_THE_MIDDLE = """
import os, signal, sys
from whybox.data import publishing
from whybox.data.publish import keep_degraded
with publishing(sys.argv[1]) as staging:
    (staging / "orphan.txt").write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_run_left_is_cleared_by_the_next(tmp_path):
    command = [sys.executable, "-c", DIE_IN_THE_MIDDLE, str(tmp_path / "out")]
    died = subprocess.run(command, timeout=60, check=False)
    assert died.returncode == -signal.SIGKILL and names(tmp_path) == [".out.whybox-new"]
    build(tmp_path / "out", "one")
    assert names(tmp_path) == ["out"] and "orphan.txt" not in names(tmp_path / "out")


def test_a_run_killed_between_two_renames_is_mended(tmp_path):
    build(tmp_path / "out", "one")
    (tmp_path / "out").rename(tmp_path / ".out.whybox-old")
    with pytest.raises(KeyboardInterrupt):
        build(tmp_path / "out", "two", fail=True)
    assert names(tmp_path) == ["out"] and (tmp_path / "out" / "data.txt").read_text() == "one"


def test_an_address_is_no_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for target in ("gs://bucket/out", "s3://", Path("s3://bucket/out")):
        with pytest.raises(InputError, match="folders of a file system"), publishing(target):
            pass
    assert list(tmp_path.iterdir()) == []


def test_a_folder_may_be_in_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    build("~/out", "one")
    assert (tmp_path / "out" / "data.txt").read_text() == "one"
