"""When the model does not answer, and which reason is given."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybox.errors import InputError
from whybox.model_selection import Abstention, Ranges, abstain, feature_ranges, out_of_range


def test_the_first_reason_in_the_order_of_precedence_is_given():
    cases = list(itertools.product([False, True], repeat=3))
    few, outside, near = (np.array(column) for column in zip(*cases, strict=True))
    got = abstain(
        np.where(near, 0.5, 0.9),
        n_posts=np.where(few, 5, 6),
        outside=np.column_stack([np.zeros(8, bool), outside]),
    )
    for (is_few, is_outside, is_near), reason in zip(cases, got, strict=True):
        if is_few:
            assert reason == "too few posts"
        elif is_outside:
            assert reason == "out of range"
        else:
            assert reason == ("near threshold" if is_near else None)


def test_the_band_is_open_on_both_sides_and_moves_with_the_threshold():
    got = abstain(np.array([0.25, 0.251, 0.3, 0.349, 0.35]), threshold=0.3)
    assert got.tolist() == [None, "near threshold", "near threshold", "near threshold", None]
    assert abstain(np.array([0.45, 0.55])).tolist() == [None, None]


def test_a_band_of_zero_answers_always():
    assert abstain(np.array([0.5, 0.2]), 0.5, Abstention(band=0)).tolist() == [None, None]


def test_the_training_rows_themselves_are_never_out_of_range():
    X = np.random.default_rng(0).normal(size=(30, 4)).astype(np.float32)
    X[3, 1] = np.nan
    assert not out_of_range(X, feature_ranges(X)).any()


@given(st.lists(st.lists(st.floats(-9, 9), min_size=2, max_size=2), min_size=1, max_size=8))
def test_a_step_beyond_the_range_is_outside_in_that_feature_only(rows):
    X = np.array(rows)
    beyond = np.array([[np.nextafter(X[:, 0].max(), np.inf), X[0, 1]]])
    assert out_of_range(beyond, feature_ranges(X)).tolist() == [[True, False]]


def test_missing_values_are_not_outside_and_a_feature_never_seen_rules_nothing_out():
    ranges = feature_ranges([[np.nan, 1.0], [np.nan, 2.0]])
    assert not out_of_range([[5.0, np.nan]], ranges).any()


def test_lengths_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="2 rows"):
        abstain(np.zeros(3), n_posts=np.zeros(2))
    with pytest.raises(InputError, match="trained on 1 features"):
        out_of_range(np.zeros((2, 2)), Ranges(np.zeros(1), np.ones(1)))
    with pytest.raises(InputError, match="at least one row"):
        feature_ranges(np.zeros((0, 2)))
    with pytest.raises(InputError, match="band"):
        Abstention(band=-0.1)
