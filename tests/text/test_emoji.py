from __future__ import annotations

import time
import unicodedata

import emoji
import pytest
from hypothesis import given

import naive_text
from text_strategies import torture
from whybox.text.emoji import count_emoji

MIXED = "ok 👨‍👩‍👧 👍🏽 🇨🇦🇸🇮 1️⃣ ❤️ 🏳️‍🌈 😢😢😢😢😢 :-) :-* <3 مرحبا #وسم"


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_each_picture_is_one_emoji_in_either_form(form):
    assert count_emoji(unicodedata.normalize(form, MIXED)) == 12


@given(torture)
def test_emoji_are_the_graphemes_in_which_the_emoji_package_finds_one(text):
    assert count_emoji(text) == naive_text.count_emoji(text)


def test_every_sequence_that_the_emoji_package_knows_is_one_emoji():
    wrong = {chars for chars in emoji.EMOJI_DATA if count_emoji(chars) != 1}
    assert wrong == {"©", "®", "™"}


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("©®™", 0),
        ("©\ufe0f®\ufe0f™\ufe0f", 3),
        ("❤", 1),
        ("❤\ufe0e", 0),
        ("1#*", 0),
        ("🇨", 0),
        ("🇨🇦🏽", 1),
    ],
)
def test_signs_are_emoji_as_their_selector_says(text, number):
    assert count_emoji(text) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [("😢" * 100_000, 100_000), ("👨\u200d" * 50_000, 1), ("🇨" * 100_000, 50_000), ("a😢 " * 10**6, 10**6)],
    ids=["equal", "joined", "flags", "5 MB"],
)  # fmt: skip
def test_pathological_texts_take_less_than_a_second(text, number):
    start = time.process_time()
    assert count_emoji(text) == number
    assert time.process_time() - start < 1.0
