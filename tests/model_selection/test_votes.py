"""Votes against probabilities, row by row."""

from __future__ import annotations

import numpy as np
import pytest

from whybox.errors import InputError
from whybox.model_selection.votes import votes_against


def test_counts_are_those_of_a_loop():
    rng = np.random.default_rng(0)
    votes, decided, positive = rng.random((3, 200)) < 0.5
    found = votes_against(votes, decided, positive)
    rows = list(zip(votes.tolist(), decided.tolist(), positive.tolist(), strict=True))
    assert found.n_differ == sum(a != b for a, b, _ in rows)
    assert found.votes_right_where_different == sum(a != b and a == c for a, b, c in rows)
    assert found.votes_right == sum(a == c for a, _, c in rows) / 200
    assert found.probabilities_right == sum(b == c for _, b, c in rows) / 200


def test_no_rows_are_refused():
    with pytest.raises(InputError, match="0 votes"):
        votes_against(*np.zeros((3, 0), dtype=bool))
