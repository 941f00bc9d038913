from __future__ import annotations

import pytest
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from whybox.text.stopwords import is_stop_word, stop_words, stop_words_sha256


def test_every_word_of_the_list_is_a_stop_word():
    assert stop_words() == ENGLISH_STOP_WORDS
    assert all(map(is_stop_word, ENGLISH_STOP_WORDS))


@pytest.mark.parametrize("word", ["i'm", "that's", "we'll", "don't", "isn't", "couldn't"])
def test_contractions_of_stop_words_are_stop_words(word):
    assert is_stop_word(word)


@pytest.mark.parametrize("word", ["war", "mum", "o'clock", "ann's", "well-being"])
def test_other_words_are_not(word):
    assert not is_stop_word(word)


def test_languages_without_a_list_keep_every_word():
    assert not is_stop_word("el", "spanish")
    assert stop_words_sha256("spanish") != stop_words_sha256()
