"""Small tables of posts, by hand and by hypothesis."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from text_strategies import torture

INTEGERS = (
    "favorite_count", "retweet_count", "mention_count", "total_favourites", "friends", "followers",
    "listed_count",
)  # fmt: skip

SCHEMA = pa.schema(
    [("input", pa.int32()), ("line", pa.int64()), ("post_id", pa.string())]
    + [("user_id", pa.string()), ("created_at", pa.timestamp("s", "UTC")), ("text", pa.string())]
    + [("lang", pa.string()), ("label", pa.string()), ("is_retweet", pa.bool_())]
    + [(name, pa.int64()) for name in INTEGERS]
    + [("truncated", pa.bool_()), ("anchor", pa.bool_())]
)

_DEFAULTS: dict[str, Any] = {
    "input": 0, "line": 1, "post_id": "1", "user_id": "u", "created_at": 0, "text": "", "lang": "en",
    "label": None, "is_retweet": False, "favorite_count": 0, "retweet_count": 0,
    "mention_count": None, "total_favourites": 0, "friends": 0, "followers": 0, "listed_count": 0,
    "truncated": False, "anchor": False,
}  # fmt: skip


def posts_table(*rows: dict[str, Any]) -> pa.Table:
    """A table of posts from what is worth saying of each."""
    return pa.Table.from_pylist([_DEFAULTS | row for row in rows], schema=SCHEMA)


_counts = st.one_of(st.none(), st.integers(0, 10**9))
_row = st.fixed_dictionaries(
    {
        "user_id": st.sampled_from([None, "a", "b", "ü", "10", "9"]),
        "label": st.sampled_from([None, "positive", "negative"]),
        "created_at": st.one_of(st.none(), st.integers(0, 2_000_000_000)),
        "text": torture,
    }
    | dict.fromkeys(INTEGERS, _counts)
)
rows = st.lists(_row, max_size=10)
