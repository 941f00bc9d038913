"""CSV: encodings, row ends, line ends inside fields, headers, and rows that do not fit."""

from __future__ import annotations

import csv
import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybox.data import ColumnMap, Records, Source, find_inputs, storage
from whybox.data.csv import find_encoding, find_row_end
from whybox.errors import InputError

NAMED = ColumnMap(text="text", label="label")


def read(tmp_path, content, columns=NAMED, **options):
    """Read content as a CSV file: its rows, and the records object."""
    path = tmp_path / "posts.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    records = Records(find_inputs(str(path), "csv"), Source("csv", columns, **options))
    return [row for table in records for row in table.to_pylist()], records


FIELD = st.text(st.sampled_from('ab,";\r\n\u2028\x85é \x00'), max_size=6)


@given(
    st.lists(st.tuples(FIELD, FIELD), min_size=1),
    st.sampled_from(["\r\n", "\n", "\r"]),
    st.integers(1, 9),
)
def test_what_a_writer_quotes_comes_back(tmp_path_factory, rows, row_end, chunk):
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator=row_end, quoting=csv.QUOTE_ALL)
    writer.writerows([("text", "label"), *rows])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(storage, "CHUNK", chunk)
        found, records = read(tmp_path_factory.mktemp("csv"), out.getvalue())
    clean = [(text.replace("\0", "\ufffd"), label.replace("\0", "\ufffd")) for text, label in rows]
    assert [(row["text"], row["label"] or "") for row in found] == clean
    assert records.counts.lines == len(rows) + 1


@pytest.mark.parametrize(
    ("row_end", "other"), [("\r\n", "\n"), ("\r\n", "\r"), ("\n", "\r"), ("\r", "\n")]
)
def test_other_line_ends_are_data_also_unquoted(tmp_path, row_end, other):
    content = row_end.join(["text,label", f"a{other}b,x", f'"c{other}d{row_end}e",y', "f,z", ""])
    found, _ = read(tmp_path, content)
    assert [row["text"] for row in found] == [f"a{other}b", f"c{other}d{row_end}e", "f"]


def test_the_last_row_needs_no_end(tmp_path):
    for end in ("\n", "\r", "\r\n"):
        found, records = read(tmp_path, f"text,label{end}a,1{end}b,2")
        assert [row["text"] for row in found] == ["a", "b"] and records.counts.lines == 3


def test_latin_1_is_found_wherever_the_byte_stands(tmp_path):
    content = b"text,label\n" + b"plain,1\n" * 150_000 + b"caf\xe9,2\n"
    found, records = read(tmp_path, content)
    assert found[-1]["text"] == "café" and found[-1]["line"] == 150_002
    assert records.counts.total.encoding == "latin-1"


def test_an_encoding_can_be_given_and_is_strict(tmp_path):
    found, records = read(tmp_path, "text,label\nмир,1\n".encode("cp1251"), encoding="cp1251")
    assert found[0]["text"] == "мир" and records.counts.total.encoding == "cp1251"
    with pytest.raises(InputError, match="not utf-8"):
        read(tmp_path, b"text,label\ncaf\xe9,1\n", encoding="utf-8")
    with pytest.raises(InputError, match="'klingon' is not known"):
        read(tmp_path, b"text,label\n", encoding="klingon")


def test_a_byte_order_mark_is_no_part_of_a_name(tmp_path):
    found, records = read(tmp_path, b"\xef\xbb\xbftext,label\ncaf\xc3\xa9,1\n")
    assert found[0]["text"] == "café" and records.counts.total.encoding == "utf-8-sig"


def test_rows_that_do_not_fit_are_quarantined(tmp_path):
    found, records = read(tmp_path, "text,label\na,1\nb\n\nc,1,2\nd,2\n")
    assert [(row["line"], row["text"]) for row in found] == [(2, "a"), (6, "d")]
    assert records.counts.quarantined == {"field_count": 2}
    assert records.counts.non_records == {"blank": 1, "header": 1}


def test_a_quotation_mark_never_closed_does_not_swallow_memory(tmp_path):
    content = 'text,label\n"open,1\n' + "filler,2\n" * 20_000
    _, records = read(tmp_path, content)
    assert records.counts.quarantined["csv_error"] >= 1
    assert records.counts.total.check("it adds up").lines > 1


def test_empty_labels_are_null_and_empty_texts_are_flagged(tmp_path):
    found, records = read(tmp_path, "text,label\n,1\nNA,\nnull,nan\n")
    assert [(row["text"], row["label"]) for row in found] == [
        ("", "1"),
        ("NA", None),
        ("null", "nan"),
    ]
    assert records.counts.total.flagged == {"empty_text": 1}


def test_a_missing_column_is_named_with_those_there_are(tmp_path):
    with pytest.raises(InputError) as caught:
        read(tmp_path, "tweet,label\na,1\n")
    assert "no column 'text'" in str(caught.value) and "'tweet', 'label'" in str(caught.value)


def test_a_message_shows_no_post_of_a_file_without_header(tmp_path):
    post = "this is somebody's post and must not be shown anywhere"
    with pytest.raises(InputError) as caught:
        read(tmp_path, f"{post}\t0\n", delimiter="\t")
    assert post not in str(caught.value) and "positions" in str(caught.value)


def test_positions_and_quoting_none_read_a_file_without_header(tmp_path):
    content = 'He said "no\t0\n"fine\x85then\t1\n'
    found, _ = read(
        tmp_path, content, ColumnMap(text="0", label="1"), delimiter="\t", quoting="none"
    )
    assert [(r["text"], r["label"]) for r in found] == [
        ('He said "no', "0"),
        ('"fine\x85then', "1"),
    ]


def test_counts_and_flags_are_read_from_their_columns(tmp_path):
    columns = ColumnMap(text="t", favorite_count="f", is_retweet="r", followers="n")
    content = "t,f,r,n\na,3,True,\nb,4.0,false,7\nc,x,false,7\nd,1,maybe,7\n"
    found, records = read(tmp_path, content, columns)
    assert [(row["favorite_count"], row["is_retweet"], row["followers"]) for row in found] == [
        (3, True, None),
        (4, False, 7),
    ]
    assert records.counts.quarantined == {"wrong_type": 2}
    assert found[0]["mention_count"] is None


def is_packed(content):
    """It begins like gzip or zstd, of which garbage is damage, and refused."""
    return content.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd"))


@given(st.binary(max_size=200).filter(lambda content: not is_packed(content)))
def test_garbage_never_crashes_and_always_adds_up(tmp_path_factory, content):
    folder = tmp_path_factory.mktemp("garbage")
    found, records = read(folder, content, ColumnMap(text="0"))
    assert records.counts.total.check("garbage").records == len(found)


def test_compressed_files_are_read_and_damage_drops_the_unfinished_row(tmp_path):
    whole = "text,label\n" + "".join(f'"row\n{i}",{i % 2}\n' for i in range(20_000))
    packed = gzip.compress(whole.encode())
    found, _ = read(tmp_path, packed)
    assert len(found) == 20_000
    part, records = read(tmp_path, packed[: len(packed) // 2], salvage=True)
    assert 0 < len(part) < 20_000 and records.counts.total.partial
    assert [row["text"] for row in part] == [row["text"] for row in found[: len(part)]]


def test_row_ends_and_encodings_are_found():
    assert find_row_end('"a""\r",b\n', "standard") == "\n"
    assert find_row_end('"a""\r",b\n', "none") == "\r"
    assert find_row_end("no end") == "\n"
    assert find_encoding([b"caf\xc3"]) == "latin-1"
    assert find_encoding([]) == "utf-8"
