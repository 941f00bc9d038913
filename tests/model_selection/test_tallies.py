"""Figures from counts are those of scikit-learn on the documents themselves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from whybox.model_selection.tallies import FIGURES, RowCounts, judge

DOCUMENTS = st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=2, max_size=60).filter(
    lambda some: len({positive for _, positive in some}) == 2
)
ANSWERS = st.lists(st.tuples(st.booleans(), st.integers(0, 3)), min_size=6, max_size=6)


@given(DOCUMENTS, ANSWERS)
def test_figures_are_those_of_the_documents_one_by_one(documents, answers):
    where, truth = (np.array(part) for part in zip(*documents, strict=True))
    predicted, scores = (np.array(part) for part in zip(*answers, strict=True))
    found = judge(RowCounts.of(where, truth, 6), predicted, scores / 3)
    labels, given_scores = predicted[where], scores[where]
    expected = (
        metrics.accuracy_score(truth, labels),
        metrics.precision_score(truth, labels, zero_division=0),
        metrics.recall_score(truth, labels),
        metrics.f1_score(truth, labels, zero_division=0),
        metrics.roc_auc_score(truth, labels.astype(float)),
        metrics.roc_auc_score(truth, given_scores),
    )
    assert tuple(found) == FIGURES
    assert list(found.values()) == pytest.approx(expected, abs=1e-12)


def test_counts_of_a_million_documents_do_not_overflow():
    counts = RowCounts(np.array([2_000_000_000, 0]), np.array([0, 3_000_000_000]))
    figures = judge(counts, [True, False], [0.9, 0.1])
    assert figures == dict.fromkeys(FIGURES, 1.0)
