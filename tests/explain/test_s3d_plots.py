"""Pictures of decompositions: they show the model's own numbers, in words, drawing and table."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from published_s3d import published_space
from whybox.errors import InputError
from whybox.explain.s3d_hypercube import SHOWN, hypercube_plot, places
from whybox.explain.s3d_plots import (
    curve_plot,
    network_edges,
    network_plot,
    step_plot,
    tuning_plot,
)
from whybox.explain.s3d_space import Axis, Cells, FeatureSpace
from whybox.model_selection.s3d_tuning import tuning_surface
from whybox.s3d import S3DClassifier, S3DRegressor

N = 1500
PAINTED = re.compile(r"fill: #\w{6}; stroke: var\(--line\)")  # a cell that has a colour


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "counts": np.floor(np.exp(rng.normal(3, 1.6, N))),
            "hour <b>": rng.integers(0, 24, N),
            "colour": rng.choice(["red", "green", "blue", "grey"], N),
            "gaps": np.where(rng.uniform(size=N) < 0.3, np.nan, rng.integers(0, 9, N)),
            "noise": rng.normal(size=N),
        }
    )
    score = np.log1p(X["counts"]) + 3 * (X["hour <b>"] > 12) + 2 * (X["colour"] == "red")
    return X, (score + X["gaps"].fillna(4) + rng.normal(0, 1, N)).to_numpy()


@pytest.fixture(scope="module")
def model(rows):
    return S3DRegressor(penalty=0.01, min_samples=8).fit(*rows)


@pytest.fixture(scope="module")
def space(model):
    return FeatureSpace.of(model)


@pytest.fixture(scope="module")
def surface():
    scores = {(p, f): [0.6 + p + f / 50, 0.7 + p + f / 40] for p in (0.03, 0.01) for f in range(4)}
    scores[0.01, 0].append(0.85)
    return tuning_surface(scores)


def texts(plot):
    root = ElementTree.fromstring(plot.svg)
    return ["".join(node.itertext()).strip() for node in root.iter("text")]


@pytest.mark.parametrize("depth", range(5))
def test_cells_are_the_rows_that_fall_into_them(model, space, rows, depth):
    X, y = rows
    cells = space.cells[depth]
    assert cells.n.ndim == depth
    assert cells.n.sum() == N
    placed = pd.DataFrame(model.transform(X)[:, :depth])
    if not depth:
        assert cells.mean == pytest.approx(y.mean(), abs=1e-12)
        return
    groups = pd.Series(y).groupby([placed[k] for k in range(depth)])
    assert cells.n_occupied == groups.ngroups
    for place, values in groups:
        at = place if isinstance(place, tuple) else (place,)
        assert cells.n[at] == len(values)
        assert cells.mean[at] == pytest.approx(values.mean(), abs=1e-9)
    answers = list(model.staged_predict(X))[depth]
    np.testing.assert_allclose(cells.answer[tuple(placed.to_numpy().T)], answers, atol=1e-12)


def test_a_class_is_shown_with_the_threshold_where_there_are_two(rows):
    X, y = rows
    two = S3DClassifier().fit(X, np.where(y > 9, "yes", "no"))
    shown, other = FeatureSpace.of(two), FeatureSpace.of(two, "no")
    assert (shown.outcome, shown.threshold) == ("share of yes", two.threshold_)
    assert (other.outcome, other.threshold) == ("share of no", None)
    np.testing.assert_allclose(
        shown.cells[2].mean + other.cells[2].mean, 1 + 0 * shown.cells[2].mean
    )
    plot = hypercube_plot(shown, "answer", 2)
    assert {"yes", "no"} <= set(texts(plot))
    three = FeatureSpace.of(S3DClassifier().fit(X, np.digitize(y, [7, 10])), 1)
    assert (three.outcome, three.threshold) == ("share of 1", None)
    with pytest.raises(InputError, match="no class 'maybe'"):
        FeatureSpace.of(two, "maybe")


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        ([0, 25, 100], [0, 0.25, 1]),
        ([-1000, 10, 1000], [0, 0.505, 1]),  # not logarithmic
        ([0, 1, 10, 1000], [0, 0.25, 0.5, 1]),
        ([5, 5], [0, 1]),
    ],
)
def test_edges_are_drawn_where_they_are(edges, expected):
    np.testing.assert_allclose(places(Axis("a", np.array(edges, float))), expected, atol=1e-12)


def test_every_bin_can_be_seen():
    edges = np.array([0.0, 0.0, 1e-9, 1.0, 1e9])
    assert np.diff(places(Axis("a", edges, missing=True))).min() > 0.03
    labels = Axis("a", np.array([0.0, 1.0, 7.0]), labels=("x", "y, z"))
    assert places(labels).tolist() == [0, 0.5, 1]


@pytest.mark.parametrize("what", SHOWN)
@pytest.mark.parametrize("depth", range(1, 5))
def test_the_hypercube_lists_and_draws_its_occupied_blocks(space, what, depth):
    plot = hypercube_plot(space, what, depth)
    cells = space.cells[depth]
    assert len(plot.table.rows) == min(cells.n_occupied, 200)
    if depth > 1:
        assert len(PAINTED.findall(plot.svg)) == cells.n_occupied
    blank = cells.n.size - cells.n_occupied
    assert ("left blank" in plot.caption) == (blank > 0)
    names = [axis.name for axis in space.axes[:depth]]
    assert plot.table.columns[:depth] == names
    shown = " ".join(texts(plot))
    assert all(name in shown for name in names)
    assert "mathdefault" not in plot.svg
    assert plot.svg == hypercube_plot(space, what, depth).svg


def test_blank_cells_are_not_painted(space):
    full = hypercube_plot(space, "mean", 2)
    cells = space.cells[2]
    mean, n = cells.mean.copy(), cells.n.copy()
    mean[0, 0], n[0, 0] = np.nan, 0
    holed = FeatureSpace(
        space.features, space.chosen, space.gains, space.ties, space.axes,
        [*space.cells[:2], type(cells)(n, mean, cells.answer)], space.outcome,
    )  # fmt: skip
    plot = hypercube_plot(holed, "mean", 2)
    assert len(PAINTED.findall(plot.svg)) == len(PAINTED.findall(full.svg)) - 1
    assert len(plot.table.rows) == len(full.table.rows) - 1


def test_missing_values_and_categories_have_places_of_their_own(space):
    by_name = {axis.name: axis for axis in space.axes}
    assert by_name["gaps"].bins[-1] == "missing"
    assert by_name["colour"].labels[-1] == "red"
    assert "missing" in texts(hypercube_plot(space, "mean", 4))


@pytest.mark.parametrize(("what", "depth"), [("median", 2), ("mean", 0), ("mean", 5)])
def test_what_cannot_be_shown_is_refused(space, what, depth):
    with pytest.raises(InputError):
        hypercube_plot(space, what, depth)


def test_steps_are_the_models_gains(model, space):
    plot = step_plot(space)
    table = {row[0]: row[1:] for row in plot.table.rows}
    for j, name in enumerate(space.features):
        assert [float(text) for text in table[name]] == pytest.approx(
            model.r2_steps_[:, j].tolist(), rel=5e-4
        )
    assert [*plot.table.columns][-1] == "next"
    assert space.features[model.selected_features_[0]] in plot.alt
    assert "hour <b>" in texts(plot)


def test_exact_ties_are_marked(rows):
    X, y = rows
    twice = X[["counts"]].assign(again=2 * X["counts"])
    tied = FeatureSpace.of(S3DRegressor(penalty=0.01).fit(twice, y))
    assert tied.ties[0] == [0, 1]
    assert texts(step_plot(tied)).count("=") == 1
    alone = FeatureSpace.of(S3DRegressor(penalty=0.01).fit(X[["counts"]], y))
    assert "=" not in texts(step_plot(alone))


def test_the_network_is_the_models(model, space):
    assert network_edges(space) == model.network_
    plot = network_plot(space)
    assert len(plot.table.rows) == len(model.network_)
    weights = [abs(float(row[2].replace("−", "-"))) for row in plot.table.rows]
    assert weights == sorted(weights, reverse=True)


def test_a_model_without_features_has_pictures(rows):
    with pytest.warns(UserWarning, match="no feature"):
        nothing = S3DRegressor().fit(np.ones((9, 2)), np.arange(9.0))
    space = FeatureSpace.of(nothing)
    assert step_plot(space).alt.endswith("No feature is chosen.")
    assert network_plot(space).table.rows == []
    with pytest.raises(InputError):
        hypercube_plot(space)


def test_steps_rank_the_chosen_features_first_and_add_up():
    gains = np.array([[0.1, 0.3, 0.0, 0.2], [0.05, 0.0, 0.0, 0.15], [0.05, 0.0, 0.01, 0.0]])
    space = FeatureSpace(list("abcd"), [1, 3], gains, [[1], [3]], [], [], "mean")
    plot = step_plot(space)
    assert [row[0] for row in plot.table.rows] == ["b", "d", "a", "c"]
    assert {"step 1: 0.3 in all", "step 2: 0.45 in all", "next"} <= set(texts(plot))
    assert "Last row" in plot.caption
    without = step_plot(FeatureSpace(list("abcd"), [1, 3], gains[:2], [[1], [3]], [], [], "mean"))
    assert "Last row" not in without.caption and "next" not in texts(without)


def test_edges_are_labelled_wherever_there_is_room_and_never_twice_alike():
    edges = np.array([0.0, 53.0, 546.0, 3587.0, 3588.0, 22330.0])
    cells = [Cells(np.ones(n), np.ones(n), np.ones(n)) for n in ((), (5,))]
    axis = Axis("answers", edges)
    space = FeatureSpace(["answers"], [0], np.ones((1, 1)), [[0]], [axis], cells, "share")
    found = texts(hypercube_plot(space))
    assert {"0", "53", "546", "3,587", "22,330"} <= set(found)
    narrow = Axis("answers", np.array([1.0, 1.0, 2.0]))
    cells = [Cells(np.ones(n), np.ones(n), np.ones(n)) for n in ((), (2,))]
    space = FeatureSpace(["answers"], [0], np.ones((1, 1)), [[0]], [narrow], cells, "share")
    assert texts(hypercube_plot(space)).count("1") == 1


def test_a_long_name_of_a_chosen_feature_takes_two_lines():
    gains = np.array([[0.5, 0.3], [0.0, 0.1]])
    names = ["number_of_answers_written_before", "words"]
    found = texts(network_plot(FeatureSpace(names, [0], gains, [[0]], [], [], "mean")))
    assert {"1 number_of_", "answers_writ…", "words"} <= set(found)


@pytest.mark.parametrize("plot", [curve_plot, tuning_plot])
def test_tuning_is_shown_point_by_point(surface, plot):
    drawn = plot(surface, "AUC")
    assert len(drawn.table.rows) == len(surface) == 5
    best = surface.loc[surface["mean"].idxmax()]
    assert f"penalty {best['penalty']:g} and {int(best['n_features'])} features" in drawn.alt
    assert {"0.03", "0.01", "number of features"} <= set(texts(drawn))
    assert drawn.svg == plot(surface, "AUC").svg
    assert "http" not in drawn.svg


FULL_MODELS = {
    "stackoverflow_cleaned_subset": ("number_of_ans_wrote_by_user_before_this", 1_026_225),
    "khan_cleaned": ("time_to_solve_problem", None),
    "duolingo_cleaned": ("num_all_solved", None),
    "digg": ("node_activity", None),
    "digg-0_001_3": ("node_activity", None),
    "twitter": ("node_info_received", 5_000_000),
}


@pytest.mark.reference
@pytest.mark.parametrize("name", FULL_MODELS)
def test_the_authors_models_can_be_drawn(reference, name):
    folder = reference / "oracle" / "s3d" / "published" / "full_models" / name
    space = published_space(folder, "share")
    first, n_rows = FULL_MODELS[name]
    assert space.axes[0].name == first
    for depth in range(1, len(space.axes) + 1):
        assert space.cells[depth].n.sum() == (n_rows or space.cells[0].n)
        for what in SHOWN:
            plot = hypercube_plot(space, what, depth)
            assert len(plot.table.rows) == min(space.cells[depth].n_occupied, 200)
            ElementTree.fromstring(plot.svg)
    assert first in step_plot(space).alt
    assert len(network_plot(space).table.rows) == len(network_edges(space)) > 0


@pytest.mark.reference
def test_stack_exchange_is_as_the_paper_describes_it(reference):
    folder = reference / "oracle" / "s3d" / "published" / "full_models"
    space = published_space(folder / "stackoverflow_cleaned_subset", "share accepted")
    # Figure 6: five features, R2 0.075 together; reputation was nearly as good as the first
    assert "together R² is 0.0754" in step_plot(space).alt
    # Figure 7: answers written before made reputation redundant most of all
    source, target, _ = network_plot(space).table.rows[0]
    assert (source, target) == ("reputation", "number_of_ans_wrote_by_user_before_this")
    # Figure 8: the more answers written before, the likelier one is accepted
    means = space.cells[1].mean
    assert (np.diff(means) > 0).all()
    assert "highest: 0.873" in hypercube_plot(space, "mean", 1).alt
