"""Folds: no group on both sides, shares kept, seeds as the only chance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from whybox.errors import InputError
from whybox.model_selection import make_splitter


@st.composite
def targets(draw, *, grouped: bool):
    """Classes, groups or None, and a way to split them."""
    n_classes = draw(st.integers(2, 4))
    y = draw(st.lists(st.integers(0, n_classes - 1), min_size=20, max_size=120))
    groups = draw(st.lists(st.integers(0, 25), min_size=len(y), max_size=len(y)))
    spec = draw(st.sampled_from(["2", "3", "5", "shuffle:1:0.5", "shuffle:3:0.25"]))
    return np.array(y), np.array(groups) if grouped else None, spec, draw(st.integers(0, 2**31))


def _split(y, groups, spec, seed):
    try:
        return make_splitter(spec, seed=seed).split(y, groups)
    except InputError as error:
        assert "class" in str(error)  # too few of one: nothing else may be wrong here
        return ()


@given(targets(grouped=True))
def test_no_group_is_ever_on_both_sides(case):
    _, groups, _, _ = case
    for fold in _split(*case):
        assert not set(groups[fold.train]) & set(groups[fold.test])


@given(st.booleans().flatmap(lambda grouped: targets(grouped=grouped)))
def test_each_fold_parts_the_rows_and_has_every_class_on_both_sides(case):
    y, _, spec, _ = case
    folds = _split(*case)
    for number, fold in enumerate(folds):
        assert fold.number == number
        assert_array_equal(np.sort(np.r_[fold.train, fold.test]), np.arange(len(y)))
        assert_array_equal(fold.test, np.sort(fold.test))
        assert set(y[fold.train]) == set(y[fold.test]) == set(y)
    if folds and ":" not in spec:
        assert_array_equal(np.sort(np.concatenate([f.test for f in folds])), np.arange(len(y)))


@given(targets(grouped=False))
def test_without_groups_each_class_is_within_one_row_of_its_share(case):
    y, _, spec, _ = case
    share = float(spec.split(":")[2]) if ":" in spec else 1 / int(spec)
    for fold in _split(*case):
        for label in np.unique(y):
            assert abs(np.sum(y[fold.test] == label) - share * np.sum(y == label)) <= 1


@given(st.booleans().flatmap(lambda grouped: targets(grouped=grouped)))
def test_equal_seeds_give_equal_folds(case):
    for one, other in zip(_split(*case), _split(*case), strict=True):
        assert_array_equal(one.test, other.test)


@pytest.mark.parametrize("spec", ["5", "shuffle:5:0.25"])
@pytest.mark.parametrize("grouped", [False, True])
def test_other_seeds_give_other_folds_and_the_first_seeds_are_not_a_row(spec, grouped):
    y = np.arange(200) % 2
    groups = np.arange(200) // 4 if grouped else None
    tests = {
        tuple(fold.test.tolist())
        for seed in range(4)
        for fold in make_splitter(spec, seed=seed).split(y, groups)
    }
    assert len(tests) == 20


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5])
def test_shuffled_groups_keep_the_shares_of_rows_and_classes(share):
    rng = np.random.default_rng(5)
    sizes = rng.integers(1, 12, 150)
    groups = np.repeat(np.arange(150), sizes)
    y = np.repeat(rng.random(150) < 0.2, sizes)  # a person is of one class
    for fold in make_splitter(f"shuffle:10:{share}", seed=2).split(y, groups):
        for label in (False, True):
            assert abs(np.mean(np.isin(np.flatnonzero(y == label), fold.test)) - share) < 0.05


def test_every_group_is_tested_about_equally_often_by_shuffles():
    y = np.arange(40) % 2
    folds = make_splitter("shuffle:200:0.25", seed=0).split(y, np.arange(40) // 2)
    times = np.bincount(np.concatenate([fold.test for fold in folds]), minlength=40)
    assert times.min() > 25 and times.max() < 80  # 50 expected, sd 6


def test_subjects_of_lsvt_like_data_are_kept_together():
    groups = np.repeat(np.arange(14), 9)
    y = (np.arange(126) * 7 % 9 < 3).astype(int)
    for fold in make_splitter("5", seed=0).split(y, groups):
        assert not set(groups[fold.train]) & set(groups[fold.test])
        assert len(fold.test) in (18, 27)


def test_zero_gives_no_folds_whatever_the_rows():
    assert make_splitter("0").split(["a"]) == ()


def test_a_number_may_be_an_integer():
    assert make_splitter(5, seed=1) == make_splitter("5", seed=1)


@pytest.mark.parametrize(
    "spec", ["1", "-3", "", "x", "2.5", "shuffle", "shuffle:0:0.5", "shuffle:5:1", "shuffle:5:nan",
             "shuffle:5:0.2:1", "kfold:5:0.2", "shuffle:a:0.2"],
)  # fmt: skip
def test_what_says_no_way_to_split_is_refused(spec):
    with pytest.raises(InputError, match="says no way to split"):
        make_splitter(spec)


@pytest.mark.parametrize(
    ("y", "groups", "spec", "message"),
    [
        ("aaaaabbb", None, "4", "class 'b' has 3 rows, fewer than the 4"),
        ("aaaaab", None, "shuffle:2:0.5", "class 'b' has 1 rows, fewer than the 2"),
        ("aaaabbbb", [1, 2, 3, 4, 5, 5, 5, 5], "2", "class 'b' has 1 groups, fewer than the 2"),
        ("aaaa", None, "2", "the target has 1 class in 4 rows"),
        ("", None, "2", "the target has 0 class in 0 rows"),
        ("ab", [1], "2", "1 groups for 2 rows"),
    ],
)
def test_too_little_of_a_class_is_said(y, groups, spec, message):
    with pytest.raises(InputError, match=message):
        make_splitter(spec).split(np.array(list(y), dtype="U1"), groups)


def test_groups_that_cannot_be_spread_are_refused_not_passed_on():
    # Class b is in the groups 0 and 1 only, and 1 holds every a: whichever side it is on, the
    # other has no a.
    y, groups = np.array(list("baaaaab")), np.array([0, 1, 1, 1, 1, 1, 1])
    with pytest.raises(InputError, match="class 'a' has 1 groups"):
        make_splitter("shuffle:1:0.5").split(y, groups)
    y, groups = np.array(list("abbcca")), np.array([0, 0, 1, 1, 2, 2])
    with pytest.raises(InputError, match="the groups cannot be spread evenly"):
        make_splitter("2").split(y, groups)
