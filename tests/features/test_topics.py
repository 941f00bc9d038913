"""Topics come back from their file as they were, and show what they may show."""

from __future__ import annotations

import json

import numpy as np
import pytest

from made_documents import made_corpus
from whybox.errors import InputError
from whybox.features.lda import TopicSettings, initial
from whybox.features.topics import TopicModel

WORDS = ("ash", "bay", "cow", "dew")


def _model(**changes):
    settings = TopicSettings(n_topics=2, seed=3)
    parts = {
        "weights": initial(settings, 4),
        "vocabulary": WORDS,
        "surfaces": ("ashes", "bay", "cows", "dew"),
        "settings": settings,
    }
    return TopicModel(**{**parts, **changes})


def test_the_state_is_json_and_arrays_and_comes_back_exactly():
    model = _model(names=("trees", "farms"))
    meta, arrays = model.to_state()
    back = TopicModel.from_state(json.loads(json.dumps(meta)), arrays)
    assert np.array_equal(back.weights, model.weights)
    assert (back.vocabulary, back.surfaces, back.names, back.settings) == (
        model.vocabulary,
        model.surfaces,
        model.names,
        model.settings,
    )


@pytest.mark.parametrize(
    ("meta", "message"),
    [
        ({"vocabulary": ["ash", "bay", "cow"]}, "shape"),
        ({"vocabulary": ["bay", "ash", "cow", "dew"]}, "not sorted"),
        ({"vocabulary": ["ash", "ash", "cow", "dew"]}, "repeats"),
        ({"surfaces": ["ash"]}, "surface forms"),
        ({"names": ["one", "one"]}, "names"),
        ({"names": ["one", 2]}, "no text"),
        ({"settings": {"n_topics": "2"}}, "whole number"),
        ({"settings": {"topics": 2}}, "no topics"),
        ({"settings": None}, "no topics"),
    ],
)
def test_a_state_that_does_not_fit_together_is_refused(meta, message):
    whole, arrays = _model().to_state()
    with pytest.raises(InputError, match=message):
        TopicModel.from_state({**whole, **meta}, arrays)


@pytest.mark.parametrize(
    "weights",
    [
        np.ones((2, 4), np.float32),
        np.ones((4, 2)),
        np.zeros((2, 4)),
        np.full((2, 4), np.nan),
        np.array([["a"] * 4] * 2),
    ],
)
def test_weights_that_are_none_are_refused(weights):
    meta, _ = _model().to_state()
    with pytest.raises(InputError, match="no topics"):
        TopicModel.from_state(meta, {"weights": weights})


def test_words_come_likeliest_first_and_equals_by_the_alphabet():
    model = _model(weights=np.array([[1.0, 3.0, 1.0, 9.0], [5.0, 5.0, 5.0, 5.0]]))
    assert model.top_words(3) == [("dew", "bay", "ashes"), ("ashes", "bay", "cows")]


def test_a_name_that_a_person_gives_is_kept_and_shown():
    model = _model().named(("trees", "farms"))
    assert model.titles() == ("topic1 (trees)", "topic2 (farms)")
    assert model.columns == ("topic1", "topic2")
    assert model.named(()) is model
    assert _model().titles()[0].startswith("topic1 (")


def test_words_that_the_topics_do_not_know_say_nothing():
    corpus = made_corpus(12)
    shares = _model().transform(corpus)
    assert np.array_equal(shares, np.full((12, 2), 0.5))


def test_shares_sum_to_one_whatever_the_vocabulary_of_the_documents():
    corpus = made_corpus(30)
    settings = TopicSettings(n_topics=4)
    words = tuple(sorted({*corpus.vocabulary[::2], "aardvark", "zebra"}))
    model = TopicModel(initial(settings, len(words)), words, words, settings)
    shares = model.transform(corpus)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert np.array_equal(model.transform(corpus.limited(1)), shares)
    assert shares.std() > 0
