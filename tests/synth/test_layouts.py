"""The files, parsed with the standard library only."""

import csv
import json
import re
from collections import Counter

import pytest

from whybox.synth.layouts import POSTS_A_PART


def tweets_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return [json.loads(line) for line in file]


@pytest.fixture(scope="module")
def timelines(small):
    return {p: tweets_of(p) for p in small["ttdd"].folder.rglob("data/timeline/*.json")}


@pytest.fixture(scope="module")
def posts(timelines):
    return [tweet for tweets in timelines.values() for tweet in tweets]


def test_ttdd_has_the_folders_of_the_published_set(small):
    folder = small["ttdd"].folder
    found = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_dir()}
    leaves = {
        f"labeled/{c}/data/{k}"
        for c in ("positive", "negative")
        for k in ("timeline", "tweet", "users")
    }
    assert {p for p in found if re.search("data/", p)} == leaves | {"unlabeled/data/timeline"}
    assert all(
        re.fullmatch(r"[a-z]+\d+created_at-?\d+\.json", p.name)
        for p in folder.rglob("*/timeline/*.json")
    )


def test_ttdd_files_hold_one_user_each_and_some_users_have_two(timelines):
    users = Counter()
    for path, tweets in timelines.items():
        (name,) = {tweet["user"]["screen_name"] for tweet in tweets}
        assert path.name.startswith(f"{name}created_at")
        users[name] += 1
    assert len(users) == 50
    assert Counter(users.values()) == {1: 47, 2: 3}


def test_every_post_is_written_once_and_counted(small, posts):
    assert len({tweet["id_str"] for tweet in posts}) == len(posts) == small["ttdd"].summary.posts
    assert all(tweet["id_str"] == str(tweet["id"]) for tweet in posts)


def test_the_summary_says_what_is_there(small):
    for layout, written in small.items():
        files = [p for p in written.folder.rglob("*") if p.is_file() and p.name != "_whybox.json"]
        summary = written.summary
        assert summary.files == len(files), layout
        assert summary.bytes == sum(p.stat().st_size for p in files)
        assert summary.positive + summary.negative + summary.unlabelled == summary.users == 50


def test_an_anchor_is_also_in_its_timeline(small, timelines):
    folder = small["ttdd"].folder
    by_name = {}
    for tweets in timelines.values():
        by_name.setdefault(tweets[0]["user"]["screen_name"], []).extend(tweets)
    for label, phrase in (("positive", True), ("negative", False)):
        files = list((folder / "labeled" / label / "data" / "tweet").iterdir())
        assert len(files) == getattr(small["ttdd"].summary, label)
        for path in files:
            (anchor,) = tweets_of(path)
            timeline = by_name[anchor["user"]["screen_name"]]
            assert anchor in timeline
            assert anchor["id"] == max(tweet["id"] for tweet in timeline)
            assert ("diagnosed with depression" in anchor["text"]) == phrase


def test_negatives_never_write_depress_and_candidates_do(timelines):
    for path, tweets in timelines.items():
        if "negative" in path.parts:
            assert not any("depress" in json.dumps(tweet) for tweet in tweets)
    candidates = {}
    for path, tweets in timelines.items():
        if "unlabeled" in path.parts:
            name = tweets[0]["user"]["screen_name"]
            hit = any("depress" in tweet["text"] for tweet in tweets)
            candidates[name] = candidates.get(name, False) or hit
    assert set(candidates.values()) == {True}


def test_counts_are_integers_and_retweets_carry_the_originals(posts):
    for tweet in posts:
        account = tweet["user"]
        counts = [tweet["retweet_count"], tweet["favorite_count"], account["followers_count"]]
        counts += [account[f"{k}_count"] for k in ("friends", "listed", "favourites", "statuses")]
        assert all(type(count) is int and count >= 0 for count in counts)
        if "retweeted_status" in tweet:
            original = tweet["retweeted_status"]
            author = original["user"]["screen_name"]
            assert tweet["text"] == f"RT @{author}: {original['text']}"
            assert tweet["retweet_count"] == original["retweet_count"] > 0
            assert tweet["favorite_count"] == 0
            assert tweet["entities"]["user_mentions"][0]["screen_name"] == author
    assert 0.1 < sum("retweeted_status" in tweet for tweet in posts) / len(posts) < 0.35


@pytest.mark.parametrize("layout", ["ttdd", "twitter-v1"])
def test_indices_point_at_the_entities(small, layout):
    pattern = "*.jsonl" if layout == "twitter-v1" else "data/timeline/*.json"
    tweets = [t for path in small[layout].folder.rglob(pattern) for t in tweets_of(path)]
    for tweet in [*tweets, *(t["retweeted_status"] for t in tweets if "retweeted_status" in t)]:
        text, entities = tweet["text"], tweet["entities"]
        spelt = [("@" + e["screen_name"], e) for e in entities["user_mentions"]]
        spelt += [("#" + e["text"], e) for e in entities["hashtags"]]
        spelt += [(e["url"], e) for e in entities["urls"]]
        for piece, entity in spelt:
            start, end = entity["indices"]
            assert text[start:end] == piece


def test_accounts_drift_a_little(small, timelines):
    drifts = 0
    for tweets in timelines.values():
        counts = [tweet["user"]["favourites_count"] for tweet in tweets]
        assert max(counts) - min(counts) <= 0.1 * max(counts) + 1
        drifts += len(set(counts)) > 1
    assert drifts > len(timelines) / 2


def test_stream_files_hold_full_objects_and_the_same_posts(small, posts):
    folder = small["twitter-v1"].folder
    paths = sorted(folder.glob("*.jsonl"))
    tweets = [tweet for path in paths for tweet in tweets_of(path)]
    assert [p.name for p in paths] == ["posts-00000.jsonl"]
    assert {t["id"]: t["text"] for t in tweets} == {t["id"]: t["text"] for t in posts}
    assert 2300 < sum(p.stat().st_size for p in paths) / len(tweets) < 2900


def test_a_stream_goes_on_in_the_next_part(tmp_path, monkeypatch, small):
    from whybox.synth import SynthConfig, layouts, synthesise

    assert POSTS_A_PART * 2700 < 150e6
    monkeypatch.setattr(layouts, "POSTS_A_PART", 100)
    config = SynthConfig(users=5, posts_per_user=50, layout="twitter-v1")
    summary = synthesise(tmp_path / "set", config)
    lines = [len(tweets_of(p)) for p in sorted((tmp_path / "set").glob("*.jsonl"))]
    assert sum(lines) == summary.posts
    assert set(lines[:-1]) == {100}


def test_stream_labels_stand_beside_the_posts(small):
    written = small["twitter-v1"]
    with (written.folder / "labels" / "users.csv").open(encoding="utf-8") as file:
        labels = Counter(row["label"] for row in csv.DictReader(file))
    summary = written.summary
    assert labels == {
        "positive": summary.positive,
        "negative": summary.negative,
        "": summary.unlabelled,
    }


def test_sentiment140_has_six_quoted_columns_and_the_sign_of_its_words(small):
    from whybox.text import TextCounter

    (path,) = small["sentiment140"].folder.glob("*.csv")
    with path.open(encoding="latin-1", newline="") as file:
        rows = list(csv.reader(file))
    assert len(rows) == small["sentiment140"].summary.posts
    assert {len(row) for row in rows} == {6}
    assert path.read_bytes().startswith(b'"')
    assert {row[0] for row in rows} == {"0", "4"}
    assert {row[3] for row in rows} == {"NO_QUERY"}
    assert all(re.fullmatch(r"\w{3} \w{3} \d\d \d\d:\d\d:\d\d PDT \d{4}", row[2]) for row in rows)
    counts = TextCounter().count([row[5] for row in rows])
    balance = counts.positive_words - counts.negative_words
    polarity = [int(row[0]) for row in rows]
    # an anchor's phrase adds a word behind the balance of at most one post a user
    against = sum((b > 0) != (p == 4) for b, p in zip(balance, polarity, strict=True) if b)
    assert against <= small["sentiment140"].summary.users
    ties = [p for b, p in zip(balance, polarity, strict=True) if b == 0]
    assert 0.35 < sum(p == 4 for p in ties) / len(ties) < 0.65
