"""What a report of a decomposition draws, and what it keeps to itself."""

from __future__ import annotations

import numpy as np
import pytest

from whybox.errors import InputError
from whybox.explain.s3d_context import Decomposition, OutOfFoldAnswers
from whybox.explain.s3d_report import answers_plot, decomposition_pictures, shown_depth
from whybox.explain.s3d_space import Axis, FeatureSpace
from whybox.s3d import S3DClassifier


def space_of(*bins):
    axes = [Axis(f"f{i}", np.arange(n + 1.0)) for i, n in enumerate(bins)]
    return FeatureSpace(["a"], [], np.zeros((1, 1)), [], axes, [], "mean outcome")


@pytest.mark.parametrize(
    ("bins", "depth"),
    [((), 0), ((9,), 1), ((9, 9, 6, 5), 4), ((9, 9, 6, 6), 3), ((9, 9, 7), 2), ((60, 60), 1)],
)
def test_only_as_many_features_are_shown_as_a_page_has_room_for(bins, depth):
    assert shown_depth(space_of(*bins)) == depth


@pytest.fixture(scope="module")
def model():
    """Four blocks: of 100, 100, 100 and 3 rows."""
    X = np.repeat([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [100, 100, 100, 3], axis=0)
    y = np.where(np.arange(303) % 4 < 2 * X[:, 0] + X[:, 1], "yes", "no")
    return S3DClassifier(noise_floor=0, min_samples=5).fit(X, y)


def test_blocks_of_few_rows_are_left_blank(model):
    everything, shown = (FeatureSpace.of(model, "yes", least).cells[2] for least in (1, 5))
    assert sorted(everything.n.ravel().tolist()) == [3, 100, 100, 100]
    assert sorted(shown.n.ravel().tolist()) == [0, 100, 100, 100]
    assert np.isnan(shown.mean).sum() == np.isnan(shown.answer).sum() == 1
    np.testing.assert_array_equal(shown.mean[shown.n > 0], everything.mean[everything.n >= 5])


def test_every_table_of_a_picture_keeps_to_blocks_of_enough_rows(model):
    pictures = decomposition_pictures(Decomposition(FeatureSpace.of(model, "yes", 5)))
    assert [plot.name for plot in pictures.cubes] == [
        "hypercube-mean-1",
        "hypercube-mean-2",
        "hypercube-n-2",
        "hypercube-answer-2",
    ]
    assert not pictures.tuning
    for plot in pictures.cubes[1:]:
        assert [row[2] for row in plot.table.rows] == ["100", "100", "100"]
        assert "3 blocks hold 5 training rows or more, 1 do not" in plot.caption


def test_answers_are_tabulated_in_ten_parts():
    rng = np.random.default_rng(1)
    outcomes = rng.normal(5, 2, 1000)
    answers = outcomes + rng.normal(0, 1, 1000)
    plot = answers_plot(OutOfFoldAnswers(outcomes, answers, "price <€>"))
    assert [row[0] for row in plot.table.rows] == ["100"] * 10
    lowest = np.argsort(answers)[:100]
    assert float(plot.table.rows[0][1]) == pytest.approx(answers[lowest].mean(), rel=0.01)
    assert float(plot.table.rows[0][2]) == pytest.approx(outcomes[lowest].mean(), rel=0.01)
    assert "<€>" not in plot.svg
    assert "mathdefault" not in plot.svg


def test_answers_without_outcomes_are_refused():
    with pytest.raises(InputError, match="1 outcomes and 2 answers"):
        OutOfFoldAnswers(np.zeros(1), np.zeros(2))
