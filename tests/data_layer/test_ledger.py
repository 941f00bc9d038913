"""A ledger keeps what was done, whatever ended the run that wrote it."""

from __future__ import annotations

from pathlib import Path

import pytest

from whybox.data.ledger import Ledger, forget, open_ledger, read_entries
from whybox.errors import RunError


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "ledger.jsonl"
    with open_ledger(path) as ledger:
        ledger.add("r1", "part-00000", "in0", "out0", {"rows": 3})
        ledger.add("r1", "part-00001", "in1", None, {"error": "why"})
    return path


def test_attempts_are_counted_over_runs(path):
    with open_ledger(path) as ledger:
        assert set(ledger.done) == {"in0"}
        assert ledger.add("r2", "part-00001", "in1", "out1", {}).attempt == 2
    assert [(e.part, e.attempt) for e in read_entries(path)] == [
        ("part-00000", 1),
        ("part-00001", 1),
        ("part-00001", 2),
    ]


@pytest.mark.parametrize("lost", [1, 2, 40])
def test_a_line_that_was_cut_is_dropped_and_written_over(path, lost):
    path.write_bytes(path.read_bytes()[:-lost])
    assert len(read_entries(path)) == 1
    with open_ledger(path) as ledger:
        ledger.add("r2", "part-00001", "in1", "out1", {})
    assert [e.output for e in read_entries(path)] == ["out0", "out1"]


def test_lines_about_inputs_that_are_gone_are_left_out(path):
    forget(path, {"in1"})
    assert [e.input for e in read_entries(path)] == ["in1"]


def test_a_spoilt_line_is_passed_over_and_no_other(path):
    first, second = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first.replace(b'"rows":3', b'"rows":2') + second)
    assert [e.input for e in read_entries(path)] == ["in1"]
    with open_ledger(path) as ledger:
        assert not ledger.done
        ledger.add("r2", "part-00000", "in0", "out0", {"rows": 3})
    assert [e.input for e in read_entries(path)] == ["in1", "in0"]


def test_a_line_that_finds_no_room_is_an_error_that_says_so(tmp_path):
    with (
        pytest.raises(RunError, match="No space left") as caught,
        Path("/dev/full").open("ab", buffering=0) as stream,
    ):
        Ledger(stream).add("r", "part-00000", "in0", "out0", {})
    assert caught.value.where == "/dev/full"
