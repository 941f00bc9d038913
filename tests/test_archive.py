"""Zips and arrays as bytes."""

from __future__ import annotations

import io
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from whybox._archive import pack_arrays, pack_zip, unpack_arrays, unpack_zip

DTYPES = st.sampled_from(["?", "i1", "u2", "<i8", ">i4", "<f4", ">f8", "<U3", "f2"])


@given(DTYPES.flatmap(lambda d: hnp.arrays(d, hnp.array_shapes(min_dims=0, min_side=0))))
def test_arrays_come_back_bit_by_bit_and_as_numpy_reads_them(array):
    packed = pack_arrays({"a/b": array, "c": array[..., None]})
    again = unpack_arrays(packed, 10**6)
    little = array.astype(array.dtype.newbyteorder("<"))
    assert again["a/b"].tobytes() == little.tobytes()
    assert (again["a/b"].shape, again["a/b"].dtype) == (little.shape, little.dtype)
    assert again["c"].flags.writeable
    with np.load(io.BytesIO(packed), allow_pickle=False) as npz:
        assert npz["a/b"].tobytes() == little.tobytes()


@given(st.dictionaries(st.text("abc.", min_size=1, max_size=5), st.binary(max_size=50)))
def test_members_come_back_and_their_order_leaves_no_trace(members):
    packed = pack_zip(members)
    assert unpack_zip(packed, 10**6) == members
    assert packed == pack_zip(dict(reversed(members.items())))


def _forged(header: bytes, content: bytes = b"") -> bytes:
    npy = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + content
    return pack_zip({"x.npy": npy}, deflated=False)


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"[" * 5000,
        b"-" * 9000 + b"1",
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }",
        b"{'descr': '<u3', 'fortran_order': False, 'shape': (0,), }",
        b"{'descr': '<U99999999999999', 'fortran_order': False, 'shape': (0,), }",
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (1 2,), }",
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (0, 10000000000000000000000000), }",
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999999,), }",
        b"{'descr': '<f8', 'fortran_order': False, 'shape': 3}",
        b"{'descr': '|O', 'fortran_order': False, 'shape': ()}",
        b"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (0,)}",
        b"{'descr': '<U0', 'fortran_order': False, 'shape': (9,), }",
        b"{'descr': '<f8'}",
        b"__import__('os').system('true')",
    ],
)
def test_a_header_that_somebody_made_up_is_a_value_error(header):
    with pytest.raises(ValueError):
        unpack_arrays(_forged(header + b"\n"), 10**6)


@given(st.binary(max_size=120), st.binary(max_size=30))
def test_any_noise_for_a_header_is_a_value_error(header, content):
    with pytest.raises(ValueError):
        unpack_arrays(_forged(header, content), 10**6)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_value_error(data):
    with pytest.raises(ValueError):
        unpack_zip(data, 10**6)


@pytest.mark.parametrize("name", ["", "a b", "ü", "x" * 201])
def test_odd_names_are_refused(name):
    with pytest.raises(ValueError, match="array name"):
        pack_arrays({name: np.zeros(1)})
