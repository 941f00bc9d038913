from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import expression_strategies as strategies
import naive_expressions as naive
from whybox.expressions.analysis import Analyzer
from whybox.expressions.matching import Matcher
from whybox.expressions.sequences import find_sequence

CASES = json.loads(
    (Path(__file__).parents[1] / "data/expressions/oracle.json").read_text(encoding="utf-8")
)["match_cases"]
sequences = st.lists(strategies.words, min_size=1, max_size=4)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_oracle_matches_the_same_documents(case):
    documents, expression = [case["yes"], case["no"]], tuple(case["e"])
    assert [find_sequence(doc, expression) is not None for doc in documents] == [True, False]
    matrix = Matcher([expression]).in_texts(documents, Analyzer("tokens"))
    assert matrix.toarray().tolist() == [[True], [False]]


@given(st.lists(strategies.words, max_size=10), sequences, st.sampled_from([None, 0, 1, 2]))
def test_positions_hold_the_words_in_order_and_near_enough(document, sequence, gap):
    positions = find_sequence(document, sequence, gap)
    assert (positions is not None) == naive.occurs(sequence, document, gap)
    if positions is None:
        return
    assert [document[at] for at in positions] == sequence
    steps = [b - a for a, b in pairwise(positions)]
    assert all(step >= 1 and (gap is None or step - 1 <= gap) for step in steps)
    assert not naive.occurs(sequence, document[: positions[-1]], gap)  # none ends before


def test_words_are_as_late_as_the_end_allows():
    assert find_sequence(["not", "a", "not", "so", "good", "good"], ["not", "good"]) == (2, 4)
