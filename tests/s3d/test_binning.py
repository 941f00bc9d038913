"""Which splits of a feature stay, and what they must gain."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybox.kernels.s3d import FULL
from whybox.s3d.binning import BinningRules, GridState, bin_feature, n_kept
from whybox.s3d.columns import Coding
from whybox.s3d.outcome import OutcomeRows
from whybox.s3d.statistics import Shape, Statistics

SPLITS = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=12)


@given(SPLITS)
def test_patience_keeps_the_splits_up_to_the_last_that_paid(splits):
    gains, prices = np.array(splits).reshape(-1, 2).T
    kept = n_kept(gains, prices, BinningRules(0.1))
    assert all(gain < price for gain, price in splits[kept:])
    assert kept == 0 or gains[kept - 1] + 1e-11 >= prices[kept - 1]


@given(SPLITS)
def test_best_loss_keeps_the_prefix_of_lowest_loss(splits):
    gains, prices = np.array(splits).reshape(-1, 2).T
    losses = [float((prices - gains)[:k].sum()) for k in range(len(splits) + 1)]
    kept = n_kept(gains, prices, BinningRules(0.1, "best_loss"), 1e-13)
    assert losses[kept] == pytest.approx(min(losses), abs=1e-11)
    assert all(loss > losses[kept] - 1e-11 for loss in losses[:kept])


def one_block(y, codes):
    """Statistics of one block, and the state of a grid of it."""
    n, s = len(y), int(y.sum())
    rows = OutcomeRows(None, y.astype(np.uint8), None)
    shape = Shape(int(codes.max()) + 1, 1, 1)
    statistics = Statistics.of(codes.astype(np.uint16), np.zeros(n, np.int32), rows, shape)
    total = s * (n - s) / n
    return statistics, GridState(np.zeros((1, 4), np.int64), FULL / total, 0, float(n))


def coding_of(n_codes):
    return Coding(np.arange(float(n_codes)), 0.0, False, True)


def test_noise_pays_by_the_blocks_that_it_cuts():
    rng = np.random.default_rng(0)
    y, codes = rng.integers(0, 2, 400), rng.integers(0, 30, 400)
    statistics, state = one_block(y, codes)
    paid = [
        len(bin_feature(statistics, coding_of(30), 0, state, BinningRules(0.0, noise_floor=f)).cuts)
        for f in (0, 1, 2, 4, 100)
    ]
    assert paid == sorted(paid, reverse=True)
    assert paid[0] > 10
    assert paid[-1] == 0


@given(st.integers(0, 50), st.sets(st.integers(-2, 12), max_size=5))
def test_given_bins_gain_what_their_means_explain(seed, chosen):
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.arange(60) % 10)
    y = (codes + rng.normal(0, 4, 60) > 5).astype(int)
    cuts = np.array(sorted(chosen), float) + 0.25
    statistics, state = one_block(y, codes)
    binned = bin_feature(statistics, coding_of(10), 0, state, BinningRules(0.5, cuts={0: cuts}))
    edges = [-np.inf, *cuts, np.inf]
    inside = [y[(codes > a) & (codes <= b)] for a, b in pairwise(edges)]
    between = sum(len(part) * (part.mean() - y.mean()) ** 2 for part in inside if len(part))
    assert binned.gain / FULL == pytest.approx(between / np.square(y - y.mean()).sum(), abs=1e-12)
    assert binned.cuts.tolist() == cuts.tolist()
