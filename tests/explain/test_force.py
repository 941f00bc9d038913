"""The force plot: arrows that add up, labels that do not touch."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybox.explain import Attribution, Person
from whybox.explain import force as module
from whybox.explain.force import force_plot, pushes

phis = st.lists(st.floats(-0.5, 0.5), min_size=1, max_size=12)


def make(phi):
    names = [f"feature number {at}" for at in range(len(phi))]
    return Attribution(names, np.arange(len(phi), dtype=float)[None], np.array([phi]), 0.3)


@given(phis)
def test_arrows_stack_from_the_answer_outward_and_add_up(phi):
    explained = make(phi)
    answer, stacked = explained.prediction(0), pushes(explained, 0)
    assert len(stacked) == np.count_nonzero(phi)
    for up in (True, False):
        side = [push for push in stacked if (push.phi > 0) == up]
        ends = [answer, *(push.start for push in side)]
        assert [push.end for push in side] == ends[:-1]
        assert all(abs(a.phi) >= abs(b.phi) for a, b in pairwise(side))
    for push in stacked:
        assert push.end - push.start == pytest.approx(push.phi, abs=1e-12)


@given(phis)
def test_no_label_touches_another_or_its_stalk(phi):
    explained = make(phi)
    stacked = pushes(explained, 0)
    named = [push for up in (True, False) for push in module._named(stacked, 4, up=up)]
    low, high = module._limits(stacked, named, 0.3, explained.prediction(0))
    levels = module._levels(named, low, high)
    placed = [
        (module._middle(push), module._middle(push) + module._share(push) * (high - low), level)
        for push, level in zip(named, levels, strict=True)
    ]
    for at, (start, end, level) in enumerate(placed):
        assert end <= high + 1e-9
        for other, (stalk, other_end, other_level) in enumerate(placed):
            if at == other:
                continue
            if level == other_level:
                assert end <= stalk or other_end <= start
            if other_level > level:  # its stalk passes this line
                assert not start < stalk < end


def test_the_plot_tells_all_in_words_and_numbers():
    explained = make([0.25, -0.1, 0.0])
    plot = force_plot(explained, Person("u-3f", 0, "highest score"))
    assert plot.alt == (
        "Arrows from the base value 30.0 % to the answer 45.0 %. "
        "Raising it: feature number 0 = 0 (+25.0 points). "
        "Lowering it: feature number 1 = 1 (−10.0 points)."
    )
    assert plot.table.rows == [
        ("feature number 0", "0", "0", "+25.0"),
        ("feature number 1", "1", "1", "−10.0"),
    ]


def test_nothing_pushes():
    plot = force_plot(make([0.0]), Person("u-3f", 0))
    assert "Raising it: nothing. Lowering it: nothing." in plot.alt
    assert plot.title == "u-3f"


def test_a_value_stands_beside_the_mean_of_the_rows_that_have_one():
    X = np.array([[2.0, np.nan], [4.0, np.nan]])
    explained = Attribution(["a", "b"], X, np.array([[0.2, 0.1], [0.1, 0.0]]), 0.3)
    rows = force_plot(explained, Person("u-1", 0)).table.rows
    assert rows == [("a", "2", "3", "+20.0"), ("b", "–", "–", "+10.0")]
