"""What was sealed is given back as it was, or not at all."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybox.data.sealed import seal, seal_values, unseal, unseal_values

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(data=st.binary(max_size=60), place=st.integers(0), bit=st.integers(0, 7))
def test_one_flipped_bit_anywhere_is_noticed(data, place, bit):
    sealed = bytearray(seal(data))
    assert unseal(bytes(sealed)) == data
    sealed[place % len(sealed)] ^= 1 << bit
    with pytest.raises(ValueError, match="not the bytes"):
        unseal(bytes(sealed))


@given(data=st.binary(max_size=60), left=st.integers(0))
def test_fewer_bytes_are_noticed(data, left):
    sealed = seal(data)
    with pytest.raises(ValueError, match="not the bytes"):
        unseal(sealed[: left % len(sealed)])


@given(values=st.dictionaries(st.text().filter(lambda name: name != "seal"), json_values))
def test_values_survive_a_file_of_json(values):
    assert unseal_values(json.loads(json.dumps(seal_values(values)))) == values


@pytest.mark.parametrize("found", [None, 3, [], {}, {"rows": 3}, {"rows": 3, "seal": "0"}])
def test_values_without_their_seal_are_refused(found):
    with pytest.raises(ValueError, match="not the values"):
        unseal_values(found)


@given(
    values=st.dictionaries(st.text(max_size=5), json_values, min_size=1, max_size=3),
    place=st.integers(0),
    bit=st.integers(0, 7),
)
def test_a_line_with_one_flipped_bit_is_refused_or_says_the_same(values, place, bit):
    values.pop("seal", None)
    line = bytearray(json.dumps(seal_values(values)).encode())
    line[place % len(line)] ^= 1 << bit
    try:
        found = unseal_values(json.loads(bytes(line)))
    except ValueError:
        return
    assert found == values  # as in 1e0 and 1E0
