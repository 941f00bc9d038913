"""Jobs are recipes: they run unchanged on any scheduler, and hold nothing that a worker runs."""

from __future__ import annotations

import ast
import hashlib
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

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
        assert pq.read_metadata(out / "scores" / "scores.parquet").num_rows == 24
        files = (out / "model.whybox", out / "scores" / "scores.parquet", out / "report.html")
        found.append([hashlib.sha256(path.read_bytes()).hexdigest() for path in files])
    assert found[0] == found[1]
