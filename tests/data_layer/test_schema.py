"""The table of posts: its columns, and how texts and times are made fit for it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from whybox.data.accounting import Tally
from whybox.data.schema import MAX_TEXT, POSTS, posts_table, string_column

TEXTS = st.text(st.sampled_from("a\0é😢 "), max_size=4)


@given(st.lists(st.none() | TEXTS))
def test_nul_is_replaced_and_counted_once_a_value(values):
    tally = Tally()
    found = string_column(values, tally).to_pylist()
    assert found == [value and value.replace("\0", "\ufffd") for value in values]
    assert tally.flagged["nul"] == sum("\0" in (value or "") for value in values)


def test_columns_that_are_absent_are_null_or_false():
    table = posts_table(Tally(input=3), [5], ["a"], {})
    assert table.schema.equals(POSTS)
    [row] = table.to_pylist()
    assert {name for name, value in row.items() if value is None} == {
        *("post_id", "user_id", "created_at", "lang", "label", "favorite_count", "retweet_count"),
        *("mention_count", "total_favourites", "friends", "followers", "listed_count", "timezone"),
    }
    assert (row["input"], row["line"], row["is_retweet"], row["anchor"]) == (3, 5, False, False)


def test_texts_are_cut_by_code_points_and_empty_ones_flagged():
    tally = Tally()
    texts = ["😢" * (MAX_TEXT + 1), "b" * MAX_TEXT, " \n"]
    table = posts_table(tally, [1, 2, 3], texts, {"created_at": ["soon", None, "2020-01-01"]})
    assert [len(text) for text in table["text"].to_pylist()] == [MAX_TEXT, MAX_TEXT, 2]
    assert table["truncated"].to_pylist() == [True, False, False]
    assert tally.flagged == {"truncated": 1, "empty_text": 1}
    assert tally.coerced == {"created_at": 1} and tally.records == 3
