"""Statistics of features by class."""

import numpy as np
import pandas as pd
import pytest

from whybox.errors import InputError
from whybox.explain import feature_table


def test_statistics_are_those_of_pandas():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 3)), rng.choice(list("abc"), 50)
    X[::4, 1] = np.nan
    table = feature_table(X, y, ["u", "v", "w"])
    expected = pd.DataFrame(X).groupby(y).agg(["mean", "median", "min", "max"])
    np.testing.assert_allclose(
        table.statistics.transpose(1, 0, 2).reshape(3, 12), expected.to_numpy()
    )


def test_a_feature_that_is_never_known_has_no_statistics():
    table = feature_table([[np.nan], [1.0]], ["a", "b"], ["u"])
    assert np.isnan(table.statistics[0, 0]).all()


def test_shapes_must_agree():
    with pytest.raises(InputError, match="2 labels and 1 features"):
        feature_table([[1.0]], ["a", "b"], ["u"])
