"""A model's own threshold decides as `predict` does, for either class."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybox.errors import InputError
from whybox.s3d import S3DClassifier
from whybox.s3d.decisions import own_decision


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3), st.booleans()), min_size=4),
    st.sampled_from([0.0, 4.0]),
)
def test_training_rows_are_decided_as_they_are_predicted(rows, noise_floor):
    X = np.array([row[:2] for row in rows], dtype=float)
    y = np.where([row[2] for row in rows], "yes", "no")
    if len(set(y.tolist())) < 2:
        return
    model = S3DClassifier(0.001, noise_floor=noise_floor, max_bins=50)
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    predicted, share = model.predict(X), model.predict_proba(X)
    for column, label in enumerate(["no", "yes"]):
        decision = own_decision(model, label)
        flagged = share[:, column] >= decision.threshold
        np.testing.assert_array_equal(flagged, predicted == label)
        assert decision.n_flagged == flagged.sum()
        assert decision.n_rows == len(y)


def test_more_than_two_classes_have_no_threshold():
    X = np.tile(np.arange(3.0), 40)[:, None]
    model = S3DClassifier().fit(X, X[:, 0].astype(int))
    with pytest.raises(InputError, match="3 classes"):
        own_decision(model, 1)
