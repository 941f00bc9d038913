from __future__ import annotations

import time
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.tokenize import TweetTokenizer

from text_strategies import real_texts, torture
from whybox.errors import InputError
from whybox.text import tokens
from whybox.text.tokens import is_address, is_mention, split_unit, tokenize, tokenize_many

options = st.fixed_dictionaries(
    dict.fromkeys(("preserve_case", "reduce_len", "strip_handles"), st.booleans())
)


@given(st.lists(torture, max_size=4), options)
def test_tokens_are_those_of_nltk_whatever_the_text(texts, chosen):
    expected = [TweetTokenizer(**chosen).tokenize(text) for text in texts]
    assert tokenize_many(texts, **chosen) == expected
    assert [tokenize(text, **chosen) for text in texts] == expected


@given(st.from_regex(r"(@|https?:/{1,5})[a8oO_.\-/Z1]{0,9}", fullmatch=True))
@settings(max_examples=500)
def test_a_bypassed_unit_is_one_token(unit):
    if is_mention(unit) or is_address(unit):
        assert TweetTokenizer().tokenize(unit) == [unit]


@pytest.mark.parametrize(
    "unit",
    [
        "@8",
        "@o8x",
        "@a____b",
        "http://a____b",
        "http://a....b",
        "http://a----b",
        "http:////a",
        "@é",
    ],
)
def test_a_unit_that_nltk_may_change_or_split_is_not_bypassed(unit):
    assert not is_mention(unit)
    assert not is_address(unit)
    assert tokenize(unit) == TweetTokenizer().tokenize(unit)


@given(st.from_regex(r"[A-Za-z]{2,6}[.,!?]{0,6}", fullmatch=True))
def test_a_word_with_stops_needs_no_pattern(unit):
    assert split_unit(unit) == TweetTokenizer().tokenize(unit)


@pytest.mark.reference
@pytest.mark.parametrize(
    "chosen", [{}, {"preserve_case": False, "reduce_len": True, "strip_handles": True}]
)
def test_tokens_of_real_texts_are_those_of_nltk(reference: Path, chosen):
    texts = real_texts(reference)
    assert len(texts) == 34_640
    tokenize_one = TweetTokenizer(**chosen).tokenize
    assert tokenize_many(texts, **chosen) == [tokenize_one(text) for text in texts]


def test_a_full_memory_is_emptied_and_changes_no_token(monkeypatch):
    texts = ["one two three", "two three four!", "one (555) 123-4567 . . ."] * 3
    expected = tokenize_many(texts)
    monkeypatch.setattr(tokens, "_MAX_UNITS", 2)
    memory = tokens._unit_tokens(True, False)
    memory.clear()
    assert tokenize_many(texts) == expected
    assert len(memory) <= 2


@pytest.mark.parametrize(
    "text",
    [
        "😢" * 100_000,
        "👨\u200d" * 50_000,
        "a." * 2000,
        "word " * 1_000_000,
        "1" * 10_000,
        "@" * 10**5,
    ],
    ids=["equal emoji", "joiners", "dots", "5 MB", "digits", "at signs"],
)
def test_pathological_texts_are_tokenised_within_a_second(text):
    start = time.process_time()
    assert tokenize(text)
    assert time.process_time() - start < 1.0


def test_one_string_is_refused_as_a_list_of_texts():
    with pytest.raises(InputError, match="put it into a list"):
        tokenize_many("a text")
    with pytest.raises(InputError, match="position 1"):
        tokenize_many(["a", None])


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_mixed_post_has_one_hashtag_in_either_form(form):
    text = "ok 👨‍👩‍👧 1️⃣ ❤️ :-) :-* <3 مرحبا #وسم"
    found = tokenize(unicodedata.normalize(form, text))
    assert [token for token in found if token.startswith("#")] == ["#وسم"]
