"""Group by group, and nothing of few people."""

from __future__ import annotations

import numpy as np
import pytest

from whybox.errors import InputError
from whybox.model_selection.intervals import figures_of
from whybox.model_selection.subgroups import NO_VALUE, in_quarters, subgroup_figures


@pytest.fixture(scope="module")
def judged():
    rng = np.random.default_rng(0)
    groups = np.repeat(["few", "many", "rare positives"], [9, 150, 60])
    positive = rng.random(len(groups)) < 0.4
    positive[groups == "rare positives"] = np.arange(60) < 9
    scores = np.clip(rng.normal(0.4 + 0.3 * positive, 0.2), 0, 1)
    return groups, scores, positive


def test_figures_are_those_of_the_groups_rows(judged):
    groups, scores, positive = judged
    many = subgroup_figures(groups, scores, positive, scores >= 0.5)[1]
    rows = groups == "many"
    expected = figures_of(scores[rows], positive[rows], scores[rows] >= 0.5)
    assert (many.group, many.n_people, many.n_positive) == ("many", 150, positive[rows].sum())
    for name in ("sensitivity", "specificity", "f1_positive", "brier"):
        found = getattr(many, name)
        assert found.value == pytest.approx(expected[name])
        assert found.low < found.value < found.high


def test_nothing_is_told_of_fewer_than_ten_people(judged):
    groups, scores, positive = judged
    few, _, rare = subgroup_figures(groups, scores, positive, scores >= 0.5)
    assert few.group == "few"
    assert {getattr(few, name) for name in ("n_people", "n_positive", "sensitivity", "brier")} == {
        None
    }
    assert rare.n_people == 60
    assert (rare.n_positive, rare.sensitivity, rare.f1_positive) == (None, None, None)
    assert rare.specificity is not None


def test_rows_of_one_person_count_once(judged):
    groups, scores, positive = judged
    nine = groups == "many"
    people = np.arange(nine.sum()) % 9
    found = subgroup_figures(groups[nine], scores[nine], positive[nine], scores[nine] > 0.5, people)
    assert found[0].n_people is None


def test_numbers_of_many_values_are_cut_into_quarters_of_equal_size():
    values = [None, *(str(value) for value in range(100))]
    found = in_quarters(values)
    assert found[0] == NO_VALUE
    names, counts = np.unique(found[1:], return_counts=True)
    assert sorted(counts.tolist()) == [25, 25, 25, 25]
    assert len(names) == 4


@pytest.mark.parametrize("values", [["1", "2", "2"], ["a", "2", "3"]])
def test_few_values_and_words_stay_as_they_are(values):
    assert in_quarters(values).tolist() == values


def test_other_lengths_are_refused():
    with pytest.raises(InputError, match="2 groups"):
        subgroup_figures(np.array(["a", "b"]), np.zeros(3), np.zeros(3, bool), np.zeros(3, bool))
