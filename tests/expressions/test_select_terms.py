from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

from whybox.errors import InputError
from whybox.expressions import SelectTerms, TermVectors, gss, odds_ratio


@given(
    st.permutations(list("abcdef")),
    st.lists(st.integers(0, 2), min_size=6, max_size=6),
    st.integers(1, 7),
)
def test_ties_go_to_the_name_whatever_the_order_of_columns(order, scores, k):
    by_name = dict(zip("abcdef", scores, strict=True))
    X = pd.DataFrame(np.arange(12).reshape(2, 6), columns=order)
    model = SelectTerms(lambda X, y: np.array([float(by_name[name]) for name in order]), k=k)
    kept = [order[column] for column in model.fit(X, [0, 1]).ranking_]
    assert kept == sorted("abcdef", key=lambda name: (-by_name[name], name))[:k]


def test_scores_with_p_values_and_nan_are_taken():
    model = SelectTerms(lambda X, y: (np.array([np.nan, -np.inf, 1.0]), None), k=2)
    assert model.fit(np.eye(3), [0, 1, 1]).ranking_.tolist() == [2, 1]


def test_names_can_be_given_for_columns_without():
    X = np.array([[1, 1], [1, 1], [0, 0]])
    assert SelectTerms(gss, k=1, terms=["z", "y"]).fit(X, [1, 1, 0]).ranking_.tolist() == [1]
    with pytest.raises(InputError, match="names of shape"):
        SelectTerms(terms=["z"]).fit(X, [1, 1, 0])


@pytest.mark.parametrize("k", [0, -1, 2.0, True])
def test_k_is_checked(k):
    with pytest.raises(InputError, match="got k="):
        SelectTerms(k=k).fit(np.eye(2), [0, 1])


@pytest.mark.parametrize("encoding", ["presence", "counts", "tfidf"])
def test_a_pipeline_selects_the_words_that_tell(encoding):
    texts, y = ["good good day", "good night", "bad day", "bad night"], [1, 1, 0, 0]
    pipeline = make_pipeline(
        TermVectors(encoding), SelectTerms(odds_ratio, k=1), DecisionTreeClassifier(random_state=0)
    ).fit(texts, y)
    assert pipeline[:-1].get_feature_names_out().tolist() == ["good"]
    assert pipeline.score(texts, y) == 1.0


def test_scikit_learn_finds_nothing_to_object_to():
    results = check_estimator(SelectTerms(), on_skip=None, on_fail=None)
    assert [r["check_name"] for r in results if r["status"] == "failed"] == []
    assert len(results) > 40
