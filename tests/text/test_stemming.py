from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.stem import SnowballStemmer

from whybox.errors import InputError
from whybox.text.stemming import check_language, stem


@given(st.text(min_size=1, max_size=12), st.sampled_from(["english", "spanish", "russian"]))
def test_stems_are_those_of_nltk(word, language):
    assert stem(word, language) == SnowballStemmer(language).stem(word)


def test_an_unknown_language_is_refused_with_those_there_are():
    with pytest.raises(InputError, match=r"klingon.*english"):
        check_language("klingon")


def test_the_function_is_not_hidden_by_a_module_of_its_name():
    from whybox import text

    assert text.stem("running") == "run"
