"""A factor within blocks: published figures, paradoxes, and noise."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import combine_pvalues, fisher_exact, kstest, ttest_ind

from whybox.errors import InputError
from whybox.s3d import S3DClassifier, S3DRegressor, block_test
from whybox.s3d.blocktest import holm, mantel_haenszel

BERKELEY = [  # men admitted, men rejected, women admitted, women rejected, by department
    (512, 313, 89, 19), (353, 207, 17, 8), (120, 205, 202, 391),
    (138, 279, 131, 244), (53, 138, 94, 299), (22, 351, 24, 317),
]  # fmt: skip


def berkeley():
    """Department, whether the applicant is a man, whether admitted (Bickel et al., 1975)."""
    rows = [
        row
        for d, (a, b, c, e) in enumerate(BERKELEY)
        for row in [(d, 1, 1)] * a + [(d, 1, 0)] * b + [(d, 0, 1)] * c + [(d, 0, 0)] * e
    ]
    return np.array(rows).T


def test_berkeleys_admissions_by_mantel_and_haenszel():
    odds, chi2, p = mantel_haenszel(*np.array(BERKELEY).T)
    assert odds == pytest.approx(0.9046968, abs=1e-7)  # as R's mantelhaen.test prints
    assert chi2 == pytest.approx(1.4269, abs=5e-5)
    assert p == pytest.approx(0.2323, abs=5e-5)


def test_blocks_of_departments_dissolve_the_paradox():
    department, man, admitted = berkeley()
    X = department[:, None].astype(float)
    model = S3DClassifier(user_splits={0: [0, 1, 2, 3, 4]}).fit(X, admitted)
    crude = admitted[man == 1].mean() - admitted[man == 0].mean()
    assert crude > 0.14
    test = block_test(model, X, admitted, man, n_permutations=499)
    assert test.odds_ratio == pytest.approx(0.9046968, abs=1e-7)
    assert abs(test.effect) < 0.03
    assert test.p_value == pytest.approx(test.mh_p_value, abs=0.08)
    assert test.n_left_out == 0
    first = test.blocks.iloc[0]
    assert (first["n0"], first["n1"]) == (108, 825)
    assert first["effect"] == pytest.approx(512 / 825 - 89 / 108)
    assert first["p_value"] == pytest.approx(fisher_exact([[512, 313], [89, 19]])[1])
    np.testing.assert_array_equal(
        test.blocks["p_adjusted"], holm(test.blocks["p_value"].to_numpy())
    )
    assert (test.blocks["p_adjusted"] < 0.05).tolist() == [True] + [False] * 5


def test_a_real_outcome_is_compared_by_welch_and_permutations():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, (600, 1)).astype(float)
    factor = rng.choice(["control", "treated"], 600)
    y = 10 * X[:, 0] + 0.4 * (factor == "treated") + rng.normal(size=600)
    model = S3DRegressor(0.01).fit(X, y)
    test = block_test(model, X, y, factor)
    assert test.odds_ratio is test.statistic is test.mh_p_value is None
    assert test.effect == pytest.approx(0.4, abs=0.25)
    assert test.p_value == 0.001
    inside = model.transform(X)[:, -1] == 0
    a, b = (y[inside & (factor == name)] for name in ("treated", "control"))
    assert test.blocks.loc[0, "p_value"] == pytest.approx(ttest_ind(a, b, equal_var=False).pvalue)


def test_p_values_of_noise_are_uniform():
    rng = np.random.default_rng(2)
    X = rng.integers(0, 4, (120, 1)).astype(float)
    y = 3 * X[:, 0] + rng.normal(size=120)
    model = S3DRegressor(0.01, max_features=1).fit(X, y)
    p = [
        block_test(model, X, y, rng.integers(0, 2, 120), n_permutations=99).p_value
        for _ in range(100)
    ]
    assert kstest(p, "uniform").pvalue > 0.01
    assert combine_pvalues(p).pvalue > 0.01


def test_the_seed_decides_and_rows_without_comparison_are_counted():
    X = np.repeat([[0.0], [1.0]], 30, axis=0)
    y = np.concatenate([np.arange(30.0), 100 + np.arange(30.0)])
    factor = np.concatenate([np.arange(30) % 2, np.ones(30)])
    model = S3DRegressor().fit(X, y)
    test = block_test(model, X, y, factor, random_state=3)
    assert test.n_left_out == 30
    assert test.blocks["block"].tolist() == [0]
    assert test.effect == 1.0
    assert test.p_value == block_test(model, X, y, factor, random_state=3).p_value


def test_what_cannot_be_tested_is_refused():
    X, y = np.repeat([[0.0], [1.0]], 30, axis=0), np.repeat([0.0, 5.0], 30)
    model = S3DRegressor().fit(X, y)
    with pytest.raises(InputError, match="3 values"):
        block_test(model, X, y, np.arange(60) % 3)
    with pytest.raises(InputError, match="no block"):
        block_test(model, X, y, X[:, 0])
    with pytest.raises(InputError, match="60 rows"):
        block_test(model, X, y, [0, 1])
    three = S3DClassifier(0.01).fit(np.arange(60.0)[:, None], np.arange(60) // 20)
    with pytest.raises(InputError, match="3 classes"):
        block_test(three, X, y, np.arange(60) % 2)
    two = S3DClassifier().fit(X, y)
    with pytest.raises(InputError, match="does not know"):
        block_test(two, X, y + 1, np.arange(60) % 2)
