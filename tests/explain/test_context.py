"""Parts of a report that do not fit are refused at once."""

import numpy as np
import pytest

from whybox.errors import InputError
from whybox.explain import Attribution, History, OutOfFold


def test_lengths_must_agree():
    with pytest.raises(InputError, match="lengths differ"):
        OutOfFold(np.array([True]), np.array([0.5, 0.6]))
    with pytest.raises(InputError, match="expected"):
        Attribution(["a"], np.ones((2, 1)), np.ones((2, 2)), 0.5)
    with pytest.raises(InputError, match="lengths differ"):
        History(np.ones(2), np.ones(2), np.ones(3))


def test_history_takes_the_rounds_of_a_model(model):
    history = History.from_records(model.history_)
    assert len(history.error) == len(model.estimators_)
    np.testing.assert_array_equal(history.leaves, [tree.n_leaves for tree in model.estimators_])
    np.testing.assert_array_equal(history.weight, model.estimator_weights_)
