"""Killed at any named point and run again, a run ends with the bytes of one that nobody disturbed."""

from __future__ import annotations

import shutil

import pytest
from dying import in_own_process
from harness import fault_points

from scored import file_digests, make_crawl, make_model
from whybox.config import ScoreConfig
from whybox.data.workplace import peek

PARTS = 4
POINTS = {
    "cell.written": (5,),
    "cell.placed": (5,),
    "index.written": (1,),
    "index.placed": (1,),
    "part.written": (3,),
    "part.placed": (3,),
    "ledger.before": (3,),
    "ledger.after": (1, 4),
    "publish.begun": (1,),
    "publish.part": (4,),
    "publish.built": (1,),
    "publish.placed": (1,),
    "publish.aside": (1,),
    "publish.pointed": (1,),
    "tidy.removed": (1, 5),
    "ledger.rewritten": (1,),
}


@pytest.fixture(scope="module")
def disturbed(tmp_path_factory):
    """A folder with a version, and what a second run of more inputs makes of it undisturbed."""
    folder = tmp_path_factory.mktemp("faults")
    model = make_model(folder / "m.whybox")
    crawl = [str(path) for path in make_crawl(folder / "crawl")]
    given = {"model": model, "scheduler": "sync", "parts": PARTS, "keep": 1}
    first = ScoreConfig(source=tuple(crawl[:4]), out=str(folder / "before"), **given)
    assert in_own_process(first) == 0
    shutil.copytree(folder / "before", folder / "quiet", symlinks=True)
    assert in_own_process(ScoreConfig(source=tuple(crawl), out=str(folder / "quiet"), **given)) == 0
    return folder, given | {"source": tuple(crawl)}, file_digests(folder / "quiet" / "current")


@pytest.mark.parametrize(
    ("point", "number"), [(point, n) for point, numbers in POINTS.items() for n in numbers]
)
def test_a_run_that_died_there_is_resumed_to_the_same_bytes(disturbed, tmp_path, point, number):
    folder, given, quiet = disturbed
    out = tmp_path / "out"
    shutil.copytree(folder / "before", out, symlinks=True)
    before = file_digests(out / "current")
    config = ScoreConfig(out=str(out), **given)
    assert in_own_process(config, f"{point}:{number}") == -9
    seen = file_digests(out / "current")
    assert seen in (before, quiet)  # a reader finds one whole version
    assert in_own_process(config) == 0
    assert file_digests(out / "current") == quiet
    assert peek(str(out)).orphans(keep=1) == []
    assert [path.name for path in (out / "versions").iterdir()] == [
        (out / "current").readlink().name
    ]


@pytest.mark.parametrize(
    "fault", ["publish.placed:1", "publish.aside:1", "publish.linked:1", "publish.aside:2"]
)
def test_a_first_run_that_died_is_resumed_too(disturbed, tmp_path, fault):
    _, given, quiet = disturbed
    config = ScoreConfig(out=str(tmp_path / "out"), **given)
    assert in_own_process(config, fault) == -9
    assert in_own_process(config) == 0
    found = file_digests(tmp_path / "out" / "current")
    assert {n: d for n, d in found.items() if n.startswith("scores/")} == {
        n: d for n, d in quiet.items() if n.startswith("scores/")
    }
    assert (tmp_path / "out" / "manifest.json").is_symlink()


def test_every_point_of_the_program_is_tried():
    here = {name for name in fault_points() if not name.startswith("store.")}
    assert here - set(POINTS) == {"publish.linked", "publish.mended"}
