from __future__ import annotations

import pytest
from hypothesis import given

import naive_text
from text_strategies import torture
from whybox.text.lexicons import load_lexicon
from whybox.text.units import cut
from whybox.text.vocabulary import ADDRESS, COUNTS, MENTION, Vocabulary


def stems(vocabulary, unit):
    number = vocabulary.add(unit)
    span = slice(vocabulary.stem_start[number], vocabulary.stem_stop[number])
    return [vocabulary.stems[i] for i in vocabulary.stem_ids[span]]


@given(torture)
def test_a_unit_has_the_counts_and_stems_of_the_slow_chain(text):
    lexicon = load_lexicon()
    vocabulary = Vocabulary(lexicon)
    for unit in filter(None, cut(naive_text.clean(text))):
        expected = naive_text.count(unit.replace("&", "&amp;"), lexicon.positive, lexicon.negative)
        assert stems(vocabulary, unit) == expected.pop("stems")
        counts = dict(zip(COUNTS, vocabulary.counts[vocabulary.add(unit)].tolist(), strict=True))
        assert {name: counts[name] for name in expected} == expected


def test_mentions_and_addresses_share_a_number_and_take_no_room():
    vocabulary = Vocabulary(load_lexicon())
    assert vocabulary.add("@ann") == vocabulary.add("@bob_2") == MENTION
    assert vocabulary.add("http://t.co/a") == vocabulary.add("https://example.org/b") == ADDRESS
    assert vocabulary.add("rain") == 2


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        ("#Depressed", ["depress"]),
        ("war,", ["war"]),
        ("go", []),
        ("the", []),
        ("foo.com", []),
        ("b4u", []),
        ("cafe\u0301", ["café"]),
        ("well-being", ["well-b"]),
    ],
)
def test_stems_are_of_words_of_three_letters_and_more(unit, expected):
    assert stems(Vocabulary(load_lexicon()), unit) == expected


def test_forgetting_units_keeps_the_stems_where_they_are():
    vocabulary = Vocabulary(load_lexicon())
    assert (stems(vocabulary, "rain"), stems(vocabulary, "snow")) == (["rain"], ["snow"])
    vocabulary.forget_units()
    assert stems(vocabulary, "snow") == ["snow"]
    assert vocabulary.stems == ["rain", "snow"]


def test_room_is_made_for_any_number_of_units():
    vocabulary = Vocabulary(load_lexicon())
    units = [f"happy {i}" for i in range(6000)]
    assert len({vocabulary.add(unit) for unit in units}) == 6000
    assert vocabulary.counts[vocabulary.add("happy")].tolist() == [0, 1, 0, 0, 0]
    assert len(vocabulary.counts) == len(vocabulary.stem_start) == len(vocabulary.stem_stop) == 8192
