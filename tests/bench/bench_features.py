"""Raw v1.1 JSON lines to features of users: two workers, then one core beside the usual chain.

Run as ``python tests/bench/bench_features.py [POSTS]`` (480,000 by default). The posts are synthetic,
full objects of about 2.7 KB, whose texts have few distinct words; with WHYBOX_REFERENCE, the folder
of the reference texts, the same objects carry 34,640 real texts as well, each once or three times. The usual chain
is what one writes first: json, strptime, TweetTokenizer, Snowball and the emoji package for each
post; it sees a part of the file. Rates are posts a second of CPU time, the median of a few runs and
ratios within one run; the workers' are wall times of one session.
"""

from __future__ import annotations

import json
import os
import random
import resource
import sys
import tempfile
from collections import Counter, defaultdict
from datetime import datetime
from itertools import chain
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

import emoji
import numpy as np
from bench_text import LEXICON, STEMMER, STOP_WORDS, TOKENIZER

from text_strategies import real_texts
from whybox.data.blocks import plan_blocks
from whybox.data.source import Source, find_inputs
from whybox.features import stages
from whybox.features.recipe import Recipe
from whybox.graph.extraction import extract_posts, extract_users
from whybox.graph.session import connect
from whybox.synth import SynthConfig, synthesise
from whybox.text.emoticons import count_emoticons
from whybox.text.stemming import stem

_USUAL_POSTS = 6000
_RUNS = 3
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
    for path in Path(job.scratch).iterdir():
        path.unlink()  # as in a run: to replace a file waits for the disk
    start = process_time()
    staged = stages.stage_blocks(blocks, job)
    read = process_time()
    finished = []
    for block in staged:
        n = len(block.inputs)
        kept, anchors = np.zeros(n, np.uint8), np.zeros(n, bool)
        finished.append(stages.finish_block(block, job, 0, kept, anchors, True))
    for bucket in range(8):
        stages.finish_bucket(
            bucket, [b.sums for b in finished], [b.documents for b in finished], job
        )
    return sum(len(block.inputs) for block in staged), read - start, process_time() - read


def on_workers(inputs: list, blocks: list, job: stages.Job, workers: int) -> list[float]:
    """Wall seconds of some whole extractions in a session, after one that warms vocabularies."""
    seconds = []
    with connect("local", workers=workers) as session:
        for _ in range(1 + _RUNS):
            start = perf_counter()
            extract_users(session, extract_posts(session, inputs, blocks, job), job)
            seconds.append(perf_counter() - start)
    return seconds[1:]


def one_and_two(inputs: list, blocks: list, job: stages.Job) -> tuple[float, float]:
    """Median seconds with one worker and with two, in sessions in turn: the machine is shared."""
    seconds: dict[int, list[float]] = {1: [], 2: []}
    for workers in [1, 2] * _RUNS:
        seconds[workers] += on_workers(inputs, blocks, job, workers)
    return median(seconds[1]), median(seconds[2])


def with_real_texts(raw: Path, texts: list[str], path: Path) -> None:
    """Write posts of a folder anew, as many as there are texts, with texts that people wrote."""
    files = sorted(raw.glob("*.jsonl"))
    lines = chain.from_iterable(each.open(encoding="utf-8") for each in files)
    with path.open("w", encoding="utf-8") as out:
        for text, line in zip(texts, lines, strict=False):
            post = json.loads(line)
            post["text"] = text
            if "retweeted_status" in post:
                post["retweeted_status"]["text"] = text
            out.write(json.dumps(post, separators=(",", ":")) + "\n")


def real(raw: Path, reference: Path, job: stages.Job, folder: Path) -> None:
    """Print rates on texts that people wrote."""
    folder.mkdir()
    texts = real_texts(reference)
    random.Random(0).shuffle(texts)
    half, thrice = len(texts) // 2, texts * 3
    random.Random(1).shuffle(thrice)
    print(f"{len(texts):,} real texts")
    found = []
    for name, some in (("a", texts[:half]), ("b", texts[half:]), ("all", thrice)):
        with_real_texts(raw, some, path := folder / f"{name}.jsonl")
        found.append(planned(path)[1])
    first, second, whole = found
    usual = usual_rate(folder / "b.jsonl")
    report("vocabulary empty, one half of the texts", second, job, usual, None)
    report("vocabulary of the other half", second, job, usual, first)
    report("vocabulary of the same half", second, job, usual, second)
    report("vocabulary empty, each text three times", whole, job, usual, None)
    report("vocabulary warm, each text three times", whole, job, usual, whole)


def report(name: str, blocks: list, job: stages.Job, usual: float, before: list | None) -> None:
    """Print a rate of one core; the vocabulary has seen the blocks ``before``, None: nothing."""
    runs = []
    for _ in range(_RUNS):
        if before is None or before is not blocks:
            stages._counter.cache_clear()
            stem.cache_clear()
        if before is not None:
            stages.stage_blocks(before, job)
        runs.append(one_core(blocks, job))
    n, read, rest = sorted(runs, key=lambda run: run[1] + run[2])[_RUNS // 2]
    print(
        f"{name:<42}{n / (read + rest):>10,.0f} posts/s = {n / (read + rest) / usual:.1f} "
        f"times ({read / (read + rest):.0%} reading and counting)"
    )


def usual_rate(path: Path) -> float:
    """Posts a second of the usual chain, printed."""
    rates = []
    for _ in range(_RUNS):
        start = process_time()
        seen = usual_chain(path, _USUAL_POSTS)
        rates.append(seen / (process_time() - start))
    usual = sorted(rates)[_RUNS // 2]
    print(f"{'usual chain, ' + format(seen, ',') + ' posts':<42}{usual:>10,.0f} posts/s")
    return usual


def planned(path: Path) -> tuple[list, list, Source]:
    """Inputs, blocks and source of a file or folder."""
    source, inputs = Source("twitter-v1"), find_inputs(str(path), "twitter-v1")
    return inputs, plan_blocks(inputs, source), source


def main() -> None:
    """Print small tables."""
    posts = int(sys.argv[1]) if len(sys.argv) > 1 else 480_000
    with tempfile.TemporaryDirectory() as folder:
        raw, scratch, out = (Path(folder, name) for name in ("raw", "scratch", "out"))
        scratch.mkdir()
        users = posts // _POSTS_A_USER
        synthesise(raw, SynthConfig(users=users, posts_per_user=_POSTS_A_USER, layout="twitter-v1"))
        inputs, blocks, source = planned(raw)
        job = stages.Job(source, Recipe(), str(scratch), str(out))
        # first, from a process that holds nothing else, as `whybox extract` does
        n = sum(1 for path in raw.glob("*.jsonl") for _ in path.open("rb"))
        one, two = one_and_two(inputs, blocks, job)
        print(f"{'1 worker':<42}{n / one:>10,.0f} posts/s (wall)")
        print(f"{'2 workers':<42}{n / two:>10,.0f} posts/s = {one / two:.2f} times one")
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"{'largest worker':<42}{peak:>10,.0f} MiB")
        one_core(blocks[:1], job)  # compilations and imports
        print("synthetic texts")
        usual = usual_rate(Path(inputs[0].path))
        report("vocabulary empty at the start", blocks, job, usual, None)
        report("vocabulary warm", blocks, job, usual, blocks)
        if reference := os.environ.get("WHYBOX_REFERENCE"):
            real(raw, Path(reference), job, Path(folder, "real"))


if __name__ == "__main__":  # workers import this module again
    main()
