"""Statistics add up: any cut, any order, dense or sparse."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybox.kernels.s3d import Entries
from whybox.s3d import statistics
from whybox.s3d.outcome import OutcomeRows
from whybox.s3d.statistics import Shape, Statistics, Workspace, merge_all

KINDS = ["counts", "sums", "weighted counts", "weighted sums", "classes", "weighted classes"]


def make_rows(kind, n, rng):
    weight = rng.integers(1, 5, n) if "weighted" in kind else None
    if "classes" in kind:
        return OutcomeRows(rng.integers(0, 3, n).astype(np.int32), None, weight)
    value = rng.integers(0, 2, n).astype(np.uint8)
    if kind != "counts":
        value = rng.integers(-(2**40), 2**40, n)
    return OutcomeRows(None, value, weight)


def some(rows, part):
    return OutcomeRows(*(None if a is None else a[part] for a in rows))


def as_counter(result):
    """(code, block, channel) -> sums, by plain loops."""
    entries, found = result.entries, Counter()
    for code in range(result.shape.n_codes):
        for t in range(entries.start[code], entries.start[code + 1]):
            channel = entries.channel[t] if result.shape.n_channels > 1 else 0
            key = (code, int(entries.block[t]), int(channel))
            assert key not in found
            found[key] = (int(entries.n[t]), int(entries.s[t]))
    return found


def naive(code, cell, rows, n_channels):
    n, s = Counter(), Counter()
    for i in range(len(code)):
        key = (int(code[i]), int(cell[i]) // n_channels, int(cell[i]) % n_channels)
        w = 1 if rows.weight is None else int(rows.weight[i])
        n[key] += w
        s[key] += w if rows.value is None else int(rows.value[i])
    return {key: (n[key], s[key]) for key in n}


def drawn(kind, n, seed):
    rng = np.random.default_rng(seed)
    rows = make_rows(kind, n, rng)
    shape = Shape(7, 5, 3 if rows.channel is not None else 1)
    cell = rng.integers(0, shape.n_blocks, n).astype(np.int32) * shape.n_channels
    if rows.channel is not None:
        cell += rows.channel
    return rng.integers(0, 7, n).astype(np.uint16), cell, rows, shape


@given(st.sampled_from(KINDS), st.integers(1, 60), st.integers(0, 9), st.booleans())
def test_dense_and_sparse_sums_are_the_plain_ones(kind, n, seed, dense):
    code, cell, rows, shape = drawn(kind, n, seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(statistics, "DENSE_PLACES", 10**6 if dense else 0)
        found = as_counter(Statistics.of(code, cell, rows, shape))
    assert found == naive(code, cell, rows, shape.n_channels)


@given(st.sampled_from(KINDS), st.integers(3, 60), st.integers(0, 9), st.data())
def test_merging_is_associative_commutative_and_the_sum_of_all(kind, n, seed, data):
    code, cell, rows, shape = drawn(kind, n, seed)
    a, b = sorted(data.draw(st.tuples(st.integers(0, n), st.integers(0, n))))
    parts = [
        Statistics.of(code[p], cell[p], some(rows, p), shape)
        for p in (slice(0, a), slice(a, b), slice(b, n))
    ]
    x, y, z = parts
    results = [merge_all(parts), x.merge(y).merge(z), x.merge(y.merge(z)), z.merge(x).merge(y)]
    results.append(x.update(code[a:b], cell[a:b], some(rows, slice(a, b))).merge(z))
    results.append(merge_all([x.packed(), y, z.packed()]))
    plain = naive(code, cell, rows, shape.n_channels)
    for result in results:
        assert as_counter(result) == plain
        assert [a.dtype for a in result.entries] == [a.dtype for a in results[0].entries]


@given(st.lists(st.integers(-(2**62), 2**62), max_size=5), st.sampled_from([0, 8, 16, 32]))
def test_packed_sums_take_the_least_room_and_are_the_same(sums, bits):
    s = np.array([v >> bits for v in sums], np.int64)
    block, n = np.arange(len(s), dtype=np.int32), np.arange(1, len(s) + 1)
    start = np.array([0, len(s)])
    whole = Statistics(Shape(1, 5, 1), Entries(start, block, block[:0], n, s))
    packed = whole.packed()
    for ours, small, back in zip(
        whole.entries, packed.entries, packed.unpacked().entries, strict=True
    ):
        assert (ours.dtype, ours.tolist()) == (back.dtype, back.tolist())
        assert small.dtype.itemsize <= ours.dtype.itemsize
    assert packed.entries.n.dtype.itemsize == 1
    widest = max((max(int(v), ~int(v)) for v in s), default=0)
    signed = 8 * packed.entries.s.dtype.itemsize - (packed.entries.s.dtype.kind == "i")
    assert widest < 2**signed


def test_a_workspace_is_used_again():
    space = Workspace()
    first = space.array("n", 10, np.int64)
    assert space.array("n", 4, np.int64).base is first.base
    assert space.array("n", 11, np.int64).base is not first.base
