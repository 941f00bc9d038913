from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_text
from text_strategies import torture
from whybox.errors import InputError
from whybox.text.cleaning import MAX_LENGTH, check_texts, clean, clean_column, clean_many

unsafe = st.one_of(torture, st.text(alphabet="a&;#x0\0\ud800\udfff\ufffd", max_size=8))


@given(st.lists(unsafe, max_size=5))
def test_many_texts_are_cleaned_as_one_is(texts):
    expected = [naive_text.clean(text) for text in texts]
    assert clean_many(texts) == expected
    assert [clean(text)[0] for text in texts] == expected


@given(st.lists(st.one_of(torture, st.text(alphabet="a&;#x0\0é", max_size=8))), st.integers(2, 9))
def test_columns_are_cleaned_as_one_text_is(texts, max_length):
    column = pa.array(["&amp;", *texts, "\0"], pa.string())[1:-1]
    expected = [clean(text, max_length=max_length)[0] for text in texts]
    assert clean_column(column, max_length=max_length).to_pylist() == expected


@given(unsafe)
def test_a_clean_text_can_be_written_as_utf8_and_holds_no_nul(text):
    assert b"\0" not in clean(text)[0].encode()


def test_entities_are_decoded_once():
    assert clean("&amp;lt;b&amp;gt; &lt;3") == ("&lt;b&gt; <3", False)


def test_the_length_is_counted_in_code_points_after_decoding():
    assert clean("&lt;" * MAX_LENGTH) == ("<" * MAX_LENGTH, False)
    assert clean("😢" * (MAX_LENGTH + 1)) == ("😢" * MAX_LENGTH, True)
    assert clean_many(["ab", "abcd"], max_length=3) == ["ab", "abc"]


@pytest.mark.parametrize("texts", ["text", [None], ["a", 1.5], ["a", b"b"]])
def test_what_is_no_list_of_texts_is_refused(texts):
    with pytest.raises(InputError):
        check_texts(texts)
