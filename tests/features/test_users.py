from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from posts_strategies import posts_table, rows
from whybox.errors import InputError
from whybox.features.names import AVERAGED, FEATURES
from whybox.features.posts import post_features
from whybox.features.recipe import Recipe
from whybox.features.users import SUMS_SCHEMA, merge_sums, user_features, user_sums
from whybox.text.counter import TextCounter

COUNTER = TextCounter()


def featured(posts):
    return post_features(posts_table(*posts), COUNTER, Recipe())


def slow_features(table, min_posts):
    """Means per user, a row at a time."""
    users = defaultdict(list)
    for row in table.to_pylist():
        if row["user_id"] is not None:
            users[row["user_id"]].append(row)
    result = []
    for user in sorted(users, key=str.encode):
        posts = users[user]
        labels = {row["label"] for row in posts} - {None}
        features = {"posting_number": float(len(posts))}
        for name, column in AVERAGED.items():
            values = [row[column] for row in posts if row[column] is not None]
            features[name] = sum(values) / len(values) if values else None
        label = labels.pop() if len(labels) == 1 else None
        if len(posts) >= min_posts:
            values = {name: features[name] for name in FEATURES}
            result.append({"user_id": user, "label": label, "n_posts": len(posts)} | values)
    return result


@given(rows, st.integers(1, 3))
def test_features_are_means_over_the_posts_that_carry_a_value(posts, min_posts):
    table = featured(posts)
    result = user_features(user_sums(table), Recipe(min_posts=min_posts)).table
    assert result.column_names == ["user_id", "label", "n_posts", *FEATURES]
    assert {result.schema.field(name).type for name in FEATURES} == {pa.float64()}
    assert result.to_pylist() == slow_features(table, min_posts)


@given(rows, st.lists(st.integers(0, 10), max_size=3), st.randoms(use_true_random=False))
def test_sums_merge_in_any_grouping_and_order(posts, cuts, random):
    table = featured(posts)
    whole = user_sums(table)
    order = list(range(table.num_rows))
    random.shuffle(order)
    shuffled = table.take(pa.array(order, pa.int64()))
    bounds = [0, *sorted(min(cut, len(order)) for cut in cuts), len(order)]
    parts = [user_sums(shuffled.slice(a, b - a)) for a, b in pairwise(bounds)]
    assert merge_sums(parts).equals(whole)
    assert merge_sums(parts[::-1]).equals(whole)
    assert merge_sums([merge_sums(parts[:1]), merge_sums(parts[1:])]).equals(whole)


@given(rows)
def test_posts_with_a_user_are_all_counted(posts):
    sums = user_sums(featured(posts))
    assert sums.schema.equals(SUMS_SCHEMA)
    with_user = sum(row["user_id"] is not None for row in posts)
    assert sum(sums["n_posts"].to_pylist()) == with_user
    result = user_features(sums, Recipe(min_posts=2))
    assert result.table.num_rows + result.dropped.num_rows == sums.num_rows


def test_users_with_few_posts_are_listed_with_the_reason():
    posts = [{"user_id": "a"}] * 5 + [{"user_id": "b"}] * 6
    result = user_features(user_sums(featured(posts)), Recipe())
    assert result.table["user_id"].to_pylist() == ["b"]
    assert result.dropped.to_pylist() == [
        {"user_id": "a", "label": None, "n_posts": 5, "reason": "few_posts"}
    ]


def test_a_user_of_two_labels_keeps_none_and_is_listed():
    labels = {"a": ["positive", None, "negative"], "b": ["positive", None], "c": [None]}
    posts = [{"user_id": user, "label": label} for user in labels for label in labels[user]]
    result = user_features(user_sums(featured(posts)), Recipe(min_posts=1))
    assert result.table["label"].to_pylist() == [None, "positive", None]
    assert result.contradictory.to_pylist() == [{"user_id": "a", "n_posts": 3}]


def test_posts_without_a_time_are_left_out_of_the_share_at_night():
    posts = [{"created_at": t} for t in (0, 12 * 3600, 13 * 3600, None)]
    result = user_features(user_sums(featured(posts)), Recipe(min_posts=1))
    assert result.table["time_distribution"].to_pylist() == [1 / 3]


def test_a_user_whose_posts_carry_no_profile_has_no_profile_counts():
    posts = [{"user_id": "a", "followers": None}, {"user_id": "b", "followers": 4},
             {"user_id": "b", "followers": None}]  # fmt: skip
    result = user_features(user_sums(featured(posts)), Recipe(min_posts=1))
    assert result.table["followers"].to_pylist() == [None, 4.0]
    assert str(result.table["followers"].to_numpy()[0]) == "nan"


def test_sums_are_exact_beyond_what_a_float_counts():
    posts = [{"followers": 2**61}, {"followers": 1}, {"followers": 2}]
    assert user_sums(featured(posts))["followers_sum"].to_pylist() == [2**61 + 3]


def test_tables_of_other_columns_are_refused():
    with pytest.raises(InputError, match="no column night"):
        user_sums(posts_table({}))
    with pytest.raises(InputError, match="user_sums first"):
        merge_sums([posts_table({})])
