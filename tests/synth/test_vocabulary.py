"""The vocabulary against VADER's lexicon as it stands in its file, and NLTK's tokeniser."""

import html
import re
from collections import Counter
from pathlib import Path

import emoji
import pytest
import vaderSentiment
from nltk.tokenize import TweetTokenizer

from whybox.synth import vocabulary as v
from whybox.synth.published import TOPIC_SHARES
from whybox.text import count_emoji, count_emoticons

TOPIC_WORDS = [word for words in v.TOPICS.values() for word in words]


@pytest.fixture(scope="module")
def valence():
    lines = Path(vaderSentiment.__file__).with_name("vader_lexicon.txt").read_text("utf-8")
    rows = (line.split("\t") for line in lines.splitlines())
    return {row[0]: float(row[1]) for row in rows}


def test_signed_words_have_their_sign_in_vader(valence):
    assert [w for w in v.NEGATIVE_WORDS if valence.get(w, 0) >= 0] == []
    assert [w for w in v.POSITIVE_WORDS if valence.get(w, 0) <= 0] == []


def test_no_token_of_other_words_is_in_vader(valence):
    tokens = TweetTokenizer(preserve_case=False).tokenize
    others = [*TOPIC_WORDS, *v.FUNCTION_WORDS]
    assert [w for w in others if any(token in valence for token in tokens(w))] == []


def test_one_anchor_phrase_has_one_negative_word(valence):
    from whybox.synth.texts import ANCHORS

    for phrase in (*ANCHORS[True], *ANCHORS[False]):
        assert "depress" in phrase
        assert [valence[w] < 0 for w in phrase.split() if w in valence] == [True], phrase


def test_there_are_25_topics_of_24_words_as_shares_are_published():
    assert len(v.TOPICS) == len(TOPIC_SHARES[True]) == len(TOPIC_SHARES[False]) == 25
    assert {len(set(words)) for words in v.TOPICS.values()} == {24}


def test_most_topic_words_are_of_one_topic():
    counts = Counter(TOPIC_WORDS)
    assert sum(n == 1 for n in counts.values()) > 0.9 * len(counts)


def test_no_word_holds_what_finds_users():
    words = [*TOPIC_WORDS, *v.FUNCTION_WORDS, *v.NEGATIVE_WORDS, *v.POSITIVE_WORDS]
    assert [word for word in words if re.search("depress|diagnos", word)] == []


def test_each_emoji_and_emoticon_counts_once():
    assert {count_emoji(e) for e in v.EMOJI} == {emoji.emoji_count(e) for e in v.EMOJI} == {1}
    assert {count_emoticons(html.unescape(e)) for e in v.EMOTICONS} == {1}
    assert {count_emoji(e) for e in v.EMOTICONS} == {count_emoticons(e) for e in v.EMOJI} == {0}
