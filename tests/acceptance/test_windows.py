"""A window ends where each user's posts end, which no block of the input knows by itself."""

from __future__ import annotations

import json
from collections import Counter

import pytest


def tweet(number, user, day, text="a"):
    """A tweet of a day of January 2020."""
    return {
        **{"id_str": str(number), "id": number, "text": text},
        "created_at": f"Wed Jan {day:02d} 12:00:00 +0000 2020",
        "user": {"id_str": user, "id": int(user)},
    }


TWEETS = [
    tweet(1, "7", 1),
    tweet(2, "8", 5),
    tweet(3, "7", 20),
    tweet(4, "8", 6),
    tweet(5, "7", 30),
    tweet(6, "8", 31),  # taken back: ends no window
    {"delete": {"status": {"id_str": "6", "user_id_str": "8"}}},
    {**tweet(7, "8", 2), "created_at": "once"},
]


@pytest.mark.parametrize(
    ("end", "kept"),
    [("last", ["2", "3", "4", "5"]), ("2020-01-06", ["1", "2", "4"]), ("2019-12-31", [])],
)
def test_posts_outside_are_counted_and_in_no_sum(tmp_path, extracted, end, kept):
    path = tmp_path / "posts.jsonl"
    padding = {"padding": "x" * 300}  # a block for every post
    path.write_text("".join(json.dumps({**value, **padding}) + "\n" for value in TWEETS))
    if not kept:
        with pytest.raises(Exception, match="no record"):
            extracted(path, window="15d", window_end=end, min_posts=1)
        return
    found = extracted(path, window="15d", window_end=end, min_posts=1)
    assert [row["post_id"] for row in found.rows("posts")] == kept
    outside = len(TWEETS) - 2 - len(kept)
    expected = {"delete": 1, "deleted": 1, "outside_window": outside}
    assert found.totals["non_records"] == expected
    users = {row["user_id"]: row["n_posts"] for row in found.rows("users")}
    assert users == Counter(
        value["user"]["id_str"] for value in TWEETS if value.get("id_str") in kept
    )
    assert found.manifest["recipe"]["window"] == "15d"
    assert found.manifest["recipe"]["window_end"] == end
