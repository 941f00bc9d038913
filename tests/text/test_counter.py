from __future__ import annotations

import time
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_text
from text_strategies import real_texts, torture
from whybox.errors import InputError
from whybox.text import counter as counter_module
from whybox.text.counter import TextCounter
from whybox.text.lexicons import load_lexicon

FOUR = ("negative_words", "positive_words", "emoji_number", "emoticons")
MIXED = "ok 👨‍👩‍👧 👍🏽 🇨🇦🇸🇮 1️⃣ ❤️ 🏳️‍🌈 😢😢😢😢😢 :-) :-* <3 مرحبا #وسم"


def as_dicts(counts):
    """A post's counts and stems as the slow chain gives them."""
    columns = [getattr(counts, name).tolist() for name in FOUR]
    words = [counts.vocabulary[i] for i in counts.stems]
    spans = zip(counts.indptr[:-1], counts.indptr[1:], strict=True)
    stems = [words[start:stop] for start, stop in spans]
    rows = zip(*columns, stems, strict=True)
    return [dict(zip((*FOUR, "stems"), row, strict=True)) for row in rows]


def slowly(texts):
    lexicon = load_lexicon()
    return [naive_text.count(text, lexicon.positive, lexicon.negative) for text in texts]


@given(st.lists(torture, max_size=5))
def test_counts_and_stems_are_those_of_the_slow_chain(texts):
    assert as_dicts(TextCounter().count(texts)) == slowly(texts)


@pytest.mark.slow
@pytest.mark.reference
def test_counts_and_stems_of_real_texts_are_those_of_the_slow_chain(reference: Path):
    texts = real_texts(reference)
    assert as_dicts(TextCounter().count(texts)) == slowly(texts)


@given(st.lists(torture, max_size=8), st.lists(torture, max_size=8), st.integers(0, 6))
def test_counts_do_not_depend_on_what_was_counted_before(before, texts, max_units):
    used = TextCounter(max_units=max_units)
    used.count(before)
    assert as_dicts(used.count(texts)) == as_dicts(TextCounter().count(texts))


def test_counts_hold_when_units_are_forgotten_between_chunks(monkeypatch):
    texts = ["sad rain :(", "happy rain", "", "sad sun 😢", "@ann sun"] * 4
    expected = as_dicts(TextCounter().count(texts))
    monkeypatch.setattr(counter_module, "_CHUNK", 3)
    small = TextCounter(max_units=1)
    first = small.count(texts)
    small.count(["other words entirely"])
    assert as_dicts(first) == expected  # the list of stems handed out is not touched later
    assert as_dicts(small.count(texts)) == expected


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_emoji_and_emoticons_of_a_mixed_post_in_either_form(form):
    counts = TextCounter().count([unicodedata.normalize(form, MIXED)])
    assert (counts.emoji_number.tolist(), counts.emoticons.tolist()) == ([12], [3])


def test_no_text_gives_empty_arrays():
    counts = TextCounter().count([])
    assert [len(getattr(counts, name)) for name in (*FOUR, "mentions", "stems")] == [0] * 6
    assert counts.indptr.tolist() == [0]
    assert counts.indptr.dtype == np.int64
    assert counts.stems.dtype == counts.mentions.dtype == np.int32


def test_mentions_are_counted_with_and_without_the_bypass():
    counts = TextCounter().count(["@ann (@bob) http://example.org/@carl rt:@dan", "me@example.org"])
    assert counts.mentions.tolist() == [3, 0]


def test_other_languages_have_their_stems_and_an_unknown_one_is_refused():
    counts = TextCounter(language="spanish").count(["corriendo"])
    assert counts.vocabulary == ["corr"]
    with pytest.raises(InputError, match="klingon"):
        TextCounter(language="klingon")


@pytest.mark.parametrize(
    "text",
    ["😢" * 100_000, "a" * 5_000_000, "&amp;" * 1_000_000, "👨\u200d" * 50_000, "a." * 2000, "1" * 10**5],
    ids=["equal emoji", "5 MB", "entities", "joiners", "dots", "digits"],
)  # fmt: skip
def test_pathological_posts_take_less_than_a_second(text):
    counter = TextCounter()
    counter.count(["warm up"])
    start = time.process_time()
    counter.count([text])
    assert time.process_time() - start < 1.0
