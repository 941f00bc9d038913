from __future__ import annotations

import pytest
import regex
from hypothesis import given

import naive_text
from text_strategies import torture
from whybox.text.units import cut


@given(torture)
def test_tokens_of_the_units_are_the_tokens_of_the_text(text):
    assert [t for unit in cut(text) for t in naive_text.tokens(unit)] == naive_text.tokens(text)


@given(torture)
def test_units_lose_nothing_but_white_space(text):
    units = cut(text)
    assert all(units)
    assert all(regex.sub(r"^\s+|\s+$", "", unit) == unit for unit in units)
    assert regex.sub(r"\s", "", "".join(units)) == regex.sub(r"\s", "", text)


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("a b", ["a", "b"]),
        ("wait. . .what", ["wait. . .what"]),
        ("call 555 123 4567 now", ["call", "555 123 4567", "now"]),
        ("in 2020 they", ["in", "2020", "they"]),
        ("a\x1cb c", ["a\x1cb", "c"]),
        ("\u0663\u0664\u0665 \u0661\u0662\u0663\u0664", ["\u0663\u0664\u0665 \u0661\u0662\u0663\u0664"]),
        (" \n ", []),
    ],
)  # fmt: skip
def test_white_space_that_a_token_may_cross_is_kept(text, units):
    assert cut(text) == units
