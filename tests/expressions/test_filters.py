"""The filters against their printed formulas, a term and a class at a time, and scikit-learn's."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn import feature_selection as sk

from whybox.errors import InputError
from whybox.expressions import filters

BINARY = (
    filters.chi2,
    filters.pmi,
    filters.odds_ratio,
    filters.expected_cross_entropy,
    filters.gss,
)
ALL = (*BINARY, filters.information_gain, filters.mutual_information, filters.f_anova)


@st.composite
def tables(draw, n_classes=2, top=1):
    """(X, y) with every class at least twice."""
    n = draw(st.integers(2 * n_classes, 14))
    width = draw(st.integers(1, 4))
    rows = st.lists(st.integers(0, top), min_size=width, max_size=width)
    X = draw(st.lists(rows, min_size=n, max_size=n))
    y = [*range(n_classes), *range(n_classes)]
    y += draw(st.lists(st.integers(0, n_classes - 1), min_size=n - len(y), max_size=n - len(y)))
    return np.array(X, float), np.array(y)


def naive_scores(x, y):
    """All formulas for one term from its four cells."""
    a, b = np.sum((x != 0) & (y == 1)), np.sum((x != 0) & (y == 0))
    c, d = np.sum((x == 0) & (y == 1)), np.sum((x == 0) & (y == 0))
    n = a + b + c + d

    def log(v):
        return math.log(v) if v > 0 else -math.inf

    def kl(p, q):
        return p * math.log(p / q) if p > 0 else 0.0

    below = (a + b) * (c + d) * (a + c) * (b + d)
    t = a + b
    return {
        "chi2": n * (a * d - b * c) ** 2 / below if below else 0.0,
        "pmi": log(a * n / ((a + b) * (a + c))) if t else -math.inf,
        "odds_ratio": math.log((a + 0.5) * (d + 0.5) / ((b + 0.5) * (c + 0.5))),
        "expected_cross_entropy": (
            t / n * (kl(a / t, (a + c) / n) + kl(b / t, (b + d) / n)) if t else 0.0
        ),
        "gss": (a * d - b * c) / n**2,
    }


@given(tables(), st.booleans())
def test_binary_filters_follow_their_formulas(table, sparse):
    X, y = table
    for score in BINARY:
        expected = [naive_scores(x, y)[score.__name__] for x in X.T]
        np.testing.assert_allclose(score(csr_matrix(X) if sparse else X, y), expected, atol=1e-12)


@given(tables(top=3))
def test_presence_is_all_that_most_filters_see(table):
    X, y = table
    for score in (*BINARY, filters.information_gain):
        np.testing.assert_array_equal(score(X, y), score(X != 0, y))


@given(st.integers(2, 4).flatmap(lambda k: tables(n_classes=k, top=3)))
def test_mutual_information_is_that_of_scikit_learn(table):
    X, y = table
    expected = sk.mutual_info_classif(X, y, discrete_features=True)
    np.testing.assert_allclose(filters.mutual_information(X, y), expected, atol=1e-12)
    expected = sk.mutual_info_classif(X != 0, y, discrete_features=True)
    np.testing.assert_allclose(filters.information_gain(X, y), expected, atol=1e-12)


@given(st.integers(2, 4).flatmap(lambda k: tables(n_classes=k, top=3)))
def test_anova_is_that_of_scikit_learn_but_for_constants(table):
    X, y = table
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected = sk.f_classif(X, y)[0]
    constant = (X[0] == X).all(axis=0)
    ours = filters.f_anova(csr_matrix(X), y)
    assert (ours[constant] == 0).all()
    perfect = np.array(
        [len({(v, c) for v, c in zip(x, y, strict=True)}) == len(set(y)) for x in X.T]
    )
    perfect &= ~constant
    assert np.isinf(ours[perfect]).all()
    rest = ~constant & ~perfect
    np.testing.assert_allclose(ours[rest], expected[rest], rtol=1e-9, atol=1e-9)


@given(tables())
def test_on_presence_anova_ranks_as_chi2_and_scikit_learns_chi2_is_a_part_of_it(table):
    X, y = table
    n, ours = len(y), filters.chi2(X, y)
    proper = (ours > 1e-9) & (ours < n - 1e-9)
    np.testing.assert_allclose(
        filters.f_anova(X, y)[proper], (ours * (n - 2) / (n - np.minimum(ours, n - 1e-9)))[proper]
    )
    used = X.any(axis=0)
    if not used.any():
        return
    theirs = sk.chi2(X[:, used], y)[0]
    np.testing.assert_allclose(theirs, ours[used] * (1 - X[:, used].mean(axis=0)), atol=1e-9)


@given(tables(n_classes=3))
def test_with_three_classes_the_class_that_scores_most_counts(table):
    X, y = table
    for score in BINARY:
        each = [score(X, y, pos_label=c) for c in range(3)]
        np.testing.assert_array_equal(score(X, y), np.max(each, axis=0))


@pytest.mark.parametrize("score", ALL, ids=lambda s: s.__name__)
def test_every_filter_runs_in_scikit_learns_selection(score):
    X, y = np.array([[1, 1], [1, 0], [0, 1], [0, 0], [1, 1]]), [1, 1, 0, 0, 1]
    assert sk.SelectKBest(score, k=1).fit(X, y).get_support().tolist() == [True, False]


@pytest.mark.parametrize("score", ALL, ids=lambda s: s.__name__)
def test_unfit_tables_and_labels_are_refused(score):
    with pytest.raises(InputError, match="table of terms"):
        score([[np.nan], [1.0]], [0, 1])
    with pytest.raises(InputError, match="got 1 class"):
        score([[1.0], [1.0]], [1, 1])
