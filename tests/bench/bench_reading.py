"""How fast twitter-v1 is read: lines of about 2.6 KB, synthetic, one core.

Usage: python tests/bench/bench_reading.py [LINES]
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

from whybox.data import Source, find_inputs, plan_blocks, read_block


def tweet(number: int) -> bytes:
    """Make a full v1.1 object, padded with the fields that readers skip."""
    user = {
        "id": 10_000 + number % 500,
        "id_str": str(10_000 + number % 500),
        "screen_name": f"user{number % 500}",
        "description": "made by a generator, " * 6,
        "followers_count": number % 911,
        "friends_count": number % 577,
        "listed_count": number % 7,
        "favourites_count": number % 2_003,
        "created_at": "Sat May 02 10:00:00 +0000 2009",
        "profile_image_url_https": "https://pbs.example/profile/" + "x" * 60,
        "profile_banner_url": "https://pbs.example/banner/" + "x" * 60,
        **{f"profile_setting_{i}": "C0DEED" for i in range(30)},
    }
    value = {
        "created_at": f"Mon Apr 06 22:{number % 60:02}:45 +0000 2009",
        "id": 10**18 + number,
        "id_str": str(10**18 + number),
        "text": f"words number {number} of a made up post, with @someone and #something in it",
        "source": '<a href="https://example.org" rel="nofollow">A client</a>',
        "truncated": False,
        "user": user,
        "entities": {
            "hashtags": [{"text": "something", "indices": [50, 60]}],
            "user_mentions": [{"id": 7, "id_str": "7", "screen_name": "someone"}],
            "urls": [{"url": "https://t.co/x", "expanded_url": "https://example.org/" + "y" * 90}],
        },
        "retweet_count": number % 3,
        "favorite_count": number % 5,
        "lang": "en",
        **{f"other_field_{i}": None for i in range(20)},
    }
    return json.dumps(value).encode("ascii")


def main(lines: int = 200_000) -> None:
    """Write the lines once, read them, and print the rates."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "posts.jsonl")
        path.write_bytes(b"\n".join(map(tweet, range(lines))) + b"\n")
        source = Source("twitter-v1")
        inputs = find_inputs(str(path), "twitter-v1")
        size = path.stat().st_size
        for round_name in ("first reading (imports included)", "second", "third"):
            start = time.process_time()
            rows = 0
            for block in plan_blocks(inputs, source):
                rows += sum(table.num_rows for table in read_block(block, source))
            seconds = time.process_time() - start
            print(
                f"{round_name}: {rows:,} lines of {size / lines:,.0f} bytes in {seconds:.2f} s of "
                f"one core: {rows / seconds:,.0f} lines/s, {size / seconds / 1e6:,.0f} MB/s"
            )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
