from __future__ import annotations

import zipfile
from dataclasses import replace

import pytest
from nltk import data

from whybox.errors import InputError
from whybox.text.lexicons import Lexicon, load_lexicon


@pytest.fixture
def nltk_folder(tmp_path, monkeypatch):
    """An empty folder as NLTK's only data, and no lexicon remembered."""
    monkeypatch.setattr(data, "path", [str(tmp_path)])
    load_lexicon.cache_clear()
    yield tmp_path / "corpora"
    load_lexicon.cache_clear()


def test_vader_gives_words_by_the_sign_of_their_rating_and_no_emoticon():
    lexicon = load_lexicon("vader")
    assert {"happy", "love", "lol"} <= lexicon.positive
    assert {"sad", "abandoned", "worry"} <= lexicon.negative
    assert not lexicon.positive & lexicon.negative
    assert len(lexicon.positive) > 3000
    assert len(lexicon.negative) > 3500
    words = lexicon.positive | lexicon.negative
    assert all(word == word.lower() for word in words)
    assert not [word for word in words if not word.replace("'", "").replace("-", "").isalpha()]


def test_opinion_words_are_read_from_nltks_data(nltk_folder):
    folder = nltk_folder / "opinion_lexicon"
    folder.mkdir(parents=True)
    header = "; Opinion lexicon\n;\n\n"
    (folder / "positive-words.txt").write_text(header + "bliss\nenvious\na+\n", encoding="latin-1")
    (folder / "negative-words.txt").write_bytes(header.encode() + b"envious\nna\xefve\n2-faced\n")
    lexicon = load_lexicon("opinion")
    assert lexicon == Lexicon(
        "opinion", frozenset({"bliss", "envious"}), frozenset({"envious", "naïve"})
    )


def test_sentiwordnet_weighs_senses_by_rank_and_is_read_from_a_zip(nltk_folder):
    nltk_folder.mkdir(parents=True)
    lines = [
        "# comment\twith\ttabs\tand\tmore",
        "a\t1\t0.5\t0\tfine#1 able#2\tgloss",
        "a\t2\t0\t0.75\tfine#2\tgloss",  # fine: 0.5 - 0.75 / 2 > 0
        "n\t3\t0\t0.25\table#1 ice_cream#1\tgloss",  # able: 0.25 - 0.25 = 0
        "n\t4\t0\t1\tgrief#1\tgloss",
    ]
    with zipfile.ZipFile(nltk_folder / "sentiwordnet.zip", "w") as file:
        file.writestr("sentiwordnet/SentiWordNet_3.0.0.txt", "\n".join(lines))
    lexicon = load_lexicon("sentiwordnet")
    assert (lexicon.positive, lexicon.negative) == ({"fine"}, {"grief"})


@pytest.mark.parametrize("name", ["opinion", "sentiwordnet"])
def test_missing_data_is_an_error_that_says_what_to_run(nltk_folder, name):
    with pytest.raises(InputError, match=r"python -m nltk\.downloader"):
        load_lexicon(name)


def test_an_unknown_lexicon_is_refused():
    with pytest.raises(InputError, match="vader, opinion, sentiwordnet"):
        load_lexicon("valence")


def test_the_hash_changes_with_any_word_and_tells_the_lists_apart():
    one = Lexicon("x", frozenset({"a"}), frozenset({"b"}))
    others = [replace(one, positive=frozenset()), replace(one, negative=frozenset({"b", "c"}))]
    swapped = Lexicon("x", frozenset({"b"}), frozenset({"a"}))
    assert len({lexicon.sha256 for lexicon in (one, swapped, *others)}) == 4
