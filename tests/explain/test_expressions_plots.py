"""Pictures of expressions: numbers of dots that lie close stand together."""

from __future__ import annotations

import re

from whybox.explain.expressions_context import Column
from whybox.explain.expressions_plots import rising_plot


def test_numbers_of_dots_that_lie_close_stand_together():
    shares, scores = [0.3, 0.05, 0.052, 0.15, 0.048], [1.0, 0.3, 0.31, 0.6, 0.3]
    columns = [
        Column(f"word{at}", "positive", 9, 1, 0.9, share, score, 10, 4)
        for at, (share, score) in enumerate(zip(shares, scores, strict=True))
    ]
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", rising_plot(columns, 100).svg)
    assert {"1", "2, 3, 5", "4"} <= set(texts)
