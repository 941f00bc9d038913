from __future__ import annotations

import string
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.util import find_spec

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_spelling
from text_strategies import torture
from whybox.errors import InputError
from whybox.text import spelling
from whybox.text.counter import TextCounter
from whybox.text.lexicons import load_lexicon
from whybox.text.spelling import SPELLINGS, corrector, find_dictionary

needs_textblob = pytest.mark.skipif(
    find_spec("textblob") is None, reason="needs the extra textblob"
)
WORDS = ("beautiful", "tomorrow", "happy", "their", "really", "the", "can't", "depressed", "zebra")
slips = st.tuples(
    st.sampled_from(WORDS), st.integers(0, 9), st.integers(0, 2), st.text("aeist'é", max_size=2)
).map(lambda slip: slip[0][: slip[1]] + slip[3] + slip[0][slip[1] + slip[2] :])
wordlike = st.one_of(st.text(string.ascii_lowercase, min_size=1, max_size=9), slips)
tokens = st.one_of(wordlike, wordlike.map("#{}".format), wordlike.map("@{}".format), torture)


@cache
def counts():
    return naive_spelling.read_counts(find_dictionary("symspell").path)


def naively(word):
    return naive_spelling.correct(word, counts())


@given(wordlike)
def test_symspell_finds_the_commonest_word_one_edit_away(word):
    assert corrector("symspell")(word) == naively(word)


@given(st.lists(tokens, max_size=6).map(" ".join))
def test_counts_are_those_of_correcting_every_token_by_itself(text):
    lexicon = load_lexicon()
    expected = naive_spelling.count(text, lexicon.positive, lexicon.negative, naively)
    found = TextCounter(spelling="symspell").count([text])
    assert found.negative_words.tolist() == [expected["negative_words"]]
    assert found.positive_words.tolist() == [expected["positive_words"]]
    assert [found.vocabulary[i] for i in found.stems] == expected["stems"]


def stems(text, name="symspell"):
    found = TextCounter(spelling=name).count([text])
    return [found.vocabulary[i] for i in found.stems]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Beutiful morninng", ["beauti", "morn"]),
        ("teh hous", ["hous"]),  # a word may turn out to be a stop word
        ("#beutiful", ["beuti"]),
        ("@beutiful http://beutiful.org/beutiful beutiful.org", []),
        ("hous-morninng", ["hous-morninng"]),
        ("b4utiful", []),
        ("Beutiful beutiful BEUTIFUL", ["beauti"] * 3),
    ],
)
def test_only_plain_words_are_corrected(text, expected):
    assert stems(text) == expected


def test_a_corrected_word_counts_as_what_it_is():
    found = TextCounter(spelling="symspell").count(["happpy", "misarable", "lol"])
    assert found.positive_words.tolist() == [1, 0, 1]
    assert found.negative_words.tolist() == [0, 1, 0]
    assert TextCounter().count(["happpy misarable"]).positive_words.tolist() == [0]


def test_sentiment_words_that_the_dictionary_lacks_stay_what_they_are():
    assert [corrector("symspell")(word) for word in ("agonise", "alol")] == ["agonist", "all"]
    found = TextCounter(spelling="symspell").count(["agonise", "alol"])
    assert (found.negative_words.tolist(), found.positive_words.tolist()) == ([1, 0], [0, 1])


def test_of_equally_common_words_the_first_by_the_alphabet_is_taken(tmp_path):
    for words in ("zeta 5\nbeta 5\n", "beta 5\nzeta 5\n"):
        path = tmp_path / "words.txt"
        path.write_text(words, "utf-8")
        correct = spelling._symspell(spelling.Dictionary("symspellpy", path))
        assert correct("xeta") == "beta" == naive_spelling.correct("xeta", {"zeta": 5, "beta": 5})


def test_words_are_shown_as_corrected():
    assert TextCounter(spelling="symspell").count(["beutiful"]).words == ["beautiful"]


def test_a_distinct_word_is_corrected_once_in_a_process(monkeypatch):
    asked = []

    def build(dictionary):
        return lambda word: asked.append(word) or word

    monkeypatch.setitem(spelling._BUILDERS, "symspell", build)
    corrector.cache_clear()
    for _ in range(2):
        TextCounter(spelling="symspell").count(["abc xyz abc", "Abc xyzzy #abc happy the of"])
    corrector.cache_clear()
    assert asked == ["abc", "xyz", "xyzzy"]


def test_corrections_do_not_depend_on_the_hash_seed_or_on_what_came_before():
    script = (
        "import sys; from whybox.text.spelling import corrector; "
        "print(*map(corrector('symspell'), sys.argv[1:]))"
    )
    words = ["abd", "wrod", "ther", "zzt", "hte", "cet", "qat", "oen", "fooo", "tge"]

    def ask(seed, words):
        done = subprocess.run(
            [sys.executable, "-c", script, *words],
            env={"PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.split()

    assert ask("1", words) == ask("2", words[::-1])[::-1] == [naively(word) for word in words]


def test_threads_get_the_answers_of_one():
    words = [f"{a}{word}" for word in WORDS for a in string.ascii_lowercase]
    corrector.cache_clear()
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(corrector("symspell"), words)) == [naively(word) for word in words]


@needs_textblob
def test_textblob_gives_the_answers_of_its_own_words():
    from textblob import Word

    for word in ("speling", "happpy", "tomorow", "xqzv", "becuase", "café", "korrectud"):
        assert corrector("textblob")(word) == Word(word).spellcheck()[0][0]
    assert stems("i havv speling", "textblob") == ["spell"]


@pytest.mark.parametrize("name", ["symspell", pytest.param("textblob", marks=needs_textblob)])
def test_a_word_longer_than_any_in_the_dictionary_costs_nothing(name):
    correct = corrector(name)
    start = time.perf_counter()
    assert correct("ha" * 5000) == "ha" * 5000
    assert time.perf_counter() - start < 0.1


@needs_textblob
def test_textblob_corrects_words_two_letters_longer_than_its_longest():
    lines = find_dictionary("textblob").path.read_text("utf-8").split("\n")
    longest = max((line.split()[0] for line in lines if line[:1].isalpha()), key=len)
    assert corrector("textblob")(longest + "qq") == longest


def test_without_correction_every_word_stays():
    assert find_dictionary("none") is None
    assert corrector("none")("speling") == "speling"
    assert stems("beutiful", "none") == ["beuti"]


@pytest.mark.parametrize(
    ("name", "remedy"),
    [("symspell", "pip install symspellpy"), ("textblob", r"pip install 'whybox\[textblob\]'")],
)
def test_a_missing_package_is_named_with_its_remedy(name, remedy, monkeypatch):
    corrector.cache_clear()
    monkeypatch.setattr(spelling, "find_spec", lambda package: None)
    with pytest.raises(InputError, match=remedy):
        corrector(name)


@pytest.mark.parametrize("name", ["symspell", "textblob"])
def test_a_package_without_its_dictionary_is_told(name, tmp_path, monkeypatch):
    spec = ModuleSpec("package", None, origin=str(tmp_path / "__init__.py"))
    corrector.cache_clear()
    monkeypatch.setattr(spelling, "find_spec", lambda package: spec)
    with pytest.raises(InputError, match=r"has no dictionary .*--force-reinstall"):
        corrector(name)


def test_an_unknown_corrector_is_refused_with_the_known_ones():
    assert SPELLINGS == ("none", "symspell", "textblob")
    with pytest.raises(InputError, match=r"'guess'.*none, symspell, textblob"):
        find_dictionary("guess")


def test_a_dictionary_is_known_by_the_hash_of_its_words(tmp_path):
    found = find_dictionary("symspell")
    path = tmp_path / "words.txt"
    path.write_bytes(found.path.read_bytes())
    assert spelling.Dictionary("symspellpy", path).sha256 == found.sha256
    path.write_bytes(found.path.read_bytes() + b"whybox 1\n")
    assert spelling.Dictionary("symspellpy", path).sha256 != found.sha256


def test_no_package_is_imported_before_a_word_is_to_be_corrected():
    script = (
        "import sys; from whybox.text.spelling import find_dictionary; "
        "find_dictionary('symspell'); print('symspellpy' in sys.modules, 'nltk' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    assert done.stdout.split() == ["False", "False"]
