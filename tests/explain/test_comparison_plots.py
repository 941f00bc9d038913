"""Pictures of a comparison say in numbers what they show."""

from __future__ import annotations

from whybox.explain.comparison_plots import confusion_matrix_plot, learning_plot, stages_plot


def test_pictures_say_in_numbers_what_they_show():
    stages = stages_plot({"a": [(1, 0.5), (3, 0.1), (9, 0.2)]})
    assert stages.table.rows == [("a", "50.0 %", "3", "10.0 %", "9", "20.0 %")]
    assert "a falls from 50.0 % to 20.0 %" in stages.alt
    assert learning_plot({"a": [(0.1, 0.5), (1, 0.75)]}).table.columns == (
        "model", "10.0 %", "100.0 %",
    )  # fmt: skip
    plot = confusion_matrix_plot([[3, 1, 0], [0, 4, 0], [2, 0, 9]], "abc", "cbpt")
    assert plot.table.rows[2] == ("c", "2", "0", "9")
    assert "Of 11 c rows 9 are predicted so" in plot.alt
