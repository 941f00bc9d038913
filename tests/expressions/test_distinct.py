from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_matrix
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from whybox.expressions.distinct import distinct_rows, predict_distinct

tables = hnp.arrays(bool, hnp.array_shapes(min_dims=2, max_dims=2, max_side=20))


@given(tables)
def test_distinct_rows_give_the_table_back(table):
    rows, where = distinct_rows(csr_matrix(table))
    assert (rows[where] == table).all()
    assert len({tuple(row) for row in rows.tolist()}) == len(rows)


@pytest.mark.parametrize("model", [KNeighborsClassifier(3), DecisionTreeClassifier(random_state=0)])
def test_predictions_are_those_of_all_rows(model):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (60, 4)), rng.integers(0, 2, 60)
    model.fit(X, y)
    rows = csr_matrix(rng.integers(0, 2, (500, 4)))
    for method in ("predict", "predict_proba"):
        expected = getattr(model, method)(rows.toarray())
        np.testing.assert_array_equal(predict_distinct(model, rows, method), expected)
