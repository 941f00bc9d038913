"""The picture of boosting."""

import numpy as np

from whybox.explain import History
from whybox.explain.boosting import history_plot


def test_the_words_give_the_ends_and_the_table_a_sample():
    error = np.linspace(0.2, 0.4, 100)
    plot = history_plot(History(error, error, np.arange(5, 105), np.arange(50, 150)))
    assert "Over 100 rounds the weighted error goes from 0.2 to 0.4" in plot.alt
    assert "keep 5 to 104 leaves" in plot.alt
    assert len(plot.table.rows) == 20
    assert plot.table.rows[-1] == ("100", "0.4", "104", "0.4")
