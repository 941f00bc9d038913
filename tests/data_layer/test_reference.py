"""Real files: every number that is known of them."""

from __future__ import annotations

from collections import Counter

import pytest

from whybox.data import ColumnMap, Records, Source, find_inputs, read_records

pytestmark = pytest.mark.reference


def labels_and_counts(records):
    """Count labels, texts with line ends, and give the accounts."""
    labels, broken = Counter(), 0
    for table in records:
        labels.update(table["label"].to_pylist())
        broken += sum("\n" in text for text in table["text"].to_pylist())
    return dict(labels), broken, records.counts


def test_airline(reference):
    path = reference / "data" / "us_airline" / "Tweets.csv"
    columns = {"text": "text", "label": "airline_sentiment", "created_at": "tweet_created"}
    labels, broken, counts = labels_and_counts(read_records(path, columns=columns))
    assert labels == {"negative": 9178, "neutral": 3099, "positive": 2363}
    assert broken == 138 and counts.total.encoding == "utf-8" and not counts.total.coerced
    _, _, counts = labels_and_counts(read_records(path, columns={**columns, "post_id": "tweet_id"}))
    assert counts.lines == 14_641
    # 155 repeated ids, 18 of them with both labels: two rows each
    assert counts.non_records == {"duplicate": 155 - 18, "header": 1}
    assert counts.quarantined == {"conflicting_labels": 2 * 18}


def test_gender(reference):
    folder = reference / "data" / "twitter_user_gender"
    columns = {"text": "text", "label": "gender"}
    labels, broken, counts = labels_and_counts(read_records(folder, "csv", columns=columns))
    assert labels == {"female": 6700, "male": 6194, "brand": 5942, "unknown": 1117, None: 97}
    assert counts.records == 20_050 and broken > 0 and counts.total.encoding == "latin-1"


@pytest.mark.parametrize("name", ["imdb", "amazon_cells", "yelp"])
def test_sentences(reference, name):
    path = reference / "data" / "sentence_labelled" / f"{name}_labelled.txt"
    source = Source("csv", ColumnMap(text="0", label="1"), delimiter="\t", quoting="none")
    labels, _, counts = labels_and_counts(Records(find_inputs(str(path), "csv"), source))
    assert labels == {"0": 500, "1": 500} and counts.lines == 1000


def test_sentiment140(reference):
    folder = reference / "data" / "sentiment140"
    records = read_records(folder / "training.20000.processed.noemoticon.csv")
    labels, _, counts = labels_and_counts(records)
    assert sum(labels.values()) == counts.lines == 20_000 and set(labels) == {"0", "4"}
    labels, _, counts = labels_and_counts(read_records(folder / "testdata.manual.2009.06.14.csv"))
    assert labels == {"0": 177, "4": 182}
    assert counts.lines == 498 and counts.non_records == {"label_2": 139}


def test_vaccination_tweets(reference):
    path = reference / "data" / "vaccination_tweets" / "vaccination_tweets.csv"
    columns = {
        **{"text": "text", "post_id": "id", "created_at": "date", "is_retweet": "is_retweet"},
        **{"favorite_count": "favorites", "retweet_count": "retweets", "friends": "user_friends"},
    }
    records = read_records(path, columns=columns)
    tables = list(records)
    assert records.counts.records == 9_497 and not records.counts.total.coerced
    assert sum(table[name].null_count for table in tables for name in columns) == 0


def test_tweets_of_every_kind(reference):
    records = known = 0
    for path in sorted((reference / "data" / "twitter_json").rglob("*.json*")):
        found = read_records(path, "twitter-v1")
        rows = sum(table.num_rows for table in found)
        counts = found.counts.total.check(str(path))
        assert rows == counts.records
        assert found.quarantine.num_rows == sum(counts.quarantined.values())
        if "tweet_payload_examples/original_format_examples" in str(path):
            assert rows == counts.lines == 25
        records += rows
        known += sum(counts.non_records.values())
    assert records == 1_030 + 1_509 and known > 0  # of v1.1 and of v2
