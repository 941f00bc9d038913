from __future__ import annotations

import json
import pickle
from dataclasses import FrozenInstanceError
from importlib.metadata import version

import pytest

from whybox.errors import InputError
from whybox.features.recipe import Recipe, recipe_differences
from whybox.text.lexicons import load_lexicon
from whybox.text.spelling import find_dictionary


def test_a_recipe_survives_json_and_pickle():
    recipe = Recipe(timezone="Asia/Kathmandu", lang="en,es", drop_matching="depress|diagnos")
    stored = json.loads(json.dumps(recipe.as_dict()))
    assert Recipe.from_dict(stored) == recipe == pickle.loads(pickle.dumps(recipe))
    assert recipe_differences(stored, recipe.as_dict()) == ()


def test_a_stored_recipe_holds_what_shapes_the_features():
    stored = Recipe().as_dict()
    assert stored["lexicon_sha256"] == load_lexicon("vader").sha256
    assert len(stored["stop_words_sha256"]) == 64
    assert set(stored["software"]) == {"nltk", "regex", "unicode", "whybox"}
    assert (stored["timezone"], stored["night"], stored["min_posts"]) == ("UTC", "23:00-06:00", 6)


def test_differences_name_options_hashes_and_packages():
    ours, theirs = Recipe().as_dict(), Recipe(min_posts=7).as_dict()
    theirs |= {"lexicon_sha256": "0" * 64, "software": theirs["software"] | {"nltk": "0"}}
    assert recipe_differences(ours, theirs) == ("lexicon_sha256", "min_posts", "software.nltk")
    del theirs["spelling"]
    assert "spelling" in recipe_differences(ours, theirs)


def test_a_recipe_with_a_corrector_holds_its_dictionary_and_its_version():
    stored = json.loads(json.dumps(Recipe(spelling="symspell").as_dict()))
    assert stored["spelling_sha256"] == find_dictionary("symspell").sha256
    assert stored["software"]["symspellpy"] == version("symspellpy")
    assert Recipe.from_dict(stored) == Recipe(spelling="symspell")
    expected = ("software.symspellpy", "spelling", "spelling_sha256")
    assert recipe_differences(stored, Recipe().as_dict()) == expected
    other = stored | {"spelling_sha256": "0" * 64}
    assert recipe_differences(stored, other) == ("spelling_sha256",)
    assert "spelling_sha256" not in Recipe().as_dict()


def test_a_corrector_of_another_language_is_refused():
    assert Recipe(language="spanish").spelling == "none"
    with pytest.raises(InputError, match="symspell corrects English, not spanish"):
        Recipe(language="spanish", spelling="symspell")


def test_equal_options_make_equal_recipes_that_nobody_changes():
    assert Recipe() == Recipe(night="23:00-06:00") != Recipe(night="22:00-06:00")
    assert len({Recipe(), Recipe()}) == 1
    with pytest.raises(FrozenInstanceError):
        Recipe().min_posts = 3


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("timezone", "Mars/Olympus"),
        ("timezone", "../../etc/passwd"),
        ("timezone", ""),
        ("night", "23:00"),
        ("night", "25:00-06:00"),
        ("night", "06:00-06:00"),
        ("night", "23:00:30-06:00"),
        ("night", "23:00-06:00-07:00"),
        ("lexicon", "valence"),
        ("language", "klingon"),
        ("spelling", "guess"),
        ("lang", ""),
        ("lang", "en,"),
        ("lang", "en, es"),
        ("min_posts", 0),
        ("min_posts", "6"),
        ("min_posts", True),
        ("own_posts_only", 1),
        ("drop_matching", "("),
        ("drop_matching", 3),
        ("drop_anchors", None),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_at_once(option, value):
    with pytest.raises(InputError) as caught:
        Recipe(**{option: value})
    assert caught.value.remedy


def test_an_unknown_option_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match=r"tempo.*timezone"):
        Recipe.from_dict({"tempo": 3})
