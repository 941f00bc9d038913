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


def test_a9_the_zone_of_the_worker_plays_no_part(tmp_path, monkeypatch):
    path = posts(tmp_path / "posts.jsonl", NEW_YORK)
    found = []
    try:
        for zone in ("UTC", "Asia/Kathmandu", "America/New_York"):
            monkeypatch.setenv("TZ", zone)
            time.tzset()
            out = tmp_path / zone.replace("/", "-")
            config = ExtractConfig(inputs=(str(path),), out=out, scheduler="sync", **OPTIONS)
            extract.run(config)
            found.append(digests(out))
    finally:
        monkeypatch.undo()
        time.tzset()
    assert found[0] == found[1] == found[2]
