"""What a report says of several classes, and of the errors of real outcomes."""

from __future__ import annotations

import numpy as np
import pytest

from whybox.explain.blocks import figures_block
from whybox.explain.class_report import class_tables, confused_plot, top_label_plot
from whybox.explain.outcome_report import errors_plot, outcome_tables
from whybox.explain.s3d_context import OutOfFoldAnswers
from whybox.model_selection.class_figures import top_label_bins

KNOWN = {
    "classes": ["calm", "glad", "sad"],
    "people": 12,
    "method": "drawn again",
    "figures": {"accuracy": [0.75, 0.5, 0.9], "kappa": None},
    "commonest": {"accuracy": 0.5},
    "each": {"recall": [[0.5, 0.2, 0.8], [1.0, 0.7, 1.0], None], "auc": [0.8, 0.9, None]},
    "counts": [[3, 3, 0], [0, 6, 0], [0, 0, 0]],
    "groups_of_fewer_than": 10,
    "subgroups": {
        "region": [
            {"group": "north", "n_people": 12, "accuracy": [0.75, 0.5, 0.9], "brier": None},
            {"group": "south", "n_people": None},
        ]
    },
}


def test_tables_tell_of_all_classes_of_each_and_of_groups_that_are_large_enough():
    together, each, groups = class_tables(KNOWN)
    assert together.table.rows == [
        ("right among all (accuracy)", "0.750", "0.500 to 0.900", "0.500"),
        ("Cohen's kappa (0 is chance)", "–", "–", "–"),
    ]
    assert each.table.rows == [
        ("calm", "6", "0.500 (0.200 to 0.800)", "0.800"),
        ("glad", "6", "1.000 (0.700 to 1.000)", "0.900"),
        ("sad", "0", "–", "–"),
    ]
    assert groups.table.rows == [
        ("north", "12", "0.750 (0.500 to 0.900)", "–", "–"),
        ("south", "under 10", "–", "–", "–"),
    ]


def test_who_is_taken_for_whom_is_told_in_counts_and_shares():
    plot = confused_plot(KNOWN["counts"], KNOWN["classes"])
    assert plot.table.rows[0] == ("calm", "3 (50 %)", "3 (50 %)", "0 (0 %)", "6")
    assert plot.table.rows[2][-1] == "0"
    assert "Of 6 calm rows 3 are decided so." in plot.alt
    assert "http" not in plot.svg
    assert plot.svg == confused_plot(KNOWN["counts"], KNOWN["classes"]).svg


@pytest.mark.filterwarnings("error")
def test_calibration_is_drawn_where_all_rows_are_in_one_tenth():
    bins = top_label_bins(np.array([0, 0]), np.array([[1.0, 0.0, 0.0]] * 2))
    assert top_label_plot(bins, 0.0, 0.0).table.rows == [("1", "1", "2")]


def test_errors_are_told_by_tenths_of_ascending_answers():
    rng = np.random.default_rng(0)
    answers = rng.uniform(0, 100, 1000)
    outcomes = answers + np.where(answers > 90, 20.0, 0.0) + rng.normal(0, 1, 1000)
    found = OutOfFoldAnswers(outcomes, answers, "price")
    plot = errors_plot(found)
    order = np.argsort(answers)[-100:]
    last = plot.table.rows[-1]
    assert [row[0] for row in plot.table.rows] == ["100"] * 10
    assert float(last[2]) == pytest.approx((outcomes - answers)[order].mean(), rel=0.01)
    assert float(last[5]) == pytest.approx(20, abs=1)
    assert abs(float(plot.table.rows[0][5])) < 0.5
    assert "price" in plot.svg


def test_a_figure_of_outcomes_that_is_not_defined_has_no_interval():
    known = {"figures": {"r2": None, "mae": [2.0, 1.0, 3.0]}, "people": 4, "method": ""}
    assert outcome_tables(known)[0].table.rows[0][1:] == ("–", "–")


@pytest.mark.parametrize("chosen", [True, False])
def test_a_threshold_chosen_on_the_same_rows_is_owned_up_to(chosen):
    known = {
        "figures": {"accuracy": [0.9, 0.85, 0.93]}, "people": 200, "threshold": 0.4, "method": "",
        "threshold_from_these_rows": chosen,
    }  # fmt: skip
    assert ("chosen on these very rows" in figures_block(known).note) == chosen
