"""What is written is there after any end, once, and for one run at a time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybox.errors import RunError
from whybox.model_selection.ledger import open_ledger

FIGURES = {"accuracy": 0.1 + 0.2, "auc": None}


def test_floats_come_back_bit_for_bit(tmp_path):
    with open_ledger(tmp_path / "deep" / "t.jsonl") as ledger:
        ledger["a"] = FIGURES
    with open_ledger(tmp_path / "deep" / "t.jsonl") as ledger:
        assert dict(ledger) == {"a": FIGURES}


@given(cut=st.integers(0, 200))
def test_a_file_that_was_cut_anywhere_keeps_its_whole_lines(tmp_path_factory, cut):
    path = tmp_path_factory.mktemp("ledger") / "t.jsonl"
    with open_ledger(path) as ledger:
        for key in "abc":
            ledger[key] = FIGURES
    data = path.read_bytes()
    path.write_bytes(data[: len(data) - min(cut, len(data))])
    whole = path.read_bytes().count(b"\n")
    with open_ledger(path) as ledger:
        assert list(ledger) == list("abc")[:whole]
        ledger["d"] = {"accuracy": 1.0}
    with open_ledger(path) as ledger:
        assert list(ledger) == [*list("abc")[:whole], "d"]
        assert ledger["d"] == {"accuracy": 1.0}


def test_two_at_once_are_refused_and_one_after_the_other_are_not(tmp_path):
    path = tmp_path / "t.jsonl"
    with open_ledger(path) as ledger:
        ledger["a"] = FIGURES
        with pytest.raises(RunError, match="locked"), open_ledger(path):
            pass
    with open_ledger(path) as ledger:
        assert "a" in ledger


def test_an_earlier_ledger_is_taken_over_once_and_what_is_here_wins(tmp_path):
    with open_ledger(tmp_path / "earlier") as earlier:
        earlier["a"], earlier["b"] = FIGURES, FIGURES
    with (tmp_path / "earlier").open("ab") as stream:
        stream.write(b'{"key": "c", "fig')
    with open_ledger(tmp_path / "now") as ledger:
        ledger["a"] = {"accuracy": 1.0}
        for _ in range(2):
            ledger.take_over(tmp_path / "earlier")
        assert dict(ledger) == {"a": {"accuracy": 1.0}, "b": FIGURES}
    with open_ledger(tmp_path / "now") as ledger:
        assert dict(ledger) == {"a": {"accuracy": 1.0}, "b": FIGURES}
    assert (tmp_path / "now").read_bytes().count(b"\n") == 2


def test_nothing_is_taken_out(tmp_path):
    with open_ledger(tmp_path / "t.jsonl") as ledger:
        ledger["a"] = FIGURES
        with pytest.raises(TypeError):
            del ledger["a"]


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="cannot be written"), open_ledger(tmp_path / "file" / "t"):
        pass
