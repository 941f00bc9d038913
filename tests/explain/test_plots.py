"""Pictures of Shapley values: their numbers, their words, and odd data."""

import numpy as np
import pytest

from whybox.explain import Attribution
from whybox.explain.plots import (
    dependence_plots,
    importance_plot,
    importances,
    most_interactive,
    summary_plot,
)


def make(n_rows=40, n_features=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    values = 0.1 * X * np.arange(1, n_features + 1) + 0.01 * rng.normal(size=X.shape)
    return Attribution([f"f{at}" for at in range(n_features)], X, values, 0.4)


def test_importance_is_the_mean_absolute_value():
    explained = make()
    order, importance = importances(explained)
    np.testing.assert_allclose(importance, np.mean(np.abs(explained.values), axis=0))
    assert order.tolist() == [3, 2, 1, 0]


def test_equal_importances_keep_the_order_of_features():
    order, _ = importances(Attribution("abc", np.ones((2, 3)), np.ones((2, 3)), 0.5))
    assert order.tolist() == [0, 1, 2]


@pytest.mark.parametrize("feature", range(4))
def test_most_interactive_is_the_largest_absolute_pearson_correlation(feature):
    explained = make(seed=3)
    explained.X[::5, 1] = np.nan
    expected = {}
    for other in set(range(4)) - {feature}:
        known = ~np.isnan(explained.X[:, other])
        pair = explained.values[known, feature], explained.X[known, other]
        expected[other] = np.corrcoef(*pair)[0, 1]
    best = max(expected, key=lambda other: abs(expected[other]))
    found, correlation = most_interactive(explained, feature)
    assert found == best
    assert correlation == pytest.approx(expected[best], abs=1e-12)


def test_constant_features_interact_with_nothing():
    X = np.column_stack([np.arange(5.0), np.full(5, 0.1), np.full(5, np.nan)])
    explained = Attribution("abc", X, X * [[0.1, 0, 0]] + 0.0, 0.5)
    explained.values[:, 1:] = 0.1
    assert most_interactive(explained, 0) is None
    (plot,) = dependence_plots(explained, top=1)
    assert " with " not in plot.title


def test_dependence_axes_end_at_the_5th_and_95th_percentile():
    explained = make(n_rows=200)
    plot = dependence_plots(explained, top=1)[0]
    low, high = np.percentile(explained.X[:, 3], [5, 95])
    drawn = int(((explained.X[:, 3] >= low) & (explained.X[:, 3] <= high)).sum())
    assert sum(int(row[2]) for row in plot.table.rows) == drawn
    assert plot.svg.count("<use") == drawn + 3  # and the legend's dots


def test_many_rows_are_thinned_and_the_caption_says_so():
    explained = make(n_rows=1200)
    assert "500 of 1,200 rows are drawn" in summary_plot(explained).caption
    assert "of 1,080 rows are drawn" in dependence_plots(explained)[0].caption
    assert "drawn" not in summary_plot(make()).caption


def test_tendencies_are_told_in_words():
    explained = make()
    explained.values[:, 3] *= -1
    rows = {row[0]: row[1] for row in summary_plot(explained).table.rows}
    assert rows["f3"] == "high values lower the answer"
    assert rows["f2"] == "high values raise the answer"


@pytest.mark.parametrize("plot", [importance_plot, summary_plot])
def test_the_table_lists_the_features_and_the_words_name_the_strongest(plot):
    drawn = plot(make())
    assert [row[0] for row in drawn.table.rows] == ["f3", "f2", "f1", "f0"]
    assert "f3" in drawn.alt


@pytest.mark.parametrize("value", [np.nan, np.inf, 0.0, 1e300])
@pytest.mark.filterwarnings("error")
def test_odd_values_are_drawn_without_a_warning(value):
    X = np.column_stack([np.full(3, value), np.array([1.0, 2.0, value])])
    explained = Attribution(
        ["a $x^2$", "b"], X, np.array([[0.1, 0.2], [0.0, 0.1], [0.2, -0.1]]), 0.5
    )
    assert importance_plot(explained).svg
    assert summary_plot(explained).svg
    assert len(dependence_plots(explained)) == 2


def test_one_row_that_nothing_pushes():
    explained = Attribution(["a"], np.ones((1, 1)), np.zeros((1, 1)), 0.5)
    assert "a 0.0 points" in importance_plot(explained).alt
    assert dependence_plots(explained) == []
    assert summary_plot(explained).svg


def test_the_colours_of_dependence_stand_for_values_from_the_5th_to_the_95th_percentile():
    X = np.column_stack([np.arange(101.0), np.arange(101.0) * 2])
    plot = dependence_plots(Attribution(["a", "b"], X, X / 1000, 0.5), top=1)[0]
    for value in ("5", "50", "95"):
        assert f">{value}</text>" in plot.svg
