"""Tweets: the text rule, ids, stream messages, arrays and pages, and lines that are broken."""

from __future__ import annotations

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from whybox.data import Records, Source, find_inputs, read_records
from whybox.data.schema import POSTS

FULL = {
    "created_at": "Mon Apr 06 22:19:45 +0000 2009",
    "id": 7,
    "id_str": "7",
    "text": "hello @a @b",
    "lang": "en",
    "favorite_count": 3,
    "retweet_count": 2,
    "entities": {"user_mentions": [{"id": 1}, {"id": 2}]},
    "user": {
        **{"id": 9, "id_str": "9", "favourites_count": 11, "friends_count": 12},
        **{"followers_count": 13, "listed_count": 14},
    },
}


def read(tmp_path, content, format="twitter-v1", **options):
    """Read content as a file: its rows, and the records object."""
    path = tmp_path / "posts.jsonl"
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    inputs = find_inputs(str(path), format)
    records = Records(inputs, Source(format, **options))
    rows = [row for table in records for row in table.to_pylist()]
    return rows, records


def lines(*values):
    """Write values as JSON lines; a string stands as it is."""
    return "\n".join(v if isinstance(v, str) else json.dumps(v) for v in values) + "\n"


def test_a_full_tweet_becomes_a_row(tmp_path):
    [row], records = read(tmp_path, lines(FULL))
    assert row.pop("created_at").isoformat() == "2009-04-06T22:19:45+00:00"
    assert row == {
        **{"input": 0, "line": 1, "post_id": "7", "user_id": "9", "text": "hello @a @b"},
        **{"lang": "en", "label": None, "is_retweet": False, "favorite_count": 3},
        **{"retweet_count": 2, "mention_count": 2, "total_favourites": 11, "friends": 12},
        **{"followers": 13, "listed_count": 14, "truncated": False, "anchor": False},
        "timezone": None,
    }
    assert records.counts.total.coerced == records.counts.total.flagged == {}


def test_the_fast_and_the_tolerant_path_agree(tmp_path):
    fast, _ = read(tmp_path, lines(FULL))
    tolerant, records = read(tmp_path, json.dumps([FULL]))
    broken = json.dumps({**FULL, "source": "\ud800"})  # refused by the fast decoder
    mended, _ = read(tmp_path, broken)
    assert fast == tolerant == mended
    assert records.counts.lines == 1


def test_line_separators_of_unicode_are_data(tmp_path):
    content = (
        '{"id":1,"text":"a\u2028b"}\n{"id":2,"text":"c\u0085d"}\n'
        '{"id":3,"text":"e\\rf"}\n{"id":4,"text":"x\u2029y"}\n'
    )
    for format in ("twitter-v1", "jsonl", "auto"):
        path = tmp_path / "u2028.jsonl"
        path.write_text(content, encoding="utf-8", newline="")
        records = read_records(path, format)
        texts = [text for table in records for text in table["text"].to_pylist()]
        assert texts == ["a\u2028b", "c\u0085d", "e\rf", "x\u2029y"]
        assert records.counts.lines == records.counts.records == 4


def test_mixed_lines_are_all_classified(tmp_path):
    retweet = {"type": "retweeted", "id": "5"}
    v2 = {
        "data": [
            {"id": "4", "text": "RT @u: fo…", "author_id": "9", "referenced_tweets": [retweet]}
        ],
        "includes": {"tweets": [{"id": "5", "text": "four full"}]},
    }
    content = lines(
        {
            **{"id_str": "1", "text": "cut…", "truncated": True},
            "extended_tweet": {"full_text": "long one"},
        },
        {"id_str": "2", "full_text": "two"},
        {
            **{"id_str": "3", "full_text": "RT @u: cu…", "truncated": False},
            "retweeted_status": {"full_text": "cut no more"},
        },
        v2,
        {"delete": {"status": {"id_str": "2", "user_id_str": "7"}}},
        {"limit": {"track": 5}},
        "",
        "null",
        '"str"',
        {"id_str": "6", "text": "nobody's", "user": None},
    )
    rows, records = read(tmp_path, content)
    assert [(row["post_id"], row["text"], row["is_retweet"]) for row in rows] == [
        ("1", "long one", False),
        ("3", "cut no more", True),
        ("4", "four full", True),
        ("6", "nobody's", False),
    ]
    counts = records.counts
    assert counts.non_records == {
        **{"blank": 1, "delete": 1, "deleted": 1, "limit": 1, "not_an_object": 2, "page": 1}
    }
    assert counts.quarantined == {}
    assert (counts.lines, counts.records) == (11, 4)


def test_a_delete_notice_works_before_its_post_and_across_files(tmp_path):
    (tmp_path / "a.jsonl").write_text(lines({"delete": {"status": {"id": 7}}}))
    (tmp_path / "b.jsonl").write_text(lines(FULL, {**FULL, "id": 8, "id_str": "8"}))
    records = read_records(tmp_path, "twitter-v1")
    assert [t["post_id"].to_pylist() for t in records] == [["8"]]
    assert [entry.counts.non_records for entry in records.counts] == [{"delete": 1}, {"deleted": 1}]


@pytest.mark.parametrize("format", ["twitter-v1", "jsonl"])
def test_ids_keep_every_digit(tmp_path, format):
    content = (
        '{"id":1234567890123456789,"text":"a"}\n'
        '{"id":1234567890123456788,"in_reply_to_status_id":null,"text":"b"}\n'
        '{"id":1.2345678901234567e18,"text":"c"}\n'
        '{"id":1234567890123456700,"id_str":"1234567890123456777","text":"d"}\n'
    )
    rows, records = read(tmp_path, content, format)
    assert [row["post_id"] for row in rows] == [
        "1234567890123456789",
        "1234567890123456788",
        "1234567890123456777",
    ]
    assert records.counts.quarantined == {"float_id": 1}
    assert records.counts.total.flagged == {"post_id_mismatch": 1}
    assert records.quarantine.to_pylist()[0]["line"] == 3


def test_counts_of_other_types_are_coerced_and_counted(tmp_path):
    odd = {**FULL, "favorite_count": "5", "retweet_count": 4.0, "lang": 3}
    odd["user"] = {**FULL["user"], "listed_count": -1}
    [row], records = read(tmp_path, lines(odd))
    assert (row["favorite_count"], row["retweet_count"], row["listed_count"]) == (5, 4, 0)
    assert records.counts.total.coerced == {
        **{"favorite_count": 1, "lang": 1, "listed_count": 1, "retweet_count": 1}
    }


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"favorite_count": "many"}, "wrong_type"),
        ({"favorite_count": 10**19}, "wrong_type"),
        ({"text": 5}, "wrong_type"),
        ({"user": "ada"}, "wrong_type"),
        ({"retweeted_status": []}, "wrong_type"),
        ({"id_str": None, "id": True}, "wrong_type"),
        ({"text": None}, "no_text"),
    ],
)
def test_what_cannot_be_guessed_is_quarantined(tmp_path, change, reason):
    rows, records = read(tmp_path, lines({**FULL, **change}))
    assert rows == [] and records.counts.quarantined == {reason: 1}


def test_a_lone_cr_splits_a_line_that_is_no_json(tmp_path):
    one, two = json.dumps(FULL), json.dumps({**FULL, "id": 8, "id_str": "8"})
    rows, records = read(tmp_path, f'{one}\r{two}\r\r\n{one[:-1]},\r"x": 1}}\r\n')
    assert [(row["line"], row["post_id"]) for row in rows] == [(1, "7"), (2, "8")]
    assert records.counts.non_records == {"blank": 1, "duplicate": 1}
    assert records.counts.lines == 4


def test_broken_characters_are_replaced_and_counted(tmp_path):
    content = (
        b'{"id":1,"text":"a\xffb","user":null}\n{"id":2,"text":"c\\ud83dd","user":null}\n'
        b'{"id":3,"id_str":"3","text":"e\\u0000f","user":{"id":1,"id_str":"1"}}\n'
    )
    rows, records = read(tmp_path, content)
    assert [row["text"] for row in rows] == ["a\ufffdb", "c\ufffdd", "e\ufffdf"]
    assert records.counts.total.flagged == {"invalid_utf8": 1, "lone_surrogate": 1, "nul": 1}


def test_a_long_text_is_cut_and_flagged(tmp_path):
    [row], records = read(tmp_path, lines({**FULL, "text": "é" * 10_001}))
    assert len(row["text"]) == 10_000 and row["truncated"]
    assert records.counts.total.flagged == {"truncated": 1}


def test_an_array_is_its_elements_in_any_layout(tmp_path):
    tweets = [{**FULL, "id": i, "id_str": str(i)} for i in (1, 2, 3)]
    for content in (json.dumps(tweets), json.dumps(tweets, indent=1), lines(tweets[:2], tweets[2])):
        rows, records = read(tmp_path, content)
        assert [(row["line"], row["post_id"]) for row in rows] == [(1, "1"), (2, "2"), (3, "3")]
        assert records.counts.lines == 3


def test_a_pretty_printed_object_is_one_line(tmp_path):
    rows, records = read(tmp_path, json.dumps(FULL, indent=2))
    assert len(rows) == records.counts.lines == 1


def test_an_array_cut_short_is_quarantined_line_by_line(tmp_path):
    rows, records = read(tmp_path, json.dumps([FULL, FULL], indent=1)[:-20])
    assert rows == [] and set(records.counts.quarantined) == {"not_json"}


def test_a_page_of_search_results_is_its_elements_and_a_page(tmp_path):
    page = {"statuses": [FULL, {"id": 1}], "search_metadata": {}}
    rows, records = read(tmp_path, lines(page))
    assert [row["line"] for row in rows] == [2]
    assert records.counts.non_records == {"page": 1}
    assert records.counts.quarantined == {"unknown_object": 1}


def test_two_objects_on_a_line_and_nan_are_no_json(tmp_path):
    rows, records = read(tmp_path, lines(json.dumps(FULL) * 2, '{"id": NaN, "text": "a"}'))
    assert rows == [] and records.counts.quarantined == {"not_json": 2}


def test_the_quarantine_shows_where_and_a_hash_but_no_text(tmp_path):
    _, records = read(tmp_path, lines(FULL, "{secret words"))
    [entry] = records.quarantine.to_pylist()
    assert (entry["input"], entry["line"], entry["reason"]) == (0, 2, "not_json")
    assert "secret" not in str(entry) and len(entry["sha256"]) == 64


def test_an_empty_file_is_counted(tmp_path):
    rows, records = read(tmp_path, b"")
    assert rows == [] and records.counts.lines == 0 and len(records.counts) == 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [*FULL, "extended_tweet", "retweeted_status", "full_text", "delete", "statuses"]
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=12,
)
GARBAGE = st.binary(max_size=30) | JSON.map(lambda value: json.dumps(value).encode())


@given(st.lists(GARBAGE), st.sampled_from([b"\n", b"\r\n", b"\r"]))
def test_garbage_never_crashes_and_always_adds_up(tmp_path_factory, units, end):
    content = end.join(units)
    assume(not content.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd")))  # damaged gzip or zstd
    for format in ("twitter-v1", "jsonl"):
        rows, records = read(tmp_path_factory.mktemp("garbage"), content, format)
        counts = records.counts.total.check("garbage")
        assert counts.records == len(rows)
        assert records.quarantine.num_rows == sum(counts.quarantined.values())
    assert POSTS.names[:2] == ["input", "line"]
