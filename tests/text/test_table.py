from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

import naive_text
from text_strategies import torture
from whybox.kernels.units import sum_units
from whybox.text.counter import TextCounter
from whybox.text.table import UnitTable
from whybox.text.tokens import is_address, is_mention
from whybox.text.units import character_kinds, cut

texts = st.lists(torture.map(naive_text.clean), max_size=6)
MENTION, ADDRESS = -2, -3


def key(unit: str) -> str | int:
    """What a unit is remembered by, slowly."""
    if is_mention(unit) or (re.fullmatch(r"@..+[!,.?:]", unit) and is_mention(unit[:-1])):
        return MENTION
    if is_address(unit):
        return ADDRESS
    word = re.fullmatch(r"([A-Za-z]{2,})[!,.?]*", unit)
    return word[1].lower() if word else unit


@given(texts, texts)
def test_units_are_cut_and_remembered_by_their_bytes_as_they_are_slowly(before, texts):
    asked: list[str] = []
    table = UnitTable(lambda unit: asked.append(unit) or len(asked) - 1, mention=-2, address=-3)
    table.look_up(pa.array(before, pa.string()))
    values, ends = table.look_up(pa.array(["", *texts, "x"], pa.string())[1:-1])
    found = [asked[value] if value >= 0 else value for value in values.tolist()]
    units = list(map(cut, texts))
    assert found == [key(unit) for own in units for unit in own]
    assert ends.tolist() == np.cumsum([len(own) for own in units]).tolist()
    assert len(set(asked)) == len(asked) == len(table)


def test_any_number_of_units_is_remembered_and_all_can_be_forgotten():
    table = UnitTable(int, mention=-2, address=-3)
    numbers = [str(n) for n in range(7, 40_007)]
    for _ in range(2):
        for part in (numbers, numbers[::-1], numbers[:9]):
            assert table.look_up(pa.array(part))[0].tolist() == list(map(int, part))
        assert len(table) == 40_000
        table.clear()
        assert not len(table)


def test_no_character_beyond_the_table_is_a_digit_or_white_space():
    higher = "".join(map(chr, range(len(character_kinds()), 0x110000)))
    assert not regex.search(r"[\s\d]", higher)


@given(texts)
def test_columns_are_counted_as_lists_are(texts):
    column = pa.array(["no", *texts])[1:]
    of_list, of_column = TextCounter().count(texts), TextCounter().count(column)
    for name in ("negative_words", "positive_words", "emoji_number", "emoticons", "mentions"):
        assert getattr(of_list, name).tolist() == getattr(of_column, name).tolist()
    stems = [[found.vocabulary[i] for i in found.stems] for found in (of_list, of_column)]
    assert stems[0] == stems[1]
    assert of_list.indptr.tolist() == of_column.indptr.tolist()


@pytest.mark.parametrize(
    ("text", "mentions", "emoticons"),
    [("@D:", 1, 1), ("@xD: @ann, @o8.", 3, 0), ("@ann:) @a____b: @ann.:", 3, 0), ("@é: @", 0, 0)],
)
def test_mentions_with_a_stop_are_as_they_are_slowly(text, mentions, emoticons):
    counts = TextCounter().count([text])
    slow = naive_text.count(text, frozenset(), frozenset())
    assert counts.mentions.tolist() == [mentions]
    assert counts.emoticons.tolist() == [slow["emoticons"]] == [emoticons]


@given(st.lists(st.lists(st.integers(0, 4), max_size=5), max_size=4), st.randoms())
def test_sums_are_those_of_the_units(units, random):
    counts = np.array([[random.randrange(9) for _ in range(2)] for _ in range(5)], np.int32)
    stems = [[random.randrange(99) for _ in range(random.randrange(3))] for _ in range(5)]
    stop = np.cumsum([len(own) for own in stems])
    start = stop - [len(own) for own in stems]
    flat = np.array([stem for own in stems for stem in own], np.int32)
    numbers = np.array([number for own in units for number in own], np.int32)
    ends = np.cumsum([len(own) for own in units], dtype=np.int64)
    sums, lengths, found = sum_units(numbers, ends, counts, start, stop, flat)
    assert sums.T.tolist() == [counts[own].sum(axis=0).tolist() for own in units]
    slow = [[stem for number in own for stem in stems[number]] for own in units]
    assert lengths.tolist() == list(map(len, slow))
    assert found.tolist() == [stem for own in slow for stem in own]
