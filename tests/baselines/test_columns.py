"""A few columns by themselves."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from whybox.baselines.columns import few_columns_logistic
from whybox.baselines.peers import scaled_logistic
from whybox.errors import InputError


def test_it_answers_as_a_logistic_of_these_columns_alone():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    X[::9, 2] = np.nan
    y = X[:, 0] > 0
    model = clone(few_columns_logistic([3, 2])).fit(X, y)
    alone = scaled_logistic(max_iter=1000).fit(X[:, [3, 2]], y)
    np.testing.assert_allclose(model.predict_proba(X), alone.predict_proba(X[:, [3, 2]]))


def test_no_columns_are_refused():
    with pytest.raises(InputError, match="at least one"):
        few_columns_logistic()
