"""Scanned lines: whatever stands on them, they are read as they are when each is decoded alone."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from whybox.data.accounting import Tally
from whybox.data.jsonlines import Lines
from whybox.data.plaintweets import plain_columns, scan
from whybox.data.tweets import read_tweets
from whybox.synth import SynthConfig, synthesise

ODD = st.sampled_from(
    [None, True, 0, -1, 7, 2**63, 1.0, 7.5, "", "7", "007", " ", "\u3000", "a\x00b", [], [1], {}]
)
TEXTS = st.one_of(
    st.text(max_size=20),
    st.sampled_from(['q"\\/\b\f\n\r\t', "😢é漢\u2028\ud83d", "\u00a0", "RT @a: b", "x" * 10_001]),
)
NUMBERS = st.one_of(st.integers(0, 10**18 - 1), ODD)


def either(strategy):
    """Mostly what it should be."""
    return st.one_of(strategy, strategy, strategy, ODD)


def objects(**fields):
    """Objects with some of the fields, in any order, and perhaps unknown ones."""
    fields = {"other": st.one_of(ODD, TEXTS), **fields}
    return st.fixed_dictionaries({}, optional=fields).flatmap(
        lambda made: st.permutations(list(made.items())).map(dict)
    )


MENTIONS = st.lists(st.one_of(objects(), objects(), ODD), max_size=3)
ENTITIES = objects(user_mentions=either(MENTIONS), urls=MENTIONS)
EXTENDED = objects(full_text=either(TEXTS), entities=either(ENTITIES))
COUNTED = ("favourites_count", "friends_count", "followers_count", "listed_count")
USER = objects(**dict.fromkeys(COUNTED, NUMBERS), name=TEXTS, entities=objects())
ORIGINAL = objects(text=TEXTS, full_text=TEXTS, extended_tweet=either(EXTENDED), user=USER)
REST = objects(
    created_at=either(st.sampled_from(["Mon Apr 06 22:19:45 +0000 2009", "2009-04-06", "soon"])),
    text=either(TEXTS),
    full_text=either(TEXTS),
    lang=either(st.just("en")),
    favorite_count=NUMBERS,
    retweet_count=NUMBERS,
    entities=either(ENTITIES),
    extended_tweet=either(EXTENDED),
    retweeted_status=either(ORIGINAL),
    delete=objects(status=objects(id=NUMBERS)),
)


@st.composite
def lines(draw):
    """A line: a tweet, more or less, perhaps with a byte that does not belong there."""
    tweet = draw(REST)
    if draw(st.integers(0, 4)):
        number = draw(st.integers(0, 10**19))
        tweet |= {"id": number, "id_str": str(number), "text": tweet.get("text") or "words"}
        tweet["user"] = draw(USER) | {"id": 9, "id_str": draw(st.sampled_from(["9"] * 5 + ["8"]))}
    separators = draw(st.sampled_from([(",", ":"), (" , ", "\t: ")]))
    ascii_only = draw(st.booleans())
    line = json.dumps(tweet, ensure_ascii=ascii_only, separators=separators)
    raw = line.encode("utf-8", "surrogatepass")
    if not draw(st.integers(0, 3)):
        at = draw(st.integers(0, len(raw)))
        junk = st.sampled_from(
            [b'"', b"\\", b"}", b"{", b"0", b"\x80", b"\xed", b"\x01", b",", b"u"]
        )
        raw = raw[:at] + draw(st.one_of(junk, st.just(b""))) + raw[at + draw(st.integers(0, 2)) :]
    return raw + draw(st.sampled_from([b"", b"", b"\r", b" ", b" {}"]))


def read(units):
    """All that reading tells."""
    tally = Tally()
    tables = list(read_tweets([units], tally, "label"))
    table = pa.concat_tables(tables).combine_chunks() if tables else None
    against = tally.quarantine_table()
    return table, tally.counts(), tally.deleted, against


@settings(max_examples=300)
@given(st.lists(lines(), min_size=1, max_size=4))
@example([b'{"id":1,"id_str":"1","text":"a","user":{"id":9,"id_str":"9"}} {}'])
@example([b'{"id":1,"id":1,"id_str":"1","text":"a","user":{"id":9,"id_str":"9"}}'])
@example([b'{"id":1,"id_str":"1","\\u0074ext":"a","user":{"id":9,"id_str":"9"}}'])
@example([b'{"id":1,"id_str":"1","text":"a","user":{"id":9,"id_str":"9"},"x":"\\ud800"}'])
@example([b'{"id":1,"id_str":"1","text":"\xff","user":{"id":9,"id_str":"9"}}'])
@example([b"[" * 70 + b"]" * 70, b"", b'{"a":"\\u12', b"{", b'{"id":1'])
def test_scanned_lines_are_those_that_are_decoded_one_by_one(raw):
    raw = [line.replace(b"\n", b" ") for line in raw]
    data = b"head\n" + b"".join(line + b"\n" for line in raw) + b"{tail"
    scanned = read(Lines(data, 5, len(data) - 5))
    table, counts, deleted, against = read(raw)
    assert scanned[1:3] == (counts, deleted)
    assert scanned[3].equals(against)
    assert scanned[0] == table if table is None else scanned[0].equals(table)


def test_the_tweets_that_are_common_are_plain(tmp_path):
    synthesise(tmp_path, SynthConfig(users=3, posts_per_user=20, layout="twitter-v1"))
    raw = b"".join(path.read_bytes() for path in sorted(tmp_path.glob("*.jsonl")))
    plain, edges, tweets = scan(Lines(raw, 0, len(raw)))
    assert plain.mean() > 0.9
    assert edges[-1] == len(raw)
    assert len(plain_columns([tweets])["text"]) == plain.sum()


@pytest.mark.parametrize(
    ("written", "text"),
    [(b"\\u00e9\\ud83d\\ude22", "é😢"), (b'\\"\\\\\\/\\b\\f\\n\\r\\t!', '"\\/\b\f\n\r\t!')],
)
def test_escapes_are_undone(written, text):
    line = b'{"id":1,"id_str":"1","text":"%s","user":{"id":9,"id_str":"9"}}\n' % written
    plain, _, tweets = scan(Lines(line, 0, len(line)))
    assert np.all(plain)
    assert plain_columns([tweets])["text"].to_pylist() == [text]
