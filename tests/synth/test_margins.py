import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybox.synth.margins import ClippedNormal, fit_lognormal
from whybox.synth.population import SPREADS, margins
from whybox.synth.published import MEAN_POSTS, TABLE_S3

U = (np.arange(100_001) + 0.5) / 100_001


@given(st.floats(0.1, 1000), st.floats(1.05, 6))
def test_a_fitted_lognormal_has_the_mean_and_the_median(median, ratio):
    values = fit_lognormal(median * ratio, median, 0.0, median * 1e5).quantile(U)
    assert np.median(values) == pytest.approx(median)
    assert values.mean() == pytest.approx(median * ratio, rel=0.1)


@pytest.mark.parametrize("positive", [True, False])
@pytest.mark.parametrize("name", TABLE_S3)
def test_a_margin_is_within_a_tenth_of_the_published_figures(name, positive):
    published, values = TABLE_S3[name][positive], margins(positive)[name].quantile(U)
    assert values.mean() == pytest.approx(published.mean, rel=0.1)
    assert np.median(values) == pytest.approx(published.median, rel=0.1)
    assert values.min() >= 0
    assert values.max() <= published.maximum


def test_the_range_holds_at_the_ends():
    margin = ClippedNormal(0.3, 0.2, 0.0, 1.0)
    assert margin.quantile(np.array([0.0, 1.0])).tolist() == [0.0, 1.0]


def test_the_classes_of_table_s3_mix_to_the_mean_of_table_s2():
    posts = TABLE_S3["posting_number"]
    mixed = (2390 * posts[True].mean + 4476 * posts[False].mean) / (2390 + 4476)
    assert mixed == pytest.approx(MEAN_POSTS, rel=0.001)
    assert set(SPREADS) < set(TABLE_S3)
