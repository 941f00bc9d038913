"""What tests of scoring make, and what they look at in a folder of scores."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from whybox.cbpt import CBPTClassifier
from whybox.features.names import FEATURES
from whybox.features.recipe import Recipe
from whybox.model_io import save_model
from whybox.model_selection.drift import reference_distribution


def read_scores(out):
    """All rows of the version that stands, as a pyarrow.Table."""
    return pq.read_table(Path(out) / "current" / "scores")


def scores_digest(out):
    """A hash of the bytes of all parts of the version that stands."""
    parts = sorted((Path(out) / "current" / "scores").iterdir())
    return hashlib.sha256(b"".join(path.read_bytes() for path in parts)).hexdigest()


def file_digests(folder):
    """SHA-256 of every file, by its path in the folder."""
    root = Path(folder).resolve()
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def touched(folder):
    """Inode and time of the last change of all in a folder, links and folders included."""
    found = {path: path.lstat() for path in (Path(folder), *Path(folder).rglob("*"))}
    return {path: (known.st_ino, known.st_mtime_ns) for path, known in found.items()}


def make_crawl(folder, n_files=6, n_users=40, posts_per_user=4, seed=0):
    """Files of posts, each user's posts spread over some of them; returns their paths."""
    random = np.random.default_rng(seed)
    words = ["happy", "sad", "tree", ":-)", "lonely", "sun", "😢", "work", "great", "awful"]
    lines = [[] for _ in range(n_files)]
    for number in range(n_users * posts_per_user):
        user = number % n_users
        text = " ".join(random.choice(words, size=5))
        post = {
            "id_str": str(1000 + number),
            "text": text,
            "created_at": f"Mon Apr {1 + number % 28:02d} {number % 24:02d}:17:45 +0000 2019",
            "favorite_count": int(random.integers(9)),
            "retweet_count": int(random.integers(9)),
            "user": {"id_str": str(user), "friends_count": user, "followers_count": 2 * user},
        }
        lines[(user + number // n_users) % n_files].append(json.dumps(post, ensure_ascii=False))
    paths = []
    Path(folder).mkdir(parents=True, exist_ok=True)
    for number, held in enumerate(lines):
        paths.append(Path(folder) / f"posts-{number:03d}.jsonl")
        paths[-1].write_text("".join(line + "\n" for line in held), "utf-8")
    return paths


def make_model(path, **options):
    """A small model of posts with a card; its figures mean nothing."""
    random = np.random.default_rng(1)
    X = pd.DataFrame(random.uniform(0, 40, (80, len(FEATURES))), columns=FEATURES)
    y = np.where(X["friends"] + X["positive_words"] > 40, "yes", "no")
    model = CBPTClassifier(8, random_state=0).fit(X, y)
    card = {
        "features": list(FEATURES),
        "recipe": Recipe(**{"min_posts": 3, **options}).as_dict(),
        "threshold": {"value": 0.5},
        "data": {
            "target": "label",
            "positive": "yes",
            "low": [-1e9] * len(FEATURES),
            "high": [1e9] * len(FEATURES),
            "distribution": reference_distribution(X),
        },
    }
    save_model(model, path, card=card)
    return path
