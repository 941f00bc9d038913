from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from posts_strategies import posts_table, rows
from whybox.errors import InputError
from whybox.features.names import FEATURES, POST_COLUMNS
from whybox.features.posts import post_features, post_level_features, select_posts
from whybox.features.recipe import Recipe
from whybox.text.counter import TextCounter

COUNTER = TextCounter()


def nights(times, **options):
    seconds = [None if t is None else int(datetime.fromisoformat(t).timestamp()) for t in times]
    table = posts_table(*({"created_at": t} for t in seconds))
    return post_features(table, COUNTER, Recipe(**options))["night"].to_pylist()


def hours(times, timezone):
    """Local hours, as the windows of one hour that hold the times."""
    windows = [f"{h:02}:00-{(h + 1) % 24:02}:00" for h in range(24)]
    found = [nights(times, timezone=timezone, night=window) for window in windows]
    return [column.index(1) for column in zip(*found, strict=True)]


def test_local_hours_where_clocks_change():
    times = ["2024-11-03T05:30+00:00", "2024-11-03T06:30+00:00", "2024-03-10T07:30+00:00"]
    assert hours(times, "America/New_York") == [1, 1, 3]


def test_a_zone_of_quarter_hours_begins_its_day_on_time():
    times = ["2024-11-03T18:14+00:00", "2024-11-03T18:15+00:00", "2024-11-03T18:20+00:00"]
    assert nights(times, timezone="Asia/Kathmandu", night="00:00-00:06") == [0, 1, 1]


@given(
    st.lists(st.integers(0, 2_000_000_000), min_size=1, max_size=5),
    st.sampled_from(["UTC", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe"]),
    st.sampled_from(["23:00-06:00", "01:30-02:15", "00:00-12:00", "22:00-00:00"]),
)
def test_night_is_what_a_clock_on_the_wall_says(seconds, zone, night):
    table = posts_table(*({"created_at": s} for s in seconds))
    first, last = night.split("-")
    clocks = [datetime.fromtimestamp(s, ZoneInfo(zone)).strftime("%H:%M") for s in seconds]
    if first < last:
        expected = [first <= clock < last for clock in clocks]
    else:
        expected = [clock >= first or clock < last for clock in clocks]
    recipe = Recipe(timezone=zone, night=night)
    assert post_features(table, COUNTER, recipe)["night"].to_pylist() == expected


def test_the_window_begins_with_its_first_minute_and_ends_before_its_last():
    times = [f"2024-01-01T{clock}+00:00" for clock in ("22:59:59", "23:00", "05:59:59", "06:00")]
    assert nights(times) == [0, 1, 1, 0]


def test_a_post_without_a_time_has_no_night():
    assert nights([None, "2024-01-01T00:00+00:00"]) == [None, 1]


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="this system cannot change its zone")
def test_the_zone_of_the_machine_does_not_matter(monkeypatch):
    times = ["2024-11-03T05:30+00:00", "2024-07-01T23:30+00:00"]
    expected = nights(times)
    before = os.environ.get("TZ")
    try:
        monkeypatch.setenv("TZ", "Pacific/Auckland")
        time.tzset()
        assert nights(times) == expected == [1, 1]
    finally:
        monkeypatch.delenv("TZ") if before is None else monkeypatch.setenv("TZ", before)
        time.tzset()


def test_mentions_are_counted_from_the_text_only_where_the_format_has_none():
    table = posts_table(
        {"text": "@ann @bob", "mention_count": None}, {"text": "@ann @bob", "mention_count": 0}
    )
    assert post_features(table, COUNTER, Recipe())["mention_count"].to_pylist() == [2, 0]


@given(rows)
def test_the_table_keeps_its_rows_and_columns_and_gains_whole_numbers(posts):
    table = posts_table(*posts)
    result = post_features(table, COUNTER, Recipe(), with_stems=True)
    assert result.column_names == [*table.column_names, *POST_COLUMNS, "stems", "words"]
    unchanged = [name for name in table.column_names if name != "mention_count"]
    assert result.select(unchanged).equals(table.select(unchanged))
    assert result["mention_count"].null_count == 0
    assert {result.schema.field(name).type for name in POST_COLUMNS} == {pa.int32()}
    assert post_features(result, COUNTER, Recipe(), with_stems=True).equals(result)


@given(rows)
def test_stems_are_those_of_the_counter_with_a_sorted_dictionary_of_the_tables_own(posts):
    table = posts_table(*posts)
    result = post_features(table, COUNTER, Recipe(), with_stems=True)
    counts = TextCounter().count(table["text"].to_pylist())
    for name, texts in (("stems", counts.vocabulary), ("words", counts.words)):
        column = result[name].combine_chunks()
        expected = [texts[i] for i in counts.stems]
        assert column.type == pa.list_(pa.dictionary(pa.int32(), pa.string()))
        assert [text for found in column.to_pylist() for text in found] == expected
        assert column.values.dictionary.to_pylist() == sorted(set(expected))


def test_a_single_post_has_the_thirteen_features_in_their_order():
    table = posts_table(
        {"text": "sad 😢 :(", "favorite_count": 3, "friends": None, "created_at": None}
    )
    row = post_level_features(post_features(table, COUNTER, Recipe()))
    assert row.column_names == ["post_id", "user_id", "label", *FEATURES]
    assert {row.schema.field(name).type for name in FEATURES} == {pa.float64()}
    expected = {
        "favourites_count": 3.0,
        "negative_words": 1.0,
        "emoji_number": 1.0,
        "emoticons": 1.0,
    }
    expected |= {"posting_number": 1.0, "friends": None, "time_distribution": None}
    assert {name: row[name][0].as_py() for name in expected} == expected


def test_posts_are_left_out_for_the_first_reason_that_applies():
    table = posts_table(
        {"text": "a day"},
        {"text": "I was DIAGNOSED", "lang": "es"},
        {"text": "I was DIAGNOSED"},
        {"text": "depress&#105;on", "anchor": True},
        {"text": "depress&#105;on"},
        {"text": "a day", "is_retweet": True},
        {"text": "a day", "lang": None},
    )
    recipe = Recipe(
        lang="en,de", own_posts_only=True, drop_anchors=True, drop_matching="depression|diagnos"
    )
    kept, left_out = select_posts(table, recipe)
    assert kept.equals(table.slice(0, 1))
    assert left_out == {"language": 2, "retweet": 1, "anchor": 1, "matching": 2}
    assert select_posts(table, Recipe()) == (table, {})


def test_another_counter_than_the_recipes_is_refused():
    with pytest.raises(InputError, match="make the counter from the recipe"):
        post_features(posts_table({}), TextCounter(language="spanish"), Recipe())
    with pytest.raises(InputError, match=r"vader, english, symspell.*vader, english, none"):
        post_features(posts_table({}), TextCounter(spelling="symspell"), Recipe())


def test_a_table_without_its_columns_is_refused():
    with pytest.raises(InputError, match="no column mention_count"):
        post_features(posts_table({}).drop_columns("mention_count"), COUNTER, Recipe())
    with pytest.raises(InputError, match="night"):
        post_level_features(posts_table({}))


def test_times_before_the_epoch_are_read_like_others():
    assert nights([datetime(1969, 12, 31, 23, 30, tzinfo=UTC).isoformat()]) == [1]
