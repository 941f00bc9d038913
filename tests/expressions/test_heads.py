"""The small classifiers: scikit-learn's answers from plain arrays, whatever the order of documents."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from whybox.errors import InputError
from whybox.expressions.head_state import read_head
from whybox.expressions.heads import HEADS, fit_head

PEERS = {
    "tree": DecisionTreeClassifier(random_state=3),
    "forest": RandomForestClassifier(100, random_state=3),
    "logistic": LogisticRegression(max_iter=1000),
}


@pytest.fixture(params=[2, 3], ids=["two classes", "three classes"])
def table(request):
    """Distinct rows, how often each class has them, and the same as single documents."""
    rng = np.random.default_rng(request.param)
    rows = np.unique(rng.random((20, 5)) < 0.4, axis=0)
    counts = rng.integers(0, 9, (len(rows), request.param))
    counts[:, 0] += 1
    distinct, codes = np.nonzero(counts)
    repeats = counts[distinct, codes]
    return rows, counts, np.repeat(rows[distinct], repeats, axis=0), np.repeat(codes, repeats)


@pytest.mark.parametrize("kind", sorted(PEERS))
def test_heads_answer_as_scikit_learn(table, kind):
    rows, counts, X, y = table
    ours = fit_head(kind, rows, counts, seed=3).proba(rows)
    theirs = PEERS[kind].fit(X.astype(float), y).predict_proba(rows.astype(float))
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


def test_neighbours_are_the_mean_over_orders_of_documents(table):
    rows, counts, X, y = table
    ours = fit_head("knn", rows, counts, n_neighbors=5).proba(rows)
    rng = np.random.default_rng(0)
    answers = []
    for _ in range(400):
        order = rng.permutation(len(y))
        peer = KNeighborsClassifier(5, algorithm="brute", metric="hamming")
        answers.append(peer.fit(X[order], y[order]).predict_proba(rows))
    np.testing.assert_allclose(ours, np.mean(answers, axis=0), atol=0.06)


def test_neighbours_without_ties_are_those_of_scikit_learn():
    rows = np.tril(np.ones((6, 6), bool))
    counts = np.array([[2, 0], [0, 2], [2, 0], [0, 2], [2, 0], [0, 2]])
    X, y = np.repeat(rows, 2, axis=0), np.repeat([0, 1, 0, 1, 0, 1], 2)
    asked = np.tril(np.ones((6, 6), bool))[[0, 5]]  # at the ends: one neighbour a distance
    ours = fit_head("knn", rows, counts, n_neighbors=4).proba(asked)
    theirs = KNeighborsClassifier(4, metric="hamming").fit(X, y).predict_proba(asked)
    np.testing.assert_array_equal(ours, theirs)


def test_more_neighbours_than_documents_are_all_of_them():
    head = fit_head("knn", np.array([[True]]), np.array([[1, 2]]), n_neighbors=50)
    np.testing.assert_allclose(head.proba(np.array([[False]])), [[1 / 3, 2 / 3]])


@pytest.mark.parametrize("kind", HEADS)
def test_arrays_make_the_same_head(table, kind):
    rows, counts, *_ = table
    head = fit_head(kind, rows, counts, n_estimators=7)
    again = read_head(kind, head.arrays(), rows.shape[1], counts.shape[1])
    asked = np.random.default_rng(1).random((300, rows.shape[1])) < 0.5
    np.testing.assert_array_equal(head.proba(asked), again.proba(asked))


@pytest.mark.parametrize(
    ("kind", "name", "change"),
    [
        ("tree", "left", lambda a: np.where(a >= 0, a + 1, a).astype(np.int32)),
        ("tree", "feature", lambda a: np.where(a >= 0, 99, a).astype(np.int32)),
        ("tree", "value", lambda a: a * 2),
        ("tree", "rows", lambda a: a * 0),
        ("forest", "sizes", lambda a: a + 1),
        ("logistic", "weights", lambda a: a * np.nan),
        ("logistic", "intercepts", lambda a: a[:0]),
        ("knn", "rows", lambda a: a[[0] * len(a)]),
        ("knn", "counts", lambda a: -a),
        ("knn", "n_neighbors", lambda a: a * 0),
    ],
)
def test_arrays_that_are_no_head_are_refused(table, kind, name, change):
    rows, counts, *_ = table
    arrays = fit_head(kind, rows, counts, n_estimators=3).arrays()
    broken = {**arrays, name: change(arrays[name])}
    with pytest.raises(InputError, match="not the state of a fitted model"):
        read_head(kind, broken, rows.shape[1], counts.shape[1])


def test_an_unknown_classifier_is_refused():
    with pytest.raises(InputError, match="'oracle'"):
        fit_head("oracle", np.array([[True]]), np.array([[1, 1]]))
