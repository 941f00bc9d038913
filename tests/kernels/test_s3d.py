"""The decomposition's kernels beside plain loops."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybox.kernels import s3d, s3d_rows


@given(
    st.lists(
        st.one_of(st.sampled_from([0.0, -0.0, math.nan, -math.nan, 5e-324]), st.integers(-9, 9)),
        max_size=50,
    )
)
def test_values_are_numbered_as_they_appear(values):
    column = np.array(values, dtype=np.float64)
    codes = np.empty(len(column), np.uint16)
    found, state = s3d_rows.encode(column.view(np.int64), codes)
    assert state == 0
    np.testing.assert_array_equal(found.view(np.float64)[codes], column)
    keys = ["nan" if math.isnan(v) else v + 0.0 for v in column.tolist()]
    assert codes.tolist() == [list(dict.fromkeys(keys)).index(key) for key in keys]


@pytest.mark.parametrize(("n_values", "missing", "state"), [(65_535, True, 0), (65_536, False, 2)])
def test_as_many_values_as_codes_and_one_more(n_values, missing, state):
    column = np.random.default_rng(0).permutation(n_values).astype(float) * 0.37
    column = np.concatenate([column, [np.nan] * missing, column])
    codes = np.empty(len(column), np.uint16)
    found, got = s3d_rows.encode(column.view(np.int64), codes)
    assert got == state
    if state == 0:
        np.testing.assert_array_equal(found.view(np.float64)[codes], column)


def test_a_strided_column_and_an_infinite_value():
    X = np.array([[1.0, np.inf], [2.0, 3.0]])
    codes = np.empty(2, np.uint16)
    assert s3d_rows.encode(X[:, 0].view(np.int64), codes)[1] == 0
    assert s3d_rows.encode(X[:, 1].view(np.int64), codes)[1] == 1


@given(st.integers(0, 99), st.integers(1, 3), st.integers(1, 4))
def test_blocks_are_gathered_descended_to_and_regrouped(seed, n_channels, n_blocks):
    rng = np.random.default_rng(seed)
    n, n_codes = 40, 6
    code = rng.integers(0, n_codes, n).astype(np.uint16)
    block = rng.permutation(np.arange(n) % n_blocks).astype(np.int32)
    channel = rng.integers(0, n_channels, n).astype(np.int32)
    cell = block * n_channels + channel
    table = np.zeros((n_codes, n_blocks * n_channels, 2), np.int64)
    s3d_rows.dense_sums(code, cell, None, None, table)
    entries = s3d.Entries(np.zeros(n_codes + 1, np.int64), *(np.zeros(n, t) for t in "iiqq"))
    s3d_rows.compress(table, n_channels, entries)
    bins = np.sort(rng.integers(0, 3, n_codes)).astype(np.int32)
    parent, of, count, sums = s3d.gather_blocks(entries, bins, n_blocks, n_channels)
    pairs = sorted(set(zip(block.tolist(), bins[code].tolist(), strict=True)))
    assert list(zip(parent.tolist(), of.tolist(), strict=True)) == pairs
    place = [pairs.index(p) for p in zip(block.tolist(), bins[code].tolist(), strict=True)]
    assert count.tolist() == np.bincount(place).tolist()
    for c in range(n_channels):
        expected = np.bincount(np.array(place)[channel == c], minlength=len(pairs))
        assert sums[:, c].tolist() == expected.tolist()
    offsets = np.searchsorted(parent, np.arange(n_blocks + 1)).astype(np.int64)
    assert s3d_rows.descend(block, bins[code], offsets, of).tolist() == place
    s3d_rows.regroup(cell, code, bins, n_channels, offsets, of)
    assert cell.tolist() == [p * n_channels + c for p, c in zip(place, channel, strict=True)]
    nowhere = s3d_rows.descend(np.array([-1, 0], np.int32), np.array([0, 9]), offsets, of)
    assert nowhere.tolist() == [-1, -1]


@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 4), st.integers(1, 5))
def test_two_statistics_are_merged_as_plain_dictionaries_are(seed, n_channels, n_blocks, n_codes):
    rng = np.random.default_rng(seed)
    sides, plain = [], [{} for _ in range(n_codes)]
    for _ in range(2):
        start, cells = [0], []
        for _ in range(n_codes):  # the cells of a code in any order, each once
            cells += rng.permutation(n_blocks * n_channels)[: rng.integers(0, 7)].tolist()
            start.append(len(cells))
        cell = np.array(cells, np.int32)
        n, s = rng.integers(1, 9, len(cells)), rng.integers(-(2**40), 2**40, len(cells))
        channel = cell % n_channels if n_channels > 1 else cell[:0]
        sides.append(s3d.Entries(np.array(start), cell // n_channels, channel, n, s))
        for code, (low, high) in enumerate(itertools.pairwise(start)):
            for at in range(low, high):
                before = plain[code].get(cells[at], (0, 0))
                plain[code][cells[at]] = (before[0] + int(n[at]), before[1] + int(s[at]))
    room = sum(len(side.n) for side in sides)
    merged = s3d.Entries(np.zeros(n_codes + 1, np.int64), *(np.zeros(room, t) for t in "iiqq"))
    position = np.full(n_blocks * n_channels, -1, np.int32)
    m = s3d.merge_entries(*sides, n_channels, position, merged)
    found = merged.block[:m] * n_channels + (merged.channel[:m] if n_channels > 1 else 0)
    sums = zip(merged.n[:m].tolist(), merged.s[:m].tolist(), strict=True)
    items = list(zip(found.tolist(), sums, strict=True))
    assert [items[a:b] for a, b in itertools.pairwise(merged.start.tolist())] == [
        list(each.items()) for each in plain
    ]


def test_rows_are_added_by_block():
    sums = np.zeros(2, np.int64)
    s3d_rows.add_by_block(
        np.array([5, 0, 3], np.int32), 3, np.array([1, 10, 100]), np.array([2, 1, 3]), sums
    )
    assert sums.tolist() == [10, 302]
