"""People go to parts by their id alone, and a dealt table serves any number of parts."""

from __future__ import annotations

import hashlib

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from whybox.data.dealing import deal, part_of, slots_of

IDS = st.lists(st.text(max_size=6), min_size=1, max_size=30)


@given(IDS, st.integers(1, 10_000))
def test_parts_are_ranges_of_the_hash(ids, n_parts):
    slots = [
        int.from_bytes(hashlib.blake2b(i.encode(), digest_size=4).digest(), "big") for i in ids
    ]
    assert slots_of(ids).tolist() == slots
    assert part_of(slots_of(ids), n_parts).tolist() == [s * n_parts // 2**32 for s in slots]


@given(IDS)
def test_a_dealt_table_is_sorted_by_hash_and_loses_no_row(ids):
    table = pa.table({"user_id": pa.array(ids, pa.string()), "n": range(len(ids))})
    dealt = deal(table)
    slots = dealt["slot"].to_numpy()
    assert (np.diff(slots.astype(np.int64)) >= 0).all()
    assert slots.tolist() == slots_of(dealt["user_id"].to_pylist()).tolist()
    assert sorted(dealt["n"].to_pylist()) == list(range(len(ids)))
