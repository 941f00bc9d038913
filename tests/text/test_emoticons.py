from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_text
from text_strategies import torture
from whybox.text.emoticons import count_emoticons


@given(st.one_of(torture, st.text(alphabet=":;=8<>-o*'^)(][dDpPO/}{@|\\3 a_0", max_size=12)))
def test_emoticons_are_the_longest_shapes_that_touch_no_word(text):
    assert count_emoticons(text) == naive_text.count_emoticons(text)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (":-) :-* <3", 3),
        ("(:", 1),
        ("well:)", 0),
        ("well :),", 1),
        (":):)", 2),
        ("http://example.org", 0),
        (":// :/", 1),
        ("items 7) and 8)", 0),
        ("<30 and <3", 1),
        ("D: d:", 1),
        ("RT @ann: hello", 0),
    ],
)
def test_emoticons_stand_alone(text, number):
    assert count_emoticons(text) == number
