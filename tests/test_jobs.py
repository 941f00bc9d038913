"""Jobs are recipes: they run unchanged on any scheduler, and hold nothing that a worker runs."""

from __future__ import annotations

import ast
import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from scored import make_crawl, make_model, read_scores, scores_digest

JOBS = sorted((Path(__file__).parents[1] / "jobs").glob("*.py"))


@pytest.mark.parametrize("job", JOBS, ids=lambda path: path.stem)
def test_a_job_is_short_and_says_how_to_run_it(job):
    text = job.read_text("utf-8")
    assert len(text.splitlines()) <= 100
    assert f"python jobs/{job.name}" in (ast.get_docstring(ast.parse(text)) or "")
    assert "delayed" not in text  # what workers run is in the package


def test_train_candidate_model_is_the_same_study_on_any_scheduler(
    timelines, cluster_address, tmp_path
):
    job = next(path for path in JOBS if path.stem == "train_candidate_model")
    found = []
    for name, scheduler in (("here", "sync"), ("there", cluster_address)):
        out = tmp_path / name
        command = [sys.executable, str(job), str(timelines), "--out", str(out), "--trees", "10"]
        done = subprocess.run(
            [*command, "--scheduler", scheduler], capture_output=True, text=True, check=True
        )
        assert "cbpt" in done.stdout
        assert (out / "report.html").stat().st_size > 50_000
        assert read_scores(out / "scores").num_rows == 24
        files = (out / "model.whybox", out / "report.html")
        digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in files]
        found.append([*digests, scores_digest(out / "scores")])
    assert found[0] == found[1]


def test_rescore_candidates_scores_what_is_new_and_else_nothing(cluster_address, tmp_path):
    job = next(path for path in JOBS if path.stem == "rescore_candidates")
    crawl, out = make_crawl(tmp_path / "crawl"), tmp_path / "out"
    hidden = crawl[-1].rename(tmp_path / "held-back.jsonl")
    command = [sys.executable, str(job), str(make_model(tmp_path / "m.whybox"))]
    command += [str(tmp_path / "crawl"), "--out", str(out), "--scheduler", cluster_address]
    told = []
    for night in range(3):
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        told.append((done.stdout, (out / "current").readlink()))
        if night == 1:
            hidden.rename(crawl[-1])
    assert "already done" in told[1][0] and told[1][1] == told[0][1]
    assert told[2][1] != told[0][1]
    assert read_scores(out).num_rows == 40
