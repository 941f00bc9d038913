"""Windows of time: whose posts stay, whichever way the posts were cut into blocks."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybox.errors import InputError
from whybox.features.recipe import Recipe
from whybox.features.windows import fixed_end, inside, merge_ends, window_ends, window_seconds

HOUR = 3600
POSTS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", None]),
        st.none() | st.integers(0, 5).map(lambda h: h * HOUR),
        st.booleans(),
    ),
    max_size=12,
)


def table(posts):
    """Posts as a table."""
    users, times, anchors = zip(*posts, strict=True) if posts else ((), (), ())
    return pa.table(
        {
            "user_id": pa.array(users, pa.string()),
            "created_at": pa.array(times, pa.timestamp("s", "UTC")),
            "anchor": pa.array(anchors, pa.bool_()),
        }
    )


def naive_inside(posts, hours, end):
    """Post by post, looking at all others."""
    kept = []
    for user, time, _ in posts:
        others = [(t, a) for u, t, a in posts if t is not None and u == user]
        if time is None:
            kept.append(False)
            continue
        until = end
        if end == "last":
            until = time if user is None else max(t for t, _ in others)
        elif end == "anchor":
            anchors = [t for t, a in others if a]
            until = time if user is None else max(anchors or [t for t, _ in others])
        kept.append(until - hours * HOUR < time <= until)
    return kept


@given(
    posts=POSTS,
    cut=st.integers(0, 12),
    hours=st.integers(1, 4),
    end=st.sampled_from(["last", "anchor", 3 * HOUR]),
)
def test_the_same_posts_stay_however_they_are_cut(posts, cut, hours, end):
    ends = merge_ends([window_ends(table(posts[:cut])), window_ends(table(posts[cut:]))])
    found = inside(table(posts), f"{hours}h", end, ends)
    assert found.tolist() == naive_inside(posts, hours, end)


@given(parts=st.lists(POSTS, min_size=3, max_size=3))
def test_ends_merge_in_any_grouping(parts):
    a, b, c = (window_ends(table(part)) for part in parts)
    together = merge_ends([a, b, c])
    assert together.equals(merge_ends([merge_ends([c, a]), b]))
    assert together.equals(window_ends(table([post for part in parts for post in part])))


def test_anchors_that_are_left_out_end_no_window():
    posts = table([("a", 0, False), ("a", HOUR, True)])
    assert window_ends(posts, without_anchors=True).to_pylist() == [
        {"user_id": "a", "last": 0, "last_anchor": HOUR}
    ]


@pytest.mark.parametrize(
    ("text", "zone", "expected"),
    [
        ("1970-01-02", "UTC", 2 * 86_400 - 1),
        ("1970-01-01", "Asia/Kathmandu", 86_400 - 1 - int(5.5 * HOUR)),
        ("2024-03-10", "America/New_York", 1710129599),  # a day of 23 hours
        ("1970-01-01T00:00:05+00:00", "Asia/Kathmandu", 5),
    ],
)
def test_a_date_ends_with_its_day_where_the_recipe_is(text, zone, expected):
    assert fixed_end(text, zone) == expected


@pytest.mark.parametrize("options", [{"window": "30"}, {"window": "0d"}, {"window_end": "soon"}])
def test_what_is_no_window_is_refused(options):
    with pytest.raises(InputError, match="expected"):
        Recipe(**options)
    assert window_seconds("2w") == 14 * 86_400
