"""Accounts: they add up in any grouping, and a missing line is found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybox.data import Accounting, Counts, InputCounts
from whybox.data.accounting import QUARANTINE, Tally
from whybox.errors import RunError

KINDS = st.dictionaries(st.sampled_from("abc"), st.integers(1, 9))
COUNTS = st.builds(
    Counts,
    lines=st.integers(0, 9),
    records=st.integers(0, 9),
    non_records=KINDS,
    quarantined=KINDS,
    coerced=KINDS,
    flagged=KINDS,
    encoding=st.sampled_from([None, "utf-8", "latin-1"]),
    partial=st.booleans(),
)


@given(COUNTS, COUNTS, COUNTS)
def test_addition_is_associative_with_a_neutral_element(a, b, c):
    assert (a + b) + c == a + (b + c)
    assert Counts() + a == a == a + Counts()
    assert (a + b).lines == a.lines + b.lines
    assert (a + b).non_records.get("a", 0) == a.non_records.get("a", 0) + b.non_records.get("a", 0)


def test_a_line_without_account_is_an_error():
    with pytest.raises(RunError, match="3 lines were read, but 2") as caught:
        Counts(lines=3, records=1, quarantined={"not_json": 1}).check("posts.jsonl")
    assert "posts.jsonl" in str(caught.value)


def test_records_that_leave_keep_the_sum():
    before = Counts(lines=5, records=4, non_records={"blank": 1})
    after = before.without_records({"duplicate": 2}, {"conflicting_labels": 1})
    assert after.check("x").as_dict() | {"encoding": 0} == {
        **{"lines": 5, "records": 1, "non_records": {"blank": 1, "duplicate": 2}},
        **{"quarantined": {"conflicting_labels": 1}, "coerced": {}, "flagged": {}},
        **{"encoding": 0, "partial": False},
    }


def test_the_tally_notes_where_a_line_was():
    tally = Tally(input=4)
    tally.skip("blank")
    tally.quarantine("not_json", b"{")
    table = tally.quarantine_table()
    assert table.schema == QUARANTINE
    assert [(row["input"], row["line"], row["reason"]) for row in table.to_pylist()] == [
        (4, 2, "not_json")
    ]
    assert Tally().quarantine_table().num_rows == 0


def test_a_run_sums_over_its_inputs():
    one = InputCounts("a", 3, "00", Counts(lines=3, records=2, non_records={"blank": 1}))
    two = InputCounts("b", 4, "01", Counts(lines=1, quarantined={"not_json": 1}))
    accounts = Accounting((one, two))
    assert (accounts.lines, accounts.records, len(accounts)) == (4, 2, 2)
    assert accounts.non_records == {"blank": 1} and accounts.quarantined == {"not_json": 1}
    assert [entry.as_dict()["bytes"] for entry in accounts] == [3, 4]
