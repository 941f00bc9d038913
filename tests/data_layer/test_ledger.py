"""A ledger keeps what was done, whatever ended the run that wrote it."""

from __future__ import annotations

import pytest

from whybox.data.ledger import forget, open_ledger, read_entries


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
