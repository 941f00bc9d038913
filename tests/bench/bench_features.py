"""Raw v1.1 JSON lines to features of users: one core beside the usual chain, then two workers.

Run as ``python tests/bench/bench_features.py [POSTS]`` (60,000 by default). The posts are synthetic,
full objects of about 2.7 KB. The usual chain is what one writes first: json, strptime,
TweetTokenizer, Snowball and the emoji package for each post; it sees a part of the file. Rates are
posts a second of CPU time, ratios within one run; the workers' are wall times of one session.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
from collections import Counter, defaultdict
from datetime import datetime
from pathlib import Path
from time import perf_counter, process_time

import emoji
import numpy as np
from bench_text import LEXICON, STEMMER, STOP_WORDS, TOKENIZER

from whybox.data.blocks import plan_blocks
from whybox.data.source import Source, find_inputs
from whybox.features import stages
from whybox.features.recipe import Recipe
from whybox.graph.extraction import extract_posts, extract_users
from whybox.graph.session import connect
from whybox.synth import SynthConfig, synthesise
from whybox.text.emoticons import count_emoticons

_USUAL_POSTS = 6000
_POSTS_A_USER = 150


def usual_chain(path: Path, at_most: int) -> int:
    """Features of users, post by post."""
    sums: dict[str, Counter[str]] = defaultdict(Counter)
    stems: dict[str, Counter[str]] = defaultdict(Counter)
    done = 0
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            post = json.loads(line)
            user, own = post["user"], sums[post["user"]["id_str"]]
            text = post.get("retweeted_status", post)["text"]
            hour = datetime.strptime(post["created_at"], "%a %b %d %H:%M:%S %z %Y").hour
            for token in TOKENIZER.tokenize(text.lower()):
                own["negative"] += token in LEXICON.negative
                own["positive"] += token in LEXICON.positive
                if len(token) > 2 and token.isalpha() and token not in STOP_WORDS:
                    stems[user["id_str"]][STEMMER.stem(token)] += 1
            own["emoji"] += emoji.emoji_count(text)
            own["emoticons"] += count_emoticons(text)
            own["night"] += hour >= 23 or hour < 6
            own["mentions"] += len(post["entities"]["user_mentions"])
            own["retweets"] += post["retweet_count"]
            own["favourites"] += post["favorite_count"]
            for name in ("favourites_count", "friends_count", "followers_count", "listed_count"):
                own[name] += user[name]
            own["posts"] += 1
            done += 1
            if done == at_most:
                break
    return done


def one_core(blocks: list, job: stages.Job) -> tuple[int, float, float]:
    """Posts, seconds to read and count them, seconds to write and sum them."""
    start = process_time()
    staged = stages.stage_blocks(blocks, job)
    read = process_time()
    finished = []
    for block in staged:
        n = len(block.inputs)
        kept, anchors = np.zeros(n, np.uint8), np.zeros(n, bool)
        finished.append(stages.finish_block(block, job, 0, kept, anchors, True))
    for bucket in range(8):
        stages.finish_bucket(bucket, finished, job)
    return sum(len(block.inputs) for block in staged), read - start, process_time() - read


def on_workers(inputs: list, blocks: list, job: stages.Job, workers: int) -> float:
    """Wall seconds of a whole extraction, the second of a session (its vocabulary is warm)."""
    with connect("local", workers=workers) as session:
        for _ in range(2):
            start = perf_counter()
            extract_users(session, extract_posts(session, inputs, blocks, job), job)
    return perf_counter() - start


def main() -> None:
    """Print a small table."""
    posts = int(sys.argv[1]) if len(sys.argv) > 1 else 60_000
    with tempfile.TemporaryDirectory() as folder:
        raw, scratch, out = (Path(folder, name) for name in ("raw", "scratch", "out"))
        scratch.mkdir()
        users = posts // _POSTS_A_USER
        synthesise(raw, SynthConfig(users=users, posts_per_user=_POSTS_A_USER, layout="twitter-v1"))
        source = Source("twitter-v1")
        inputs = find_inputs(str(raw), "twitter-v1")
        blocks = plan_blocks(inputs, source)
        job = stages.Job(source, Recipe(), str(scratch), str(out))
        start = process_time()
        seen = usual_chain(Path(inputs[0].path), _USUAL_POSTS)
        usual = seen / (process_time() - start)
        print(f"{'usual chain, ' + format(seen, ',') + ' posts':<42}{usual:>10,.0f} posts/s")
        one_core(blocks[:1], job)  # compilations and imports
        for name in ("vocabulary empty at the start", "vocabulary warm"):
            if name.startswith("vocabulary empty"):
                stages._counter.cache_clear()
            n, read, rest = one_core(blocks, job)
            print(
                f"{name:<42}{n / (read + rest):>10,.0f} posts/s = {n / (read + rest) / usual:.1f} "
                f"times ({read / (read + rest):.0%} reading and counting)"
            )
        one, two = (on_workers(inputs, blocks, job, workers) for workers in (1, 2))
        print(f"{'1 worker':<42}{n / one:>10,.0f} posts/s (wall)")
        print(f"{'2 workers':<42}{n / two:>10,.0f} posts/s = {one / two:.2f} times one")
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"{'largest worker':<42}{peak:>10,.0f} MiB")


if __name__ == "__main__":  # workers import this module again
    main()
