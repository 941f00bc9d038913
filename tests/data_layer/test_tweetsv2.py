"""API v2: pages and flattened lines give the tweets of v1.1 that they amount to."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybox.data import read_records

AUTHOR = {
    "id": "9",
    "username": "ann",
    "public_metrics": {"followers_count": 13, "following_count": 12, "listed_count": 14},
}
FULL = {"id": "5", "text": "four, not cut", "author_id": "8"}
RETWEET = {
    "id": "4",
    "text": "RT @u: fo…",
    "author_id": "9",
    "created_at": "2021-08-06T23:10:01.000Z",
    "lang": "en",
    "public_metrics": {"retweet_count": 3, "like_count": 2, "reply_count": 1, "quote_count": 0},
    "entities": {"mentions": [{"username": "u"}], "urls": []},
    "referenced_tweets": [{"type": "retweeted", "id": "5"}],
}
PAGE = {
    "data": [RETWEET],
    "includes": {"tweets": [FULL], "users": [AUTHOR]},
    "errors": [{"title": "Not Found Error"}],
    "meta": {"result_count": 1},
}


def read(tmp_path, *values, format="auto"):
    """Rows and accounts of values, one a line."""
    path = tmp_path / "pages.jsonl"
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    records = read_records(path, format)
    rows = [row for table in records for row in table.to_pylist()]
    return rows, records


@pytest.mark.parametrize("format", ["auto", "twitter-v1", "twitter-v2"])
def test_a_page_is_its_tweets_and_one_line_that_is_no_record(tmp_path, format):
    rows, records = read(tmp_path, PAGE, format=format)
    row = rows[0]
    assert (row["post_id"], row["user_id"], row["text"]) == ("4", "9", "four, not cut")
    assert row["created_at"].isoformat() == "2021-08-06T23:10:01+00:00"
    assert (row["favorite_count"], row["retweet_count"], row["mention_count"]) == (2, 3, 1)
    assert (row["followers"], row["friends"], row["listed_count"]) == (13, 12, 14)
    assert row["total_favourites"] is None and row["is_retweet"] and row["lang"] == "en"
    counts = records.counts.total
    assert (counts.lines, counts.records, counts.non_records) == (2, 1, {"page": 1})
    assert counts.flagged == {"page_errors": 1}


def test_a_flattened_line_gives_the_same_post(tmp_path):
    flat = {**RETWEET, "author": AUTHOR, "referenced_tweets": [{"type": "retweeted", **FULL}]}
    in_page, _ = read(tmp_path, PAGE)
    alone, records = read(tmp_path, flat)
    assert records.source.format == "twitter-v2"
    for row in (*in_page, *alone):
        del row["line"]
    assert alone == in_page


def test_the_original_may_be_missing_and_a_long_note_wins(tmp_path):
    rows, _ = read(
        tmp_path,
        {"data": [RETWEET]},
        {"data": {"id": "6", "text": "cut…", "note_tweet": {"text": "all of it"}}},
        {"data": {"id": "7", "text": "a quote", "referenced_tweets": [{"type": "quoted"}]}},
    )
    assert [row["text"] for row in rows] == ["RT @u: fo…", "all of it", "a quote"]
    assert [row["is_retweet"] for row in rows] == [True, False, False]
    assert [row["user_id"] for row in rows] == ["9", None, None]


def test_what_a_page_holds_besides_tweets_is_classified(tmp_path):
    rows, records = read(
        tmp_path,
        {"data": [{"start": "2021", "end": "2022", "tweet_count": 4}]},
        {"data": [AUTHOR, None, {"id": "1"}, {"id": 1.5e18, "text": "lost digits"}]},
        {"meta": {"result_count": 0}},
        {"id": "8", "action": "delete", "reason": "protected"},
        {"errors": [{"title": "ConnectionException"}]},
    )
    counts = records.counts
    assert rows == [] and counts.lines == 10
    expected = {"page": 3, "count": 1, "profile": 1, "not_an_object": 1, "compliance": 1}
    assert counts.non_records == {**expected, "errors": 1}
    assert counts.quarantined == {"unknown_object": 1, "float_id": 1}


KEYS = st.sampled_from(
    [
        *("data", "includes", "users", "tweets", "id", "text", "author_id", "author", "meta"),
        *("public_metrics", "like_count", "entities", "mentions", "referenced_tweets", "type"),
        *("note_tweet", "errors", "created_at", "lang", "user", "username", "result_count"),
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(value=st.dictionaries(KEYS, VALUES, max_size=6))
def test_no_object_crashes_and_every_line_is_accounted_for(tmp_path_factory, value):
    folder = tmp_path_factory.mktemp("v2")
    rows, records = read(folder, value, PAGE, format="twitter-v2")
    assert records.counts.records == len(rows) >= 1  # the accounts are checked by the reader
    assert any(row["text"] == "four, not cut" for row in rows) or records.counts.quarantined


@pytest.mark.reference
def test_all_tweets_of_libraries_test_files(reference):
    folder = reference / "data" / "twitter_json"
    records = pages = 0
    for path in sorted((folder / "twarc-csv").glob("*.jsonl")):
        found = read_records(path, "twitter-v2")
        records += sum(table.num_rows for table in found)
        pages += found.counts.non_records.get("page", 0)
        kinds = set(found.counts.quarantined)
        assert kinds == ({"not_json"} if "with_error" in path.name else set()), path
    # 1,409 in the data of pages and 100 flattened; 696 + 94 more are only referred to
    assert (records, pages) == (1_409 + 100, 37)
