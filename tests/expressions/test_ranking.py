from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

import expression_strategies as strategies
import naive_expressions as naive
from whybox.errors import InputError
from whybox.expressions import cf_icf, cf_icf_curves


@given(strategies.corpora())
def test_scores_are_those_of_the_equations(corpus):
    docs, positive = corpus
    table = cf_icf(docs, positive, analyzer="tokens")
    assert table.cf_icf.to_dict() == pytest.approx(naive.cf_icf(docs, positive))
    ranked = sorted(table.index, key=lambda word: (-table.cf_icf[word], word))
    assert table.index.tolist() == ranked


@given(strategies.corpora())
def test_the_sum_of_tf_idf_is_reached_by_words_of_one_document_and_passed_by_others(corpus):
    """Eqs. (22) and (23), for unnormalised counts: idf counts n_neg + n_pos, icf n_neg + 1."""
    docs, positive = corpus
    table = cf_icf(docs, positive, analyzer="tokens")
    n = len(docs)
    for row in table.itertuples():
        tf_idf = row.uses * math.log(n / (row.n_neg + row.n_pos))
        score = row.uses * row.icf
        if row.n_pos == 1:
            assert score == pytest.approx(tf_idf)
        else:
            assert score > tf_idf


def test_the_most_there_can_be_is_the_logarithm_of_all_documents():
    table = cf_icf(["good good", "good", "bad", "so"], [1, 1, 0, 0])
    assert table.cf_icf["good"] == pytest.approx(math.log(4))
    assert table.cf_icf.max() == table.cf_icf["good"]


def test_the_class_can_be_named():
    assert cf_icf(["good", "bad"], ["+", "-"], pos_label="+").index.tolist() == ["good"]
    with pytest.raises(InputError, match="none of the 2 classes"):
        cf_icf(["good", "bad"], ["+", "-"], pos_label="?")


def test_the_curves_fall_faster_than_a_line_and_rise_as_one():
    curves = cf_icf_curves(100)
    for _, falling in curves[curves.figure == 1].groupby("kept"):
        steps = np.diff(falling.cf_icf)
        assert (steps < 0).all()
        assert (np.diff(steps) > 0).all()  # steep at first
    for kept, rising in curves[curves.figure == 2].groupby("kept"):
        np.testing.assert_allclose(rising.cf_icf, rising.x * kept * math.log(100))
