"""What is put into a text is what NLTK's tokeniser, VADER's list and the emoji package find in it."""

import html
import re
from pathlib import Path

import emoji
import numpy as np
import pytest
import vaderSentiment
from nltk.tokenize import TweetTokenizer

from whybox.synth import SynthConfig
from whybox.synth.population import Population
from whybox.synth.published import TOKEN_QUANTILES
from whybox.synth.timeline import make_timeline
from whybox.text import TextCounter

TIMELINES = [make_timeline(u, 4) for u in Population(SynthConfig(40, posts_per_user=40, seed=4))]
TEXTS = [text for t in TIMELINES for text in t.texts.texts]
FIELDS = {
    "negative_words": "negative",
    "positive_words": "positive",
    "emoji_number": "emoji",
    "emoticons": "emoticons",
}


def put_in(name):
    return np.concatenate([getattr(t.counts, FIELDS[name]) for t in TIMELINES])


def is_anchor():
    return np.concatenate(
        [np.arange(t.traits.posts) == t.traits.posts - 1 for t in TIMELINES]
    ) & np.concatenate([np.full(t.traits.posts, t.traits.label != "negative") for t in TIMELINES])


@pytest.mark.parametrize("name", FIELDS)
def test_the_counter_finds_what_was_put_in(name):
    found = getattr(TextCounter().count(TEXTS), name)
    expected = put_in(name)
    if name == "negative_words":
        expected = np.maximum(expected, is_anchor())  # the anchor's own word
    assert found.tolist() == expected.tolist()


def test_so_does_the_slow_way():
    lines = Path(vaderSentiment.__file__).with_name("vader_lexicon.txt").read_text("utf-8")
    rows = [line.split("\t") for line in lines.splitlines()]
    positive = {r[0] for r in rows if float(r[1]) > 0 and re.fullmatch("[a-z][a-z'-]*", r[0])}
    tokens = TweetTokenizer(preserve_case=False).tokenize
    found = [sum(token in positive for token in tokens(text)) for text in TEXTS]
    assert found == put_in("positive_words").tolist()
    assert [emoji.emoji_count(text) for text in TEXTS] == put_in("emoji_number").tolist()


def test_mentions_in_the_text_are_those_counted_but_for_a_retweets_author():
    for t in TIMELINES:
        found = [sum(e.startswith("@") for e in entities) for entities in t.texts.entities]
        assert found == (t.counts.mentions - t.counts.is_retweet).tolist()
        in_text = [len(re.findall(r"@user\d{8}\b", text)) for text in t.texts.texts]
        assert in_text == found


def test_entities_stand_in_the_text_in_their_order():
    for t in TIMELINES:
        for text, entities in zip(t.texts.texts, t.texts.entities, strict=True):
            found = re.findall(r"@\w+|#\w+|https://t\.co/\w{10}", text)
            assert found == entities


def test_only_anchors_of_positives_and_candidates_write_of_it():
    for t in TIMELINES:
        hits = ["depress" in text for text in t.texts.texts]
        expected = [False] * t.traits.posts
        expected[-1] = t.traits.label != "negative"
        assert hits == expected
        if t.traits.label == "positive":
            assert re.search(
                r"(i'm|i was|i am|i've been) diagnosed with depression", t.texts.texts[-1]
            )


def test_texts_have_the_length_of_public_ones():
    words = [len(text.split()) for text in TEXTS]
    wanted = dict(TOKEN_QUANTILES)
    assert abs(np.median(words) - wanted[0.5]) <= 3
    assert abs(np.quantile(words, 0.9) - wanted[0.9]) <= 4


def test_texts_have_what_readers_stumble_on():
    joined = "\x00".join(TEXTS)
    assert html.unescape(joined) != joined
    for mark in ("&amp;", "&lt;3", '"', "\n", "é", "sooo", "#", "https://t.co/", "!", "?", "..."):
        assert mark in joined, mark


def test_plain_texts_are_latin_1_without_emoji_and_emoticons():
    users = Population(SynthConfig(20, posts_per_user=40, seed=4))
    texts = [text for u in users for text in make_timeline(u, 4, plain=True).texts.texts]
    "\n".join(texts).encode("latin-1")
    counts = TextCounter().count(texts)
    assert counts.emoji_number.sum() == counts.emoticons.sum() == 0
    assert counts.positive_words.sum() > 0
