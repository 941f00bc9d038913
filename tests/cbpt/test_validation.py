"""Class factors; other checks are tested where users meet them (test_classifier)."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from whybox.cbpt.validation import class_factors


@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=6))
def test_balanced_classes_weigh_the_same(weights):
    prevalence = np.array(weights) / sum(weights)
    balanced = prevalence * class_factors("balanced", np.arange(len(weights)), prevalence)
    np.testing.assert_allclose(balanced, 1 / len(weights), rtol=1e-12)


def test_a_dict_may_leave_classes_out():
    factors = class_factors({"b": 3}, np.array(["a", "b"]), np.array([0.5, 0.5]))
    assert factors.tolist() == [1, 3]


def test_a_class_of_no_weight_has_a_finite_factor():
    assert class_factors("balanced", np.arange(2), np.array([1.0, 0.0])).tolist() == [0.5, 1.0]
