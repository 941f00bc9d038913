"""Intervals cover what they should, and are of people, not of rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score, roc_auc_score

from whybox.errors import InputError
from whybox.model_selection.intervals import FIGURES, figures_of, resampled, wilson


def drawn_scores(n, seed):
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.35
    return np.round(np.clip(rng.normal(0.4 + 0.25 * positive, 0.2), 0, 1), 2), positive


@given(st.integers(1, 400), st.data())
def test_wilson_holds_the_share_and_stays_between_0_and_1(n, data):
    share = data.draw(st.integers(0, n)) / n
    found = wilson(share, n)
    assert 0 <= found.low <= share <= found.high <= 1
    assert found.low < found.high


def test_wilson_agrees_with_the_roots_of_its_equation():
    found, z = wilson(7 / 20, 20), 1.959963984540054
    for end in (found.low, found.high):  # the shares that are z standard errors from 7 of 20
        assert (7 / 20 - end) ** 2 == pytest.approx(z * z * end * (1 - end) / 20)


@pytest.mark.parametrize(("share", "n"), [(0.5, 0), (1.2, 5), (-0.1, 5)])
def test_wilson_refuses_what_is_no_share(share, n):
    with pytest.raises(InputError, match="share"):
        wilson(share, n)


def test_figures_agree_with_scikit_learns():
    scores, positive = drawn_scores(120, 0)
    decided = scores >= 0.5
    found = figures_of(scores, positive, decided)
    assert tuple(found) == FIGURES
    assert found["f1_macro"] == pytest.approx(f1_score(positive, decided, average="macro"))
    assert found["f1_positive"] == pytest.approx(f1_score(positive, decided))
    assert found["auc"] == pytest.approx(roc_auc_score(positive, scores))


def test_a_draw_is_the_figure_of_the_drawn_people():
    """Weights by hand: one draw is the figures of the rows, repeated as they were drawn."""
    scores, positive = drawn_scores(40, 3)
    people = np.repeat(np.arange(20), 2)
    found = resampled(scores, positive, scores >= 0.5, people, n_draws=1, seed=9)
    times = np.bincount(np.random.default_rng(9).integers(20, size=20), minlength=20)[people]
    rows = np.repeat(np.arange(40), times)
    expected = figures_of(scores[rows], positive[rows], scores[rows] >= 0.5)
    for name in FIGURES:
        assert found[name].low == pytest.approx(expected[name])
        assert found[name].high == pytest.approx(expected[name])


def test_copies_of_rows_make_a_figure_no_surer():
    scores, positive = drawn_scores(60, 1)
    once = resampled(scores, positive, scores >= 0.5, np.arange(60), n_draws=200)
    copies = (np.repeat(part, 5) for part in (scores, positive, scores >= 0.5, np.arange(60)))
    five = resampled(*copies, n_draws=200)
    for name in FIGURES:
        assert five[name].low == pytest.approx(once[name].low)
        assert five[name].high == pytest.approx(once[name].high)


def test_about_95_of_100_intervals_hold_the_truth():
    held = 0
    for seed in range(100):
        scores, positive = drawn_scores(150, seed)
        found = resampled(scores, positive, scores >= 0.5, n_draws=200, seed=seed)["sensitivity"]
        held += found.low <= 0.771 <= found.high  # P(score rounds to 0.5 or more | positive)
    assert held >= 88


def test_a_figure_that_is_not_defined_has_no_interval():
    scores = np.array([0.1, 0.9])
    found = resampled(scores, np.array([True, True]), scores >= 0.5, n_draws=20)
    assert found["specificity"] is None and found["auc"] is None
    assert found["sensitivity"].value == 0.5


def test_rows_of_different_lengths_are_refused():
    with pytest.raises(InputError, match="lengths"):
        resampled(np.zeros(3), np.zeros(2, dtype=bool), np.zeros(3, dtype=bool))
