"""A9: the hour of a post is that of the zone asked for, whatever the zone of the worker."""

from __future__ import annotations

import json
import time

import pytest

from digests import digests
from whybox.config import ExtractConfig
from whybox.pipelines import extract

NEW_YORK = ["2024-11-03T05:30Z", "2024-11-03T06:30Z", "2024-03-10T07:30Z"]  # hours 1, 1, 3


def posts(path, times):
    """A post a time, of one user."""
    lines = [
        json.dumps({"id": n, "text": "a", "who": "ann", "when": when})
        for n, when in enumerate(times)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


OPTIONS = {"format": "jsonl", "user_column": "who", "time_column": "when", "min_posts": 1}


@pytest.mark.parametrize(
    ("zone", "times", "night", "expected"),
    [
        ("America/New_York", NEW_YORK, "01:00-02:00", [1, 1, 0]),
        ("America/New_York", NEW_YORK, "03:00-04:00", [0, 0, 1]),
        ("America/New_York", NEW_YORK, "02:00-03:00", [0, 0, 0]),
        ("Asia/Kathmandu", ["2024-11-03T18:20Z"], "00:05-00:06", [1]),
        ("Asia/Kathmandu", ["2024-11-03T18:20Z"], "00:00-00:05", [0]),
        (None, ["2024-11-03T18:20Z", None], "18:20-18:21", [1, None]),
    ],
)
def test_a9_hours_are_local(tmp_path, extracted, zone, times, night, expected):
    path = posts(tmp_path / "posts.jsonl", times)
    found = extracted(path, night=night, **({"timezone": zone} if zone else {}), **OPTIONS)
    assert [row["night"] for row in found.rows("posts")] == expected
    assert found.manifest["recipe"]["timezone"] == (zone or "UTC")
    known = [value for value in expected if value is not None]
    assert [row["time_distribution"] for row in found.rows("users")] == [sum(known) / len(known)]


TRAVELLERS = [  # who, when, their zone, and whether that is between one and two o'clock there
    ("ann", NEW_YORK[0], "America/New_York", 1),  # 01:30
    ("ann", NEW_YORK[1], "America/New_York", 1),  # 01:30 again: the clocks went back
    ("ann", NEW_YORK[2], "America/New_York", 0),  # 03:30
    ("bob", "2024-11-03T19:20Z", "Asia/Kathmandu", 1),  # 01:05 of the next day
    ("bob", "2024-11-03T18:20Z", "Asia/Kathmandu", 0),  # 00:05 of the next day
    ("cat", "2024-11-03T01:30Z", None, 1),  # UTC
    ("cat", "2024-11-03T05:30Z", "", 0),  # UTC
    ("dan", "2024-11-03T01:30Z", "Eastern Time (US & Canada)", 1),  # no IANA zone: UTC
]


def travellers(path):
    """The travellers' posts."""
    lines = [
        json.dumps({"id": n, "text": "a", "who": who, "when": when, "zone": zone})
        for n, (who, when, zone, _) in enumerate(TRAVELLERS)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a9_users_have_zones_of_their_own_and_those_without_one_are_flagged(tmp_path, extracted):
    path = travellers(tmp_path / "posts.jsonl")
    found = extracted(path, night="01:00-02:00", timezone_column="zone", **OPTIONS)
    posts = found.rows("posts")
    assert [row["night"] for row in posts] == [night for *_, night in TRAVELLERS]
    assert {row["user_id"] for row in posts if row["timezone"] is None} == {"cat", "dan"}
    assert found.totals["flagged"] == {"no_timezone": 3}
    assert found.totals["coerced"] == {"timezone": 1}
    assert found.manifest["recipe"]["own_timezones"] is True
    shares = {row["user_id"]: row["time_distribution"] for row in found.rows("users")}
    assert shares == {"ann": 2 / 3, "bob": 1 / 2, "cat": 1 / 2, "dan": 1.0}


@pytest.mark.parametrize("own", [False, True])
def test_a9_the_zone_of_the_worker_plays_no_part(tmp_path, monkeypatch, own):
    path = travellers(tmp_path / "posts.jsonl")
    options = {**OPTIONS, "timezone_column": "zone" if own else None}
    found = []
    try:
        for zone in ("UTC", "Asia/Kathmandu", "America/New_York"):
            monkeypatch.setenv("TZ", zone)
            time.tzset()
            out = tmp_path / zone.replace("/", "-")
            config = ExtractConfig(inputs=(str(path),), out=out, scheduler="sync", **options)
            extract.run(config)
            found.append(digests(out))
    finally:
        monkeypatch.undo()
        time.tzset()
    assert found[0] == found[1] == found[2]
