"""Sentiment140: latin-1, the neutral class, contradicting labels, texts that look like nothing."""

from __future__ import annotations

from datetime import UTC, datetime

from whybox.data import read_records

TIME = '"Mon Apr 06 22:19:45 PDT 2009","NO_QUERY"'
ROWS = "\r\n".join(
    [
        f'"0","1",{TIME},"u1","café ""q"" &lt;3, x"',
        f'"4","1",{TIME},"u1","café ""q"" &lt;3, x"',
        f'"4","2",{TIME},"u2","NA"',
        f'"2","3",{TIME},"u3","neutral"',
        f'"0","4",{TIME},"u4","two\nlines"',
        f'"0","5",{TIME},"u5",""',
        f'"7","6",{TIME},"u6","what polarity"',
        "",
    ]
)


def test_every_row_is_accounted_for(tmp_path):
    path = tmp_path / "training.csv"
    path.write_bytes(ROWS.encode("latin-1"))
    records = read_records(path)  # recognised by its first row
    rows = [row for table in records for row in table.to_pylist()]
    assert [(row["post_id"], row["label"], row["text"]) for row in rows] == [
        ("2", "4", "NA"),
        ("4", "0", "two\nlines"),
        ("5", "0", ""),
    ]
    assert {row["created_at"] for row in rows} == {datetime(2009, 4, 7, 5, 19, 45, tzinfo=UTC)}
    counts = records.counts
    assert counts.non_records == {"label_2": 1}
    assert counts.quarantined == {"bad_label": 1, "conflicting_labels": 2}
    assert (counts.lines, counts.total.encoding) == (7, "latin-1")
    assert counts.total.flagged == {"empty_text": 1}
    assert records.quarantine["line"].to_pylist() == [1, 2, 7]
